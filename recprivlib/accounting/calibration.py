"""From a budget to the noise that keeps it: the inverse of the accountant. Results are rounded towards more noise."""

from __future__ import annotations

import math
from collections.abc import Callable

from recprivlib.accounting.compose import tightest
from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.accounting.exact import epsilon as exact_epsilon
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms.losses import Pure, SubsampledGaussian
from recprivlib.parameters import UserError
from recprivlib.protocols import Relation

PRECISION = 1e-6  # of the result


def least(epsilon_of: Callable[[float], float], epsilon: float, low: float, high: float, what: str = "noise") -> float:
    """The smallest value in [low, high] at which the falling function `epsilon_of` is at most `epsilon`."""
    if epsilon_of(low) <= epsilon:
        return low
    if epsilon_of(high) > epsilon:
        raise UserError(f"no {what} up to {high:g} reaches ε = {epsilon:g}; allow a larger ε or δ")
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


def subsampled_noise(
    epsilon: float, delta: float, rate: float, count: int, scheme: str = "poisson", relation: Relation = "add-remove"
) -> float:
    """σ over the sensitivity under `relation` of `count` Gaussian sums over random cohorts."""
    _budget(epsilon, delta)

    def spent(noise: float) -> float:
        one = pair(SubsampledGaussian(noise, rate, scheme), relation)  # type: ignore[arg-type]
        return tightest([(one, count)], delta)[0] if one else 0.0

    return least(spent, epsilon, 0.2, 1e6)


def budget_each(epsilon: float, count: int, delta: float = 0.0) -> float:
    """The ε that each of `count` pure releases may spend so that together they spend at most `epsilon`."""
    if not epsilon > 0 or not 0 <= delta < 1:
        raise UserError(f"ε must be positive and δ in [0, 1), not {epsilon:g} and {delta:g}")

    def spent(each_inverse: float) -> float:
        one = pair(Pure(1.0 / each_inverse), "replace")
        return tightest([(one, count)], delta)[0] if one else 0.0

    return 1.0 / least(spent, epsilon, 1.0 / (2 * epsilon + 10), count / epsilon * (1 + 1e-9))


def _budget(epsilon: float, delta: float) -> None:
    if not epsilon > 0 or not 0 < delta < 1:
        raise UserError(f"ε must be positive and δ between 0 and 1, not {epsilon:g} and {delta:g}")
