"""Random cohorts and subsets, many at once."""

from __future__ import annotations

import numpy as np

from recprivlib.parameters import UserError
from recprivlib.protocols import Array

CHUNK = 4_000_000  # random keys held at a time


def subsets(n: int, size: int, rows: int, rng: np.random.Generator) -> Array:
    """`rows` uniform subsets of `size` out of n, without replacement: int32 (rows, size).

    A place in a row is not random: a symbol may prefer one. Use rows as sets."""
    if size * size <= n:
        return _by_rejection(n, size, rows, rng)
    chosen = np.empty((rows, size), np.int32)
    step = max(1, CHUNK // n)
    for start in range(0, rows, step):
        block = chosen[start : start + step]
        keys = rng.random((len(block), n), np.float32)
        block[:] = np.argpartition(keys, size - 1, axis=1)[:, :size] if size < n else np.arange(n)
    return chosen


def _by_rejection(n: int, size: int, rows: int, rng: np.random.Generator) -> Array:
    """Few out of many: draw with replacement, and draw the whole row again if anything came twice."""
    chosen = rng.integers(0, n, (rows, size), np.int32)
    again = np.arange(rows)
    while len(again):
        ordered = np.sort(chosen[again], axis=1)
        again = again[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
        chosen[again] = rng.integers(0, n, (len(again), size), np.int32)
    return chosen


def fixed_size(rate: float, n: int) -> int:
    """How many of n people are in a cohort of fixed size; a rounded one would not have the rate that is billed."""
    size = round(rate * n)
    if abs(size - rate * n) > 1e-9 * size:
        raise UserError(f"rate is {rate:g}, but rate × people must be a whole number, not {rate * n:g}")
    return size


def cohort_sums(x: Array, rate: float, clip: float, rng: np.random.Generator) -> Array:
    """Sum over a Poisson cohort of every row: each record, clipped to ±`clip`, joins with probability `rate`."""
    sums = np.empty(len(x))
    step = max(1, CHUNK // max(x.shape[1], 1))
    for start in range(0, len(x), step):
        block = x[start : start + step].clip(-clip, clip)
        sums[start : start + step] = np.where(rng.random(block.shape) < rate, block, 0.0).sum(axis=1)
    return sums
