"""Trade-off curves against closed forms, the best test of finite distributions, and the bills that they are made of."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom, norm

from recprivlib import get
from recprivlib.accounting import guarantee
from recprivlib.accounting.tradeoff import counted, mu_of, of_claim
from recprivlib.mechanisms import Gaussian, GaussianOnSample, Laplace, RandomizedResponse
from recprivlib.mechanisms.losses import Channel
from recprivlib.protocols import Change, Claim, Ledger, Release, Sizes, Unbounded
from tests.accounting.test_guarantee import Fixed

ALPHA = np.linspace(0, 1, 401)
USER, JOIN = ("user", "replace"), ("user", "add-remove")
FAR = {USER: Change(), JOIN: Change()}


def curve(*lines, terms=USER):
    releases = tuple(Release(f"x{n}", mechanism, FAR, count) for n, (mechanism, count) in enumerate(lines))
    return counted(Ledger(releases), *terms, "server")


def best_tests(p, q):
    """f at every α by Neyman and Pearson: outputs with the largest p/q raise the alarm first."""
    order = np.argsort(-(p / np.where(q > 0, q, 1e-300)), kind="stable")
    return np.append(0, np.cumsum(q[order])), np.append(1, 1 - np.cumsum(p[order]))


def test_gaussian_releases_are_one_gaussian_curve():
    """√(9/9 + 16/16) = √2: Φ(Φ⁻¹(1 − α) − √2), in closed form."""
    found = curve((Gaussian(3.0), 9), (Gaussian(4.0), 16))
    assert found.mu == pytest.approx(math.sqrt(2), rel=1e-12)
    np.testing.assert_allclose(found(ALPHA), norm.cdf(norm.isf(ALPHA) - math.sqrt(2)), atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_one_laplace_release_is_what_the_best_test_misses(epsilon):
    """Against a threshold at every place, by the distribution function of Laplace noise."""
    found, t = curve((Laplace(epsilon), 1)), np.linspace(-12, 12 + epsilon, 4001)
    alarm, miss = (np.where(z < 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2) for z in (-t, t - epsilon))
    np.testing.assert_allclose(found(alarm), miss, atol=1e-9)
    lines = type(found)(found.epsilons, found.deltas, found.mu)  # without the closed form
    gap = found(ALPHA) - lines(ALPHA)
    assert (gap >= -1e-12).all()
    assert gap.max() < 1e-5
    assert (norm.cdf(norm.isf(ALPHA) - found.mu) <= found(ALPHA) + 1e-6).all()


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_one_randomised_response_is_two_lines_and_its_mu_is_known(epsilon):
    """max(1 − e^ε α, e^−ε (1 − α)), and μ = 2Φ⁻¹(e^ε/(1+e^ε)): the corner touches the Gaussian curve."""
    found = curve((RandomizedResponse(epsilon), 1))
    np.testing.assert_allclose(
        found(ALPHA), np.maximum(1 - math.exp(epsilon) * ALPHA, math.exp(-epsilon) * (1 - ALPHA)).clip(0), atol=1e-12
    )
    assert found.mu == pytest.approx(-2 * norm.ppf(1 / (1 + math.exp(epsilon))), rel=1e-3)


@pytest.mark.parametrize("count", [3, 40])
def test_composed_responses_lie_at_or_below_the_best_test_and_near_it(count):
    found, p = curve((RandomizedResponse(0.3), count)), 1 / (1 + math.exp(-0.3))
    alarm, miss = best_tests(*(binom.pmf(np.arange(count + 1), count, one) for one in (p, 1 - p)))
    assert (found(alarm) <= miss + 1e-9).all()
    assert (found(alarm) >= miss - 0.01).all()


def test_an_uneven_channel_is_the_worse_of_its_two_orders():
    rows = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    found = curve((Fixed(Channel(rows, ((0, 1),))), 1))
    for p, q in (rows, rows[::-1]):
        alarm, miss = best_tests(p, q)
        assert (found(alarm) <= miss + 1e-9).all()
    assert found(np.array([0.0, 1.0])).tolist() == [1.0, 0.0]


def test_many_small_releases_look_like_gaussian_noise():
    """100 Laplace releases at ε = .1: μ is within 1 % of the central limit theorem's √(Σ variance) (Dong et al.)."""
    found = curve((Laplace(0.1), 100))
    assert found.mu == pytest.approx(1.0, abs=0.01)
    np.testing.assert_allclose(found(ALPHA), norm.cdf(norm.isf(ALPHA) - found.mu), atol=0.01)


def test_every_bill_is_a_line_below_the_curve():
    """(ε, δ) of `guarantee` at any δ: both of its lines lie at or below the curve, but for what lies between two δ."""
    mechanism = GaussianOnSample(1.0, 0.05)
    found = curve((mechanism, 200), terms=JOIN)
    for delta in (1e-8, 1e-5, 1e-2, 0.11):
        line = Ledger((Release("x", mechanism, FAR, 200),))
        epsilon = guarantee(line, *JOIN, delta, "server").epsilon
        assert (found(ALPHA) >= np.maximum(1 - delta - math.exp(epsilon) * ALPHA, 0) - 2e-3).all()
        assert found(np.array([delta]))[0] <= 1 - delta


def test_a_claim_is_a_curve_too():
    """One (ε, δ) has no μ; a pure ε has; a source that computes every δ has what it computes."""
    plain = of_claim(Claim(1.0, 1e-5, *USER, "Theorem 1"))
    np.testing.assert_allclose(plain(ALPHA), np.maximum(
        1 - 1e-5 - math.e * ALPHA, (1 - 1e-5 - ALPHA) / math.e).clip(0), atol=2e-3)  # fmt: skip
    assert plain.mu == math.inf
    assert of_claim(Claim(1.0, 0.0, *USER, "Theorem 1")).mu == pytest.approx(1.2320, rel=1e-3)
    exact = partial(lambda delta: guarantee(Ledger((Release("x", Gaussian(), FAR),)), *USER, delta, "server").epsilon)
    assert of_claim(Claim(exact(1e-5), 1e-5, *USER, "eq. 1", at=exact)).mu == pytest.approx(1.0, rel=0.02)


def test_what_has_no_bound_hides_nobody_and_what_is_alike_hides_all():
    none = counted(Ledger((Release("x", Laplace(), {USER: Unbounded("no cap")}),)), *USER, "server")
    assert none.mu == math.inf
    assert (none(ALPHA) == 0).all()
    alike = counted(Ledger((Release("x", Laplace(), {USER: Change(inputs=0)}),)), *USER, "server")
    assert alike.mu == 0
    np.testing.assert_allclose(alike(ALPHA), 1 - ALPHA)


def test_of_disjoint_data_the_lowest_curve_counts():
    lines = [Release(str(z), Gaussian(z), {USER: Change(parts=1)}, partition="p") for z in (1.0, 2.0, 0.5)]
    found = counted(Ledger(tuple(lines)), *USER, "server")
    assert found.mu == 2.0
    np.testing.assert_allclose(found(ALPHA), norm.cdf(norm.isf(ALPHA) - 2.0), atol=1e-12)


def test_a_test_that_somebody_ran_has_a_mu():
    """One false alarm in a hundred and one hit in two is Φ⁻¹(.99): what an attack shows beside the curves."""
    assert mu_of(0.01, 0.5) == pytest.approx(norm.ppf(0.99))
    assert mu_of(0.5, 0.6) == 0.0
    assert mu_of(0.0, 0.5) == 0.0


@pytest.mark.parametrize("name, terms", [("dp-popularity", JOIN), ("dp-gram", JOIN), ("dpsgd-pnbm-repaired", JOIN)])
def test_systems_with_gaussian_noise_have_the_mu_of_their_budget(name, terms):
    """ε = 1 at δ = 10⁻⁵ is μ = .268 (Balle & Wang's noise multiplier of 3.73)."""
    found = counted(get(name).system.ledger(Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0))), *terms, "model")
    assert found.mu == pytest.approx(1 / 3.7306, rel=1e-3)
