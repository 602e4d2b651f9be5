"""Duchi, Jordan & Wainwright (2018): a number in [−1, 1] becomes one of two values, unbiased.

    P(y = +C | x) = ½ + x/(2C),  C = (e^ε+1)/(e^ε−1)

At the ends of the range this is randomised response on the sign.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import ONE_RATING, SEEDED, budget, channel_loss, claim, logistic, reals
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class Duchi:
    """Values in [−1, 1] (others are clipped); distance 1 is from end to end."""

    epsilon: float = budget("ε of one report, for any change within [−1, 1]")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING
    inputs = (-1.0, 1.0)

    @property
    def scale(self) -> float:
        """C, the size of a report."""
        return 1.0 / math.tanh(self.epsilon / 2)

    @property
    def outputs(self) -> tuple[float, float]:
        return -self.scale, self.scale

    @property
    def channel(self) -> Array:
        """At the two ends, where it matters most."""
        return two_ends(self.epsilon)

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Duchi, Jordan & Wainwright 2018")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(-1), np.float64(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every value on its own: ±C, doubles of the same shape."""
        plus = rng.random(np.shape(x)) < chance(x, self.epsilon)
        return np.where(plus, self.scale, -self.scale)

    def exact(self, x: Array) -> Array:
        return np.where(exact_plus(x, self.epsilon), self.scale, -self.scale)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        return two_point_loss(self.epsilon, distance)

    def log_density(self, y: Array, x: Array) -> Array:
        """log P(y | x); y is one of the two outputs."""
        plus = chance(x, self.epsilon)
        return np.log(np.where(np.asarray(y) > 0, plus, chance(-np.asarray(x), self.epsilon)))

    def estimate(self, y: Array) -> Array:
        """Unbiased as it is."""
        return np.asarray(y, float)

    def variance(self, x: Array) -> Array:
        return self.scale**2 - np.clip(x, -1.0, 1.0) ** 2


def chance(x: Array, epsilon: float) -> Array:
    """P(+ | x): linear from 1/(e^ε+1) at −1 to e^ε/(e^ε+1) at 1."""
    low, high = logistic(-epsilon), logistic(epsilon)
    return low + (high - low) / 2 * (1.0 + np.clip(reals(x), -1.0, 1.0))


def exact_plus(x: Array, epsilon: float) -> Array:
    """The sign by exact draws: the rarer one is drawn, so that it keeps a weight at any ε."""
    rarer = exact.bernoulli(chance(-np.abs(x), epsilon))
    return rarer ^ (np.asarray(x) >= 0)


def two_ends(epsilon: float) -> Array:
    low, high = logistic(-epsilon), logistic(epsilon)
    return np.array([[high, low], [low, high]])


def two_point_loss(epsilon: float, distance: float) -> Channel | Pure:
    """Inputs 2·distance apart differ most where one of them is an end; both ends are alike by symmetry."""
    near = np.array([-1.0, -1.0 + 2.0 * min(distance, 1.0)])
    matrix = np.stack([chance(-near, epsilon), chance(near, epsilon)], axis=1)
    return channel_loss(matrix, ((0, 1),) if distance > 0 else ())
