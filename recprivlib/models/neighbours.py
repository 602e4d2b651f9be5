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


def rank_neighbours(similarity: Array, most: int = 200, rng: np.random.Generator | None = None) -> Ranked:
    """The `most` nearest other items of every item; equally near ones by index, or at random if `rng` is given.

    Similarity and place in the order travel in one integer key, so that ties fall the same way on every machine
    and SIMD sorting does the work. At random means: one shuffled circle of items that every item enters elsewhere.
    """
    n = len(similarity)
    most = min(most, n - 1)
    keys = np.empty((n, most), np.int64)
    circle = np.arange(n) if rng is None else rng.permutation(n)  # circle[place] = item
    entry = np.zeros(n, np.int32) if rng is None else rng.integers(0, n, n).astype(np.int32)
    place = np.empty(n, np.int32)
    place[circle] = np.arange(n)
    for start in range(0, n if most else 0, 256):
        rows = np.arange(start, min(start + 256, n))
        high = _ordered(np.ascontiguousarray(similarity[start : start + 256], np.float32).view(np.int32))
        low = (n - 1 - place) if rng is None else _around(place, entry[rows])
        key = high.astype(np.int64)
        key <<= 32
        key |= low
        key[rows - start, rows] = np.iinfo(np.int64).min  # an item is not its own neighbour
        key.partition(n - most, axis=1)
        keys[rows] = key[:, n - most :]
    keys.sort(axis=1)
    keys = keys[:, ::-1]
    items = circle[(n - 1 - (keys & 0xFFFFFFFF) + entry[:, None]) % n].astype(np.int32)
    return Ranked(items, _ordered((keys >> 32).astype(np.int32)).view(np.float32))


def _ordered(bits: Array) -> Array:
    """The bits of floats as whole numbers in the same order, those below zero too; and back again."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF) if bits.size and bits.min() < 0 else bits


def _around(place: Array, entry: Array) -> Array:
    """How late each item comes on the circle for those who enter it at `entry`, counted down from n − 1."""
    n = len(place)
    late = place - entry[:, None]
    late += (late >> 31) & n  # where it is negative: once around
    return np.subtract(n - 1, late, out=late)


def neighbourhood(ranked: Ranked, k: int) -> sp.csr_array:
    """Row i holds the similarities of the `k` nearest items of i: sim(i, j) for j in KNN(i)."""
    n, most = ranked.items.shape
    k = min(k, most)
    starts = np.arange(0, n * k + 1, k, dtype=np.int32) if k else np.zeros(n + 1, np.int32)
    return sp.csr_array((ranked.similarities[:, :k].ravel(), ranked.items[:, :k].ravel(), starts), shape=(n, n))


def nearest(lists: sp.csr_array, k: int) -> sp.csr_array:
    """The `k` nearest of a neighbourhood, whose rows are nearest first."""
    n = lists.shape[0]
    return neighbourhood(Ranked(lists.indices.reshape(n, -1), lists.data.reshape(n, -1)), k)
