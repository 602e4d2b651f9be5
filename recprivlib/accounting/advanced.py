"""Advanced composition in its optimal closed form, for pure ε (Kairouz, Oh & Viswanath 2015, Theorem 3.5).

Dwork, Rothblum & Vadhan (2010) had e^ε − 1 where tanh(ε/2) stands. Exact composition is never worse; this
one is here because everybody quotes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.pure import epsilon as basic


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """The smallest of Σε, and Σε·tanh(ε/2) + √(2L Σε²) with L = ln(1/δ) or ln(e + √Σε²/δ)."""
    total = basic(parts)
    if delta == 0 or math.isinf(total):
        return total
    drift = math.fsum(count * pair.pure * math.tanh(pair.pure / 2) for pair, count in parts)
    squares = math.fsum(count * pair.pure**2 for pair, count in parts)
    room = min(math.log(1 / delta), math.log(math.e + math.sqrt(squares) / delta))
    return min(total, drift + math.sqrt(2 * squares * room))
