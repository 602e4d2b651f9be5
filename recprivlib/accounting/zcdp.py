"""Zero-concentrated differential privacy: one number, ρ, that adds up (Bun & Steinke 2016)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.rdp import converted


def rho(parts: Sequence[tuple[Pair, int]]) -> float:
    """Σ count·ρ: μ²/2 for Gaussian noise, ε²/2 for pure ε; infinite where a release has none."""
    return math.fsum(count * pair.rho for pair, count in parts)


def to_epsilon(rho: float, delta: float) -> float:
    """The best conversion over all orders of D_α ≤ ρα; below the textbook's ρ + 2√(ρ ln(1/δ))."""
    if rho == 0 or math.isinf(rho) or delta == 0:
        return 0.0 if rho == 0 else math.inf
    best = 1 + math.sqrt(math.log(1 / delta) / rho)  # the textbook's order
    orders = 1 + (best - 1) * np.geomspace(0.2, 5.0, 400)
    return converted(orders, rho * orders, delta)


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """ε of the composition at `delta`."""
    return to_epsilon(rho(parts), delta)
