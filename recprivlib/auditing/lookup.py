"""Answers that are bits or small whole numbers: what is asked of each is worked out once a value, and looked up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recprivlib.protocols import Array

MOST = 64  # values a whole number may run through


def few(y: Array) -> Array | None:
    """All values that such answers can have, in order; None where there are many, or real numbers."""
    if y.dtype == bool:
        return np.array([False, True])
    if y.dtype.kind not in "iu" or not y.size:
        return None
    low, high = int(y.min()), int(y.max())
    return np.arange(low, high + 1).astype(y.dtype) if high - low < MOST else None


def looked_up(function: Callable[[Array], Array], y: Array) -> Array:
    """`function(y)`, where each of its numbers hangs on one of y's alone."""
    values = few(y)
    return function(y) if values is None else picked(function(values), values, y)


def picked(table: Array, values: Array, y: Array) -> Array:
    """The row of `table` for each answer; with one column a place, that of its own place."""
    if y.dtype == bool:
        return np.where(y, table[1], table[0])
    row = y.astype(np.intp) - int(values[0])
    return table[row] if table.ndim == 1 else table[row, np.arange(table.shape[1])]


def tally(y: Array) -> tuple[Array, Array]:
    """The values that are there, in order, as real numbers, and how often each is."""
    values = few(y)
    if values is None:
        values, counts = np.unique(np.asarray(y, float), return_counts=True)
        return values, counts
    counts = np.array([np.count_nonzero(y == value) for value in values])
    return values[counts > 0].astype(float), counts[counts > 0]
