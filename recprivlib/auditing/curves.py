"""Gaussian releases audited as what they are: a whole trade-off curve, which has one number, μ.

    TPR ≤ Φ(Φ⁻¹(FPR) + μ)  for every event  ⇔  μ-GDP                (Dong, Roth & Su 2022, Definition 2.6)

So each event that was counted bounds μ from below: μ ≥ Φ⁻¹(TPR) − Φ⁻¹(FPR). With Clopper–Pearson limits at α/2 on each
rate this holds with confidence 1 − α, for an event that other trials chose. Under Gaussian noise all thresholds have
the same μ, so that the middle of the curve, where both rates are known best, speaks for its ends, where δ is tiny: of
a μ that is certified ε(δ) follows by the exact profile (Balle & Wang 2018), and lies far above what any event shows at
that δ (Nasr et al. 2023).

What is certified of μ holds for any release: no smaller μ is true. The step to ε takes the curve to be Gaussian. Of
answers that have passed the test of their law (distribution.py) it is; a verdict does not rest on it (__init__.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.accounting.exact import epsilon
from recprivlib.auditing.bounds import ALL, SHOWN, Missed, lower_limits, upper_limits
from recprivlib.auditing.events import Event, cuts_of, halves, ordered, sides_of, spending
from recprivlib.protocols import Array

Worlds = tuple[Array, Array]


@dataclass(frozen=True)
class TradeOff:
    """A certified Gaussian curve: no event could do as well if μ were smaller."""

    mu: float  #: a lower bound on μ, with confidence 1 − α
    event: Event  #: chosen on the first half of the trials
    true_positive_rate: float  #: of the event, on the second half
    false_positive_rate: float
    most: float  #: the largest μ that so many trials could show

    def epsilon(self, delta: float) -> float:
        """What μ costs at `delta`; at δ = 0 Gaussian noise has no ε, and nothing is said."""
        return epsilon_of(self.mu, delta)

    def ceiling(self, delta: float) -> float:
        """The most that so many trials could show at `delta`."""
        return epsilon_of(self.most, delta)

    def hits(self, false: Array) -> Array:
        """The least hits of the best attacker at these shares of false alarms: the curve, to be drawn."""
        return np.asarray(ndtr(ndtri(np.clip(false, 0.0, 1.0)) + self.mu))


def epsilon_of(mu: float, delta: float) -> float:
    """ε of Gaussian noise that shifts by μ of its deviations.

    >>> round(epsilon_of(0.268, 1e-5), 2)  # noise of 3.73 sensitivities
    1.0
    """
    pair = gaussian_pair(mu) if mu > 0 and delta > 0 else None
    return epsilon(pair, delta) if pair else 0.0


def trade_off(worlds: Worlds, alpha: float = SHOWN, missed: Missed = ALL) -> TradeOff:
    """Choose the event on the first half of the trials, certify μ on the second; `missed` as in `certificates`."""
    alpha, lost = spending(missed, 0.0, alpha)
    first, second = halves(worlds)
    sides = ordered(first)
    cuts = cuts_of(sides)
    if not len(cuts):
        return TradeOff(0.0, Event(math.inf, "high"), 0.0, 0.0, 0.0)
    hits, misses = sides_of(sides, cuts)
    worth = mus_lower(hits, misses, len(first[0]), alpha, lost)
    step = 1 + missed.high
    best = step * int(np.argmax(worth[::step]))
    event = Event(float(cuts[best // 2]), "low" if best % 2 else "high")
    true, false = event.counts(second)
    trials = len(second[0])
    mu, most = mus_lower(np.array([true, trials]), np.array([false, 0]), trials, alpha, lost).tolist()
    return TradeOff(mu, event, true / trials, false / trials, most)


def mus_lower(true: Array, false: Array, trials: int, alpha: float, missed: float = 0.0) -> Array:
    """μ that counts of events certify, by limits at α/2 on each rate; 0 where they show nothing."""
    low = lower_limits(np.asarray(true), trials, alpha / 2) - missed
    high = upper_limits(np.asarray(false), trials, alpha / 2)
    known = (low > 0) & (high < 1)
    gap = ndtri(np.where(known, low, 0.5)) - ndtri(np.where(known, high, 0.5))
    return np.maximum(0.0, np.where(known, gap, 0.0))
