"""The Piecewise mechanism for a number in [−1, 1] (Wang et al., ICDE 2019, Algorithm 2).

    C = (e^{ε/2}+1)/(e^{ε/2}−1)     l(x) = (C+1)x/2 − (C−1)/2     r(x) = l(x) + C − 1
    y is uniform on [l, r] with probability e^{ε/2}/(e^{ε/2}+1), else uniform on the rest of [−C, C]

Two density levels, p = (e^ε − e^{ε/2})/(2e^{ε/2}+2) inside and p/e^ε outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import ONE_RATING, SEEDED, budget, channel_loss, claim, logistic, reals
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class Piecewise:
    """Values in [−1, 1] (others are clipped); distance 1 is from end to end. On doubles: for teaching."""

    epsilon: float = budget("ε of one report, for any change within [−1, 1]")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def scale(self) -> float:
        """C, the largest report."""
        return 1.0 / math.tanh(self.epsilon / 4)

    @property
    def width(self) -> float:
        """C − 1 = r − l, the length of the likely piece."""
        return 2.0 / math.expm1(self.epsilon / 2)

    @property
    def inside(self) -> float:
        """P(y falls into the likely piece)."""
        return logistic(self.epsilon / 2)

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Wang et al. 2019, Lemma 1")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(-1), np.float64(1)

    def left(self, x: Array) -> Array:
        """l(x)."""
        return ((self.scale + 1) * np.clip(reals(x), -1.0, 1.0) - self.width) / 2

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every value on its own: doubles in [−C, C] of the same shape."""
        left, shape = self.left(x), np.shape(x)
        likely, place = rng.random(shape) < self.inside, rng.random(shape)
        rest = (self.scale + 1) * place - self.scale  # on the rest, with the likely piece cut out at l
        return np.where(likely, left + self.width * place, rest + self.width * (rest > left))

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Where y lies: in the likely piece of both inputs, of one, of the other, of none."""
        if distance <= 0:
            return Pure(0.0)
        apart = (self.scale + 1) * min(distance, 1.0)  # how far the likely piece moves
        shared = max(0.0, 1.0 - apart / self.width) if self.width else 0.0
        own = self.inside * (1 - shared)
        other = own * math.exp(-self.epsilon)
        none = 1.0 - self.inside * shared - own - other
        row = np.array([self.inside * shared, own, other, none])
        return channel_loss(np.array([row, row[[0, 2, 1, 3]]]), ((0, 1),))

    def log_density(self, y: Array, x: Array) -> Array:
        """−∞ beyond [−C, C]."""
        y, left = np.asarray(y, float), self.left(x)
        likely = (y >= left) & (y <= left + self.width)
        high = math.log(self.inside / self.width)
        return np.where(np.abs(y) > self.scale, -np.inf, np.where(likely, high, high - self.epsilon))

    def estimate(self, y: Array) -> Array:
        """Unbiased as it is."""
        return np.asarray(y, float)

    def variance(self, x: Array) -> Array:
        """Lemma 1 of the paper."""
        less, x = math.expm1(self.epsilon / 2), np.clip(x, -1.0, 1.0)
        return x**2 / less + (less + 4) / (3 * less**2)
