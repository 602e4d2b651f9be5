"""Mechanisms on a random cohort: any additive noise (`OnSample`), and the Gaussian one of DP-SGD and PrivRec.

    y = Σ_{i in cohort} clip(x_i) + noise

    sampling     cohort                            relation      neighbours              Δ, for |clip(x_i)| ≤ 1
    poisson      each record with probability q    add-remove    one is there or not     1
    poisson                                        replace       one changes             2
    fixed-size   exactly q·n of the n records      replace       one changes             2

The noise is made for Δ, the sensitivity under the stated relation: one noise_multiplier means different physical
noise under different relations (Mironov, Talwar & Zhang 2019; Balle, Barthe & Gaboardi 2018).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np

from recprivlib.mechanisms.common import SEEDED
from recprivlib.mechanisms.gaussian import Gaussian
from recprivlib.mechanisms.losses import GaussianShift, Pure, Sampled, SubsampledGaussian
from recprivlib.mechanisms.sampling import cohort_sums, fixed_size, subsets
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Change, Relation, Unit


def _rate() -> Any:
    return parameter(0.01, 1e-5, 1.0, "share of the people in one cohort")


def _sampling() -> Any:
    return parameter("poisson", None, None, "how the cohort is drawn", choices=("poisson", "fixed-size"))


def _relation() -> Any:
    gloss = "what neighbours are; none: add-remove for poisson, replace for fixed-size"
    return parameter(None, None, None, gloss, kind=str, choices=("add-remove", "replace"), optional=True)


@dataclass(frozen=True)
class OnSample:
    """`noise` (Laplace, Gaussian, discrete) on the sum over a random cohort; one number a person.

    Contributions are clipped to the noise's own sensitivity: to Δ under add-remove, to Δ/2 under replace.
    """

    noise: Any
    rate: float = _rate()
    sampling: str = _sampling()
    relation: str | None = _relation()
    mode = SEEDED
    draws_itself = True  # `release` draws a new cohort each time: no other release can share it
    claimed = None

    def __post_init__(self) -> None:
        check(self)
        if self.sampling == "fixed-size" and self.relation == "add-remove":
            raise UserError("relation is 'add-remove', but a fixed-size cohort is accounted under replace only")

    @property
    def stated(self) -> Relation:
        """The relation that the noise is made for."""
        natural = "add-remove" if self.sampling == "poisson" else "replace"
        return cast(Relation, self.relation or natural)

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        return {("user", self.stated): Change()}

    @property
    def clip(self) -> float:
        return float(self.noise.sensitivity) / (1 if self.stated == "add-remove" else 2)

    def worst_pair(self) -> tuple[Any, Any]:
        """Everybody else sends 0. Add-remove: one person is away or sends the most; replace: least or most."""
        people = 1 if self.sampling == "poisson" else Fraction(self.rate).limit_denominator(100_000).denominator
        low, high = np.zeros((2, people))
        low[0], high[0] = 0.0 if self.stated == "add-remove" else -self.clip, self.clip
        return low, high

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """`x` (…, n) holds populations; one noisy sum each (…,)."""
        x = np.asarray(x, float)
        rows = x if x.ndim == 2 else x.reshape(-1, x.shape[-1])  # two axes may be a broadcast view: never copy it
        if self.sampling == "poisson":
            sums = cohort_sums(rows, self.rate, self.clip, rng)
        else:
            chosen = subsets(rows.shape[1], fixed_size(self.rate, rows.shape[1]), len(rows), rng)
            sums = np.take_along_axis(rows, chosen, axis=1).clip(-self.clip, self.clip).sum(axis=1)
        return self.noise.release(sums, rng).reshape(x.shape[:-1])

    def loss(self, distance: float = 1.0) -> SubsampledGaussian | Sampled | Pure:
        """A person who changes only a little is still there or not in the cohort: under replace any change at all
        costs the whole. (Opposite values are the worst pair of the sphere, not of those that lie close together.)
        """
        whole = distance if self.stated == "add-remove" or distance <= 0 else max(distance, 1.0)
        base, scheme = self.noise.loss(whole), cast(Literal["poisson", "fixed-size"], self.sampling)
        if isinstance(base, GaussianShift) and base.mu > 0:
            return SubsampledGaussian(1 / base.mu, self.rate, scheme)
        if distance <= 0:
            return Pure(0.0)
        if self.stated == "add-remove":
            return Sampled(base, base, self.rate, scheme)
        return Sampled(self.noise.loss(whole / 2), base, self.rate, scheme)

    def log_density(self, y: Array, x: Array) -> Array:
        """For a population in which at most one person sends anything but 0 (the worst pair)."""
        x = np.clip(np.asarray(x, float), -self.clip, self.clip)
        if np.count_nonzero(x, axis=-1).max() > 1:
            raise UserError("the density is known where at most one contribution is not 0")
        present = math.log(self.rate) + self.noise.log_density(y, x.sum(axis=-1))
        away = math.log1p(-self.rate) if self.rate < 1 else -math.inf
        return np.logaddexp(present, away + self.noise.log_density(y, 0.0))

    def estimate(self, y: Array) -> Array:
        """Unbiased for the sum over everybody."""
        return np.asarray(y, float) / self.rate


@dataclass(frozen=True)
class GaussianOnSample:
    """One noisy sum over a random cohort of people; one number a person, clipped to [−1, 1]."""

    noise_multiplier: float = parameter(1.0, 0.05, 1_000.0, "σ over the sensitivity under the stated relation")
    rate: float = _rate()
    sampling: str = _sampling()
    relation: str | None = _relation()
    mode = SEEDED
    draws_itself = True  # `release` draws a new cohort each time: no other release can share it
    claimed = None  # no ε without a δ

    def __post_init__(self) -> None:
        check(self)
        self.wrapped  # noqa: B018  refuses what does not fit together

    @property
    def wrapped(self) -> OnSample:
        added = self.relation == "add-remove" or (self.relation is None and self.sampling == "poisson")
        noise = Gaussian(self.noise_multiplier, 1.0 if added else 2.0)
        return OnSample(noise, self.rate, self.sampling, self.relation)

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        return self.wrapped.neighbours

    @property
    def sigma(self) -> float:
        return self.wrapped.noise.sigma

    def worst_pair(self) -> tuple[Any, Any]:
        return self.wrapped.worst_pair()

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """`x` (…, n) holds populations; one noisy sum each (…,)."""
        return self.wrapped.release(x, rng)

    def loss(self, distance: float = 1.0) -> Any:
        return self.wrapped.loss(distance)

    def log_density(self, y: Array, x: Array) -> Array:
        """For a population in which at most one person sends anything but 0 (the worst pair)."""
        return self.wrapped.log_density(y, x)

    def estimate(self, y: Array) -> Array:
        """Unbiased for the sum over everybody."""
        return self.wrapped.estimate(y)
