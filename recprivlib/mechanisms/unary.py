"""Unary encodings: a row of bits, one a symbol or film, each perturbed on its own.

Two terms are in use, and they are not the same:
- per BIT (add or remove one interaction): what `dplcf` states and `unary-symmetric`, `unary-one-sided` take as ε;
- per SWAP (one bit falls, another rises): what frequency oracles state and `unary-optimized` takes as ε.

    name               P(1|1)        P(1|0)        per bit               per swap
    unary-symmetric    e^ε/(e^ε+1)   1/(e^ε+1)     ε                     2ε
    unary-optimized    1/2           1/(e^ε+1)     max of both ratios    ε
    unary-one-sided    1             e^−ε          ∞: a 0 is proof       ∞

Symmetric and optimized: Erlingsson et al. 2014; Wang, Blocki, Li & Jha 2017 (SUE at ε per swap is
`UnarySymmetric(ε/2)`). One-sided: Gao et al. 2020 ("AP"); it is (0, 1 − e^−ε)-DP, and it does hide that a film
was watched up to e^ε: P(1|1)/P(1|0) = e^ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import (
    ONE_BIT,
    ONE_SWAP,
    SEEDED,
    all_pairs,
    bits,
    budget,
    channel_loss,
    claim,
    log_matrix,
    logistic,
)
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.mechanisms.randomized_response import debias, flip
from recprivlib.parameters import check
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class UnarySymmetric:
    """Every bit by randomised response (p + q = 1); ε is per bit. The loss is that of one bit."""

    epsilon: float = budget("ε of one bit: an interaction added or removed")
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
        return claim(self.epsilon, "Gao et al. 2020, §3.3 (p = 1 − q)", ("interaction", "add-remove"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int8(0), np.int8(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every bit of `x` on its own; same shape and type."""
        return flip(x, self.p, self.q, rng)

    def exact(self, x: Array) -> Array:
        return (bits(x) ^ exact.bernoulli(np.full(np.shape(x), self.q))).astype(np.asarray(x).dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Of one bit: distance 1 is an interaction added or removed. A swap changes two bits."""
        return channel_loss(self.channel, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        return log_matrix(self.channel)[bits(x).astype(np.int8), bits(y).astype(np.int8)]

    def estimate(self, y: Array) -> Array:
        """Unbiased for every true bit."""
        return debias(y, self.p, self.q)

    @property
    def variance(self) -> float:
        """Of the estimate of one bit, whatever the bit."""
        return self.q * self.p / (self.p - self.q) ** 2


@dataclass(frozen=True)
class UnaryOptimized:
    """OUE: a 1 is a fair coin, a 0 rarely becomes 1; ε is per swap. The loss is that of a swap: two bits.

    `release` takes any row of bits; the swap's loss also bounds that of a single bit, whose own is `bit_channel`.
    """

    epsilon: float = budget("ε of a swap: one symbol exchanged for another")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_SWAP
    inputs = ((1, 0), (0, 1))
    outputs = ((0, 0), (0, 1), (1, 0), (1, 1))
    p = 0.5  # P(1 | 1)

    @property
    def q(self) -> float:
        """P(1 | 0)."""
        return logistic(-self.epsilon)

    @property
    def bit_channel(self) -> Array:
        return np.array([[logistic(self.epsilon), self.q], [0.5, 0.5]])

    @property
    def channel(self) -> Array:
        """The two bits in which a swap differs; all others are noise of their own."""
        off, on = self.bit_channel
        return np.array([np.outer(on, off).ravel(), np.outer(off, on).ravel()])

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Wang et al. 2017, §4.3", ("interaction", "swap"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.array([1, 0], np.int8), np.array([0, 1], np.int8)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every bit of `x` on its own; same shape and type."""
        return flip(x, self.p, self.q, rng)

    def exact(self, x: Array) -> Array:
        return exact.bernoulli(np.where(bits(x), self.p, self.q)).astype(np.asarray(x).dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Of a row in which one symbol was exchanged for another."""
        return channel_loss(self.channel, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        """Of whole rows: the last axis is summed over."""
        table = log_matrix(self.bit_channel)
        return table[bits(x).astype(np.int8), bits(y).astype(np.int8)].sum(axis=-1)

    def estimate(self, y: Array) -> Array:
        """Unbiased for every true bit."""
        return debias(y, self.p, self.q)

    def variance(self, x: Array) -> Array:
        """Of the estimate of each bit: it depends on the bit."""
        kept = np.where(bits(x), self.p * (1 - self.p), self.q * (1 - self.q))
        return kept / (self.p - self.q) ** 2


@dataclass(frozen=True)
class UnaryOneSided:
    """dplcf's AP: a 1 is always sent as 1, a 0 becomes 1 with probability e^−ε. A sent 0 is proof of a 0.

    `loss` is the channel, with its zero: no finite ε at δ = 0, and δ(ε′) = 1 − e^−ε for every ε′.
    """

    epsilon: float = budget("ε as printed: ln of P(1|1)/P(1|0), the one-sided bound")
    __post_init__ = check
    mode = SEEDED
    neighbours = ONE_BIT
    inputs = outputs = (0, 1)
    p = 1.0  # P(1 | 1)

    @property
    def q(self) -> float:
        """P(1 | 0)."""
        return math.exp(-self.epsilon)

    @property
    def one_sided(self) -> float:
        """ε of "this was watched" alone: the most that a reported 1 can raise its odds, ln(p/q)."""
        return math.log(self.p / self.q)

    @property
    def proof(self) -> float:
        """How often a 0 betrays itself: the δ of the (0, δ) guarantee that does hold."""
        return -math.expm1(-self.epsilon)

    @property
    def channel(self) -> Array:
        return np.array([[self.proof, self.q], [0.0, 1.0]])

    @property
    def claimed(self) -> Claim:
        where = "Gao et al. 2020, eq. 3 with p = 1, q = e^−ε, and Theorem 3.1 of its [38]"
        return claim(self.epsilon, where, ("interaction", "add-remove"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int8(0), np.int8(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every bit of `x` on its own; same shape and type."""
        return flip(x, self.p, self.q, rng)

    def exact(self, x: Array) -> Array:
        return (bits(x) | exact.bernoulli(np.full(np.shape(x), self.q))).astype(np.asarray(x).dtype)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Of one bit: distance 1 is an interaction added or removed."""
        return channel_loss(self.channel, all_pairs(2) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        return log_matrix(self.channel)[bits(x).astype(np.int8), bits(y).astype(np.int8)]

    def estimate(self, y: Array) -> Array:
        """Unbiased for every true bit; a 1 has no variance, a 0 has q/(1−q)."""
        return debias(y, self.p, self.q)
