"""The arithmetic of a certified bound, checked against scipy's own binomial and against its coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from recprivlib.auditing import bounds, events


@pytest.mark.parametrize(("hits", "trials"), [(0, 50), (1, 50), (17, 50), (50, 50), (431, 10_000)])
def test_clopper_pearson_equals_scipy(hits, trials):
    exact = binomtest(hits, trials).proportion_ci(0.95, method="exact")
    assert bounds.lower_limit(hits, trials, 0.025) == pytest.approx(exact.low, abs=1e-12)
    assert bounds.upper_limit(hits, trials, 0.025) == pytest.approx(exact.high, abs=1e-12)


def test_a_perfect_event_reaches_the_ceiling_and_no_more():
    assert bounds.epsilon_lower(1000, 0, 1000) == bounds.ceiling(1000)
    # ≈ ln(n / ln(2/α)), the rule of thumb in the book
    assert bounds.ceiling(100_000) == pytest.approx(math.log(100_000 / math.log(40)), abs=0.01)


@given(st.integers(1, 200), st.integers(0, 200), st.floats(0, 0.5))
@settings(max_examples=60, deadline=None)
def test_a_bound_falls_with_delta_with_misses_and_with_confidence(hits, misses, delta):
    here = bounds.epsilon_lower(hits, misses, 200, delta)
    assert bounds.epsilon_lower(hits, misses, 200, min(1, delta + 0.1)) <= here
    assert bounds.epsilon_lower(hits, min(200, misses + 1), 200, delta) <= here
    assert bounds.epsilon_lower(hits, misses, 200, delta, bounds.DECIDES) <= here


def test_the_certificate_covers_the_true_epsilon_of_randomised_response():
    """200 audits of an exact ε = 1 bit: P(bound > ε) ≤ 5 % each, so more than 17 exceedances has probability
    below 1 %. Catches a missing or a wrong-sided limit: the bare rates exceed in about half of the audits."""
    rng = np.random.default_rng(7)
    p = 1 / (1 + math.exp(-1))
    exceed = bare = 0
    for _ in range(200):
        worlds = ((rng.random(2000) < 1 - p).astype(float), (rng.random(2000) < p).astype(float))
        certificate = events.certify(worlds)
        exceed += certificate.epsilon() > 1
        bare += math.log(certificate.true_positive_rate / certificate.false_positive_rate) > 1
    assert exceed <= 17 < 60 < bare


def test_an_infinite_statistic_is_an_event_like_any_other():
    rng = np.random.default_rng(0)
    zero = np.where(rng.random(4000) < 0.3, -np.inf, 0.2)
    certificate = events.certify((zero, np.full(4000, 0.2)))
    assert certificate.event.side == "low"
    assert certificate.misses == 0
    assert certificate.epsilon() > 4


def test_auc_counts_ties_half():
    assert events.auc(np.array([1, 1, 1, 1.0]), np.array([1, 0, 1, 0])) == 0.5
    assert events.auc(np.array([3, 1, 2, 0.0]), np.array([1, 0, 1, 0])) == 1.0
    assert events.auc(np.array([1, 1, 2, 0.0]), np.array([1, 0, 1, 0])) == 0.875


def test_roc_runs_from_corner_to_corner_and_never_falls():
    rng = np.random.default_rng(1)
    false, true = events.roc((rng.normal(size=3000), rng.normal(1, size=3000)))
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)
    assert np.all(np.diff(false) >= 0)
    assert np.all(np.diff(true) >= 0)
    assert len(false) <= 202
    assert np.trapezoid(true, false) == pytest.approx(0.76, abs=0.02)  # Φ(1/√2) = .760; sd ≈ .006
