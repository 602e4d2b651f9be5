"""The exact privacy of one release, as data. Mechanisms say it (`mechanism.loss(distance)`), accountants read it.

A loss describes the pair of output distributions of two neighbours whose inputs are `distance` apart, in the
mechanism's own unit of sensitivity. What has no finite bound, or none that is known, says so with its reason;
an accountant never guesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Pure:
    """Only a pure ε is known: dominated by binary randomised response at ε (Kairouz, Oh & Viswanath 2015)."""

    epsilon: float


@dataclass(frozen=True, eq=False)
class Channel:
    """A finite mechanism: `matrix[x, y]` = P(output y | input x); `pairs` of inputs that may be neighbours.

    A zero opposite a non-zero is proof: ε is infinite at δ = 0, while δ(ε) stays less than 1. Outputs with one
    likelihood ratio may have been merged (nothing is lost), so columns need not be the outputs one by one.
    """

    matrix: np.ndarray
    pairs: tuple[tuple[int, int], ...]  # at least one; ordered both ways by the accountant


@dataclass(frozen=True, eq=False)
class DiscreteLaplaceShift(Channel):
    """Whole-number noise P(n) ∝ e^(−|n|·decay) on a value that moves by `shift` whole steps.

    It is the finite channel that it looks like (all outputs up to the one value are alike, and all from the other on),
    and it is known to be log-concave, which says what is worst on a sample.
    """

    decay: float
    shift: int


@dataclass(frozen=True)
class LaplaceShift:
    """Laplace noise of scale b on a value that moves by Δ: `epsilon` = Δ/b."""

    epsilon: float


@dataclass(frozen=True)
class GaussianShift:
    """Gaussian noise of deviation σ on a value that moves by Δ (L2): `mu` = Δ/σ (Dong, Roth & Su 2022)."""

    mu: float


@dataclass(frozen=True)
class DiscreteGaussianShift:
    """Whole-number noise P(n) ∝ exp(−n²/2σ²) on a value that moves by `shift` whole steps.

    The loss at n is shift·(shift − 2n)/2σ², up or down; its concentrated and Rényi privacy is never worse than
    GaussianShift(shift/σ) (Canonne, Kamath & Steinke 2020, Prop. 5). There is no finite ε at δ = 0.
    """

    sigma: float
    shift: int


@dataclass(frozen=True)
class SubsampledGaussian:
    """Gaussian sum over a random cohort.

    `noise` is σ over the sensitivity under the stated relation: S, one record's clip bound, under add-remove
    (Poisson only); 2S where one record is replaced by another (Poisson, or fixed-size without replacement).
    """

    noise: float
    rate: float
    scheme: Literal["poisson", "fixed-size"]


@dataclass(frozen=True)
class Sampled:
    """Something a person is part of with probability `rate` only, and nobody sees whether she is.

    `there` is the loss between her contribution and none, `moved` that between hers and another's (twice as far, where
    values lie around 0). With `records` above 1 she has that many, each drawn on its own, under one noise.
    """

    there: Loss
    moved: Loss
    rate: float
    scheme: Literal["poisson", "fixed-size"]
    records: int = 1


@dataclass(frozen=True)
class NoBound:
    """ε is infinite, and why: "a reported 0 proves a 0"."""

    reason: str


@dataclass(frozen=True)
class NotKnown:
    """Nothing can be counted, and why: "δ of SGLD unknown"."""

    reason: str


Loss = (
    Pure
    | Channel
    | DiscreteLaplaceShift
    | LaplaceShift
    | GaussianShift
    | DiscreteGaussianShift
    | SubsampledGaussian
    | Sampled
    | NoBound
    | NotKnown
)
