"""Laplace noise, clamped and rounded to a rating grid: a finite channel, exact by differences of the CDF.

    L(y|x) = P(x + Lap(b) falls into the cell of y),  b = (grid's range)/ε

The cells meet half-way between grid points; the first and the last reach to infinity. Rounding is
post-processing, so the channel's own ε is a little less than the ε the noise was made for.
"""

from __future__ import annotations

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
    near_pairs,
    positions,
    worst,
)
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class LaplaceRounded:
    """A rating, noised and brought back to the grid. Distance 1 is the whole range of the grid."""

    epsilon: float = budget("ε that the noise is made for")
    grid: tuple[float, ...] = STARS
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def inputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def outputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def scale(self) -> float:
        return (self.grid[-1] - self.grid[0]) / self.epsilon

    @property
    def channel(self) -> Array:
        return rounded(self.grid, self.scale)

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Dwork et al. 2006, then post-processing")

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


def rounded(grid: tuple[float, ...], scale: float) -> Array:
    """L[x, y]: Laplace noise of `scale` on each grid point, caught in the cell of each grid point."""
    points = np.asarray(grid, float)
    edges = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    low, high = (edges[:-1] - points[:, None]) / scale, (edges[1:] - points[:, None]) / scale
    # Each difference is taken on the side where it loses no digits.
    left, right = _tail(low), _tail(high)
    return np.where(low >= 0, left - right, np.where(high <= 0, right - left, 1 - left - right))


def _tail(z: Array) -> Array:
    """P(standard Laplace noise is beyond z, on z's own side of 0)."""
    return 0.5 * np.exp(-np.abs(z))


def worst_inputs(matrix: Array, grid: tuple[float, ...]) -> tuple[Any, Any]:
    """The two grid points whose outputs are easiest to tell apart, at any distance."""
    (i, j) = worst(matrix, near_pairs(grid, np.inf))[1]
    return np.float64(grid[i]), np.float64(grid[j])
