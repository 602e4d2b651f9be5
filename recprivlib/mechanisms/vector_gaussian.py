"""Gaussian noise on a vector that is clipped in L2: y = clip(x) + N(0, σ²I), σ = z·S (Abadi et al. 2016).

    S   clip: no vector is longer, whatever comes in
    z   noise_multiplier: σ over S, so that distance 1 is a vector that is there or not; one replaced moves by up to 2

A count is a vector of one coordinate. Written as b − ½ with S = ½, a yes or no that is replaced moves it by 1 and one
that comes or goes by ½ (Andrew, Thakkar, McMahan & Ramaswamy 2021); as b with S = 1 twice as far.

On doubles, for teaching; `secure` runs `VectorOnGrid`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import SEEDED, reals
from recprivlib.mechanisms.discrete import DiscreteGaussian
from recprivlib.mechanisms.losses import GaussianShift
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Change

HAIR = 1 - 2.0**-48  # what rounding in a product or a sum could put on top of a length
STEPS, WIDEST = 1 << 18, 1 << 16  # of a grid: steps in S at least, coordinates of a vector at most
SMOOTH = 9.0  # steps², see `VectorOnGrid`


@dataclass(frozen=True)
class VectorGaussian:
    """Vectors lie along the last axis; each is clipped and noised on its own."""

    noise_multiplier: float = parameter(1.0, 0.01, 10_000.0, "z = σ/S, σ the deviation of the noise of a coordinate")
    clip: float = parameter(1.0, 1e-6, 1e6, "S, the largest length of one person's vector, in L2")
    __post_init__ = check
    mode = SEEDED
    neighbours = {("user", "replace"): Change(distance=2.0)}  # noqa: RUF012  of a frozen class
    claimed = None  # no ε without a δ

    @property
    def sigma(self) -> float:
        return self.noise_multiplier * self.clip

    def worst_pair(self) -> tuple[Any, Any]:
        return np.zeros(2), np.array([self.clip, 0.0])

    def clipped(self, x: Array) -> Array:
        """`x` as doubles, every vector shortened to at most S; the direction stays."""
        x = reals(x)
        largest = np.abs(x).max(axis=-1, keepdims=True, initial=np.finfo(float).tiny)
        length = largest * np.sqrt(((x / largest) ** 2).sum(axis=-1, keepdims=True))
        return np.where(length > self.clip * HAIR, x * (self.clip * HAIR / np.maximum(length, self.clip * HAIR)), x)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Doubles of the same shape."""
        return self.noised(self.clipped(x), rng)

    def noised(self, x: Array, rng: np.random.Generator) -> Array:
        """Noise alone: for a sum of vectors that were clipped one by one."""
        return x + self.sigma * rng.standard_normal(np.shape(x))

    def discrete(self) -> VectorOnGrid:
        """Whole-number noise on a grid of at least 2¹⁸ steps in S."""
        step = 2.0 ** math.floor(math.log2(self.clip / STEPS))
        return VectorOnGrid(DiscreteGaussian(self.noise_multiplier, math.ceil(self.clip / step)), self, step)

    def loss(self, distance: float = 1.0) -> GaussianShift:
        """No two clipped vectors are more than 2 apart."""
        return GaussianShift(min(distance, 2.0) / self.noise_multiplier)

    def log_density(self, y: Array, x: Array) -> Array:
        """Of whole vectors: the last axis is summed over."""
        return self.log_noise(np.asarray(y) - self.clipped(x)).sum(axis=-1)

    def log_noise(self, noise: Array) -> Array:
        """Of every coordinate of the noise."""
        return -0.5 * (noise / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2 * math.pi))

    def estimate(self, y: Array) -> Array:
        """Unbiased for the clipped vector, as it is."""
        return np.asarray(y, float)

    @property
    def variance(self) -> float:
        return self.sigma**2


@dataclass(frozen=True)
class VectorOnGrid:
    """Vectors clipped in L2, put on a grid, with discrete Gaussian noise on every coordinate. What `secure` runs.

    A coordinate is rounded towards 0, so no vector becomes longer: one that is there or not moves the answer by S, one
    that is replaced by 2S, as without a grid. (To the nearest point, or at random, d coordinates could add √d/2 or √d
    steps to a length.) Two vectors Δ apart are at most Δ + √d steps apart afterwards: that is 2⁻¹⁰ of S for d = 2¹⁶.

    The noise tells no more than a real Gaussian of variance σ² − 9 (in steps): round that one to a whole number n with
    chances e^(−(n−y)²/18)/ρ(y), ρ(y) their sum. What comes out is e^(−n²/2σ²) over an average of ρ, which is the same
    everywhere up to 4e^(−18π²) < 10⁻⁷⁶ of itself (Poisson summation; Peikert 2010), 10⁻⁷¹ for all coordinates: nothing
    that a bill in doubles could show. So it composes, and is sampled, as Gaussian noise.
    """

    noise: DiscreteGaussian
    real: VectorGaussian
    step: float  # a power of two, so that dividing by it is exact
    mode = SEEDED
    neighbours = VectorGaussian.neighbours
    claimed = None

    @property
    def clip(self) -> float:
        return self.real.clip

    @property
    def sigma(self) -> float:
        return self.noise.sigma * self.step

    def worst_pair(self) -> tuple[Any, Any]:
        return self.real.worst_pair()

    def clipped(self, x: Array) -> Array:
        """Every vector shortened to at most S and on the grid."""
        return self._steps(x) * self.step

    def _steps(self, x: Array) -> Array:
        if (wide := np.shape(x)[-1]) > WIDEST:
            raise UserError(f"a vector of {wide:,} coordinates is too long for this grid; at most {WIDEST:,}")
        return np.trunc(self.real.clipped(x) / self.step).astype(np.int64)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return self.noise.release(self._steps(x), rng) * self.step

    def exact(self, x: Array) -> Array:
        return self.noise.exact(self._steps(x)) * self.step

    def loss(self, distance: float = 1.0) -> GaussianShift:
        """What rounding may add, and what the noise may tell more than a real Gaussian."""
        if not distance > 0:
            return GaussianShift(0.0)
        steps = min(distance * self.noise.sensitivity + math.sqrt(WIDEST), 2.0 * self.noise.sensitivity)
        return GaussianShift(steps / math.sqrt(self.noise.sigma**2 - SMOOTH))

    def log_density(self, y: Array, x: Array) -> Array:
        """Of whole vectors: the last axis is summed over."""
        return self.log_noise(np.asarray(y) - self.clipped(x)).sum(axis=-1)

    def log_noise(self, noise: Array) -> Array:
        """Of every coordinate, a mass on the grid."""
        here = -0.5 * (noise / self.sigma) ** 2 - math.log(self.noise.sigma * math.sqrt(2 * math.pi))
        return np.where(noise % self.step == 0, here, -np.inf)

    def estimate(self, y: Array) -> Array:
        """Unbiased for the clipped vector on the grid."""
        return np.asarray(y, float)

    @property
    def variance(self) -> float:
        return self.sigma**2
