"""Budgets while a run is under way: a filter that refuses to overspend, an odometer that tells what is spent.

What comes next may depend on every answer so far. That is why a filter adds up pure ε (Rogers et al. 2016), ρ or
the Rényi divergence at ONE order fixed in advance (Feldman & Zrnic 2021), and never composes loss distributions:
with adaptively chosen noise that is not sound. Both are safe to share between threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from threading import Lock
from typing import Any, Literal

import numpy as np

from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.rdp import converted
from recprivlib.accounting.zcdp import to_rho
from recprivlib.mechanisms.losses import NoBound, NotKnown
from recprivlib.parameters import UserError
from recprivlib.protocols import Relation

Measure = Literal["pure", "zcdp", "rdp"]
SLACK = Fraction(1, 10**12)  # of a limit: 3 · 0.1 may be spent where 0.3 is allowed


class Overspent(UserError):
    """The release was refused; nothing was spent."""


class Filter:
    """(ε, δ) in advance: releases pass while their sum stays within it, and are refused after.

    >>> purse = Filter(1.0)
    >>> from recprivlib.mechanisms import Laplace
    >>> purse.spend(Laplace(epsilon=0.75))
    0.25
    >>> purse.spend(Laplace(epsilon=0.5))
    Traceback (most recent call last):
    recprivlib.accounting.budgets.Overspent: this release costs 0.5 of pure ε, but only 0.25 of 1 is left
    """

    def __init__(self, epsilon: float, delta: float = 0.0, measure: Measure = "pure", order: float | None = None):
        if not (epsilon > 0 and math.isfinite(epsilon)) or not 0 <= delta < 1:
            raise UserError(f"ε must be positive and δ in [0, 1), not {epsilon:g} and {delta:g}")
        if (measure == "pure") != (delta == 0):
            raise UserError(
                f"pure ε goes with δ = 0, zcdp and rdp with δ > 0, but this is {measure!r} at δ = {delta:g}"
            )
        self.epsilon, self.delta, self.measure = epsilon, delta, measure
        self.order = order or (1 + 2 * math.log(1 / delta) / epsilon if measure == "rdp" else math.nan)
        self.limit = self._limit()
        self._spent, self._lock = Fraction(0), Lock()

    def _limit(self) -> float:
        if self.measure == "pure":
            return self.epsilon
        if self.measure == "zcdp":
            return to_rho(self.epsilon, self.delta)
        price = converted(np.array([self.order]), np.array([self.epsilon]), self.delta) - self.epsilon
        if self.epsilon <= price:
            raise UserError(
                f"order {self.order:g} alone costs ε = {price:.3g} at δ = {self.delta:g}; choose a larger order"
            )
        return self.epsilon - price

    def spend(self, mechanism: Any, count: int = 1, distance: float = 1.0, relation: Relation = "replace") -> float:
        """Pay for `count` releases BEFORE they are made; what is left in units of `measure`, or Overspent."""
        cost = _cost(mechanism, count, distance, relation, self.measure, self.order)
        with self._lock:
            left = Fraction(self.limit) - self._spent
            if cost > left + SLACK * Fraction(self.limit):
                unit = {"pure": "pure ε", "zcdp": "ρ", "rdp": f"D at order {self.order:g}"}[self.measure]
                raise Overspent(
                    f"this release costs {float(cost):.4g} of {unit},"
                    f" but only {max(float(left), 0.0):.4g} of {self.limit:.4g} is left"
                )
            self._spent += cost
            return max(float(left - cost), 0.0)

    @property
    def left(self) -> float:
        """What may still be spent, in units of `measure`."""
        with self._lock:
            return max(float(Fraction(self.limit) - self._spent), 0.0)


class Odometer:
    """What has been spent so far, whenever it is read and whatever was decided by reading it.

    δ = 0: pure ε adds up. δ > 0: ρ adds up; level j of a ladder of filters (ρ_j = first·2^j) gets δ/((j+1)(j+2)),
    which sums to δ, and the loss stays below ρ_j + 2√(ρ_j ln(1/δ_j)) (Rogers et al. 2016; Feldman & Zrnic 2021).
    """

    def __init__(self, delta: float = 0.0, first: float = 1e-3):
        if not 0 <= delta < 1 or not first > 0:
            raise UserError(f"δ must lie in [0, 1) and the first level above 0, not {delta:g} and {first:g}")
        self.delta, self.first = delta, first
        self._spent, self._lock = Fraction(0), Lock()

    def record(self, mechanism: Any, count: int = 1, distance: float = 1.0, relation: Relation = "replace") -> float:
        """Add `count` releases; ε so far."""
        measure: Measure = "zcdp" if self.delta else "pure"
        cost = _cost(mechanism, count, distance, relation, measure, math.nan)
        with self._lock:
            self._spent += cost
            return self._read(float(self._spent))

    @property
    def epsilon(self) -> float:
        """ε so far, at the odometer's δ."""
        with self._lock:
            return self._read(float(self._spent))

    def _read(self, spent: float) -> float:
        if not self.delta or not spent:
            return spent
        level = max(0, math.floor(math.log2(spent / self.first)))
        level += self.first * 2.0**level < spent
        rho, share = self.first * 2.0**level, self.delta / ((level + 1) * (level + 2))
        return rho + 2 * math.sqrt(rho * math.log(1 / share))


def _cost(mechanism: Any, count: int, distance: float, relation: Relation, measure: Measure, order: float) -> Fraction:
    """What `count` releases cost, never below 0; refused where that is infinite in this measure."""
    if not isinstance(count, int) or count < 1:
        raise UserError(f"count is {count!r}, but must be a whole number from 1 on")
    if not 0 <= distance < math.inf:
        raise UserError(f"the distance is {distance!r}, but must be a number from 0 on")
    loss = mechanism.loss(distance)
    if isinstance(loss, NoBound | NotKnown):
        raise UserError(f"no budget can pay for this release: {loss.reason}")
    one = pair(loss, relation)
    cost = 0.0 if one is None else COSTS[measure](one, order)
    if not math.isfinite(cost):
        raise UserError(f"{measure} has no finite cost for {one.words if one else 'this'}; choose another measure")
    return count * Fraction(cost)


def _divergence(one: Pair, order: float) -> float:
    return float(one.divergence(np.array([order]))[0]) if one.divergence else math.inf


COSTS: dict[Measure, Callable[[Pair, float], float]] = {
    "pure": lambda one, _: one.pure,
    "zcdp": lambda one, _: one.rho,
    "rdp": _divergence,
}
