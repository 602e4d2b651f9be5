"""What a phone computes from its own history and the item vectors that the server sent, for a whole block of phones.

Implicit matrix factorisation (Hu, Koren & Volinsky 2008; federated: Ammad-ud-din et al. 2019): with p_ui = 1 where u
met i, else 0, and confidence c_ui = 1 + α p_ui,

    x_u = the best vector for u, given V              `half_step` in factors.py
    f(u, i) = c_ui (p_ui − x_u·v_i) x_u               minus half the loss's slope in v_i, from u alone

One cell (i, f) of f(u, ·) is one number. Nothing here holds a gradient of M × F numbers for every phone.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from recprivlib.models.factors import outer_sums
from recprivlib.protocols import Array, Interactions

ROWS = 128  # phones that look up their histories at once: the table stays in the cache


def histories(block: Interactions) -> sp.csr_array:
    """Who met what, in the order of the rows: `block.matrix` without the sorting that a round does not need."""
    starts = np.searchsorted(block.users, np.arange(block.n_users + 1)).astype(np.int32)
    shape = (block.n_users, block.n_items)
    return sp.csr_array((np.ones(len(block), np.float32), block.items, starts), shape=shape)


def at_cells(
    met: sp.csr_array, users: Array, items: Array, alpha: float, cells: Array, along: Array | None = None
) -> Array:
    """f(u, i) at the cells of every phone, numbered item · factors + factor: float32 (n, k).

    `along`: vectors that stand in for x_u as the last factor of f.
    """
    factors = items.shape[1]
    item = cells // factors
    reached = (items.take(item, axis=0) @ users[:, :, None])[:, :, 0]
    own = has(met, item)
    ends = rows_of(len(cells), factors) + cells - item * factors
    return (own - reached) * (1 + np.float32(alpha) * own) * (users if along is None else along).take(ends)


def rows_of(number: int, width: int) -> Array:
    """Where each of `number` rows of `width` begins in the flat array, as a column."""
    return np.arange(0, number * width, width, dtype=np.int32)[:, None]


def summed(met: sp.csr_array, users: Array, items: Array, alpha: float) -> Array:
    """Σ_u f(u, ·) of a block, items × factors: (1+α) Σ_{u∋i} x_u − (XᵀX + α Σ_{u∋i} x_u x_uᵀ) v_i."""
    by_item = met.T.tocsr()
    outer = alpha * outer_sums(by_item, users) + users.T @ users
    return (1 + alpha) * (by_item @ users) - np.einsum("ifg,ig->if", outer, items)


def has(met: sp.csr_array, items: Array) -> Array:
    """Whether each phone met each of its `items` (n, k), looked up in a small table of a few phones at a time."""
    (n, width), found = met.shape, np.empty(items.shape, bool)
    begin, table = rows_of(ROWS, width), np.zeros(ROWS * width, bool)
    for start in range(0, n, ROWS):
        ends = met.indptr[start : start + ROWS + 1]
        own = np.repeat(begin[: len(ends) - 1, 0], np.diff(ends)) + met.indices[ends[0] : ends[-1]]
        table[own] = True
        found[start : start + ROWS] = table.take(items[start : start + ROWS] + begin[: len(ends) - 1])
        table[own] = False
    return found


def one_of_each(met: sp.csr_array, k: int, rng: np.random.Generator) -> Array:
    """k items that each phone met, drawn with replacement (n, k); who met nothing draws from the whole catalogue."""
    chosen, lengths = rng.integers(0, met.shape[1], (met.shape[0], k)), np.diff(met.indptr)
    place = (rng.random(chosen.shape) * lengths[:, None]).astype(np.int64)  # drawn for all, whoever met something
    some = np.flatnonzero(lengths)
    chosen[some] = met.indices[met.indptr[some, None] + place[some]]
    return chosen


def orthonormal(vectors: Array) -> Array:
    """The nearest matrix whose columns are orthonormal, V(VᵀV)^−½; rows, where there are fewer rows than columns."""
    left, _, right = np.linalg.svd(vectors, full_matrices=False)
    return left @ right


def level(vectors: Array) -> Array:
    """Every row divided by its largest entry in size; a row of zeros stays."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    return np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
