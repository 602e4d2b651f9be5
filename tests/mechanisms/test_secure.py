"""Secure mode: no seed, exact noise, nothing that floating point could betray."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import spearmanr

from recprivlib.accounting.profiles import gaussian
from recprivlib.auditing import audit
from recprivlib.mechanisms import (
    MECHANISMS,
    Gaussian,
    GaussianOnSample,
    KRandomizedResponse,
    Laplace,
    LaplaceClamped,
    Piecewise,
    RandomizedResponse,
    Secure,
    VectorGaussian,
    exact,
    secure,
)
from recprivlib.mechanisms.common import SECURE, epsilon_of
from recprivlib.mechanisms.discrete import power_of_two
from recprivlib.mechanisms.exact import _discrete_gaussian, _discrete_laplace
from recprivlib.mechanisms.losses import DiscreteGaussianShift
from recprivlib.mechanisms.vector_gaussian import VectorOnGrid
from recprivlib.parameters import UserError

REFUSED = ("laplace-or-truth", "piecewise", "subsampled-gaussian")
TAKEN = [name for name in MECHANISMS if name not in REFUSED]


@pytest.mark.parametrize("name", TAKEN)
def test_it_refuses_a_seed_and_says_what_it_is(name):
    m = secure(MECHANISMS[name])
    x = np.broadcast_to(m.worst_pair()[0], (5, *np.shape(m.worst_pair()[0])))
    for seed in (np.random.default_rng(0), 0, 7):
        with pytest.raises(UserError, match="no seed"):
            m.release(x, seed)
    assert m.mode == SECURE != MECHANISMS[name].mode
    assert len(m.release(x)) == 5


@pytest.mark.parametrize("name", TAKEN)
def test_it_ignores_numpys_seeds(name):
    """300 draws would agree by chance with probability below .8³⁰⁰ = 10⁻²⁹."""
    m = secure(MECHANISMS[name])
    x = np.broadcast_to(m.worst_pair()[0], (300, *np.shape(m.worst_pair()[0])))
    assert not np.array_equal(m.release(x), m.release(x))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_drawn_exactly_is_refused(name):
    with pytest.raises(UserError, match="no exact sampler"):
        secure(MECHANISMS[name])


@pytest.mark.parametrize("name", TAKEN)
def test_it_costs_what_the_seeded_one_costs(name):
    plain, m = MECHANISMS[name], secure(MECHANISMS[name])
    loss = m.loss()
    if hasattr(loss, "matrix") and name != "unary-one-sided":
        known = plain.loss()
        expected = known.epsilon if hasattr(known, "epsilon") else epsilon_of(known.matrix, known.pairs)
        assert epsilon_of(loss.matrix, loss.pairs) == pytest.approx(expected, rel=1e-9)
    assert getattr(m.claimed, "epsilon", None) == getattr(plain.claimed, "epsilon", None)


@pytest.mark.parametrize("m", [Laplace(0.7, 3.0), LaplaceClamped(1.0, 1.0, 5.0)])
def test_secure_laplace_lives_on_a_grid_with_the_right_spread(m):
    real = secure(m)
    step, steps = power_of_two(m.sensitivity if isinstance(m, Laplace) else m.high - m.low)
    y = real.release(np.full(4000, 2.0))
    assert (y / step == np.rint(y / step)).all()
    if isinstance(m, LaplaceClamped):
        assert y.min() == 1.0
        assert y.max() == 5.0
    else:
        # E|y − 2| = b; its standard deviation is b: 6 of them over √4000 are 9.5 %.
        assert np.abs(y - 2).mean() == pytest.approx(m.scale, rel=6 / math.sqrt(4000) + 1 / steps)


def test_secure_gaussian_is_discrete():
    m = secure(Gaussian(2.0, 1.0))
    assert m.loss() == DiscreteGaussianShift(2048.0, 1024)
    y = m.release(np.zeros(3000))
    # The variance of 3,000 values is known to 6·√(2/3000) = 15 %.
    assert y.var() == pytest.approx(4.0, rel=6 * math.sqrt(2 / 3000))


@pytest.mark.parametrize("sensitivity", [1.0, 4.0, 0.3, 1e-3, 12345.6])
def test_rounding_never_moves_neighbours_farther_than_the_noise_was_made_for(sensitivity):
    step, steps = power_of_two(sensitivity)
    assert math.log2(step) == int(math.log2(step))
    assert 1024 <= steps <= 2048
    rng = np.random.default_rng(0)
    x = rng.normal(0, 10 * sensitivity, 100_000)
    apart = np.floor((x + sensitivity) / step + 0.5) - np.floor(x / step + 0.5)
    assert apart.max() <= steps + (x + sensitivity - x > sensitivity).any()  # doubles may have moved it by an ulp


def test_part_of_a_sensitivity_is_rounded_up():
    m = secure(Laplace(1.0, 1.0))
    loss = m.loss(0.5001)
    assert epsilon_of(loss.matrix, loss.pairs) == pytest.approx(513 / 1024)
    assert epsilon_of(m.loss(1e-9).matrix) == pytest.approx(1 / 1024)  # a hair may cross an edge


def test_fractions_are_refused_where_whole_numbers_are_needed():
    for name in ("discrete-laplace", "discrete-gaussian"):
        with pytest.raises(UserError, match=r"whole numbers, not 0\.5"):
            MECHANISMS[name].release(np.array([0.5]), np.random.default_rng(0))


@pytest.mark.parametrize(
    "name, bad, words",
    [
        ("randomized-response", 2, "a bit must be 0 or 1, not 2"),
        ("unary-symmetric", -1, "a bit must be 0 or 1, not -1"),
        ("k-randomized-response", 5, "whole numbers from 0 to 4"),
        ("subset-selection", -3, "whole numbers from 0 to 4"),
        ("laplace-rounded", 3.5, r"the rating 3\.5 is not allowed; choose from 1, 2, 3, 4, 5"),
        ("laplace-or-truth", float("nan"), "the rating nan is not allowed"),
        ("optimal-channel", 0, "the rating 0 is not allowed"),
        ("laplace", float("nan"), "a finite number, not nan"),
        ("laplace-clamped", float("inf"), "a finite number, not inf"),
        ("gaussian", float("-inf"), "a finite number, not -inf"),
        ("duchi", float("nan"), "a finite number, not nan"),
        ("one-bit-gradient", float("nan"), "a finite number, not nan"),
        ("piecewise", float("nan"), "a finite number, not nan"),
        ("discrete-laplace", float("nan"), "a finite number, not nan"),
    ],
)
def test_inputs_outside_the_domain_are_refused_in_words(name, bad, words):
    with pytest.raises(UserError, match=words):
        MECHANISMS[name].release(np.array([bad]), np.random.default_rng(0))


def test_cohorts_must_be_whole_and_relations_must_fit():
    with pytest.raises(UserError, match=r"whole number, not 2\.5"):
        GaussianOnSample(1.0, 0.5, "fixed-size").release(np.zeros((3, 5)), np.random.default_rng(0))
    with pytest.raises(UserError, match="fixed-size cohort"):
        GaussianOnSample(1.0, 0.5, "fixed-size", "add-remove")
    assert GaussianOnSample(1.0, 0.5, "poisson").sigma == 1.0
    assert GaussianOnSample(1.0, 0.5, "poisson", "replace").sigma == 2.0
    assert GaussianOnSample(1.0, 0.5, "fixed-size").sigma == 2.0


def test_a_range_must_be_one():
    with pytest.raises(UserError, match="low is 3, but must be less than high, which is 3"):
        LaplaceClamped(1.0, 3.0, 3.0)


def test_inputs_are_clipped_where_the_mechanism_has_a_range():
    """Far outside counts as the end: else the loss would have no bound."""
    for m in (Piecewise(1.0), MECHANISMS["duchi"], MECHANISMS["one-bit-gradient"]):
        for far, end in ((9.0, 1.0), (-9.0, -1.0)):
            y = [m.release(np.full(100, x), np.random.default_rng(1)) for x in (far, end)]
            np.testing.assert_array_equal(*y)
    y = [LaplaceClamped().release(np.full(100, x), np.random.default_rng(1)) for x in (50.0, 5.0)]
    np.testing.assert_array_equal(*y)


@pytest.mark.parametrize("epsilon", [1.0, 20.0, 43.0, 50.0])
def test_rounding_a_probability_never_makes_a_lie_rarer(epsilon):
    """At ε = 43 a lie has 1.95 of 2⁶³ words: rounded down to one word, ε was 43.7."""
    lies, words = int(exact.threshold(RandomizedResponse(epsilon).q)), 2**63
    assert math.log((words - lies) / lies) <= epsilon * (1 + 1e-15)
    rows = exact.weights(KRandomizedResponse(epsilon).channel).astype(object)
    assert {sum(row) for row in rows} == {2**62}
    assert math.log(max(map(max, rows)) / min(map(min, rows))) <= epsilon * (1 + 1e-15)


@pytest.mark.parametrize("m", [secure(Laplace()), secure(Gaussian()), MECHANISMS["discrete-laplace"]])
def test_numbers_beyond_the_grid_are_refused_rather_than_wrapped(m):
    """2⁶³ wraps to −2⁶³: two neighbours at that edge were as far apart as can be."""
    release = m.release if m is not MECHANISMS["discrete-laplace"] else m.exact
    with pytest.raises(UserError, match="too large"):
        release(np.array([1e19]))
    assert np.abs(release(np.array([2.0**40])) - 2.0**40).max() < 1000


@pytest.mark.parametrize("clip", [0.7, 1.0, 3.3])
def test_a_vector_on_the_grid_is_never_longer_and_no_two_are_farther_apart_than_is_billed(clip):
    """Random vectors in many dimensions, and the worst case: coordinates just short of a point of the grid."""
    rng, m = np.random.default_rng(0), VectorGaussian(1.0, clip)
    grid = m.discrete()
    for width in (1, 2, 50, 5000):
        x = rng.standard_normal((40, width)) * rng.uniform(0, 2 * clip, (40, 1)) / math.sqrt(width)
        x = np.concatenate([x, np.full((1, width), 1.999 * grid.step), np.full((1, width), -0.999 * grid.step)])
        y = grid.clipped(x) / grid.step
        assert np.array_equal(y, np.rint(y))
        assert (np.linalg.norm(y, axis=1) <= np.linalg.norm(m.clipped(x), axis=1) / grid.step).all()
        assert (np.linalg.norm(y, axis=1) <= clip / grid.step).all()
        here, there = m.clipped(x)[:, None], m.clipped(x)[None]
        billed = [grid.loss(d / clip).mu * grid.noise.sigma for d in np.linalg.norm(here - there, axis=-1).ravel()]
        assert (np.linalg.norm(y[:, None] - y, axis=-1).ravel() <= np.array(billed) + 1e-9).all()
    with pytest.raises(UserError, match="70,000 coordinates is too long for this grid; at most 65,536"):
        secure(m).release(np.zeros(70_000))


def test_a_secure_vector_costs_at_most_a_thousandth_more():
    """One that is replaced costs what it does without a grid, up to the nine steps² that its proof spends."""
    for z in (0.05, 1.0, 30.0):
        plain, grid = VectorGaussian(z, 0.7), secure(VectorGaussian(z, 0.7))
        assert plain.loss(2.0).mu < grid.loss(2.0).mu < plain.loss(2.0).mu * (1 + 1e-7)
        assert plain.loss(1.0).mu < grid.loss(1.0).mu < plain.loss(1.0).mu * 1.001
        assert grid.loss(0.0).mu == 0


def test_discrete_noise_tells_no_more_than_the_gaussian_that_it_is_billed_as():
    """The exact profile on one axis and on a diagonal of two, σ from 4 to 30 steps, against variance σ² − 9."""
    e = np.array([0.0, 0.1, 0.5, 1.0, 3.0])
    for sigma, shift in ((4.0, (1, 0)), (4.0, (3, 2)), (10.0, (9, 0)), (10.0, (5, 5)), (30.0, (20, 29))):
        n = np.arange(-math.ceil(14 * sigma), math.ceil(14 * sigma) + 1)
        mass = np.exp(-0.5 * (n / sigma) ** 2)
        both = np.multiply.outer(mass, mass) / mass.sum() ** 2
        loss = sum(
            np.expand_dims(s * (2 * n + s) / (2 * sigma**2), axis) for s, axis in zip(shift, (1, 0), strict=True)
        )
        exact_profile = np.array([(both * np.maximum(-np.expm1(x - loss), 0)).sum() for x in e])
        bound = gaussian(e, math.hypot(*shift) / math.sqrt(sigma**2 - 9))
        assert (exact_profile <= bound + 1e-13).all()
        assert exact_profile[0] > gaussian(e, math.hypot(*shift) / sigma)[0] * 0.9


def test_secure_noise_on_vectors_has_its_spread_on_every_coordinate():
    """1,000 vectors of three: six standard errors of a deviation are 6/√2000, of a mean 6σ/√1000."""
    m = secure(VectorGaussian(0.5, 2.0))
    x = np.array([3.0, 0.0, -4.0])
    y = m.release(np.tile(x, (1000, 1)))
    np.testing.assert_allclose(y.std(axis=0), 1.0, rtol=6 / math.sqrt(2000))
    np.testing.assert_allclose(y.mean(axis=0), 2 * x / 5, atol=6 / math.sqrt(1000))
    assert np.abs(np.corrcoef(y.T) - np.eye(3)).max() < 6 / math.sqrt(1000)


@dataclass(frozen=True)
class Quiet(VectorOnGrid):
    """Less noise than it is billed for."""

    def exact(self, x):
        return replace(self.noise, noise_multiplier=0.5).exact(self._steps(x)) * self.step


def test_an_audit_knows_secure_vectors():
    """Its likelihood ratio is the grid's: it comes close to the bill and never above; too little noise goes beyond."""
    found = audit(secure(VectorGaussian(2.0)), delta=0.01, trials=3000).attacked
    assert found.attack == "likelihood ratio"
    assert 0.1 < found.epsilon_lower
    grid = VectorGaussian(8.0).discrete()
    lied = audit(Secure(Quiet(grid.noise, grid.real, grid.step)), delta=0.01, trials=3000)
    for one, sound in ((audit(secure(VectorGaussian(8.0)), delta=0.01, trials=1000), True), (lied, False)):
        assert (one.attacked.decisive <= one.counted.epsilon) is sound


@pytest.mark.parametrize(("draw", "least"), [(_discrete_laplace, 0.35), (lambda b: _discrete_gaussian(b**2), 0.1)])
def test_how_long_a_draw_takes_goes_with_its_size_as_is_said(draw, least, monkeypatch):
    """Calls for entropy stand for time, which no machine disturbs: rank correlations of .53 and .27, ±.04.

    If this fails from below, secure.py may promise more than it does.
    """
    used, real = [0], exact.os.urandom

    def counted(size):
        used[0] += 1
        return real(size)

    monkeypatch.setattr("recprivlib.mechanisms.exact.os.urandom", counted)
    sizes, words = [], []
    for _ in range(600):
        used[0] = 0
        sizes.append(abs(draw(Fraction(1024))))
        words.append(used[0])
    assert least < spearmanr(sizes, words).statistic < 0.7
    assert "Not hidden: how long a draw takes" in sys.modules[Secure.__module__].__doc__
