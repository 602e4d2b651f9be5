"""Discrete Laplace and discrete Gaussian noise on whole numbers, and on grids made of them.

    discrete-laplace    P(n) ∝ exp(−|n|ε/Δ)     (the two-sided geometric: Ghosh, Roughgarden & Sundararajan 2009)
    discrete-gaussian   P(n) ∝ exp(−n²/2σ²)     (Canonne, Kamath & Steinke 2020)

The seeded samplers use doubles; `exact` does not (exact.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import ONE_RATING, SEEDED, budget, claim, reals
from recprivlib.mechanisms.losses import DiscreteGaussianShift, DiscreteLaplaceShift, Pure
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Claim

FARTHEST = 2.0**51  # beyond it doubles no longer round to the nearest whole number as they should


@dataclass(frozen=True)
class DiscreteLaplace:
    """n + discrete Laplace noise of scale Δ/ε, for whole numbers that move by at most Δ."""

    epsilon: float = budget("ε of one report")
    sensitivity: int = parameter(1, 1, 1_000_000, "Δ, the most that the whole number moves between neighbours")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Ghosh, Roughgarden & Sundararajan 2009")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int64(0), np.int64(self.sensitivity)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every whole number on its own; int64 of the same shape."""
        x = whole(x)
        return x + geometric(self.scale, x.shape, rng) - geometric(self.scale, x.shape, rng)

    def exact(self, x: Array) -> Array:
        x = whole(x)
        return x + exact.discrete_laplace(self.sensitivity / Fraction(self.epsilon), x.shape)

    def loss(self, distance: float = 1.0) -> DiscreteLaplaceShift | Pure:
        """All outputs up to x, and all from x′ on, have the same ratio: what is left is a small channel."""
        shift = math.floor(distance * self.sensitivity + 1e-9)
        if shift == 0:
            return Pure(0.0)
        log_ratio, steps = -1.0 / self.scale, np.arange(1, shift)
        tail = 1.0 / (1.0 + math.exp(log_ratio))  # P(n ≤ 0)
        inner = np.exp(log_ratio * steps) * -math.expm1(log_ratio) * tail  # P(n), 0 < n < shift
        row = np.concatenate([[tail], inner, [math.exp(log_ratio * shift) * tail]])
        return DiscreteLaplaceShift(np.array([row, row[::-1]]), ((0, 1),), 1.0 / self.scale, shift)

    def log_density(self, y: Array, x: Array) -> Array:
        return -np.abs(np.asarray(y) - np.asarray(x)) / self.scale + math.log(math.tanh(0.5 / self.scale))

    @property
    def variance(self) -> float:
        return 0.5 / math.sinh(0.5 / self.scale) ** 2


@dataclass(frozen=True)
class DiscreteGaussian:
    """n + discrete Gaussian noise with σ = noise_multiplier · Δ, for whole numbers that move by at most Δ."""

    noise_multiplier: float = parameter(1.0, 0.05, 10_000.0, "σ over Δ")
    sensitivity: int = parameter(1, 1, 1_000_000, "Δ, the most that the whole number moves between neighbours")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING
    claimed = None  # no ε without a δ

    @property
    def sigma(self) -> float:
        return self.noise_multiplier * self.sensitivity

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int64(0), np.int64(self.sensitivity)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every whole number on its own; int64 of the same shape (Algorithm 3 of CKS, all draws at once)."""
        x = whole(x)
        t = math.floor(self.sigma) + 1
        noise = np.zeros(x.size, np.int64)
        open_ = np.arange(x.size)
        while len(open_):
            size = geometric(t, open_.shape, rng) - geometric(t, open_.shape, rng)
            excess = (np.abs(size) - self.sigma**2 / t) ** 2 / (2 * self.sigma**2)
            taken = rng.standard_exponential(open_.shape) >= excess
            noise[open_[taken]] = size[taken]
            open_ = open_[~taken]
        return x + noise.reshape(x.shape)

    def exact(self, x: Array) -> Array:
        x = whole(x)
        return x + exact.discrete_gaussian((Fraction(self.noise_multiplier) * self.sensitivity) ** 2, x.shape)

    def loss(self, distance: float = 1.0) -> DiscreteGaussianShift | Pure:
        """Of one whole number; vectors compose coordinate by coordinate."""
        shift = math.floor(distance * self.sensitivity + 1e-9)
        return DiscreteGaussianShift(self.sigma, shift) if shift else Pure(0.0)

    def log_density(self, y: Array, x: Array) -> Array:
        reach = math.ceil(12 * self.sigma) + 1
        total = np.exp(-0.5 * (np.arange(-reach, reach + 1) / self.sigma) ** 2).sum()
        return -0.5 * ((np.asarray(y) - np.asarray(x)) / self.sigma) ** 2 - math.log(total)


@dataclass(frozen=True)
class OnGrid:
    """A whole-number mechanism used on multiples of `step`, with outputs clamped to [low, high].

    `step` is a power of two, so that dividing by it is exact; neighbours `Δ` apart round to points at most
    ⌈Δ/step⌉ steps apart, which is the sensitivity the noise is made for.
    """

    noise: DiscreteLaplace | DiscreteGaussian
    step: float
    low: float = -math.inf
    high: float = math.inf
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim | None:
        return self.noise.claimed

    def worst_pair(self) -> tuple[Any, Any]:
        start = 0.0 if math.isinf(self.low) else self.low
        return np.float64(start), np.float64(start + self.noise.sensitivity * self.step)

    def _steps(self, x: Array) -> Array:
        steps = np.clip(reals(x), self.low, self.high) / self.step
        if (far := np.abs(steps) > FARTHEST).any():
            most = FARTHEST * self.step
            raise UserError(f"the value {np.asarray(x)[far].ravel()[0]:g} is too large for this grid; at most {most:g}")
        return np.floor(steps + 0.5).astype(np.int64)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return np.clip(self.noise.release(self._steps(x), rng) * self.step, self.low, self.high)

    def exact(self, x: Array) -> Array:
        return np.clip(self.noise.exact(self._steps(x)) * self.step, self.low, self.high)

    def loss(self, distance: float = 1.0) -> DiscreteLaplaceShift | DiscreteGaussianShift | Pure:
        steps = self.noise.sensitivity
        return self.noise.loss(math.ceil(distance * steps - 1e-9) / steps)


def power_of_two(sensitivity: float, points: int = 1024) -> tuple[float, int]:
    """(step, steps in the sensitivity): a power of two that divides it into at least `points` steps."""
    step = 2.0 ** math.floor(math.log2(sensitivity / points))
    return step, math.ceil(Fraction(sensitivity) / Fraction(step))


def laplace_on_grid(epsilon: float, sensitivity: float, low: float = -math.inf, high: float = math.inf) -> OnGrid:
    """What `secure` runs in place of Laplace noise on doubles."""
    step, steps = power_of_two(sensitivity)
    return OnGrid(DiscreteLaplace(epsilon, steps), step, low, high)


def gaussian_on_grid(noise_multiplier: float, sensitivity: float) -> OnGrid:
    """What `secure` runs in place of Gaussian noise on doubles."""
    step, steps = power_of_two(sensitivity)
    return OnGrid(DiscreteGaussian(noise_multiplier, steps), step)


def geometric(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """n ≥ 0 with probability ∝ exp(−n/scale), as int64: an exponential, rounded down."""
    return (scale * rng.standard_exponential(shape)).astype(np.int64)


def whole(x: Array) -> Array:
    """`x` as int64, or a UserError: a fraction must be put on a grid by its owner."""
    x = np.asarray(x)
    if x.dtype.kind not in "iub":
        rounded = np.rint(reals(x))
        if (far := np.abs(rounded) > FARTHEST).any():
            raise UserError(f"the whole number {x[far].ravel()[0]:g} is too large; at most {FARTHEST:.0f}")
        if not np.array_equal(rounded, x):
            raise UserError(f"this mechanism takes whole numbers, not {x[rounded != x].ravel()[0]!s}")
        x = rounded
    return x.astype(np.int64)
