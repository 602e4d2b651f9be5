"""Ranked neighbour lists: sort once, then every neighbourhood size is a slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.protocols import Array


@dataclass(frozen=True, eq=False)
class Ranked:
    """The nearest items of every item, nearest first."""

    items: Array  # int32 (n_items, most)
    similarities: Array  # float32 (n_items, most)


def rank_neighbours(similarity: Array, most: int = 200) -> Ranked:
    """The `most` nearest other items of every item; equally near ones in the order of their index.

    Similarity and index travel in one integer key, so that ties fall the same way on every machine and SIMD
    sorting does the work.
    """
    n = len(similarity)
    most = min(most, n - 1)
    keys = np.empty((n, most), np.int64)
    low = np.arange(n - 1, -1, -1, dtype=np.int64)
    for start in range(0, n if most else 0, 256):
        rows = np.arange(start, min(start + 256, n))
        high = np.ascontiguousarray(similarity[rows], np.float32).view(np.int32)
        high = high ^ ((high >> 31) & 0x7FFFFFFF)  # orders negative floats too
        key = (high.astype(np.int64) << 32) | low
        key[rows - start, rows] = np.iinfo(np.int64).min  # an item is not its own neighbour
        key.partition(n - most, axis=1)
        keys[rows] = key[:, n - most :]
    keys.sort(axis=1)
    keys = keys[:, ::-1]
    items = (n - 1 - (keys & 0xFFFFFFFF)).astype(np.int32)
    return Ranked(items, np.take_along_axis(similarity, items, axis=1).astype(np.float32, copy=False))


def neighbourhood(ranked: Ranked, k: int) -> sp.csr_array:
    """Row i holds the similarities of the `k` nearest items of i: sim(i, j) for j in KNN(i)."""
    n, most = ranked.items.shape
    k = min(k, most)
    starts = np.arange(0, n * k + 1, k, dtype=np.int32) if k else np.zeros(n + 1, np.int32)
    return sp.csr_array((ranked.similarities[:, :k].ravel(), ranked.items[:, :k].ravel(), starts), shape=(n, n))
