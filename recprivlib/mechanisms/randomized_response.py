"""Randomised response: tell the truth with probability p, else lie (Warner 1965; k symbols: Kairouz et al. 2016).

p = e^ε/(e^ε+k−1)   the truth        q = 1/(e^ε+k−1)   each of the k − 1 lies
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
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
    symbols,
)
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import check, parameter
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class RandomizedResponse:
    """One bit, kept with probability e^ε/(e^ε+1), else flipped."""

    epsilon: float = budget("ε of one reported bit")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_BIT
    inputs = outputs = (0, 1)

    @property
    def p(self) -> float:
        """P(1 | 1)."""
        return logistic(self.epsilon)

    @property
    def q(self) -> float:
        """P(1 | 0)."""
        return logistic(-self.epsilon)

    @property
    def channel(self) -> Array:
        return np.array([[self.p, self.q], [self.q, self.p]])

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Warner 1965", ("interaction", "add-remove"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int8(0), np.int8(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every bit of `x` on its own; same shape and type."""
        return flip(x, self.p, self.q, rng)

    def exact(self, x: Array) -> Array:
        return (bits(x) ^ exact.bernoulli(np.full(np.shape(x), self.q))).astype(np.asarray(x).dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Of one bit: distance 1 is a flip."""
        return channel_loss(self.channel, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        return log_matrix(self.channel)[bits(x).astype(np.int8), bits(y).astype(np.int8)]

    def estimate(self, y: Array) -> Array:
        """Unbiased for the true bit, with variance q(1−q)/(p−q)²."""
        return debias(y, self.p, self.q)

    @property
    def variance(self) -> float:
        return self.q * self.p / (self.p - self.q) ** 2


@dataclass(frozen=True)
class KRandomizedResponse:
    """One of k symbols, kept with probability e^ε/(e^ε+k−1), else any other one, all alike."""

    epsilon: float = budget("ε of one reported symbol")
    k: int = parameter(5, 2, 10_000, "how many symbols there are")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_RATING

    @property
    def inputs(self) -> tuple[int, ...]:
        return tuple(range(self.k))

    @property
    def lies(self) -> int:
        """How many symbols it lies with, each as likely as the next."""
        return self.k - 1

    @property
    def outputs(self) -> tuple[int, ...]:
        return tuple(range(self.k))

    @property
    def p(self) -> float:
        """P(y | y)."""
        return 1.0 / (1.0 + (self.k - 1) * math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """P(y | x) for any other x."""
        return 1.0 / (math.exp(self.epsilon) + self.k - 1)

    @property
    def channel(self) -> Array:
        return np.full((self.k, self.k), self.q) + (self.p - self.q) * np.eye(self.k)

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Kairouz, Bonawitz & Ramage 2016")

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int32(0), np.int32(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every symbol of `x` on its own; same shape and type."""
        x = symbols(x, self.k)
        # One uniform number both decides whether to lie and which lie to tell.
        lie = np.floor((rng.random(x.shape) - self.p) / self.q).clip(-1, self.k - 2).astype(np.int64)
        return np.asarray(np.where(lie < 0, x, lie + (lie >= x)), x.dtype)

    def exact(self, x: Array) -> Array:
        x = symbols(x, self.k)
        lie = exact.below(self.k - 1, x.shape)
        lies = exact.bernoulli(np.full(x.shape, (self.k - 1) * self.q))
        return np.asarray(np.where(lies, lie + (lie >= x), x), x.dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Of one symbol: distance 1 is any exchange. The answer is x, or x′, or one of the others."""
        rest = (self.k - 2) * self.q
        matrix = np.array([[self.p, self.q, rest], [self.q, self.p, rest]])
        return channel_loss(matrix, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        return np.where(np.equal(y, x), math.log(self.p), math.log(self.q))

    def estimate(self, y: Array) -> Array:
        """Unbiased frequencies of the k symbols in the population that sent `y`."""
        return debias(np.bincount(np.ravel(y), minlength=self.k) / max(np.size(y), 1), self.p, self.q)


def flip(x: Array, p: float, q: float, rng: np.random.Generator) -> Array:
    """1 with probability p where x is 1 and q ≤ p where it is 0: one uniform number a bit, thresholded."""
    kind, x = np.asarray(x).dtype, bits(x)
    uniform = rng.random(x.shape)
    return ((uniform < q) | (x & (uniform < p))).astype(kind, copy=False)


def debias(y: Array, p: float, q: float) -> Array:
    """(y − q)/(p − q): the linear estimate that is right on average."""
    return (np.asarray(y, float) - q) / (p - q)
