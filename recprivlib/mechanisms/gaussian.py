"""The Gaussian mechanism: y = x + N(0, σ²), σ = noise_multiplier · Δ (Dwork et al. 2006; Balle & Wang 2018).

On doubles, for teaching; `secure` replaces it by discrete Gaussian noise on a grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import ONE_RATING, SEEDED, reals
from recprivlib.mechanisms.discrete import OnGrid, gaussian_on_grid
from recprivlib.mechanisms.losses import GaussianShift
from recprivlib.parameters import check, parameter
from recprivlib.protocols import Array


@dataclass(frozen=True)
class Gaussian:
    """Noise on every coordinate; the input moves by at most Δ in L2. It clips nothing."""

    noise_multiplier: float = parameter(1.0, 0.01, 10_000.0, "σ over Δ")
    sensitivity: float = parameter(1.0, 1e-6, 1e6, "Δ, the most that the input moves between neighbours, in L2")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING
    claimed = None  # no ε without a δ

    @property
    def sigma(self) -> float:
        return self.noise_multiplier * self.sensitivity

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(0), np.float64(self.sensitivity)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Doubles of the same shape."""
        return reals(x) + self.sigma * rng.standard_normal(np.shape(x))

    def discrete(self) -> OnGrid:
        """One coordinate a neighbour changes: a grid turns L2 into something else in many dimensions."""
        return gaussian_on_grid(self.noise_multiplier, self.sensitivity)

    def loss(self, distance: float = 1.0) -> GaussianShift:
        return GaussianShift(distance / self.noise_multiplier)

    def log_density(self, y: Array, x: Array) -> Array:
        """Of every coordinate on its own."""
        return -0.5 * ((np.asarray(y) - x) / self.sigma) ** 2 - math.log(self.sigma * math.sqrt(2 * math.pi))

    def estimate(self, y: Array) -> Array:
        """Unbiased as it is."""
        return np.asarray(y, float)

    @property
    def variance(self) -> float:
        return self.sigma**2
