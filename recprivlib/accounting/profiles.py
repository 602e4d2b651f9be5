"""Privacy profiles: δ(ε), the smallest δ for which a pair of output distributions P, Q is (ε, δ)-close.

    δ(ε) = sup over events E of P(E) − e^ε Q(E)                        (the hockey-stick divergence)

Every function takes ε ≥ 0 as an array, however large: e^ε is never formed, only its product with a probability.
A profile that lies above the true one for every pair of neighbours
belongs to a dominating pair, which composes (Zhu, Dong & Wang 2022, Theorem 10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy

from recprivlib.protocols import Array

HALF_ROOT = math.sqrt(0.5)
LOWEST = -745.0  # ln of the smallest double


def at(profile: Callable[[Array], Array], e: Array) -> Array:
    """`profile` at `e`. What is not a number must not pass for one that is small: a bill would vanish."""
    found = profile(e)
    if np.isnan(found).any():
        raise ArithmeticError(f"the privacy profile is not a number at ε = {e[np.isnan(found)][0]:g}")
    return found


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
    up = scipy.special.log_ndtr(a)
    down = np.log(scipy.special.erfcx((mu - a) * HALF_ROOT) / 2) - a * a / 2
    inside = up > LOWEST
    return np.where(inside, np.exp(up) * -np.expm1(np.minimum(down - np.where(inside, up, 0.0), 0.0)), 0.0)


def amplified(e: Array, rate: float) -> Array:
    """ln(1 + (e^ε − 1)/rate): where the profile of the whole is read for a sample (Balle, Barthe & Gaboardi 2018)."""
    return e + np.log(np.exp(-e) + -np.expm1(-e) / rate)


def sampled(e: Array, base: Callable[[Array], Array], rate: float) -> Array:
    """(1−q)R+qP against R, where `base` is the profile of P against R.

    (1−q)R+qP − aR = q(P − a′R) with a′ = 1+(a−1)/q.
    """
    return rate * base(amplified(e, rate))


def sampled_reversed(e: Array, base: Callable[[Array], Array], rate: float) -> Array:
    """R against (1−q)R+qP, where `base` is the profile of R against P.

    With a = e^ε it is (1−a(1−q))(R − bP), b = aq/(1−a(1−q)) ≥ a, and nothing once a(1−q) ≥ 1.
    """
    left = -np.expm1(np.minimum(e + np.log1p(-rate), 0.0))
    inside = left > 0
    safe = np.where(inside, left, 1.0)
    return np.where(inside, safe * base(np.maximum(e + np.log(rate) - np.log(safe), 0.0)), 0.0)


def sampled_replaced(e: Array, away: Callable[[Array], Array], moved: Callable[[Array], Array], rate: float) -> Array:
    """(1−q)R+qP against (1−q)R+qP′: q(P − a′((1−β)R + βP′)), a′ = 1+(a−1)/q, β = a/a′, which is convex in R and P′.

    `away` bounds the profile of P against R, `moved` that of P against P′.
    """
    beta = rate / (-np.expm1(-e) + rate * np.exp(-e))
    return rate * ((1 - beta) * away(amplified(e, rate)) + beta * moved(amplified(e, rate)))


def poisson_removed(e: Array, mu: float, rate: float) -> Array:
    """Each record joins with probability `rate`; P has the record, Q has not: (1−q)N(0,1)+qN(μ,1) against N(0,1)."""
    return rate * gaussian(amplified(e, rate), mu)


def poisson_added(e: Array, mu: float, rate: float) -> Array:
    """The other direction: N(0,1) against (1−q)N(0,1)+qN(μ,1)."""
    return sampled_reversed(e, partial(gaussian, mu=mu), rate) if rate < 1 else gaussian(e, mu)


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
    gain = math.log(rate) + scipy.special.log_ndtr(shift - z)
    lost = np.logaddexp(math.log(rate) + e + scipy.special.log_ndtr(-shift - z), left + scipy.special.log_ndtr(-z))
    inside = gain > LOWEST
    return np.where(inside, np.exp(gain) * -np.expm1(np.minimum(lost - np.where(inside, gain, 0.0), 0.0)), 0.0)


def poisson_replaced_laplace(e: Array, epsilon: float, rate: float) -> Array:
    """(1−q)Lap(0)+qLap(c) against (1−q)Lap(0)+qLap(−c), scale 1, c = `epsilon`: opposite values are the worst.

    That holds for any noise with a symmetric, log-concave density f and values in [−c, c]. Let x be hers, x′ the
    other's. (i) If 0 ≤ x and x′ ≤ x, what counts against f(y−x) is a mixture of f(y) and f(y−x′) whose ratio to it
    falls with y: the best event is y > t, and its gain grows with x and falls with x′. (ii) If 0 ≤ x < x′, with
    x at 0: the mixture has f(y+x) and f(y−d), d = x′−x. Reflect the first to f(y−x): at y and −y the sums against
    f(y) become more unequal, so the convex (·)₊ grows (rearrangement). That is the pair (−x, x′−2x), which is (i)
    in the mirror. (iii) x < 0: in the mirror.
    """
    away, c = -math.expm1(-epsilon), epsilon  # 1 − e^−c
    e = np.minimum(e, math.log1p(rate * math.expm1(c)) - math.log1p(-rate * away))
    # e^2t = e^c·(a(1−q+q·e^−c) − (1−q))/q at the end t of the best event, 0 ≤ t ≤ c
    u = np.expm1(e) * (1 - rate * away) / rate + 1 - away
    t = np.clip((c + np.log(u)) / 2, 0.0, c)
    near, far = np.exp(-t) / 2, np.exp(t - c) / 2
    gain = rate * (1 - far) + (1 - rate) * near - np.exp(e) * near * (1 - rate * away)
    return np.maximum(gain, 0.0)


def poisson_replaced_discrete(sigma: float, shift: int, rate: float) -> Callable[[Array], Array]:
    """The same of whole-number Gaussian noise, which is log-concave too."""
    n, log = whole_numbers(sigma, shift)
    first, second = (
        np.logaddexp(math.log1p(-rate) + log(n), math.log(rate) + log(n - move)) for move in (shift, -shift)
    )
    return atomic(first - second, np.exp(first))


def poisson_replaced_whole_laplace(decay: float, shift: int, rate: float) -> tuple[Callable[[Array], Array], float]:
    """The same of whole-number Laplace noise P(n) ∝ e^(−|n|·decay), log-concave too; and its ε at δ = 0.

    All that lies beyond either value has one ratio, and the best event is n > t, as in `poisson_replaced_laplace`: its
    proof uses of the noise that it is symmetric and log-concave and of the values that they lie in [−c, c]. Whole
    numbers are both, and so are the values, `shift` at most.
    """
    n = np.arange(-shift, shift + 1)
    tail = -math.log1p(math.exp(-decay))  # ln P(n ≥ 0)
    inside = math.log(-math.expm1(-decay)) + tail  # ln P(n = 0)

    def log(m: Array) -> Array:
        """ln P of m = n − place; at the ends n stands for all that lies beyond, which decays outwards there."""
        ends = np.where(np.abs(n) == shift, tail, inside)
        return ends - decay * np.abs(m)

    first, second = (
        np.logaddexp(math.log1p(-rate) + log(n), math.log(rate) + log(n - move)) for move in (shift, -shift)
    )
    losses = np.maximum.accumulate(first - second)
    return atomic(losses, np.exp(first)), float(losses[-1])


def whole_numbers(sigma: float, shift: int) -> tuple[Array, Callable[[Array], Array]]:
    """Whole numbers that hold all but 10⁻⁸⁰ of P(n) ∝ e^(−n²/2σ²) and of what is `shift` off it; and its logarithm."""
    reach = math.ceil(20 * sigma) + abs(shift)
    n = np.arange(-reach, reach + 1)
    total = math.log(float(np.exp(-0.5 * (n / sigma) ** 2).sum()))
    return n, lambda m: -0.5 * (m / sigma) ** 2 - total


def binomial(records: int, rate: float) -> Array:
    """How likely it is that j of her records are drawn, j = 0 … records."""
    j = np.arange(records + 1)
    log = scipy.special.gammaln(records + 1) - scipy.special.gammaln(j + 1) - scipy.special.gammaln(records - j + 1)
    return np.exp(log + scipy.special.xlogy(j, rate) + scipy.special.xlog1py(records - j, -rate))


def records_removed(e: Array, mu: float, shares: Array) -> Array:
    """Σ wⱼN(jμ, 1) against N(0, 1): j of a person's records were drawn, and the same noise hides them all.

    Records are vectors v of length at most μ; B is the random set of those drawn, w_B its sum. The profile is
    E f(Σ P(B) L_B), L_B = e^(⟨w_B,Z⟩ − |w_B|²/2), Z normal, f convex (in the other direction too). By Kahane's
    inequality it grows with every ⟨w_B,w_B′⟩ ≤ |B||B′|μ², so parallel records of full length are the worst; the sum
    over the sets of one size is then its binomial share.
    """
    t = _crossing(e, mu, shares)
    j = np.arange(len(shares))
    return np.maximum(
        scipy.special.ndtr(j * mu - t[:, None]) @ shares - np.exp(np.minimum(e + scipy.special.log_ndtr(-t), 0.0)), 0.0
    )


def records_added(e: Array, mu: float, shares: Array) -> Array:
    """The other direction, N(0, 1) against Σ wⱼN(jμ, 1): all z below the point where a·Σ wⱼLⱼ is 1."""
    t = _crossing(-e, mu, shares)
    j = np.arange(len(shares))
    lost = scipy.special.logsumexp(scipy.special.log_ndtr(t[:, None] - j * mu), b=shares, axis=1)
    return np.maximum(scipy.special.ndtr(t) - np.exp(np.minimum(e + lost, 0.0)), 0.0)


def records_replaced(e: Array, mu: float, shares: Array) -> Array:
    """Σ wⱼN(jμ, 1) against Σ wⱼN(−jμ, 1): all her records replaced by opposite ones.

    As above, with (Σ P(B)L_B − aΣ P(B)L′_B)₊: it grows with the products within a world and falls with those between
    the worlds (the mixed derivative is −a·f″), so both are the worst where the two worlds are opposite.
    """
    j, log = np.arange(len(shares)), _log(shares)

    def gap(z: Array) -> Array:
        up, down = (
            scipy.special.logsumexp(log + side * j * mu * z[:, None] - (j * mu) ** 2 / 2, axis=1) for side in (1, -1)
        )
        return up - down

    t = _root(gap, e, mu, len(shares))
    lost = scipy.special.logsumexp(scipy.special.log_ndtr(-t[:, None] - j * mu), b=shares, axis=1)
    return np.maximum(scipy.special.ndtr(j * mu - t[:, None]) @ shares - np.exp(np.minimum(e + lost, 0.0)), 0.0)


def _crossing(e: Array, mu: float, shares: Array) -> Array:
    """Where Σ wⱼ e^(jμz − j²μ²/2) = e^ε."""
    j, log = np.arange(len(shares)), _log(shares)
    return _root(
        lambda z: scipy.special.logsumexp(log + j * mu * z[:, None] - (j * mu) ** 2 / 2, axis=1), e, mu, len(shares)
    )


def _root(rising: Callable[[Array], Array], e: Array, mu: float, terms: int) -> Array:
    """Where a rising function of z is `e`, to 10⁻⁶; beyond 40 deviations nothing is left.

    The event that this decides is optimal, so what the error costs is of second order.
    """
    z = np.linspace(-40.0 - terms * mu, 40.0 + terms * mu, 20_000 + math.ceil(400 * terms * mu))
    return np.interp(e, rising(z), z)


def fixed_size_replaced(e: Array, mu: float, rate: float) -> Array:
    """A cohort of fixed size drawn without replacement, one record replaced; `mu` for the move of the whole sum.

    q·δ_Gauss(ln(1+(e^ε−1)/q)) bounds every pair of neighbours in both orders (Balle, Barthe & Gaboardi 2018,
    Theorem 10), so it dominates. No smaller pair does: it is reached in the one order where all others are like the
    one who comes, in the other where they are like the one who leaves. Under composition it is sound and perhaps not
    tight (Lebeda, Regehr, Kamath & Steinke 2024): no data that we know reach it, 100 cohorts at rate .01, μ = 1 and
    δ = 10⁻⁵ cost .768 here and .713 where all others are like the one who comes. Less can be proved only by weighing
    the data round by round: others may be anything, so these pairs have no worst one, and we know no finite list.
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
