"""From a budget to the noise that keeps it: the inverse of the accountant. Results are rounded towards more noise."""

from __future__ import annotations

import math
from collections.abc import Callable

from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.accounting.exact import epsilon as exact_epsilon
from recprivlib.parameters import UserError

PRECISION = 1e-6  # of the result


def least(epsilon_of: Callable[[float], float], epsilon: float, low: float, high: float) -> float:
    """The smallest value in [low, high] at which the falling function `epsilon_of` is at most `epsilon`."""
    if epsilon_of(low) <= epsilon:
        return low
    if epsilon_of(high) > epsilon:
        raise UserError(f"no noise up to {high:g} reaches ε = {epsilon:g}; allow a larger ε or δ")
    while high - low > PRECISION * high:
        middle = math.sqrt(low * high)
        if epsilon_of(middle) <= epsilon:
            high = middle
        else:
            low = middle
    return high


def gaussian_noise(epsilon: float, delta: float, count: int = 1) -> float:
    """σ over the sensitivity of each of `count` Gaussian releases, from the exact profile (Balle & Wang 2018).

    >>> round(gaussian_noise(1.0, 1e-5), 3)
    3.731
    """
    _budget(epsilon, delta)

    def spent(noise: float) -> float:
        one = gaussian_pair(math.sqrt(count) / noise)
        return exact_epsilon(one, delta) if one else 0.0

    return least(spent, epsilon, 1e-3, 1e9)


def _budget(epsilon: float, delta: float) -> None:
    if not epsilon > 0 or not 0 < delta < 1:
        raise UserError(f"ε must be positive and δ between 0 and 1, not {epsilon:g} and {delta:g}")
