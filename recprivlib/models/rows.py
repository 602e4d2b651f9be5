"""From whole rows of scores to the pairs, candidates or catalogue that were asked for.

A row (one user, every item) is one run of BLAS or sparse axpy; picking from it costs next to nothing. Computing
only the asked pairs would gather at random and is slower up to about 3,000 items.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from recprivlib.protocols import Array

BLOCK = 1 << 24  # scores held at once (64 MB of float32)


def pick(rows: Callable[[Array], Array], users: Array, items: Array, n_items: int) -> Array:
    """The scores at `users` × `items` (broadcast), where `rows(u)` gives (len(u), n_items) scores."""
    users, items = np.asarray(users), np.asarray(items)
    shape = np.broadcast_shapes(users.shape, items.shape)
    step = max(1, BLOCK // n_items)
    if len(shape) == 2 and users.shape == (shape[0], 1):
        everything = items.shape == (1, n_items) and np.array_equal(items[0], np.arange(n_items))
        if everything and shape[0] <= step:
            return rows(users[:, 0]).astype(np.float32, copy=False)
        table = np.empty(shape, np.float32)
        for start in range(0, shape[0], step):
            part = slice(start, start + step)
            scores = rows(users[part, 0])
            wanted = items if items.shape[0] == 1 else items[part]
            table[part] = scores if everything else np.take_along_axis(scores, wanted, axis=1)
        return table
    known, row = np.unique(users, return_inverse=True)
    row, item = (np.broadcast_to(x, shape).ravel() for x in (row.reshape(users.shape), items))
    out = np.empty(len(row), np.float32)
    for start in range(0, len(known), step):
        here = np.flatnonzero((row >= start) & (row < start + step))
        out[here] = rows(known[start : start + step])[row[here] - start, item[here]]
    return out.reshape(shape)
