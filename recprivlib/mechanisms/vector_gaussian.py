"""Gaussian noise on a vector that is clipped in L2: y = clip(x) + N(0, σ²I), σ = z·S (Abadi et al. 2016).

    S   clip: no vector is longer, whatever comes in
    z   noise_multiplier: σ over S, so that distance 1 is a vector that is there or not; one replaced moves by up to 2

A count is a vector of one coordinate. Written as b − ½ with S = ½, a yes or no that is replaced moves it by 1 and one
that comes or goes by ½ (Andrew, Thakkar, McMahan & Ramaswamy 2021); as b with S = 1 twice as far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import SEEDED, reals
from recprivlib.mechanisms.losses import GaussianShift
from recprivlib.parameters import check, parameter
from recprivlib.protocols import Array, Change

HAIR = 1 - 2.0**-48  # what rounding in a product or a sum could put on top of a length


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
