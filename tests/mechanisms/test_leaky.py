"""The leaky ones leak as much as they say: audits rely on it. And the sound ones beside them do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.mechanisms import Laplace, LaplaceOrTruth, secure
from recprivlib.mechanisms.common import epsilon_of
from recprivlib.mechanisms.leaky import (
    LEAKY,
    FloatLaplace,
    HalfNoise,
    NoClipping,
    ReusedNoise,
    ReusedUniforms,
    WrongSensitivity,
)

N = 100_000


@pytest.mark.parametrize("name", LEAKY)
def test_what_it_really_costs_is_more_than_it_claims(name):
    m = LEAKY[name]
    loss = m.loss()
    real = (
        loss.epsilon if hasattr(loss, "epsilon") else epsilon_of(loss.matrix) if hasattr(loss, "matrix") else math.inf
    )
    assert real > m.claimed.epsilon


@pytest.mark.parametrize("m, factor", [(HalfNoise(1.0), 2), (WrongSensitivity(1.0), 4), (NoClipping(1.0), 5)])
def test_the_odds_of_one_event_already_break_the_claim(m, factor):
    """P(y ≤ x | x)/P(y ≤ x | x′) = ½/½e^{−ε·factor}: counted on 100,000 runs a side (6 σ on the log-ratio)."""
    low, high = m.worst_pair()
    rng = np.random.default_rng(1)
    hits = [(m.release(np.full(N, x), rng) <= low).mean() for x in (low, high)]
    ratio = math.log(hits[0] / hits[1])
    sigma = math.sqrt((1 - hits[0]) / (hits[0] * N) + (1 - hits[1]) / (hits[1] * N))
    assert ratio == pytest.approx(factor, abs=6 * sigma)
    assert ratio - 6 * sigma > m.claimed.epsilon


def test_reused_noise_cancels():
    x = np.random.default_rng(2).random(1000)
    y = ReusedNoise(0.5).release(x, np.random.default_rng(3))
    np.testing.assert_allclose(2 * y[:, 1] - y[:, 0], x, atol=1e-12)


def test_two_slider_positions_prove_a_bit():
    m = ReusedUniforms(1.0)
    rng = np.random.default_rng(4)
    for bit, proof, never in ((1, (0, 1), (1, 0)), (0, (1, 0), (0, 1))):
        y = m.release(np.full(N, bit), rng)
        chance = m.channel[bit, m.outputs.index(proof)]
        share = (y == proof).all(axis=1).mean()
        assert share == pytest.approx(chance, abs=6 * math.sqrt(chance * (1 - chance) / N))
        assert share > 0.1
        assert not (y == never).all(axis=1).any()


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_plain_doubles_betray_the_value(epsilon):
    """Every answer can be reached from the true value; most cannot be reached from the other one."""
    m = FloatLaplace(epsilon)
    for x, other in ((0.0, 1.0), (1.0, 0.0)):
        y = m.release(np.full(N, x), np.random.default_rng(5))
        assert m.reachable(y, x).all()
        assert m.reachable(y, other).mean() < 0.5
    from scipy.stats import kstest, laplace

    assert kstest(y, laplace(loc=1.0, scale=1 / epsilon).cdf).pvalue > 1e-6  # in the reals it looks right


def test_the_discrete_sampler_gives_the_same_answers_from_both():
    """Every grid point can be reached from every value, so where an answer lies is all there is to know."""
    m = secure(Laplace(1.0))
    zero, one = (m.release(np.full(3000, x)) for x in (0.0, 1.0))
    step = m.mechanism.step
    assert all(((y / step) % 1 == 0).all() for y in (zero, one))
    shared = np.isin(zero, one).mean()
    plain = [FloatLaplace(1.0).release(np.full(3000, x), np.random.default_rng(6)) for x in (0.0, 1.0)]
    assert np.isin(*plain).mean() == 0.0
    # Each of 3,000 answers meets one of ~3,000 others on ~3,000 likely grid points.
    assert shared > 0.3
    ratio = m.mechanism.noise.log_density(np.arange(-9000, 9000), 0) - m.mechanism.noise.log_density(
        np.arange(-9000, 9000), m.mechanism.noise.sensitivity
    )
    assert np.abs(ratio).max() <= 1.0 + 1e-12


def test_reports_on_the_grid_are_the_rating():
    """laplace-or-truth: a false alarm never happens, and the truth is told with probability p."""
    m = LaplaceOrTruth(1.0, 1.0)
    x = np.random.default_rng(7).integers(1, 6, N).astype(float)
    y = m.release(x, np.random.default_rng(8))
    naked = np.isin(y, m.grid)
    assert (y[naked] == x[naked]).all()
    assert naked.mean() == pytest.approx(m.p, abs=6 * math.sqrt(m.p * (1 - m.p) / N))
    assert m.claimed.epsilon == 2.0
