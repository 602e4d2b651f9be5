"""How alike two items are, from who met both. Functions of plain arrays, in float32.

gram    G = RᵀR, G_ij users met both i and j; counts are its diagonal
jaccard G_ij / (n_i + n_j − G_ij)
cosine  G_ij / √(n_i n_j)

The Gram matrix is exact: float32 holds every whole number up to 2²⁴. A similarity takes estimates too (noisy,
negative, an empty union): both are clipped to [0, 1]. With `out=gram` no second items × items array is made.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from recprivlib.protocols import Array

USERS, ITEMS = 4096, 1024  # the dense tile that one BLAS call reads


def gram(matrix: Array | sp.csr_array) -> Array:
    """RᵀR of a users × items matrix, dense or sparse, float32 (items, items)."""
    n_users, n_items = matrix.shape
    total = np.zeros((n_items, n_items), np.float32)
    for start in range(0, n_users, USERS):
        block = matrix[start : start + USERS]
        block = np.asarray(block.toarray() if isinstance(block, sp.csr_array) else block, np.float32)
        for i in range(0, n_items, ITEMS):
            tile, later = block[:, i : i + ITEMS], block[:, i + ITEMS :]
            total[i : i + ITEMS, i : i + ITEMS] += tile.T @ tile  # NumPy computes one half of a square of this form
            total[i : i + ITEMS, i + ITEMS :] += tile.T @ later
    return mirror(total)


def mirror(matrix: Array) -> Array:
    """Copies the upper triangle onto the lower one, in place."""
    n = len(matrix)
    for i in range(0, n, 256):
        stop = min(i + 256, n)
        square = matrix[i:stop, i:stop]
        square[:] = np.triu(square) + np.triu(square, 1).T
        matrix[stop:, i:stop] = matrix[i:stop, stop:].T
    return matrix


def jaccard(gram: Array, counts: Array, out: Array | None = None) -> Array:
    """Those who met both among those who met either."""
    return _ratio(gram, lambda part: counts[part, None] + counts - gram[part], out)


def cosine(gram: Array, counts: Array, out: Array | None = None) -> Array:
    """The cosine between the items' columns."""
    length = np.sqrt(np.maximum(counts, 0))
    return _ratio(gram, lambda part: length[part, None] * length, out)


SIMILARITIES = {"jaccard": jaccard, "cosine": cosine}


def _ratio(gram: Array, whole: Callable[[slice], Array], out: Array | None) -> Array:
    """gram / whole, clipped to [0, 1], 0 where the whole is not positive; a few rows at a time."""
    out = np.empty_like(gram) if out is None else out
    for start in range(0, len(gram), 256):
        part = slice(start, start + 256)
        below = whole(part).astype(np.float32, copy=False)
        np.copyto(below, np.inf, where=below <= 0)
        np.divide(gram[part], below, out=out[part])
        np.clip(out[part], 0, 1, out=out[part])
    return out
