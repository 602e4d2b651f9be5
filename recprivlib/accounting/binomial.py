"""Equal randomised responses, composed exactly: the number of truths told is binomial.

k releases of any ε₀-DP mechanism cost at most this, and randomised response costs exactly this (Kairouz, Oh &
Viswanath 2015, Theorem 3.3): the loss is (2j − k)ε₀ with probability C(k, j)p^j(1−p)^(k−j), p = e^ε₀/(1+e^ε₀).
"""

from __future__ import annotations

import math

import numpy as np

from recprivlib.accounting.grid import Losses

TAIL = 1e-8  # of δ: what may lie beyond the counts of truths that are looked at


def losses(epsilon: float, count: int, beyond: float = 0.0) -> Losses:
    """The loss distribution of `count` randomised responses at `epsilon`: exact, apart from tails of `beyond` each.

    The tails (by Hoeffding's inequality) count as infinite losses.
    """
    middle = count / (1 + math.exp(-epsilon))
    reach = math.sqrt(count * -math.log(beyond) / 2) if beyond else math.inf
    first, last = math.ceil(max(0.0, middle - reach)), math.floor(min(float(count), middle + reach))
    truths = np.arange(first, last + 1)
    # P(j) / P(j − 1) = (n − j + 1)/j · e^ε; products from one end keep more digits than gamma functions
    log = np.cumsum(np.concatenate([[0.0], np.log((count - truths[1:] + 1) / truths[1:]) + epsilon]))
    likely = np.exp(log - log.max())
    masses = np.zeros(2 * len(truths) - 1)
    masses[::2] = likely / likely.sum()
    return Losses(epsilon, 2 * first - count, masses, beyond * ((first > 0) + (last < count)))


def epsilon(each: float, count: int, delta: float) -> float:
    """ε of `count` releases of ε = `each` at `delta`.

    >>> round(epsilon(2.5, 2000, 1e-6))  # fmf_ldp: 100 reports in each of 20 epochs; the sum would be 5,000
    4505
    """
    return min(losses(each, count, TAIL * delta).epsilon(delta), count * each)
