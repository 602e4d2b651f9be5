"""How alike two items are, from who met both. Functions of plain arrays, in float32.

gram    G = RᵀR, G_ij users met both i and j; counts are its diagonal
jaccard G_ij / (n_i + n_j − G_ij)
cosine  G_ij / √(n_i n_j)

The Gram matrix is exact: float32 holds every whole number up to 2²⁴. Where the matrix holds nothing but ones it is
counted, 64 users in a word: two to four times as fast as a BLAS, and a browser's NumPy has none. A similarity takes
estimates too (noisy, negative, an empty union): both are clipped to [0, 1]. With `out=gram` no second items × items
array is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.protocols import Array

USERS, ITEMS = 4096, 1024  # the dense tile that one BLAS call reads
ROWS, WORDS = 32, 3  # items whose pairs are counted at once, and words that a byte can add up
FEW = 1024  # users whose rows stay in the cache while they are added up
PRICE = {"uint16": 4, "float32": 8}  # one multiply-add on a rarely met item, in those of BLAS on two often met ones


def gram(matrix: Array | sp.csr_array, kind: Any = np.float32) -> Array:
    """RᵀR of a users × items matrix, dense or sparse, float32 (items, items); of bits, of any `kind` of number.

    Of a sparse matrix only the items that many met are taken densely, each pair once. To the row of a rarely met item
    the rows of those who met it are added, in whole numbers of 16 bits if the matrix holds ones.
    """
    if not isinstance(matrix, sp.csr_array):
        return mirror(_counted(matrix, kind) if matrix.dtype == bool else _upper(matrix))
    kind, upper = ("uint16", _counted) if (matrix.data == 1).all() else ("float32", _upper)
    often, rare = _parted(matrix, kind)
    if not len(rare):
        return mirror(upper(matrix))
    total = np.empty((matrix.shape[1],) * 2, np.float32)
    total[np.ix_(often, often)] = mirror(upper(matrix[:, often]))
    rows = _added(matrix, matrix, rare, kind)
    total[rare] = rows
    total[:, rare] = rows.T
    return total


def _parted(matrix: sp.csr_array, kind: str) -> tuple[Array, Array]:
    """(often, rare): the items, parted by how many met them where that makes the least work of both together."""
    counts, n_users = np.bincount(matrix.indices, minlength=matrix.shape[1]), matrix.shape[0]
    order, n = np.argsort(-counts, kind="stable"), len(counts)
    dense = n_users * np.arange(n + 1.0) ** 2 / 2
    sparse = PRICE[kind] * n * (counts.sum() - np.insert(np.cumsum(counts[order], dtype=float), 0, 0))
    few = counts[order] < 2**16 if kind == "uint16" else np.ones(n, bool)  # what is added up must fit
    split = (dense + sparse)[n - few.sum() :].argmin() + n - few.sum()
    return np.sort(order[:split]), np.sort(order[split:])


def _added(left: sp.csr_array, right: sp.csr_array, rare: Array, kind: str) -> Array:
    """The rows of leftᵀ right of these items."""
    rows = np.zeros((len(rare), right.shape[1]), kind)
    for start in range(0, left.shape[0], FEW):
        mine, others = (part[start : start + FEW].astype(kind, copy=False) for part in (left, right))
        rows += mine[:, rare].T.tocsr() @ others.toarray()
    return rows


def _counted(matrix: Array | sp.csr_array, kind: Any = np.float32) -> Array:
    """The upper triangle of RᵀR of bits: a pair's users are the bits that its two items have in common."""
    n_users, n_items = matrix.shape
    total = np.zeros((n_items, n_items), kind)
    for start in range(0, n_users, USERS):
        block = matrix[start : start + USERS]
        words = _words(block.toarray() > 0 if isinstance(block, sp.csr_array) else block)
        if n_items <= ROWS:
            total += np.bitwise_count(words[:, :, None] & words[:, None]).sum(axis=0, dtype=np.uint16)
            continue
        for i in range(0, n_items, ROWS):
            total[i : i + ROWS, i:] += _common(words, i)
    return total


def _common(words: Array, i: int) -> Array:
    """Of the items from `i` on: how many users each of the first few shares with every one of them."""
    here = np.zeros(np.broadcast_shapes(words[0, i : i + ROWS, None].shape, words[0, i:].shape), np.uint16)
    both = np.empty(here.shape, np.uint64)
    for first in range(0, len(words), WORDS):
        some = np.zeros(here.shape, np.uint8)
        for word in words[first : first + WORDS]:
            some += np.bitwise_count(np.bitwise_and(word[i : i + ROWS, None], word[i:], out=both))
        here += some.astype(np.uint16)
    return here


def _words(bits: Array) -> Array:
    """Boolean users × items as uint64 (users/64, items): one word holds an item's bits of 64 users."""
    packed = np.packbits(bits, axis=0)
    whole = np.zeros((bits.shape[1], -(-len(packed) // 8) * 8), np.uint8)
    whole[:, : len(packed)] = packed.T
    return np.ascontiguousarray(whole.view(np.uint64).T)


def _upper(matrix: Array | sp.csr_array) -> Array:
    """The upper triangle of RᵀR, tile by tile."""
    n_users, n_items = matrix.shape
    total = np.zeros((n_items, n_items), np.float32)
    for start in range(0, n_users, USERS):
        block = matrix[start : start + USERS]
        block = np.asarray(block.toarray() if isinstance(block, sp.csr_array) else block, np.float32)
        for i in range(0, n_items, ITEMS):
            tile, later = block[:, i : i + ITEMS], block[:, i + ITEMS :]
            total[i : i + ITEMS, i : i + ITEMS] += tile.T @ tile  # NumPy computes one half of a square of this form
            total[i : i + ITEMS, i + ITEMS :] += tile.T @ later
    return total


def mirror(matrix: Array) -> Array:
    """Copies the upper triangle onto the lower one, in place."""
    n = len(matrix)
    for i in range(0, n, 256):
        stop = min(i + 256, n)
        square = matrix[i:stop, i:stop]
        square[:] = np.triu(square) + np.triu(square, 1).T
        matrix[stop:, i:stop] = matrix[i:stop, stop:].T
    return matrix


def at_least(values: Array, low: float) -> Array:
    """float32 `values` raised to `low`, which is not negative, in place.

    Compared as whole numbers, whose order is that of the floats: a browser's NumPy takes ten times as long for floats.
    """
    bits = values.view(np.int32)
    np.maximum(bits, np.float32(low).view(np.int32), out=bits)
    return values


def at_most(values: Array, high: float) -> Array:
    """float32 `values`, none of them negative, lowered to `high` in place, as in `at_least`."""
    bits = values.view(np.int32)
    np.minimum(bits, np.float32(high).view(np.int32), out=bits)
    return values


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
        at_most(at_least(out[part], 0), 1)
    return out


def common_cosine(stars: sp.csr_array) -> Array:
    """The cosine of two items' stars over the people who rated both."""
    squares = _cross(_with(stars, stars.data**2), met(stars))
    return gram(stars) / np.sqrt(np.maximum(squares * squares.T, 1e-12))


def pearson(stars: sp.csr_array, middle: float, shrinkage: float = 0.0) -> Array:
    """Pearson's correlation over the people who rated both, times n/(n + shrinkage); 0 where one never varies.

    Stars are counted from the `middle` of the scale: sums of small whole numbers are exact in float32.
    """
    shifted = _with(stars, stars.data - np.float32(middle))
    seen = met(stars)
    both, sums = gram(seen), _cross(shifted, seen)
    above = both * gram(shifted)
    above -= sums * sums.T
    spread = both * _cross(_with(stars, shifted.data**2), seen)
    spread -= sums * sums
    np.maximum(spread, 0, out=spread)
    spread *= spread.T.copy()
    np.sqrt(spread, out=spread)
    flat = spread < 0.5  # n·Σr² − (Σr)² is a whole number where stars are
    spread[flat] = 1
    above[flat] = 0
    above /= spread
    if shrinkage:
        above *= both / (both + np.float32(shrinkage))
    return np.clip(above, -1, 1, out=above)


def met(stars: sp.csr_array) -> sp.csr_array:
    """A one wherever there is a rating."""
    return _with(stars, np.ones_like(stars.data))


def _with(matrix: sp.csr_array, data: Array) -> sp.csr_array:
    return sp.csr_array((data.astype(np.float32, copy=False), matrix.indices, matrix.indptr), shape=matrix.shape)


def _cross(left: sp.csr_array, right: sp.csr_array) -> Array:
    """leftᵀ right of two users × items matrices with their numbers at the same places, float32 (items, items)."""
    often, rare = _parted(left, "float32")
    total = np.empty((left.shape[1],) * 2, np.float32)
    most = np.zeros((len(often),) * 2, np.float32)
    for start in range(0, left.shape[0], USERS):
        mine, others = (matrix[start : start + USERS][:, often].toarray() for matrix in (left, right))
        most += mine.T @ others
    total[np.ix_(often, often)] = most
    total[rare] = _added(left, right, rare, "float32")
    total[:, rare] = _added(right, left, rare, "float32").T
    return total
