"""Privacy profiles: δ(ε), the smallest δ for which a pair of output distributions P, Q is (ε, δ)-close.

    δ(ε) = sup over events E of P(E) − e^ε Q(E)                        (the hockey-stick divergence)

Every function takes ε ≥ 0 as an array, however large: e^ε is never formed, only its product with a probability.
A profile that lies above the true one for every pair of neighbours
belongs to a dominating pair, which composes (Zhu, Dong & Wang 2022, Theorem 10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import erfcx, log_ndtr

from recprivlib.protocols import Array

HALF_ROOT = math.sqrt(0.5)
LOWEST = -745.0  # ln of the smallest double


def randomized_response(e: Array, epsilon: float) -> Array:
    """Truth with probability e^ε₀/(1+e^ε₀): the worst of all ε₀-DP mechanisms (Kairouz, Oh & Viswanath 2015)."""
    return np.where(e < epsilon, -np.expm1(np.minimum(e - epsilon, 0.0)) / (1.0 + np.exp(-epsilon)), 0.0)


def laplace(e: Array, epsilon: float) -> Array:
    """Laplace noise of scale b, shift Δ = b·epsilon (Koskela et al. 2020, eq. 4.1)."""
    return -np.expm1(np.minimum(e - epsilon, 0.0) / 2.0)


def gaussian(e: Array, mu: float) -> Array:
    """Gaussian noise of deviation σ, shift Δ = σ·mu (Balle & Wang 2018, Theorem 8): Φ(a) − e^ε Φ(b), b = a − mu.

    ln(e^ε Φ(b)/Φ(a)) has no ε in it: e^ε is the ratio of the densities at a and b, which leaves Mills' ratios.
    """
    a = mu / 2 - e / mu
    up = log_ndtr(a)
    down = np.log(erfcx((mu - a) * HALF_ROOT) / 2) - a * a / 2
    inside = up > LOWEST
    return np.where(inside, np.exp(up) * -np.expm1(np.minimum(down - np.where(inside, up, 0.0), 0.0)), 0.0)


def amplified(e: Array, rate: float) -> Array:
    """ln(1 + (e^ε − 1)/rate): where the profile of the whole is read for a sample (Balle, Barthe & Gaboardi 2018)."""
    return e + np.log(np.exp(-e) + -np.expm1(-e) / rate)


def poisson_removed(e: Array, mu: float, rate: float) -> Array:
    """Each record joins with probability `rate`; P has the record, Q has not: (1−q)N(0,1)+qN(μ,1) against N(0,1).

    (1−q)N(0)+qN(μ) − aN(0) = q(N(μ) − a′N(0)) with a′ = 1+(a−1)/q.
    """
    return rate * gaussian(amplified(e, rate), mu)


def poisson_added(e: Array, mu: float, rate: float) -> Array:
    """The other direction: N(0,1) against (1−q)N(0,1)+qN(μ,1).

    With a = e^ε it is (1−a(1−q))(N(0) − bN(μ)), b = aq/(1−a(1−q)), and nothing once a(1−q) ≥ 1.
    """
    left = -np.expm1(np.minimum(e + np.log1p(-rate), 0.0)) if rate < 1 else np.ones_like(e)
    inside = left > 0
    safe = np.where(inside, left, 1.0)
    return np.where(inside, safe * gaussian(e + np.log(rate) - np.log(safe), mu), 0.0)


def poisson_replaced(e: Array, mu: float, rate: float) -> Array:
    """One record's value changes: (1−q)N(0,1)+qN(μ/2,1) against (1−q)N(0,1)+qN(−μ/2,1).

    Opposite values x, x′ on the clip sphere are the worst. With L_x the density of N(x,1) over N(0,1), the
    profile is E f(L_x, L_x′), f(u, v) = (1−q)(1−a)+qu−aqv where positive. Values inside the sphere, or at any
    angle, are linear contractions of two on it with the same inner product; and that expectation falls with
    the inner product, since its derivative is E ∂₁∂₂f ≤ 0 (Price's theorem), f being convex along (1, −a).
    """
    shift = mu / 2
    # The optimal event is z > ln(u)/shift, u the root of a quadratic; all of it in logarithms.
    twice = math.log(2 * rate) - shift**2 / 2
    left = _log(1 - rate) + e + _log(-np.expm1(-e))
    root = np.logaddexp(2 * left, 2 * twice + e) / 2
    z = (np.logaddexp(left, root) - twice) / shift
    gain = math.log(rate) + log_ndtr(shift - z)
    lost = np.logaddexp(math.log(rate) + e + log_ndtr(-shift - z), left + log_ndtr(-z))
    inside = gain > LOWEST
    return np.where(inside, np.exp(gain) * -np.expm1(np.minimum(lost - np.where(inside, gain, 0.0), 0.0)), 0.0)


def fixed_size_replaced(e: Array, mu: float, rate: float) -> Array:
    """A cohort of fixed size drawn without replacement, one record replaced; `mu` for the move of the whole sum.

    q·δ_Gauss(ln(1+(e^ε−1)/q)) bounds every pair of neighbours in both orders (Balle, Barthe & Gaboardi 2018,
    Theorem 10), so it dominates. A sound bound: nobody knows whether it is tight under composition (Lebeda,
    Regehr, Kamath & Steinke 2024).
    """
    return rate * gaussian(amplified(e, rate), mu)


def channel(e: Array, rows: Array, others: Array) -> Array:
    """The largest profile among pairs of rows of a finite mechanism, at every ε."""
    worst = np.zeros_like(e)
    for p, q in zip(rows, others, strict=True):
        ahead = p > q
        losses = np.log(p[ahead]) - _log(q[ahead])  # infinite where q is 0
        np.maximum(worst, -np.expm1(np.minimum(e[:, None] - losses, 0.0)) @ p[ahead], out=worst)
    return worst


def atomic(losses: Array, masses: Array, infinite: float = 0.0) -> Callable[[Array], Array]:
    """The profile of a pair with these losses (rising) and P-masses, `infinite` that of an infinite loss."""
    tails = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    # ln of the Q-mass beyond: a sum of e^−loss would overflow where losses spread over more than 700.
    others = np.append(np.logaddexp.accumulate((_log(masses) - losses)[::-1])[::-1], -np.inf)

    def profile(e: Array) -> Array:
        first = np.searchsorted(losses, e, side="right")
        return infinite + np.maximum(tails[first] - np.exp(np.minimum(e + others[first], 0.0)), 0.0)

    return profile


def _log(x: Any) -> Any:
    """ln x, −∞ at 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(x)
