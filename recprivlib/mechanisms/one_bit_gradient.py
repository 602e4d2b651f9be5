"""The one-bit gradient report of Minto et al. (2021), Algorithm 1, after Nguyên et al. (2016).

One cell (item, factor) of the gradient matrix is chosen at random, whatever the data; its value g, projected to
[−1, 1], becomes one bit:

    P(+ | g) = (g(e^ε−1) + e^ε + 1)/(2e^ε + 2)        B = (e^ε+1)/(e^ε−1) · M·F   eq. 8

The server reads ±B. The mean of ±B over users is unbiased for the mean CLIPPED gradient when each sends ONE
report; with k reports a user it estimates k times that (their eq. 9), so `estimate` is per report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import ONE_USER, SEEDED, budget, claim
from recprivlib.mechanisms.duchi import chance, exact_plus, two_ends, two_point_loss
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import check, parameter
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class OneBitGradient:
    """The value of one chosen cell as a sign, −1 or +1 (int8). Distance 1 is from −1 to 1."""

    epsilon: float = budget("ε of one report")
    cells: int = parameter(1, 1, 1_000_000_000, "M·F, cells of the gradient matrix, one of which is chosen")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_USER
    inputs = (-1.0, 1.0)
    outputs = (-1, 1)

    @property
    def scale(self) -> float:
        """B, eq. 8."""
        return self.cells / math.tanh(self.epsilon / 2)

    @property
    def channel(self) -> Array:
        """At the two ends, where it matters most."""
        return two_ends(self.epsilon)

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Minto et al. 2021, Algorithm 1", ("user", "replace"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(-1), np.float64(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every chosen cell's value on its own: −1 or 1, int8 of the same shape."""
        plus = rng.random(np.shape(x)) < chance(x, self.epsilon)
        return plus.astype(np.int8) * np.int8(2) - np.int8(1)

    def exact(self, x: Array) -> Array:
        return np.where(exact_plus(x, self.epsilon), np.int8(1), np.int8(-1))

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        return two_point_loss(self.epsilon, distance)

    def log_density(self, y: Array, x: Array) -> Array:
        """log P(y | x) of the sign; which cell was chosen tells nothing."""
        return np.log(chance(np.asarray(x, float) * np.asarray(y), self.epsilon))

    def estimate(self, y: Array) -> Array:
        """±B: unbiased for the clipped gradient in every cell, given that the cell is random."""
        return self.scale * np.asarray(y, float)
