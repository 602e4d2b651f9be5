"""Factor models, s(u, i) = p_u · q_i, and one exact half-step of implicit ALS.

Hu, Koren & Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008:
confidence c = 1 + α where they met and 1 elsewhere; p_u = (QᵀQ + α Σ_{i∈u} q_i q_iᵀ + λI)⁻¹ (1 + α) Σ_{i∈u} q_i.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, AtHome, Interactions

ROWS = 4096  # users (or items) solved in one batch
FEW = 10  # factors up to which all products of two are added at once


@dataclass(frozen=True, eq=False)
class Factors:
    """One vector a user, one vector an item; the score is their inner product."""

    users: AtHome[Array]  # p, float32 (n_users, factors): where phones train, each solves its own
    items: Array  # q, float32 (n_items, factors)
    alpha: float  # α, and
    regularization: float  # λ, with which someone new is folded in

    def score(self, users: Array, items: Array) -> Array:
        return pick(lambda u: self.users[u] @ self.items.T, users, items, len(self.items))

    def fold_in(self, people: Interactions) -> Factors:
        return replace(self, users=half_step(people.matrix, self.items, self.alpha, self.regularization))


@dataclass(frozen=True, eq=False)
class AtPhones(Factors):
    """The same where phones make the vectors of people, each its own, and keep them."""

    users: AtHome[Array]  # p, float32 (n_users, factors)


def half_step(matrix: sp.csr_array, fixed: Array, alpha: float, regularization: float) -> Array:
    """The best vector of every row of `matrix`, given the vectors `fixed` of its columns, in their precision."""
    n, factors, kind = matrix.shape[0], fixed.shape[1], fixed.dtype.type
    everyone = fixed.T @ fixed + kind(regularization) * np.eye(factors, dtype=kind)
    right = (1 + kind(alpha)) * (matrix @ fixed)
    solved = np.empty((n, factors), np.float32)
    for start in range(0, n, ROWS):
        part = slice(start, min(start + ROWS, n))
        left = outer_sums(matrix[part] if n > ROWS else matrix, fixed)
        left *= kind(alpha)
        left += everyone
        solved[part] = np.linalg.solve(left, right[part, :, None])[:, :, 0]
    return solved


def outer_sums(matrix: sp.csr_array, fixed: Array) -> Array:
    """Σ q_j q_jᵀ over the columns j of every row of `matrix`: (rows, factors, factors).

    Few factors have few different products, and one sparse product adds them; many are faster row by row.
    """
    n, factors = matrix.shape[0], fixed.shape[1]
    sums = np.empty((n, factors, factors), fixed.dtype)
    if factors <= FEW:
        a, b = np.triu_indices(factors)
        sums[:, a, b] = sums[:, b, a] = matrix @ (fixed[:, a] * fixed[:, b])
        return sums
    met = fixed[matrix.indices]
    for row, (first, last) in enumerate(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)):
        np.matmul(met[first:last].T, met[first:last], out=sums[row])
    return sums
