"""Mechanisms that leak, on purpose: what audits must catch and the mechanism lab shows. Never use one.

Each claims what its author believed and states the loss that it really has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms.common import (
    ONE_BIT,
    ONE_RATING,
    SEEDED,
    all_pairs,
    bits,
    budget,
    channel_loss,
    claim,
    log_matrix,
    logistic,
)
from recprivlib.mechanisms.laplace import noise
from recprivlib.mechanisms.losses import Channel, LaplaceShift, NoBound, Pure
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim

BELIEF = "what its author believed"


@dataclass(frozen=True)
class HalfNoise:
    """A factor of two lost: Lap(1/2ε) where Lap(1/ε) was due. Twice the ε."""

    epsilon: float = budget("ε that was meant")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, BELIEF)

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(0), np.float64(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return np.asarray(x, float) + noise(np.shape(x), rng) / (2 * self.epsilon)

    def loss(self, distance: float = 1.0) -> LaplaceShift:
        return LaplaceShift(2 * self.epsilon * distance)

    def log_density(self, y: Array, x: Array) -> Array:
        return laplace_log_density(y, x, 1 / (2 * self.epsilon))


@dataclass(frozen=True)
class NoClipping:
    """Noise for values in [0, 1], and nobody clips: a value of 5 comes through as 5."""

    epsilon: float = budget("ε that was meant")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, BELIEF)

    def worst_pair(self) -> tuple[Any, Any]:
        """One of many: there is no worst."""
        return np.float64(0), np.float64(5)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return np.asarray(x, float) + noise(np.shape(x), rng) / self.epsilon

    def loss(self, distance: float = 1.0) -> NoBound | Pure:
        return NoBound("values are not clipped, so nothing bounds their move") if distance > 0 else Pure(0.0)

    def log_density(self, y: Array, x: Array) -> Array:
        return laplace_log_density(y, x, 1 / self.epsilon)


@dataclass(frozen=True)
class WrongSensitivity:
    """Noise for a rating that moves by one star, where it can move by four. Four times the ε."""

    epsilon: float = budget("ε that was meant")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, BELIEF)

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(1), np.float64(5)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return np.clip(np.asarray(x, float), 1, 5) + noise(np.shape(x), rng) / self.epsilon

    def loss(self, distance: float = 1.0) -> LaplaceShift:
        return LaplaceShift(4 * self.epsilon * min(distance, 1.0))

    def log_density(self, y: Array, x: Array) -> Array:
        return laplace_log_density(y, x, 1 / self.epsilon)


@dataclass(frozen=True)
class ReusedNoise:
    """One value at two noise scales, ε and 2ε, from ONE noise g: y₁ = x + g/ε, y₂ = x + g/2ε, so 2y₂ − y₁ = x.

    Two answers along a new last axis. `log_density` is along the line on which they lie.
    """

    epsilon: float = budget("ε of the first answer; the second has twice that")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(3 * self.epsilon, BELIEF + ", by composition")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(0), np.float64(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        x, shared = np.asarray(x, float), noise(np.shape(x), rng)
        return np.stack([x + shared / self.epsilon, x + shared / (2 * self.epsilon)], axis=-1)

    def loss(self, distance: float = 1.0) -> NoBound | Pure:
        return NoBound("two answers with one noise give the value away") if distance > 0 else Pure(0.0)

    def log_density(self, y: Array, x: Array) -> Array:
        first, second = np.moveaxis(np.asarray(y, float), -1, 0)
        on_line = np.abs(2 * second - first - x) <= 1e-9 * (1 + np.abs(first))
        return np.where(on_line, laplace_log_density(first, x, 1 / self.epsilon), -np.inf)


@dataclass(frozen=True)
class ReusedUniforms:
    """One bit at two slider positions, ε and 2ε, thresholding ONE uniform number: (0, 1) proves a 1, (1, 0) a 0.

    This is what makes the curves of a dashboard smooth, and why no two of its points may ever be released.
    """

    epsilon: float = budget("ε of the first answer; the second has twice that")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_BIT
    inputs = (0, 1)
    outputs = ((0, 0), (0, 1), (1, 0), (1, 1))

    @property
    def channel(self) -> Array:
        (q1, p1), (q2, p2) = ((logistic(-e), logistic(e)) for e in (self.epsilon, 2 * self.epsilon))
        return np.array([[p1, 0.0, q1 - q2, q2], [q2, p2 - p1, 0.0, p1]])

    @property
    def claimed(self) -> Claim:
        return claim(3 * self.epsilon, BELIEF + ", by composition", ("interaction", "add-remove"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int8(0), np.int8(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Two bits along a new last axis."""
        uniform = rng.random(np.shape(x))
        ones = [uniform < np.where(bits(x), logistic(e), logistic(-e)) for e in (self.epsilon, 2 * self.epsilon)]
        return np.stack(ones, axis=-1).astype(np.asarray(x).dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        return channel_loss(self.channel, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        first, second = np.moveaxis(bits(y).astype(np.int8), -1, 0)
        return log_matrix(self.channel)[bits(x).astype(np.int8), 2 * first + second]


@dataclass(frozen=True)
class FloatLaplace:
    """Textbook Laplace noise on doubles: y = x − b·sign(v)·ln(1 − 2|v|), v a 53-bit uniform number less ½.

    In the reals this is ε-DP. In doubles only some y can be reached from a given x, and the low-order bits of y
    tell from which (Mironov 2012). The density is that of the reals; `reachable` is what the attacker uses.
    """

    epsilon: float = budget("ε of the same noise in the reals")
    __post_init__ = check
    mode = "plain floating point, for teaching only"
    neighbours = ONE_RATING

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, BELIEF)

    def worst_pair(self) -> tuple[Any, Any]:
        return np.float64(0), np.float64(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        return self._answer(np.asarray(x, float), rng.random(np.shape(x)) - 0.5)

    def _answer(self, x: Array, v: Array) -> Array:
        return x - np.sign(v) * np.log1p(-2 * np.abs(v)) / self.epsilon

    def loss(self, distance: float = 1.0) -> NoBound | Pure:
        return NoBound("low-order bits of a double tell the value") if distance > 0 else Pure(0.0)

    def log_density(self, y: Array, x: Array) -> Array:
        return laplace_log_density(y, x, 1 / self.epsilon)

    def reachable(self, y: Array, x: Array) -> Array:
        """Whether any uniform number at all leads from `x` to precisely `y`."""
        y, x = np.broadcast_arrays(np.asarray(y, float), np.asarray(x, float))
        far = np.abs(y - x) * self.epsilon
        nearest = np.rint(-np.expm1(-far) * 2.0**52)  # |v| = nearest · 2⁻⁵³, up to rounding
        reach = 8 + math.ceil(4 * self.epsilon * float(np.max(np.abs(x), initial=0.0)))
        found = np.zeros(y.shape, bool)
        for offset in range(-reach, reach + 1):
            v = np.clip(nearest + offset, 0, 2.0**52 - 1) * 2.0**-53
            found |= self._answer(x, np.copysign(v, y - x)) == y
        return found


def laplace_log_density(y: Array, x: Array, scale: float) -> Array:
    return -np.abs(np.asarray(y) - x) / scale - math.log(2 * scale)


LEAKY: dict[str, Any] = {
    "half-noise": HalfNoise(),
    "no-clipping": NoClipping(),
    "wrong-sensitivity": WrongSensitivity(),
    "reused-noise": ReusedNoise(),
    "reused-uniforms": ReusedUniforms(),
    "float-laplace": FloatLaplace(),
}
