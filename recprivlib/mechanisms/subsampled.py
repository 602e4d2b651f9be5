"""The Gaussian mechanism on a random cohort, as in DP-SGD and PrivRec.

    y = Σ_{i in cohort} clip(x_i) + N(0, σ²),  |clip(x_i)| ≤ 1

    sampling     cohort                            neighbours            sensitivity Δ    σ
    poisson      each record with probability q    add or remove one     1                noise_multiplier
    fixed-size   exactly q·n of the n records      replace one           2                2 · noise_multiplier

The multiplier is relative to the sensitivity under that relation: at one multiplier the two carry different
physical noise (Mironov, Talwar & Zhang 2019; Balle, Barthe & Gaboardi 2018).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import SEEDED
from recprivlib.mechanisms.losses import Pure, SubsampledGaussian
from recprivlib.mechanisms.sampling import cohort_sums, subsets
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Change, Relation, Unit


@dataclass(frozen=True)
class GaussianOnSample:
    """One noisy sum over a random cohort of people; one number a person."""

    noise_multiplier: float = parameter(1.0, 0.05, 1_000.0, "σ over the sensitivity under the stated relation")
    rate: float = parameter(0.01, 1e-6, 1.0, "share of the people in one cohort")
    sampling: str = parameter("poisson", None, None, "how the cohort is drawn", choices=("poisson", "fixed-size"))
    __post_init__ = check
    mode = SEEDED
    claimed = None  # no ε without a δ

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        return {("user", "add-remove" if self.sampling == "poisson" else "replace"): Change()}

    @property
    def sensitivity(self) -> float:
        return 1.0 if self.sampling == "poisson" else 2.0

    @property
    def sigma(self) -> float:
        return self.noise_multiplier * self.sensitivity

    def worst_pair(self) -> tuple[Any, Any]:
        """Everybody else sends 0. Poisson: one person is away or sends 1; fixed size: one sends −1 or 1."""
        if self.sampling == "poisson":
            return np.zeros(1), np.ones(1)
        x = np.zeros(Fraction(self.rate).limit_denominator(100_000).denominator)
        down, up = x.copy(), x
        down[0], up[0] = -1.0, 1.0
        return down, up

    def cohort(self, n: int) -> int:
        """How many of n people are in a fixed-size cohort."""
        size = round(self.rate * n)
        if abs(size - self.rate * n) > 1e-3 or size < 1:
            raise UserError(f"rate is {self.rate:g}, but rate × people must be a whole number, not {self.rate * n:g}")
        return size

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """`x` (…, n) holds populations; one noisy sum each (…,). Contributions are clipped to [−1, 1]."""
        x = np.clip(np.asarray(x, float), -1.0, 1.0)
        rows = x.reshape(-1, x.shape[-1])
        if self.sampling == "poisson":
            sums = cohort_sums(rows, self.rate, rng)
        else:
            chosen = subsets(rows.shape[1], self.cohort(rows.shape[1]), len(rows), rng)
            sums = np.take_along_axis(rows, chosen, axis=1).sum(axis=1)
        return (sums + self.sigma * rng.standard_normal(len(rows))).reshape(x.shape[:-1])

    def loss(self, distance: float = 1.0) -> SubsampledGaussian | Pure:
        if distance == 0:
            return Pure(0.0)
        return SubsampledGaussian(self.noise_multiplier / distance, self.rate, self.sampling)  # type: ignore[arg-type]

    def log_density(self, y: Array, x: Array) -> Array:
        """For a population in which at most one person sends anything but 0 (the worst pair)."""
        x = np.clip(np.asarray(x, float), -1.0, 1.0)
        if np.count_nonzero(x, axis=-1).max() > 1:
            raise UserError("the density is known where at most one contribution is not 0")
        shift, y = x.sum(axis=-1), np.asarray(y)
        away = math.log1p(-self.rate) if self.rate < 1 else -math.inf
        return np.logaddexp(math.log(self.rate) + self._log_normal(y - shift), away + self._log_normal(y))

    def _log_normal(self, z: Array) -> Array:
        return -0.5 * (z / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2 * math.pi))

    def estimate(self, y: Array) -> Array:
        """Unbiased for the sum over everybody."""
        return np.asarray(y, float) / self.rate
