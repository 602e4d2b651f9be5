"""Factor models, s(u, i) = p_u · q_i, and one exact half-step of implicit ALS.

Hu, Koren & Volinsky, "Collaborative Filtering for Implicit Feedback Datasets", ICDM 2008:
confidence c = 1 + α where they met and 1 elsewhere; p_u = (QᵀQ + α Σ_{i∈u} q_i q_iᵀ + λI)⁻¹ (1 + α) Σ_{i∈u} q_i.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, Interactions

ROWS = 4096  # users (or items) solved in one batch


@dataclass(frozen=True, eq=False)
class Factors:
    """One vector a user, one vector an item; the score is their inner product."""

    users: Array  # p, float32 (n_users, factors)
    items: Array  # q, float32 (n_items, factors)
    alpha: float  # α, and
    regularization: float  # λ, with which someone new is folded in

    def score(self, users: Array, items: Array) -> Array:
        return pick(lambda u: self.users[u] @ self.items.T, users, items, len(self.items))

    def fold_in(self, people: Interactions) -> Factors:
        return replace(self, users=half_step(people.matrix, self.items, self.alpha, self.regularization))


def half_step(matrix: sp.csr_array, fixed: Array, alpha: float, regularization: float) -> Array:
    """The best vector of every row of `matrix`, given the vectors `fixed` of its columns."""
    n, factors = matrix.shape[0], fixed.shape[1]
    everyone = fixed.T @ fixed + np.float32(regularization) * np.eye(factors, dtype=np.float32)
    right = (1 + np.float32(alpha)) * (matrix @ fixed)
    solved = np.empty((n, factors), np.float32)
    for start in range(0, n, ROWS):
        part = slice(start, min(start + ROWS, n))
        ends = matrix.indptr[part.start : part.stop + 1]
        met = fixed[matrix.indices[ends[0] : ends[-1]]]
        left = np.empty((part.stop - part.start, factors, factors), np.float32)
        for row, (a, b) in enumerate(zip(ends[:-1] - ends[0], ends[1:] - ends[0], strict=True)):
            np.matmul(met[a:b].T, met[a:b], out=left[row])
        left *= np.float32(alpha)
        left += everyone
        solved[part] = np.linalg.solve(left, right[part, :, None])[:, :, 0]
    return solved
