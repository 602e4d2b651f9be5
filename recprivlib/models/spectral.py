"""Tastes out of noise: the leading directions of a Gram matrix whose every entry was counted through noisy bits.

Bits are reported with independent noise of variance v (after de-biasing). Then Ĝ = YᵀY − M·v·I has the expectation
RᵀR, and what noise alone puts into its spectrum ends at a known edge (Marchenko & Pastur 1967):

    edge = v_I + 2√(v_I v_M)      v_I = v·items,  v_M = v·M

Directions above it carry signal. Each is shrunk twice: its length x² is what the eigenvalue w would have been
without noise, and c² is how much of the estimated direction is true (Benaych-Georges & Nadakuditi 2012):

    x² = ((w − v_I) + √((w − v_I)² − 4 v_I v_M)) / 2        c² = (x⁴ − v_I v_M) / (x⁴ + x² v_I)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, AtHome, Interactions

SPARE, SWEEPS = 16, 4  # extra directions and rounds of the block power method


@dataclass(frozen=True, eq=False)
class Directions:
    """What stands out of the noise, strongest first."""

    vectors: Array  # float32 (items, k), orthonormal
    lengths: Array  # x², float32 (k,): what the eigenvalues would be without noise
    trust: Array  # c², float32 (k,): squared cosine between estimated and true direction


def directions(gram: Array, variance: float, users: int, most: int, rng: np.random.Generator) -> Directions:
    """At most `most` directions of the de-biased `gram` (diagonal included) that lie above the noise's edge."""
    items = len(gram)
    values, vectors = leading(gram, min(most, items), rng)
    per_item, per_user = variance * items, variance * users
    above = values > per_item + 2 * np.sqrt(per_item * per_user)
    values, vectors = values[above].astype(float), vectors[:, above]
    rest = values - per_item
    lengths = (rest + np.sqrt(np.maximum(rest**2 - 4 * per_item * per_user, 0))) / 2
    trust = (lengths**2 - per_item * per_user) / (lengths**2 + lengths * per_item)
    return Directions(vectors, lengths.astype(np.float32), trust.astype(np.float32))


def product(left: Array, right: Array) -> Array:
    """left @ right, float32. A browser's NumPy is built without a BLAS; SciPy brings one, ten times as fast there."""
    if sys.platform == "emscripten":
        from scipy.linalg.blas import sgemm

        return sgemm(1.0, right.T, left.T).T  # the transposes are as BLAS wants them, and nothing is copied
    return left @ right


def leading(matrix: Array, k: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """The k largest eigenvalues of a symmetric matrix and their vectors (block power method, Halko et al. 2011)."""
    n = len(matrix)
    if k + SPARE >= n:
        values, vectors = np.linalg.eigh(matrix)
        return values[::-1][:k], vectors[:, ::-1][:, :k]
    block = rng.standard_normal((n, k + SPARE), np.float32)
    for _ in range(SWEEPS):
        block = np.linalg.qr(product(matrix, block))[0]
    values, turn = np.linalg.eigh(product(block.T, product(matrix, block)))
    return values[::-1][:k], (block @ turn[:, ::-1])[:, :k]


@dataclass(frozen=True, eq=False)
class Projected:
    """Score at home: a history is seen through k directions, s(u, i) = Σ_k (x_u·V_k) f_k V_ik / (1 − Σ_k f_k V_ik²).

    The divisor takes out what an item says about itself, as ease does. `floor` is added for everybody.
    """

    histories: AtHome[sp.csr_array]  # float32 (n_users, n_items)
    vectors: Array  # V, float32 (n_items, k)
    filter: Array  # f, float32 (k,), each in [0, 1)
    floor: Array  # float32 (n_items,)

    def score(self, users: Array, items: Array) -> Array:
        own = 1 - (self.filter * self.vectors**2).sum(axis=1)
        back = (self.vectors * self.filter / own[:, None]).T
        return pick(lambda u: self.histories[u] @ self.vectors @ back + self.floor, users, items, len(self.floor))

    def fold_in(self, people: Interactions) -> Projected:
        return replace(self, histories=people.matrix)
