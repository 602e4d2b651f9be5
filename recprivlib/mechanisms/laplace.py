"""The Laplace mechanism (Dwork, McSherry, Nissim & Smith 2006), plain and clamped to a range.

    y = x + Lap(b),  b = Δ/ε     Δ: the most that x moves between neighbours

Clamping y merges only outputs whose likelihood ratio is the same, as long as x lies in the range: the loss does
not change at all. Both work on doubles, whose low-order bits can betray x (Mironov 2012): for teaching. `secure`
replaces them by discrete Laplace noise on a grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import ONE_RATING, SEEDED, budget, claim, reals
from recprivlib.mechanisms.discrete import OnGrid, laplace_on_grid
from recprivlib.mechanisms.losses import LaplaceShift
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class Laplace:
    """x + Lap(Δ/ε). It clips nothing: that x moves by at most Δ is the caller's promise."""

    epsilon: float = budget("ε of one report")
    sensitivity: float = parameter(1.0, 1e-6, 1e6, "Δ, the most that the input moves between neighbours")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Dwork et al. 2006")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(0), np.float64(self.sensitivity)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every value on its own; doubles of the same shape."""
        return reals(x) + self.scale * noise(np.shape(x), rng)

    def discrete(self) -> OnGrid:
        """The same ε on a grid so fine that it hardly costs, free of floating point."""
        return laplace_on_grid(self.epsilon, self.sensitivity)

    def loss(self, distance: float = 1.0) -> LaplaceShift:
        return LaplaceShift(self.epsilon * distance)

    def log_density(self, y: Array, x: Array) -> Array:
        return -np.abs(np.asarray(y) - x) / self.scale - math.log(2 * self.scale)

    def estimate(self, y: Array) -> Array:
        """Unbiased as it is."""
        return np.asarray(y, float)

    @property
    def variance(self) -> float:
        return 2 * self.scale**2


@dataclass(frozen=True)
class LaplaceClamped:
    """x + Lap((high − low)/ε), then clamped to [low, high]; inputs are clamped too.

    The ends are atoms: `log_density` is with respect to length plus one at each end. Distance 1 is the range.
    """

    epsilon: float = budget("ε of one report, for any change within the range")
    low: float = parameter(1.0, -1e6, 1e6, "smallest value")
    high: float = parameter(5.0, -1e6, 1e6, "largest value")
    mode = SEEDED
    neighbours = ONE_RATING

    def __post_init__(self) -> None:
        check(self)
        if not self.low < self.high:
            raise UserError(f"low is {self.low:g}, but must be less than high, which is {self.high:g}")

    @property
    def scale(self) -> float:
        return (self.high - self.low) / self.epsilon

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Dwork et al. 2006, then post-processing")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(self.low), np.float64(self.high)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every value on its own; doubles of the same shape."""
        x = np.clip(reals(x), self.low, self.high)
        return np.clip(x + self.scale * noise(x.shape, rng), self.low, self.high)

    def discrete(self) -> OnGrid:
        return laplace_on_grid(self.epsilon, self.high - self.low, self.low, self.high)

    def loss(self, distance: float = 1.0) -> LaplaceShift:
        return LaplaceShift(self.epsilon * min(distance, 1.0))

    def log_density(self, y: Array, x: Array) -> Array:
        y, x = np.asarray(y, float), np.clip(x, self.low, self.high)
        end = math.log(0.5) - np.abs(y - x) / self.scale  # P(noise beyond the end)
        inside = -np.abs(y - x) / self.scale - math.log(2 * self.scale)
        return np.where(
            (y < self.low) | (y > self.high), -np.inf, np.where((y == self.low) | (y == self.high), end, inside)
        )


def noise(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Standard Laplace noise: the difference of two exponentials, which is faster than an inverse."""
    return rng.standard_exponential(shape) - rng.standard_exponential(shape)
