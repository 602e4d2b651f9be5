"""Worst pairs of what a person is part of with probability q only, and nobody sees whether she is.

    away     R: she is not drawn (or not there)        with     P, and P′ after another takes her place

    add-remove           (1−q)R + qP   against   R               by the base's profile, in both directions exactly
    replace, Poisson     (1−q)R + qP   against   (1−q)R + qP′
    replace, fixed size  the cohort without her has another one in her place

Balle, Barthe & Gaboardi (2018) for the amplified profiles; Zhu, Dong & Wang (2022) for their composition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from recprivlib.accounting import profiles, renyi
from recprivlib.accounting.dominating import NEVER_PURE, SEVERAL, Curve, Pair, gaussian_pair
from recprivlib.accounting.grid import moments
from recprivlib.mechanisms.losses import (
    DiscreteGaussianShift,
    DiscreteLaplaceShift,
    GaussianShift,
    LaplaceShift,
    Sampled,
)
from recprivlib.parameters import UserError
from recprivlib.protocols import Relation

Scheme = Literal["poisson", "fixed-size"]
INDEPENDENT = "everybody joins each cohort independently, with the stated rate"
FIXED = "cohorts are drawn without replacement; the bound is sound, tight for one cohort, perhaps not for many"
NOT_REACHED = "no data are known that reach the bound of several cohorts of fixed size"
NO_WORST = "which two contributions are the worst of a sample is not known for this noise"
WIDE = 300.0  # e to this power is no trouble yet


def pair_of(loss: Sampled, relation: Relation, pair: Callable[[Any, Relation], Pair | None]) -> Pair | None:
    """The worst pair of `loss`; `pair` makes that of its base."""
    there, moved = pair(loss.there, relation), pair(loss.moved, relation)
    base = there if relation == "add-remove" else moved
    if base is None or loss.rate == 0:
        return None
    _check(loss.scheme, relation)
    if loss.records > 1:
        return _records(loss, relation)
    if loss.rate == 1:
        return base
    if isinstance(loss.there, GaussianShift) and isinstance(loss.moved, GaussianShift):
        opposite = loss.moved.mu if loss.scheme == "fixed-size" else 2 * loss.there.mu
        return gaussian(loss.there.mu if relation == "add-remove" else opposite, loss.rate, loss.scheme, relation)
    if relation == "add-remove":
        assert there is not None
        return _joining(there, loss)
    if loss.scheme == "fixed-size":
        profile: Curve = partial(profiles.sampled, base=_both(base), rate=loss.rate)
        one = _dressed(base, profile, profile, loss, _pure_joining(base.pure, loss.rate), FIXED)
        return replace(one, bound=one.bound or NOT_REACHED, reached_once=not base.bound)
    return _replaced(loss, there, base)


def gaussian(mu: float, rate: float, scheme: Scheme, relation: Relation) -> Pair | None:
    """Gaussian noise; `mu` is the move under the stated relation over its deviation."""
    if rate in (0, 1) or mu == 0:
        return gaussian_pair(mu) if rate else None
    _check(scheme, relation)
    words = f"Gaussian noise ({1 / mu:.4g} × the move) on a {scheme} cohort (rate {rate:.4g})"
    mean, variance = _gaussian_moments(mu, rate)
    if scheme == "fixed-size":
        profile: Curve = partial(profiles.fixed_size_replaced, mu=mu, rate=rate)
        reverse, divergence, note = profile, partial(renyi.fixed_size_gaussian, mu=mu, rate=rate), FIXED
    elif relation == "add-remove":
        profile = partial(profiles.poisson_removed, mu=mu, rate=rate)
        reverse = partial(profiles.poisson_added, mu=mu, rate=rate)
        divergence, note = partial(renyi.poisson_gaussian, mu=mu, rate=rate), INDEPENDENT
    else:
        profile = reverse = partial(profiles.poisson_replaced, mu=mu, rate=rate)
        divergence, note = None, INDEPENDENT
        mean, variance = (2 * moment for moment in _gaussian_moments(mu / 2, rate))
    fixed = scheme == "fixed-size"
    return Pair(
        words, profile, reverse, math.inf, divergence, math.inf, mean, variance, note=note, unbounded=NEVER_PURE,
        bound=NOT_REACHED if fixed else "", reached_once=fixed,
    )  # fmt: skip


def _check(scheme: Scheme, relation: Relation) -> None:
    if scheme == "fixed-size" and relation == "add-remove":
        raise UserError(
            "a cohort of fixed size is counted under replace, replace-value or swap, not under add-remove:"
            " with one record more or less every cohort changes"
        )


def _joining(there: Pair, loss: Sampled) -> Pair:
    """One person more or less, drawn or not."""
    profile = partial(profiles.sampled, base=there.profile, rate=loss.rate)
    reverse = partial(profiles.sampled_reversed, base=there.reverse, rate=loss.rate)
    return _dressed(there, profile, reverse, loss, _pure_joining(there.pure, loss.rate), INDEPENDENT)


def _pure_joining(epsilon: float, rate: float) -> float:
    """ln(1 + q(e^ε − 1)), without e^ε."""
    return epsilon + math.log(rate + (1 - rate) * math.exp(-epsilon)) if math.isfinite(epsilon) else math.inf


def _replaced(loss: Sampled, there: Pair | None, moved: Pair) -> Pair:
    """Opposite values where the noise is known to make them the worst; else convexity in the second world."""
    rate, bound = loss.rate, ""
    if isinstance(loss.there, LaplaceShift) and loss.there.epsilon < WIDE:
        each = loss.there.epsilon
        profile: Curve = partial(profiles.poisson_replaced_laplace, epsilon=each, rate=rate)
        pure = math.log1p(rate * math.expm1(each)) - math.log1p(rate * math.expm1(-each))
    elif isinstance(loss.there, DiscreteGaussianShift):
        profile = profiles.poisson_replaced_discrete(loss.there.sigma, loss.there.shift, rate)
        pure = math.inf
    elif isinstance(loss.there, DiscreteLaplaceShift):
        profile, pure = profiles.poisson_replaced_whole_laplace(loss.there.decay, loss.there.shift, rate)
    else:
        bound = NO_WORST
        away = _both(there) if there else np.zeros_like
        profile = partial(profiles.sampled_replaced, away=away, moved=_both(moved), rate=rate)
        pure = _pure_joining(moved.pure, rate)
    return replace(_dressed(moved, profile, profile, loss, pure, INDEPENDENT), bound=bound, reached_once=False)


def _records(loss: Sampled, relation: Relation) -> Pair:
    """Several records of one person, each drawn on its own, in one sum with one noise."""
    if not isinstance(loss.there, GaussianShift) or loss.scheme != "poisson":
        raise UserError("several sampled records of one person are counted for Gaussian noise on Poisson samples only")
    mu, shares = loss.there.mu, profiles.binomial(loss.records, loss.rate)
    words = (
        f"Gaussian noise ({1 / mu:.4g} × a record) on up to {loss.records} records of one person (rate {loss.rate:.4g})"
    )
    if relation == "add-remove":
        profile: Curve = partial(profiles.records_removed, mu=mu, shares=shares)
        reverse: Curve = partial(profiles.records_added, mu=mu, shares=shares)
    else:
        profile = reverse = partial(profiles.records_replaced, mu=mu, shares=shares)
    mean, variance = moments(profile, reverse)
    note = "every record joins each sample independently, with the stated rate"
    return Pair(words, profile, reverse, math.inf, None, mean=mean, variance=variance, note=note, unbounded=NEVER_PURE)


def _both(base: Pair) -> Curve:
    """The profile of a base in its worse order, at every ε."""
    if base.symmetric:
        return base.profile
    return lambda e: np.maximum(base.profile(e), base.reverse(e))


def _dressed(base: Pair, profile: Curve, reverse: Curve, loss: Sampled, pure: float, note: str) -> Pair:
    largest = pure if math.isfinite(pure) else _pure_joining(base.largest, loss.rate)
    mean, variance = moments(profile, reverse, largest)
    several = base.rows is not None
    return replace(
        base, words=f"{base.words} on a {loss.scheme} sample (rate {loss.rate:.4g})", profile=profile, reverse=reverse,
        pure=pure, divergence=None, rho=pure**2 / 2, mean=mean, variance=variance, largest=largest, lattice=0.0,
        binary=False, mu=0.0, rows=None, others=None, ordered=None, note=note,
        bound=SEVERAL if several else base.bound, reached_once=several,
    )  # fmt: skip


def _gaussian_moments(mu: float, rate: float) -> tuple[float, float]:
    """Mean and variance of ln(1−q+q·L) under (1−q)N(0,1)+qN(μ,1), by a sum over a grid."""
    z = np.linspace(-9.0, 9.0 + mu, 400)
    loss = np.logaddexp(np.log1p(-rate), np.log(rate) + mu * z - mu**2 / 2)
    weight = np.exp(loss - z**2 / 2)
    weight /= weight.sum()
    mean = float(weight @ loss)
    return mean, float(weight @ (loss - mean) ** 2)
