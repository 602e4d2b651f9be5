"""Equal randomised responses, composed exactly: the number of truths told is binomial.

k releases of any ε₀-DP mechanism cost at most this, and randomised response costs exactly this (Kairouz, Oh &
Viswanath 2015, Theorem 3.3): the loss is (2j − k)ε₀ with probability C(k, j)p^j(1−p)^(k−j), p = e^ε₀/(1+e^ε₀).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from recprivlib.accounting.grid import Losses


def losses(epsilon: float, count: int) -> Losses:
    """The exact loss distribution of `count` randomised responses at `epsilon`."""
    truths = np.arange(count + 1)
    log = gammaln(count + 1) - gammaln(truths + 1) - gammaln(count - truths + 1)
    log -= truths * math.log1p(math.exp(-epsilon)) + (count - truths) * (epsilon + math.log1p(math.exp(-epsilon)))
    masses = np.zeros(2 * count + 1)
    masses[::2] = np.exp(log)
    return Losses(epsilon, -count, masses, 0.0)


def epsilon(each: float, count: int, delta: float) -> float:
    """ε of `count` releases of ε = `each` at `delta`.

    >>> round(epsilon(2.5, 2000, 1e-6))  # fmf_ldp: 100 reports in each of 20 epochs; the sum would be 5,000
    4505
    """
    return min(losses(each, count).epsilon(delta), count * each)
