"""What a server makes of the reports is right on average, with the stated variance.

Means of n reports with standard deviation s lie within 6 s/√n of the truth (two in a thousand million); variances
within 6·s²·√((κ−1)/n) with κ ≤ 6 for every noise here. A forgotten de-biasing, or one by the wrong p or q, shows.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.mechanisms import (
    Duchi,
    Gaussian,
    GaussianOnSample,
    KRandomizedResponse,
    Laplace,
    OneBitGradient,
    Piecewise,
    RandomizedResponse,
    SubsetSelection,
    UnaryOneSided,
    UnaryOptimized,
    UnarySymmetric,
)

N = 200_000


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("make", [RandomizedResponse, UnarySymmetric])
@pytest.mark.parametrize("bit", [0, 1])
def test_symmetric_bits(make, epsilon, bit):
    m = make(epsilon)
    guess = m.estimate(m.release(np.full(N, bit), np.random.default_rng(1)))
    assert guess.mean() == pytest.approx(bit, abs=6 * math.sqrt(m.variance / N))
    assert guess.var() == pytest.approx(m.variance, rel=6 * math.sqrt(6 / N) + 0.02)


@pytest.mark.parametrize("bit", [0, 1])
def test_asymmetric_bits(bit):
    for m in (UnaryOptimized(1.0), UnaryOneSided(1.0)):
        guess = m.estimate(m.release(np.full(N, bit), np.random.default_rng(2)))
        assert guess.mean() == pytest.approx(bit, abs=6 * guess.std() / math.sqrt(N) + 1e-12)
    m = UnaryOptimized(1.0)
    guess = m.estimate(m.release(np.full(N, bit), np.random.default_rng(3)))
    assert guess.var() == pytest.approx(float(m.variance(np.array(bit))), rel=0.03)
    assert UnaryOneSided(1.0).estimate(np.array([0, 1]))[1] == 1.0


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("x", [-1.0, -0.3, 0.0, 0.8])
@pytest.mark.parametrize("make", [Duchi, Piecewise])
def test_numbers(make, epsilon, x):
    m = make(epsilon)
    guess = m.estimate(m.release(np.full(N, x), np.random.default_rng(4)))
    spread = float(m.variance(np.float64(x)))
    assert guess.mean() == pytest.approx(x, abs=6 * math.sqrt(spread / N))
    assert guess.var() == pytest.approx(spread, rel=6 * math.sqrt(6 / N))


def test_noise_that_is_added():
    for m in (Laplace(0.5, 2.0), Gaussian(1.5, 2.0)):
        guess = m.estimate(m.release(np.full(N, 3.0), np.random.default_rng(5)))
        assert guess.mean() == pytest.approx(3.0, abs=6 * math.sqrt(m.variance / N))
        assert guess.var() == pytest.approx(m.variance, rel=6 * math.sqrt(6 / N))


def test_one_bit_gradients_are_right_for_the_clipped_mean_only():
    """Each user sends one cell of 12; B·bit averaged over users is the mean CLIPPED gradient (eq. 8 and 9, k = 1)."""
    rng, cells = np.random.default_rng(6), 12
    m = OneBitGradient(2.0, cells=cells)
    gradient = rng.normal(0, 1.0, cells)
    users = 600_000
    cell = rng.integers(0, cells, users)
    sums = np.bincount(cell, m.estimate(m.release(gradient[cell], rng)), minlength=cells) / users
    tolerance = 6 * m.scale / math.sqrt(cells * users)
    np.testing.assert_allclose(sums, np.clip(gradient, -1, 1), atol=tolerance)
    assert np.abs(sums - gradient).max() > tolerance  # the raw gradient it is not
    assert m.scale == pytest.approx((math.exp(2) + 1) / (math.exp(2) - 1) * 12)


@pytest.mark.parametrize("m", [KRandomizedResponse(1.0, k=6), SubsetSelection(1.0, k=6), SubsetSelection(0.5, 30)])
def test_frequencies(m):
    rng = np.random.default_rng(7)
    truth = rng.dirichlet(np.ones(m.k))
    x = rng.choice(m.k, N, p=truth)
    truth = np.bincount(x, minlength=m.k) / N
    guess = m.estimate(m.release(x, rng))
    # A report is a coin per symbol; its variance is at most ¼/(p−q)².
    np.testing.assert_allclose(guess, truth, atol=6 * 0.5 / (m.p - m.q) / math.sqrt(N))
    assert np.abs(guess).sum() < 2


def test_the_stated_variance_of_a_rare_symbol():
    m, runs, n = SubsetSelection(1.0, 20), 400, 500
    x = np.ones((runs, n), np.int64)
    y = m.release(x, np.random.default_rng(8))
    guesses = np.array([m.estimate(rows)[0] for rows in y])
    # The variance of 400 normal values is known to 6·√(2/400) = 42 %; an error of p for q is a factor of 3.
    assert guesses.var() * n == pytest.approx(m.variance, rel=6 * math.sqrt(2 / runs))


def test_sums_over_a_cohort():
    x = np.linspace(-2, 1, 40)  # some are clipped
    for m in (GaussianOnSample(0.5, 0.25), GaussianOnSample(0.5, 0.25, "fixed-size")):
        y = m.estimate(m.release(np.broadcast_to(x, (50_000, 40)), np.random.default_rng(9)))
        assert y.mean() == pytest.approx(np.clip(x, -1, 1).sum(), abs=6 * y.std() / math.sqrt(50_000))
