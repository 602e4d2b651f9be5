"""A bill as a trade-off curve: f(α), the least share of misses of any test that raises a false alarm with chance α.

    f(α) = max over (ε, δ) that hold of  1 − δ − e^ε·α  and  e^−ε·(1 − δ − α)      (Wasserman & Zhou 2010, Theorem 2.4)
    G_μ(α) = Φ(Φ⁻¹(1 − α) − μ)                             Gaussian noise that moves by μ deviations (Dong et al. 2022)

The higher f, the more is hidden; 1 − α is all. What is counted lies at or below the truth, as ε lies at or above it:
one Gaussian, Laplace or binary release is exact, all else is made of (ε, δ) that were counted one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy

from recprivlib.accounting import exact, profiles
from recprivlib.accounting.claims import claimed_at
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.dominating import Curve, Pair
from recprivlib.accounting.guarantee import resolved
from recprivlib.protocols import Array, Claim, Ledger, Relation, Unit, View

LEAST = 1e-9  # the smallest δ that is looked at
DELTAS = np.concatenate([np.geomspace(LEAST, 0.01, 24), np.linspace(0.02, 0.98, 49)])  # of what is composed
POINTS = 2000  # ε of a profile


@dataclass(frozen=True, eq=False)
class TradeOff:
    """The curve of a bill or a claim; as a function it takes α, an array, and gives f(α).

    >>> curve = of_claim(Claim(1.0, 0.0, "user", "replace", "Theorem 1"))
    >>> [round(float(share), 4) for share in curve(np.array([0.0, 0.1, 1.0]))], round(curve.mu, 4)
    ([1.0, 0.7282, 0.0], 1.232)
    """

    epsilons: Array  #: rising; nothing finite: an empty array
    deltas: Array  #: (ε, δ) holds at each of them
    mu: float  #: the least μ with G_μ below f as far as δ ≥ 10⁻⁹ goes; ∞: there is none
    closed: Callable[[Array], Array] | None = None  #: f itself, where it has a closed form

    def __call__(self, alpha: Array) -> Array:
        alpha = np.asarray(alpha, float)
        if self.closed:
            return self.closed(alpha)
        found = np.zeros_like(alpha)
        for epsilon, delta in zip(self.epsilons, self.deltas, strict=True):
            steep, flat = 1 - delta - math.exp(min(epsilon, 700.0)) * alpha, math.exp(-epsilon) * (1 - delta - alpha)
            found = np.maximum(found, np.maximum(steep, flat))
        return found


def counted(ledger: Ledger, unit: Unit, relation: Relation, view: View) -> TradeOff:
    """What is counted of a whole run, at the terms of `guarantee`, as one curve instead of one ε."""
    run = resolved(ledger, unit, relation, view)
    if run.why_infinite:
        return nothing()
    return worst([_of_parts(exact.merged(choice)) for choice in run.choices])


def of_claim(claim: Claim) -> TradeOff:
    """What a claim says: one (ε, δ), or all that its source computes."""
    if not claim.at:
        return _of_points([claim.epsilon], [claim.delta])
    return _of_points([claimed_at(claim, float(delta)).epsilon for delta in DELTAS], DELTAS)


def mu_of(alpha: float, beta: float) -> float:
    """μ of a test with α false alarms and β misses: whoever can do that shows at least so much."""
    return (
        max(0.0, float(scipy.special.ndtri(1 - alpha) - scipy.special.ndtri(beta)))
        if 0 < alpha < 1 and 0 < beta < 1
        else 0.0
    )


def gaussian(alpha: Array, mu: float) -> Array:
    """G_μ(α)."""
    return scipy.special.ndtr(scipy.special.ndtri(1 - np.asarray(alpha, float)) - mu)


def laplace(alpha: Array, epsilon: float) -> Array:
    """Of Laplace noise that moves by ε of its scale (Dong, Roth & Su 2022, Lemma A.6)."""
    alpha, shrunk = np.asarray(alpha, float), math.exp(-epsilon)
    with np.errstate(divide="ignore"):
        middle = shrunk / (4 * alpha)
    return np.where(alpha < shrunk / 2, 1 - alpha / shrunk, np.where(alpha <= 0.5, middle, shrunk * (1 - alpha)))


def nothing() -> TradeOff:
    """The curve of what hides nobody."""
    return TradeOff(np.zeros(0), np.zeros(0), math.inf, np.zeros_like)


def worst(curves: Sequence[TradeOff]) -> TradeOff:
    """At every α the lowest of these."""
    if len(curves) == 1:
        return curves[0]
    mu = max(curve.mu for curve in curves)
    return TradeOff(np.zeros(0), np.zeros(0), mu, lambda alpha: np.min([curve(alpha) for curve in curves], axis=0))


# ------------------------------------------------------------------------------------------- of a run


def _of_parts(parts: Sequence[tuple[Pair, int]]) -> TradeOff:
    """Of one choice of what neighbours differ in."""
    if not parts:
        return TradeOff(np.zeros(1), np.zeros(1), 0.0, lambda alpha: 1 - np.asarray(alpha, float))
    one, count = parts[0]
    if len(parts) > 1 or count > 1:
        return _of_points([tightest(parts, float(delta))[0] for delta in DELTAS], DELTAS)
    if one.mu:
        return TradeOff(*_read(one), one.mu, partial(gaussian, mu=one.mu))
    epsilons, deltas = _read(one)
    closed = partial(laplace, epsilon=one.pure) if _is_laplace(one) else None
    return TradeOff(epsilons, deltas, _least_mu(epsilons, deltas), closed)


def _is_laplace(one: Pair) -> bool:
    return isinstance(one.profile, partial) and one.profile.func is profiles.laplace


def _read(one: Pair) -> tuple[Array, Array]:
    """(ε, δ) of one release, in the worse direction, from 0 to where δ is nothing or less than `LEAST`."""
    last = one.largest if math.isfinite(one.largest) else exact.epsilon(one, LEAST)
    epsilons = np.linspace(0.0, last, POINTS)
    if one.binary:
        epsilons = np.array([0.0, one.pure])
    return epsilons, _worse(one)(epsilons)


def _worse(one: Pair) -> Curve:
    return lambda e: np.maximum(profiles.at(one.profile, e), profiles.at(one.reverse, e))


def _of_points(epsilons: Iterable[float], deltas: Iterable[float]) -> TradeOff:
    """Of all (ε, δ) that were counted, or claimed, at once."""
    points = sorted((e, -d) for e, d in zip(epsilons, deltas, strict=True) if math.isfinite(e) and d < 1)
    if not points:
        return nothing()
    rising, falling = np.array(points).T
    deltas = np.minimum.accumulate(-falling)  # a larger ε needs no larger δ
    kept = np.append(rising[1:] > rising[:-1], True)  # of one ε the smallest δ
    rising, deltas = _from_zero(rising[kept], deltas[kept])
    return TradeOff(rising, deltas, _least_mu(rising, deltas))


def _from_zero(epsilons: Array, deltas: Array) -> tuple[Array, Array]:
    """With δ at ε = 0: (ε, δ) in both orders is (0, (e^ε − 1 + 2δ)/(e^ε + 1)), where its two lines meet."""
    lines = np.tanh(epsilons / 2) + 2 * deltas / (1 + np.exp(np.minimum(epsilons, 700.0)))
    if epsilons[0] > 0:
        epsilons, deltas = np.append(0.0, epsilons), np.append(1.0, deltas)
    return epsilons, np.append(min(deltas[0], lines.min()), deltas[1:])


def _least_mu(epsilons: Array, deltas: Array) -> float:
    """The least μ with δ_μ(ε) at or above every δ(ε) ≥ `LEAST`.

    Between two points a profile is below its chord in e^ε; that is looked at in small steps.
    """
    if len(epsilons) > 1:
        epsilons, deltas = _finer(epsilons, deltas)
    if deltas[-1] > LEAST * (1 + 1e-6):
        return math.inf  # beyond the last point δ stays, and that of Gaussian noise does not
    used = deltas > 0
    return max((_mu_at(e, d) for e, d in zip(epsilons[used], deltas[used], strict=True)), default=0.0)


def _finer(epsilons: Array, deltas: Array, steps: int = 400) -> tuple[Array, Array]:
    """More points, on the chords in e^ε."""
    fine = np.unique(np.concatenate([epsilons, np.linspace(epsilons[0], epsilons[-1], steps)]))
    top = epsilons[-1]
    return fine, np.interp(np.exp(fine - top), np.exp(epsilons - top), deltas)


def _mu_at(epsilon: float, delta: float) -> float:
    """μ with δ_μ(ε) = δ."""
    if epsilon == 0:
        return 2 * float(scipy.special.ndtri((1 + delta) / 2))
    low, high = 1e-6, 1.0
    at = np.array([epsilon])
    while profiles.gaussian(at, high)[0] < delta:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if profiles.gaussian(at, middle)[0] >= delta else (middle, high)
    return high
