"""Rényi differential privacy: divergences of every order add up; the best order is converted (Mironov 2017)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from recprivlib.accounting import pure
from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.renyi import ORDERS
from recprivlib.protocols import Array


def classic(orders: Array, divergence: Array, delta: float) -> float:
    """min over α of D_α + ln(1/δ)/(α−1) (Mironov 2017, Proposition 3): what papers before 2020 print."""
    return max(0.0, float(np.min(divergence + math.log(1 / delta) / (orders - 1))))


def converted(orders: Array, divergence: Array, delta: float) -> float:
    """min over α of D_α + ln((α−1)/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath & Steinke 2020, Proposition 12)."""
    smaller = np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
    return max(0.0, float(np.min(divergence + smaller)))


def divergence(parts: Sequence[tuple[Pair, int]], orders: Array = ORDERS) -> Array:
    """Σ count·D_α; infinite where a release has no bound."""
    total = np.zeros(len(orders))
    for pair, count in parts:
        total += count * pair.divergence(orders) if pair.divergence else np.inf
    return total


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """ε of the composition at `delta`; order ∞ is pure ε."""
    last = pure.epsilon(parts)
    return min(converted(ORDERS, divergence(parts), delta), last) if delta > 0 else last
