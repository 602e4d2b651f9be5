"""The ε-LDP channel that tells the most about a rating, by linear programme (Kairouz, Oh & Viswanath 2016).

What counts is how much of the ratings' variance the answer y explains, Var E[x|y]: the Fisher information, up to
a constant, that y carries about the taste η behind x. It is a sum over the columns of the channel,

    Σ_y (Σ_x π_x x̃ C(y|x))² / Σ_x π_x C(y|x),    x̃ = x − mean,

each term sublinear in its column, so a staircase channel is optimal (their Theorem 4): columns are multiples of
some s ∈ {1, e^ε}^n, and their weights θ_s ≥ 0 solve a linear programme with Σ_s θ_s s = 1. (Mutual information is
such a sum too, but it treats stars as names: it would as soon merge one star with five as with two.)

The prior π must be public. The default is the shares of one to five stars in MovieLens ratings, in whole per
cents; for ε ≤ 2 the answer is one bit by randomised response: "four stars or more?".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
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
)
from recprivlib.mechanisms.laplace_rounded import worst_inputs
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import UserError, check
from recprivlib.protocols import Array, Claim

PRIOR = (0.06, 0.11, 0.27, 0.35, 0.21)


@dataclass(frozen=True)
class OptimalChannel:
    """A rating becomes one of a few answers, numbered from the lowest mean rating to the highest (int32)."""

    epsilon: float = budget("ε of one report")
    grid: tuple[float, ...] = STARS
    prior: tuple[float, ...] = PRIOR  # public
    mode = SEEDED
    neighbours = ONE_RATING

    def __post_init__(self) -> None:
        check(self)
        if len(self.grid) != len(self.prior) or len(self.grid) > 12:
            raise UserError(
                f"a prior of {len(self.prior)} shares does not fit a grid of {len(self.grid)} ratings (at most 12)"
            )

    @property
    def inputs(self) -> tuple[float, ...]:
        return self.grid

    @property
    def outputs(self) -> tuple[int, ...]:
        return tuple(range(self.channel.shape[1]))

    @property
    def channel(self) -> Array:
        return most_telling(self.epsilon, self.grid, self.prior)

    @property
    def explained(self) -> float:
        """The share of the ratings' variance that an answer explains, under the prior."""
        share, points = np.array(self.prior) / sum(self.prior), np.array(self.grid)
        points = points - share @ points
        return float((((share * points) @ self.channel) ** 2 / (share @ self.channel)).sum() / (share @ points**2))

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Kairouz, Oh & Viswanath 2016")

    def worst_pair(self) -> tuple[Any, Any]:
        return worst_inputs(self.channel, self.grid)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every rating on its own: numbers of columns, int32 of the same shape."""
        return draw(self.channel, positions(x, self.grid, "rating"), rng)

    def exact(self, x: Array) -> Array:
        return exact.draw(self.channel, positions(x, self.grid, "rating"))

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Distance 1 is the whole range of the grid."""
        return channel_loss(self.channel, near_pairs(self.grid, distance * (self.grid[-1] - self.grid[0])))

    def log_density(self, y: Array, x: Array) -> Array:
        return log_matrix(self.channel)[positions(x, self.grid), np.asarray(y)]


@lru_cache(maxsize=256)
def most_telling(epsilon: float, grid: tuple[float, ...], prior: tuple[float, ...]) -> Array:
    """The channel matrix, read-only; its columns in order of the mean rating they stand for."""
    from scipy.optimize import linprog

    share, n = np.array(prior) / sum(prior), len(prior)
    points = np.array(grid) - share @ np.array(grid)
    high = (np.arange(1, 2**n - 1) >> np.arange(n)[:, None]) & 1  # who gets e^ε; all or none tells nothing
    step = np.where(high == 1, 1.0, math.exp(-epsilon))  # times e^−ε, so that large ε stays tame
    worth = ((share * points) @ step) ** 2 / (share @ step)
    found = linprog(-worth, A_eq=step, b_eq=np.ones(n), bounds=(0, None), method="highs-ds")
    if not found.success:
        raise UserError(f"no channel was found for epsilon {epsilon:g}: {found.message}")
    used = step[:, found.x > 1e-9 * found.x.max()]
    matrix = used * np.linalg.lstsq(used, np.ones(n))[0]  # the vertex again, to the last digit
    order = np.argsort((share * points) @ matrix / (share @ matrix), kind="stable")
    matrix = np.ascontiguousarray(matrix[:, order])
    matrix.setflags(write=False)
    return matrix
