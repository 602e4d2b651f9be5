"""Profiles against integration, simulation and, for cohorts, every data set of a small population."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import ndtr

from recprivlib.accounting import profiles
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import Gaussian, Laplace, OnSample

GRID = np.array([0.0, 0.1, 0.5, 1.0, 2.0, 3.0])
Z = np.linspace(-14, 14, 560_001)


def normal(mean: float, sigma: float = 1.0) -> np.ndarray:
    return np.exp(-0.5 * ((Z - mean) / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))


def hockey_stick(p: np.ndarray, q: np.ndarray, e: np.ndarray = GRID) -> np.ndarray:
    """∫ (p − e^ε q)₊ by the trapezium rule; the kink costs O(step²), about 10⁻⁹."""
    return np.array([np.trapezoid(np.maximum(p - np.exp(x) * q, 0), Z) for x in e])


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_gaussian_is_the_integral(mu):
    np.testing.assert_allclose(profiles.gaussian(GRID, mu), hockey_stick(normal(mu), normal(0)), atol=1e-8)


def test_gaussian_keeps_its_digits_far_out():
    """Known answer by mpmath at 50 digits: δ(10) at μ = 1."""
    mp = pytest.importorskip("mpmath")
    mp.mp.dps = 50
    expected = mp.ncdf(mp.mpf("0.5") - 10) - mp.e**10 * mp.ncdf(mp.mpf("-0.5") - 10)
    assert profiles.gaussian(np.array([10.0]), 1.0)[0] == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_laplace_is_the_integral(epsilon):
    z = np.linspace(-60 / epsilon, 60 / epsilon, 1_200_001)
    p, q = (0.5 * np.exp(-np.abs(z - shift)) for shift in (epsilon, 0.0))
    e = GRID[GRID < epsilon]
    expected = [np.trapezoid(np.maximum(p - np.exp(x) * q, 0), z) for x in e]
    np.testing.assert_allclose(profiles.laplace(e, epsilon), expected, atol=1e-6)
    assert profiles.laplace(np.array([epsilon, epsilon + 1]), epsilon).max() == 0


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_poisson_profiles_are_the_integrals(mu, rate):
    with_it = (1 - rate) * normal(0) + rate * normal(mu)
    np.testing.assert_allclose(profiles.poisson_removed(GRID, mu, rate), hockey_stick(with_it, normal(0)), atol=1e-8)
    np.testing.assert_allclose(profiles.poisson_added(GRID, mu, rate), hockey_stick(normal(0), with_it), atol=1e-8)
    up, down = ((1 - rate) * normal(0) + rate * normal(side * mu / 2) for side in (1, -1))
    np.testing.assert_allclose(profiles.poisson_replaced(GRID, mu, rate), hockey_stick(up, down), atol=1e-8)


def test_opposite_values_are_the_worst_replacement():
    """What the docstring proves: no x, x′ in the unit disc exceed the pair (1, 0), (−1, 0).

    Simulated with one set of 40,000 normal draws in the plane: the difference of two estimates on common draws has
    a standard error below .003. It would catch a profile of x′ = 0 in place of x′ = −x (.05 lower at ε = 0).
    """
    rng, rate, mu = np.random.default_rng(5), 0.4, 2.0
    z = rng.standard_normal((40_000, 2))

    def likelihood(x):
        return 1 - rate + rate * np.exp(z @ x - x @ x / 2)

    for e in (0.0, 0.3, 0.8):
        worst = float(profiles.poisson_replaced(np.array([e]), mu, rate)[0])
        for _ in range(40):
            x, y = (rng.random() ** 0.5 * mu / 2 * np.array([np.cos(t), np.sin(t)]) for t in rng.uniform(0, 7, 2))
            found = np.maximum(likelihood(x) - np.exp(e) * likelihood(y), 0)
            assert found.mean() <= worst + 4 * found.std() / len(z) ** 0.5


def test_fixed_size_bound_holds_for_every_small_data_set_and_is_reached():
    """5 records in {−1, 0, 1}, cohorts of 2, σ = 2z: all pairs that differ in the first record, both orders.

    The bound is reached where all the others equal the old value, so a smaller bound would fail here.
    """
    noise, people, cohort = 1.0, 5, 2
    bound = profiles.fixed_size_replaced(GRID, 1 / noise, cohort / people)
    subsets = list(itertools.combinations(range(people), cohort))
    z = np.linspace(-16, 16, 6_401)

    def density(x):
        sums = [sum(x[i] for i in chosen) for chosen in subsets]
        return np.mean([np.exp(-0.5 * ((z - total) / (2 * noise)) ** 2) for total in sums], axis=0)

    worst = np.zeros_like(GRID)
    for others in itertools.combinations_with_replacement((-1, 0, 1), people - 1):
        p, q = (density((x, *others)) / (2 * noise * np.sqrt(2 * np.pi)) for x in (-1, 1))
        for a, b in ((p, q), (q, p)):
            found = [np.trapezoid(np.maximum(a - np.exp(e) * b, 0), z) for e in GRID]
            worst = np.maximum(worst, found)
    assert (worst <= bound + 1e-6).all()
    np.testing.assert_allclose(worst, bound, atol=1e-5)


def test_channel_is_the_worst_pair_at_every_epsilon():
    rng = np.random.default_rng(3)
    rows, others = rng.dirichlet(np.ones(6), 8), rng.dirichlet(np.ones(6), 8)
    expected = [max((np.maximum(p - np.exp(e) * q, 0)).sum() for p, q in zip(rows, others, strict=True)) for e in GRID]
    np.testing.assert_allclose(profiles.channel(GRID, rows, others), expected, atol=1e-15)


def test_atomic_profile_agrees_with_its_channel():
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.1, 0.2, 0.3, 0.4])
    order = np.argsort(np.log(p / q))
    found = profiles.atomic(np.log(p / q)[order], p[order])(GRID)
    np.testing.assert_allclose(found, profiles.channel(GRID, p[None], q[None]), atol=1e-15)


def test_profiles_agree_with_simulation():
    """E (1 − e^(ε−L))₊ over 200,000 draws, within 4 standard errors: catches P and Q exchanged (δ off by 30 %)."""
    rng, rate, mu = np.random.default_rng(0), 0.2, 1.5
    z = rng.standard_normal(200_000) + mu * (rng.random(200_000) < rate)
    loss = np.log(1 - rate + rate * np.exp(mu * z - mu**2 / 2))
    for e in (0.1, 0.5, 1.0):
        gain = np.maximum(-np.expm1(e - loss), 0)
        assert profiles.poisson_removed(np.array([e]), mu, rate)[0] == pytest.approx(
            gain.mean(), abs=4 * gain.std() / len(z) ** 0.5
        )


def test_zero_epsilon_is_total_variation():
    assert profiles.gaussian(np.zeros(1), 1.0)[0] == pytest.approx(2 * ndtr(0.5) - 1, rel=1e-12)


@pytest.mark.parametrize("sampling", ["poisson", "fixed-size"])
@pytest.mark.parametrize(("noise", "epsilon"), [(Gaussian(1.0, 2.0), 0.02), (Laplace(1.0, 2.0), 0.00125)])
def test_a_small_change_under_replace_still_costs_whether_one_is_there_at_all(sampling, noise, epsilon):
    """1 becomes .8; where another person takes the place, she sends −1. δ(ε) is an integral of two mixtures.

    A bill that shrinks with the change says 10⁻²⁶ where 2·10⁻⁶ is true (Gaussian noise, Poisson cohort).
    """
    rate, away = 0.01, 0.0 if sampling == "poisson" else -1.0
    y = np.linspace(-40, 40, 400_001)

    def mixture(x):
        return (1 - rate) * np.exp(noise.log_density(y, away)) + rate * np.exp(noise.log_density(y, x))

    true = np.maximum(mixture(1.0) - np.exp(epsilon) * mixture(0.8), 0).sum() * (y[1] - y[0])
    counted = pair(OnSample(noise, rate, sampling, "replace").loss(0.1), "replace")
    assert 1e-9 < true <= counted.profile(np.array([epsilon]))[0]
