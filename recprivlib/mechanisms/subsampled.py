"""The Gaussian mechanism on a random cohort, as in DP-SGD and PrivRec.

    y = Σ_{i in cohort} clip(x_i) + N(0, σ²),  |clip(x_i)| ≤ 1,  σ = noise_multiplier · Δ

    sampling     cohort                            relation      neighbours              Δ
    poisson      each record with probability q    add-remove    one is there or not     1
    poisson                                        replace       one changes             2
    fixed-size   exactly q·n of the n records      replace       one changes             2

The multiplier is relative to Δ, the sensitivity under the stated relation: one multiplier means different
physical noise under different relations (Mironov, Talwar & Zhang 2019; Balle, Barthe & Gaboardi 2018).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

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
    rate: float = parameter(0.01, 1e-5, 1.0, "share of the people in one cohort")
    sampling: str = parameter("poisson", None, None, "how the cohort is drawn", choices=("poisson", "fixed-size"))
    relation: str | None = parameter(
        None, None, None, "what neighbours are; none: add-remove for poisson, replace for fixed-size",
        kind=str, choices=("add-remove", "replace"), optional=True,
    )  # fmt: skip
    mode = SEEDED
    claimed = None  # no ε without a δ

    def __post_init__(self) -> None:
        check(self)
        if self.sampling == "fixed-size" and self.relation == "add-remove":
            raise UserError("relation is 'add-remove', but a fixed-size cohort is accounted under replace only")

    @property
    def stated(self) -> Relation:
        """The relation that the multiplier is relative to."""
        natural = "add-remove" if self.sampling == "poisson" else "replace"
        return cast(Relation, self.relation or natural)

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        return {("user", self.stated): Change()}

    @property
    def sensitivity(self) -> float:
        return 1.0 if self.stated == "add-remove" else 2.0

    @property
    def sigma(self) -> float:
        return self.noise_multiplier * self.sensitivity

    def worst_pair(self) -> tuple[Any, Any]:
        """Everybody else sends 0. Add-remove: one person is away or sends 1; replace: one sends −1 or 1."""
        people = 1 if self.sampling == "poisson" else Fraction(self.rate).limit_denominator(100_000).denominator
        low, high = np.zeros((2, people))
        low[0], high[0] = 1.0 - self.sensitivity, 1.0
        return low, high

    def cohort(self, n: int) -> int:
        """How many of n people are in a fixed-size cohort."""
        size = round(self.rate * n)
        if abs(size - self.rate * n) > 1e-3 or size < 1:
            raise UserError(f"rate is {self.rate:g}, but rate × people must be a whole number, not {self.rate * n:g}")
        return size

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """`x` (…, n) holds populations; one noisy sum each (…,). Contributions are clipped to [−1, 1]."""
        x = np.asarray(x, float)
        rows = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])  # two axes may be a broadcast view: never copy it
        if self.sampling == "poisson":
            sums = cohort_sums(rows, self.rate, rng)
        else:
            chosen = subsets(rows.shape[1], self.cohort(rows.shape[1]), len(rows), rng)
            sums = np.take_along_axis(rows, chosen, axis=1).clip(-1.0, 1.0).sum(axis=1)
        return (sums + self.sigma * rng.standard_normal(len(rows))).reshape(x.shape[:-1])

    def loss(self, distance: float = 1.0) -> SubsampledGaussian | Pure:
        if distance == 0:
            return Pure(0.0)
        scheme = cast(Literal["poisson", "fixed-size"], self.sampling)
        return SubsampledGaussian(self.noise_multiplier / distance, self.rate, scheme)

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
