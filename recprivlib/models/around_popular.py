"""Tastes beside popularity, from two noisy sums over people (after McSherry & Mironov 2009).

    p = Σ rows(X) + noise              how popular each item is; S, its top; v, the direction of p on S
    G = Σ r rᵀ + noise                 what popularity does not explain: r = rows(q − (q·v)v), q = rows(X[:, S])

rows(·) gives every history length 1, so that with one person more or less either sum moves by at most 1, and by √2
where a history of non-negative numbers is replaced by another (‖r rᵀ − q qᵀ‖² ≤ 2, whatever the signs). S and v are
read off the noisy p, so they cost nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, AtHome, Interactions

SHARE, SLOPE, MOST = 0.2, 65.0, 0.7  # of μ² for popularity: SHARE + SLOPE/x, at most MOST
TOP = 10.0  # items in S, times √x
PULL = 3.0  # of short directions towards zero
FAINT = 1e-3  # of popularity, for those who met nothing of S


def unit_rows(x: Array) -> Array:
    """Every row at length 1; rows of zeros stay."""
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(length > 0, length, 1)


def popular_sum(matrix: sp.csr_array) -> Array:
    """Σ over people of their history at length 1: (n_items,)."""
    counts = np.diff(matrix.indptr)
    return matrix.T @ (1 / np.sqrt(np.maximum(counts, 1)))


def shares(strength: float) -> tuple[float, float, int]:
    """(share of μ² for popularity, the rest, how many items are looked at) at x = N·μ/Δ."""
    first = min(MOST, SHARE + SLOPE / strength)
    return first, 1 - first, int(TOP * np.sqrt(strength))


def top(popular: Array, items: int) -> tuple[Array, Array]:
    """(S, v): the most popular items by the noisy sum, and their direction."""
    chosen = np.sort(np.argsort(-popular, kind="stable")[: max(1, items)])
    direction = np.maximum(popular[chosen], 0)
    length = np.linalg.norm(direction)
    return chosen, direction / length if length > 0 else np.full(len(chosen), len(chosen) ** -0.5)


def leftovers(matrix: sp.csr_array, chosen: Array, direction: Array) -> Array:
    """Σ r rᵀ, as the half of a symmetric matrix that keeps lengths (off the diagonal times √2)."""
    total = np.zeros((len(chosen), len(chosen)))
    part = matrix[:, chosen]
    for start in range(0, part.shape[0], 4096):
        seen = unit_rows(part[start : start + 4096].toarray().astype(float))
        rest = seen - np.outer(seen @ direction, direction)
        # what is left of somebody who is all popularity is rounding, and must not be stretched to length 1
        rest[np.linalg.norm(rest, axis=1) < 1e-9] = 0
        rest = unit_rows(rest)
        total += rest.T @ rest
    return total[np.triu_indices(len(chosen))] * _weights(len(chosen))


def _weights(n: int) -> Array:
    rows, columns = np.triu_indices(n)
    return np.where(rows == columns, 1.0, np.sqrt(2.0))


def directions(half: Array, direction: Array, sigma: float) -> tuple[Array, Array]:
    """(V, f): what stands out of noise of deviation `sigma`, and how far each direction is to be trusted.

    The noise's eigenvalues end at 2t, t = σ√(m/2). An eigenvalue w above it was θ = (w + √(w² − 4t²))/2 without noise,
    and c² = 1 − t²/θ² of its direction is true (Benaych-Georges & Nadakuditi 2011).
    """
    m = len(direction)
    gram = np.zeros((m, m))
    gram[np.triu_indices(m)] = half / _weights(m)
    gram += np.triu(gram, 1).T
    flat = np.eye(m) - np.outer(direction, direction)
    values, vectors = np.linalg.eigh(flat @ gram @ flat)
    edge = sigma * np.sqrt(m / 2)
    above = values > 2 * edge
    found = values[above]
    length = (found + np.sqrt(found**2 - 4 * edge**2)) / 2
    trust = 1 - edge**2 / length**2
    return vectors[:, above], trust**2 * length / (trust * length + PULL)


@dataclass(frozen=True, eq=False)
class AroundPopular:
    """Scored at home: how much of a history is popularity, and which directions beside it."""

    histories: AtHome[sp.csr_array]  # float32 (n_users, n_items)
    popular: Array  # float32 (n_items,): p over its length on S
    chosen: Array  # S, int32 (m,)
    vectors: Array  # V, float32 (m, k)
    filter: Array  # f, float32 (k,)

    def score(self, users: Array, items: Array) -> Array:
        return pick(self._rows, users, items, len(self.popular))

    def _rows(self, users: Array) -> Array:
        seen = unit_rows(self.histories[users][:, self.chosen].toarray())
        share = seen @ np.maximum(self.popular[self.chosen], 0)
        out = np.maximum(share, FAINT)[:, None] * self.popular
        out[:, self.chosen] += (seen @ self.vectors * self.filter) @ self.vectors.T
        return out.astype(np.float32)

    def fold_in(self, people: Interactions) -> AroundPopular:
        return replace(self, histories=people.matrix)
