"""How tastes for two items go together, from one noisy matrix: only what stands above the noise is read.

Person u's part is w_u y_u y_uᵀ: y is what she thought beyond the means, cut to [−a, a], less its own mean, and
w = 1/√(n + 4) by the n items she rated. Off the diagonal only, in L2 over pairs i < j:

    one rating changed    moves m δᵀ + δ mᵀ, |δ| ≤ 2a, |m| ≤ a√n, |m·δ| ≤ 4a²:    at most 2a²
    one person            w |y|² / √2 ≤ a² √n / √2

Noise of deviation σ on every pair puts eigenvalues up to 2σ√items into a symmetric matrix (Wigner 1955), and
a hair beyond. A direction of
true length x shows as x + σ²·items/x, and c² = 1 − σ²·items/x² of it is true (Benaych-Georges & Nadakuditi 2011).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from recprivlib.models.spectral import Directions
from recprivlib.papers.dp_pnbm.weighted import Rated
from recprivlib.protocols import Array

SLACK = 4  # in the weights, for what a rating moves in its own row
USERS = 4096  # people whose rows are held densely at once
FILLS = 2  # times the missing diagonal is filled from what was read


def of_one_rating(reach: float) -> float:
    """The most that one changed rating moves the pairs i < j, in L2."""
    return 2 * reach**2


def of_one_person(reach: float, cap: int) -> float:
    """The most that one person with `cap` ratings or fewer adds to them."""
    return reach**2 * np.sqrt(cap / 2)


def centred(rated: Rated, reach: float) -> sp.csr_array:
    """√w y: rows whose outer products are people's parts."""
    rows, lengths = rated.rows, np.diff(rated.rows.indptr)
    cut = np.clip(rows.data.astype(float), -reach, reach)
    who = np.repeat(np.arange(len(lengths)), lengths)
    middle = np.bincount(who, cut, minlength=len(lengths)) / np.maximum(lengths, 1)
    data = (cut - middle[who]) * (lengths[who] + SLACK) ** -0.25
    return sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def covariance(rows: sp.csr_array, times: Array | None = None) -> Array:
    """Σ_u times_u y_u y_uᵀ, in doubles, without its diagonal."""
    out = np.zeros((rows.shape[1],) * 2)
    for start in range(0, rows.shape[0], USERS):
        block = rows[start : start + USERS].toarray()
        if times is not None:
            block *= np.sqrt(times[start : start + USERS, None])
        out += block.T @ block
    np.fill_diagonal(out, 0)
    return out


def pairs(matrix: Array) -> Array:
    """The entries above the diagonal, row by row."""
    return np.concatenate([matrix[i, i + 1 :] for i in range(len(matrix))])


def square(entries: Array, n: int) -> Array:
    """The symmetric matrix with these entries above a diagonal of zeros, float32."""
    out, start = np.zeros((n, n), np.float32), 0
    for i in range(n):
        out[i, i + 1 :] = entries[start : start + n - 1 - i]
        start += n - 1 - i
    return out + out.T


def standing(matrix: Array, sigma: float, most: int, rng: np.random.Generator) -> Directions:
    """The directions above the edge, at most `most`; the diagonal, which was not released, is filled from them."""
    n, filled = len(matrix), matrix.copy()
    noise = sigma**2 * n
    for _ in range(FILLS):
        values, vectors = largest(filled, min(most, n), rng)
        above = values > max(2 * np.sqrt(noise) * (1 + 2 * n ** (-2 / 3)), 1e-9)
        values, vectors = values[above].astype(float), vectors[:, above]
        lengths = (values + np.sqrt(np.maximum(values**2 - 4 * noise, 0))) / 2
        np.fill_diagonal(filled, (vectors**2 * lengths).sum(axis=1))
    trust = 1 - noise / np.maximum(lengths**2, noise + 1e-12)
    return Directions(vectors, lengths.astype(np.float32), trust.astype(np.float32))


def largest(matrix: Array, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The k largest eigenvalues, largest first (Lanczos: near the noise's edge the power method is slow)."""
    from scipy.sparse.linalg import eigsh

    if k + 1 >= len(matrix):
        values, vectors = np.linalg.eigh(matrix)
        return values[::-1][:k], vectors[:, ::-1][:, :k]
    start = rng.standard_normal(len(matrix), np.float32)
    values, vectors = eigsh(matrix, k=k, which="LA", v0=start, tol=1e-3)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def tastes(found: Directions, counts: Array, share: float, sigma: float, pull: float, again: int = 1) -> Array:
    """q: how far each direction moves an item, float32 (items, k).

    A direction v of length x is √x v_i = q_i d_i √share, where d_i is how often i was rated, by the people's weights,
    and share · d_i d_j how often i and j were by the same people. Rare items are drawn towards zero by `pull`.
    `again`: how often everybody was drawn, which says nothing new.
    """
    seen = np.maximum(counts, 0)[:, None]
    shown = found.vectors * np.sqrt(found.lengths * found.trust)
    noise = sigma**2 / np.maximum(found.lengths, 1e-9)
    below = share * seen**2 + pull * (again * share * seen + noise)
    return np.divide(np.sqrt(share) * seen * shown, below, out=np.zeros_like(shown), where=below > 0).astype(np.float32)
