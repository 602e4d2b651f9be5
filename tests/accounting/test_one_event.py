"""No bill is below what one event shows, however extreme the release: a bound that needs no accountant.

If one answer falls into a set with chance p under the one neighbour and q under the other, then all n answers do with
pⁿ and qⁿ, and p ⁿ ≤ e^ε·qⁿ + δ. So ε ≥ ln(pⁿ − δ) − n·ln q, in logarithms, for every loss and every set.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, logsumexp

from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms.losses import (
    Channel,
    DiscreteGaussianShift,
    GaussianShift,
    LaplaceShift,
    Pure,
    Sampled,
    SubsampledGaussian,
)

EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True)


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers over many orders of magnitude."""
    return st.floats(math.log(low), math.log(high)).map(math.exp)


def channel(seed: int, sharp: float) -> Channel:
    matrix = np.random.default_rng(seed).dirichlet(np.full(3, sharp), 2)
    matrix = np.maximum(matrix, 1e-300)
    return Channel(matrix / matrix.sum(axis=1, keepdims=True), ((0, 1),))


losses = st.one_of(
    powers(1e-3, 700).map(Pure),
    powers(1e-3, 700).map(LaplaceShift),
    powers(1e-3, 200).map(GaussianShift),
    st.builds(DiscreteGaussianShift, powers(0.05, 50), st.integers(1, 20)),
    st.builds(channel, st.integers(0, 10**6), powers(0.02, 20)),
    st.builds(SubsampledGaussian, powers(0.02, 20), powers(1e-4, 0.9), st.just("poisson")),
    st.builds(
        lambda e, rate: Sampled(LaplaceShift(e), LaplaceShift(2 * e), rate, "poisson"),
        powers(1e-2, 50),
        powers(1e-4, 0.9),
    ),
)
counts, deltas = powers(1, 3000).map(round), powers(1e-12, 0.1)


def events(loss: Any) -> list[tuple[float, float]]:
    """(ln p, ln q) of some sets of answers, under the two neighbours of add-remove."""
    if isinstance(loss, Pure):
        return [(-math.log1p(math.exp(-loss.epsilon)), -loss.epsilon - math.log1p(math.exp(-loss.epsilon)))]
    if isinstance(loss, LaplaceShift):  # everything beyond the shifted value; beyond the middle
        e = loss.epsilon
        return [(math.log(0.5), math.log(0.5) - e), (math.log1p(-0.5 * math.exp(-e / 2)), math.log(0.5) - e / 2)]
    if isinstance(loss, GaussianShift):
        cuts = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 1.5]) * loss.mu
        return [(float(log_ndtr(loss.mu - t)), float(log_ndtr(-t))) for t in cuts]
    if isinstance(loss, DiscreteGaussianShift):
        n = np.arange(-400, 401)
        weight = -(n**2) / (2 * loss.sigma**2)
        mass = weight - logsumexp(weight)
        return [
            (float(logsumexp(mass[n >= t - loss.shift])), float(logsumexp(mass[n >= t])))
            for t in {0, (loss.shift + 1) // 2, loss.shift, loss.shift + 1}
        ]
    if isinstance(loss, Channel):
        rows = np.log(loss.matrix)
        return [(float(rows[a, y]), float(rows[b, y])) for y in range(3) for a, b in ((0, 1), (1, 0))]
    if isinstance(loss, SubsampledGaussian):
        there = GaussianShift(1 / loss.noise)
        rate = loss.rate
    else:
        there, rate = loss.there, loss.rate
    mixed = [(float(np.logaddexp(math.log(rate) + p, math.log1p(-rate) + q)), q) for p, q in events(there)]
    return [*mixed, *((q, p) for p, q in mixed), (0.0, 0.0)]


def shown(loss: Any, count: int, delta: float) -> float:
    """The most that one of these events shows."""
    best = 0.0
    for p, q in events(loss):
        gain = count * p
        if gain > math.log(delta) and not math.isinf(q):
            best = max(best, gain + math.log(-math.expm1(math.log(delta) - gain)) - count * q)
    return best


@EXAMPLES
@given(losses, counts, deltas)
def test_no_bill_is_below_what_one_event_shows(loss: Any, count: int, delta: float) -> None:
    found = tightest([(pair(loss, "add-remove"), count)], delta)[0]
    assert not math.isnan(found)
    assert found >= shown(loss, count, delta) * (1 - 1e-9) - 1e-9


@EXAMPLES
@given(losses, losses, powers(1, 300).map(round), deltas)
def test_nor_is_that_of_two_kinds_of_releases_together(one: Any, other: Any, count: int, delta: float) -> None:
    parts = [(pair(loss, "add-remove"), count) for loss in (one, other)]
    found = tightest(parts, delta)[0]
    assert not math.isnan(found)
    alone = max(shown(loss, count, delta) for loss in (one, other))
    assert found >= alone * (1 - 1e-9) - 1e-9


def test_the_bound_would_see_a_bill_that_vanished() -> None:
    """The figures that once were counted are far below it."""
    assert shown(GaussianShift(100), 1, 1e-6) > 1000 > 2.3e-13
    assert shown(DiscreteGaussianShift(0.05, 2), 1, 1e-6) > 100 > 2.3e-10
    assert shown(Pure(1.0), 40, 1e-6) > 39


def test_a_bill_that_is_not_a_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Breaks an accountant and watches the sum of all of them speak."""
    monkeypatch.setattr("recprivlib.accounting.pld.epsilon", lambda parts, delta: math.nan)
    with pytest.raises(ArithmeticError, match="is not a number"):
        tightest([(pair(LaplaceShift(1.0), "replace"), 3)], 1e-6)
