"""Subset selection: one of k symbols is answered by a set of d symbols (Ye & Barg 2018; Wang et al. 2016).

P(set) ∝ e^ε if it holds x, else 1            the best d is close to k/(e^ε+1)

p = P(x in the set) = d·e^ε/(d·e^ε + k − d)         q = P(x′ in the set), x′ ≠ x
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import exact
from recprivlib.mechanisms.common import ONE_SWAP, ONE_USER, SEEDED, budget, channel_loss, claim, logistic, symbols
from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.mechanisms.sampling import subsets
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Claim


@dataclass(frozen=True)
class SubsetSelection:
    """A symbol becomes a set of `size` symbols, listed in rising order. Distance 1 is any exchange."""

    epsilon: float = budget("ε of one report")
    k: int = parameter(5, 2, 10_000_000, "how many symbols there are")
    size: int | None = parameter(None, 1, 10_000_000, "d, symbols in a set; none: the best", kind=int, optional=True)
    mode = SEEDED
    neighbours = {**ONE_SWAP, **ONE_USER}  # noqa: RUF012

    def __post_init__(self) -> None:
        check(self)
        if self.size is not None and self.size >= self.k:
            raise UserError(f"size is {self.size}, but must be less than k, which is {self.k}")

    @property
    def d(self) -> int:
        """Symbols in a set."""
        if self.size is not None:
            return self.size
        around = self.k * logistic(-self.epsilon)
        nearby = {min(max(guess, 1), self.k - 1) for guess in (math.floor(around), math.ceil(around))}
        return min(nearby, key=lambda d: rates(self.epsilon, self.k, d)[2])

    @property
    def p(self) -> float:
        """P(x in the set)."""
        return rates(self.epsilon, self.k, self.d)[0]

    @property
    def lie(self) -> float:
        """1 − p, which doubles would round to 0 from ε = 37 on."""
        return (self.k - self.d) / (self.d * math.exp(self.epsilon) + self.k - self.d)

    @property
    def q(self) -> float:
        """P(another symbol in the set)."""
        return rates(self.epsilon, self.k, self.d)[1]

    @property
    def claimed(self) -> Claim:
        return claim(self.epsilon, "Ye & Barg 2018", ("interaction", "swap"))

    def worst_pair(self) -> tuple[Any, Any]:
        return np.int32(0), np.int32(1)

    def release(self, x: Array, rng: np.random.Generator) -> Array:
        """Every symbol of `x` on its own: int32 sets along a new last axis."""
        x = symbols(x, self.k)
        kept = rng.random(x.size) < self.p
        gone = rng.integers(self.d, size=x.size)
        return self._sets(x, kept, subsets(self.k - 1, self.d, x.size, rng), gone)

    def exact(self, x: Array) -> Array:
        x = symbols(x, self.k)
        kept = ~exact.bernoulli(np.full(x.size, 1 / (1 + self.d * math.exp(self.epsilon) / (self.k - self.d))))
        return self._sets(x, kept, exact.subset(self.k - 1, self.d, x.size), exact.below(self.d, x.size))

    def _sets(self, x: Array, kept: Array, others: Array, gone: Array) -> Array:
        """`others` are sets without x; where x is kept it replaces the one at the random place `gone`.

        A fixed place would not do: a partition that finds the smallest keys favours small symbols there. Sorted,
        since the place would tell.
        """
        flat = x.reshape(-1, 1)
        others += others >= flat
        others[kept, gone[kept]] = flat[kept, 0]
        others.sort(axis=1)
        return others.reshape(*x.shape, self.d)

    def loss(self, distance: float = 1.0) -> Channel | Pure:
        """Which of the two symbols the set holds: both, only x, only x′, none."""
        p, k, d, lie = self.p, self.k, self.d, self.lie
        row = np.array([p * (d - 1), p * (k - d), lie * d, lie * (k - 1 - d)]) / (k - 1)
        return channel_loss(np.array([row, row[[0, 2, 1, 3]]]), ((0, 1),) if distance > 0 else ())

    def log_density(self, y: Array, x: Array) -> Array:
        """Of whole sets (the last axis of y), up to a constant that is the same for every set."""
        held = (np.asarray(y) == np.asarray(x)[..., None]).any(axis=-1)
        return np.where(held, self.epsilon, 0.0) - math.log(self.d * math.exp(self.epsilon) + self.k - self.d)

    def estimate(self, y: Array) -> Array:
        """Unbiased frequencies of the k symbols in the population that sent `y`."""
        n = max(np.size(y) // self.d, 1)
        return (np.bincount(np.ravel(y), minlength=self.k) / n - self.q) / (self.p - self.q)

    @property
    def variance(self) -> float:
        """Of the estimated frequency of a rare symbol, times the number of reports."""
        return rates(self.epsilon, self.k, self.d)[2]


def rates(epsilon: float, k: int, d: int) -> tuple[float, float, float]:
    """(p, q, variance of a rare symbol's estimate from one report)."""
    p = d / (d + (k - d) * math.exp(-epsilon))
    q = (p * (d - 1) + (1 - p) * d) / (k - 1)
    return p, q, q * (1 - q) / (p - q) ** 2
