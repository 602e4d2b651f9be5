"""Truth with probability p, else Laplace noise (Neera, Chen & Aslam 2019), as printed and as a finite channel.

    p = e^ε2/(1+e^ε2)  eq. 5        y = x with probability p, else x + Lap(Δ/ε1)  eq. 4        claimed: ε1 + ε2

As printed, Lap is continuous: a report that lies on the rating grid IS the rating, and no finite ε holds for any
(ε1, ε2). With the draw rounded and clamped to the grid, C = pI + (1−p)L has a finite ε, which is not ε1 + ε2
either: (1, 1) gives 3.87. It is computed from C.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import (
    ONE_RATING,
    SEEDED,
    STARS,
    budget,
    channel_loss,
    claim,
    draw,
    log_matrix,
    logistic,
    near_pairs,
    positions,
)
from recprivlib.mechanisms.laplace import noise
from recprivlib.mechanisms.laplace_rounded import rounded, worst_inputs
from recprivlib.mechanisms.losses import Channel, NoBound, Pure
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim

WHERE = "Neera, Chen & Aslam 2019, eq. 4 and 5, by sequential composition"


@dataclass(frozen=True)
class LaplaceOrTruth:
    """As printed. `log_density` is with respect to length plus one at each grid point: a mixture of both."""

    epsilon1: float = budget("ε1, for the Laplace noise")
    epsilon2: float = budget("ε2, for telling the truth with probability e^ε2/(1+e^ε2)")
    grid: tuple[float, ...] = STARS
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def inputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def p(self) -> float:
        """P(the rating itself is sent)."""
        return logistic(self.epsilon2)

    @property
    def scale(self) -> float:
        return (self.grid[-1] - self.grid[0]) / self.epsilon1

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon1 + self.epsilon2, WHERE)

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(self.grid[0]), np.float64(self.grid[-1])

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every rating on its own; doubles of the same shape."""
        positions(x, self.grid, "rating")
        x = np.asarray(x, float)
        return np.where(rng.random(x.shape) < self.p, x, x + self.scale * noise(x.shape, rng))

    def loss(self, distance: float = 1.0) -> NoBound | Pure:
        return NoBound("a report on the rating grid is the rating itself") if distance > 0 else Pure(0.0)

    def log_density(self, y: Array, x: Array) -> Array:
        y, x = np.broadcast_arrays(np.asarray(y, float), np.asarray(x, float))
        truth = np.where(y == x, math.log(self.p), -np.inf)
        spread = logistic(-self.epsilon2) / (2 * self.scale)
        return np.where(np.isin(y, self.grid), truth, math.log(spread) - np.abs(y - x) / self.scale)


@dataclass(frozen=True)
class RoundedOrTruth:
    """The same with the Laplace draw rounded and clamped to the grid: finite, and priced by its channel."""

    epsilon1: float = budget("ε1, for the Laplace noise")
    epsilon2: float = budget("ε2, for telling the truth with probability e^ε2/(1+e^ε2)")
    grid: tuple[float, ...] = STARS
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING
    claimed = None  # the paper prints the continuous version only

    @property
    def inputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def outputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def channel(self) -> Array:
        """C = pI + (1−p)L."""
        scale = (self.grid[-1] - self.grid[0]) / self.epsilon1
        lie = logistic(-self.epsilon2) * rounded(self.grid, scale)
        return logistic(self.epsilon2) * np.eye(len(self.grid)) + lie

    def worst_pair(self) -> tuple[Any, Any]:
        return worst_inputs(self.channel, self.grid)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every rating on its own: grid values (doubles) of the same shape."""
        return np.array(self.grid)[draw(self.channel, positions(x, self.grid, "rating"), rng)]

    def exact(self, x: Array) -> Array:
        return np.array(self.grid)[exact.draw(self.channel, positions(x, self.grid, "rating"))]

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        reach = distance * (self.grid[-1] - self.grid[0])
        return channel_loss(self.channel, near_pairs(self.grid, reach))

    def log_density(self, y: Array, x: Array) -> Array:
        return log_matrix(self.channel)[positions(x, self.grid), positions(y, self.grid)]
