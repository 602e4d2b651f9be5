"""Samplers against their channels and densities: what is drawn is what is accounted.

Chi-square tests with pinned seeds at level 10⁻⁶ on 200,000 draws: about 60 of them, so that a sound sampler fails
once in 16,000 choices of seeds. With n draws a cell of probability p that is off by 5 √(p/n)·(number of cells)^¼
is noticed; a Laplace scale wrong by 3 %, a Piecewise level wrong by 2 %, or a lie that may tell the truth in
k-ary response are caught (`test_the_test_notices` tries a few). The exact samplers know no seed: about 120 tests
at 10⁻⁹ cry wolf once in eight million runs.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from recprivlib.mechanisms import (
    MECHANISMS,
    DiscreteGaussian,
    DiscreteLaplace,
    GaussianOnSample,
    KRandomizedResponse,
    Laplace,
    LaplaceClamped,
    LaplaceOrTruth,
    LaplaceRounded,
    OptimalChannel,
    Piecewise,
    RandomizedResponse,
    RoundedOrTruth,
    SubsetSelection,
    UnaryOneSided,
    UnaryOptimized,
    UnarySymmetric,
    exact,
)
from recprivlib.mechanisms.leaky import ReusedUniforms
from recprivlib.mechanisms.sampling import subsets

N, LEVEL = 200_000, 1e-6
UNSEEDED = 1e-9


def p_value(counts: np.ndarray, chances: np.ndarray) -> float:
    """Chi-square against given chances; cells with fewer than 20 expected are pooled, impossible ones must be empty."""
    from scipy.stats import chi2

    expected = counts.sum() * np.asarray(chances, float)
    assert not counts[expected == 0].any(), "something impossible was drawn"
    rare = expected < 20
    seen = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    keep = wanted > 0
    statistic = ((seen - wanted)[keep] ** 2 / wanted[keep]).sum()
    return float(chi2.sf(statistic, max(int(keep.sum()) - 1, 1)))


def columns(y: np.ndarray, outputs: tuple) -> np.ndarray:
    """How often each output came."""
    table = np.array(outputs, float)
    table = table.reshape(len(outputs), -1)
    rows = np.asarray(y, float).reshape(len(y), -1)
    counts = np.array([np.isclose(rows, output, atol=1e-9).all(axis=1).sum() for output in table])
    assert counts.sum() == len(rows), "an output outside the channel was drawn"
    return counts


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(
    "make",
    [RandomizedResponse, KRandomizedResponse, UnarySymmetric, UnaryOptimized, UnaryOneSided, LaplaceRounded,
     OptimalChannel, lambda e: RoundedOrTruth(e, 1.0), ReusedUniforms],
)  # fmt: skip
def test_frequencies_are_the_rows_of_the_channel(make, epsilon):
    m, rng = make(epsilon), np.random.default_rng(11)
    for row, x in zip(m.channel, m.inputs, strict=True):
        kind = np.int64 if isinstance(x, int | tuple) else float
        many = np.broadcast_to(np.array(x, kind), (N, *np.shape(x)))
        assert p_value(columns(m.release(many, rng), m.outputs), row) > LEVEL
        if hasattr(m, "exact"):
            assert p_value(columns(m.exact(many), m.outputs), row) > UNSEEDED


@pytest.mark.parametrize("x", [-1.0, -0.4, 0.0, 0.73, 1.0, 7.0])
@pytest.mark.parametrize("name", ["duchi", "one-bit-gradient"])
def test_two_point_reports_have_the_stated_odds(name, x):
    m = MECHANISMS[name]
    chances = np.exp([m.log_density(v, np.float64(x)) for v in m.outputs])
    many = np.full(N, x)
    assert p_value(columns(m.release(many, np.random.default_rng(12)), m.outputs), chances) > LEVEL
    assert p_value(columns(m.exact(many), m.outputs), chances) > UNSEEDED


@pytest.mark.parametrize(
    "m, x, atoms",
    [
        (Laplace(0.8, 2.0), 1.3, ()),
        (LaplaceClamped(2.0, 1.0, 5.0), 2.0, (1.0, 5.0)),
        (LaplaceClamped(2.0, 1.0, 5.0), 5.0, (1.0, 5.0)),
        (LaplaceOrTruth(2.0, 0.5), 4.0, (1.0, 2.0, 3.0, 4.0, 5.0)),
        (Piecewise(1.0), 0.35, ()),
        (Piecewise(3.0), -1.0, ()),
        (Piecewise(0.2), 1.0, ()),
        (MECHANISMS["gaussian"], 0.5, ()),
        (GaussianOnSample(0.7, 0.4), np.ones(1), ()),
        (GaussianOnSample(0.3, 0.25, "fixed-size"), np.array([1.0, 0, 0, 0]), ()),
    ],
    ids=lambda v: type(v).__name__ if hasattr(v, "loss") else "",
)
def test_histograms_are_integrals_of_the_density(m, x, atoms):
    y = m.release(np.broadcast_to(x, (N, *np.shape(x))), np.random.default_rng(13))
    on_atom = np.isin(y, atoms)
    rest = y[~on_atom]
    edges = np.linspace(*np.quantile(rest, [0.0005, 0.9995]), 61)
    if isinstance(m, Piecewise):
        edges = np.sort(np.concatenate([edges, [m.left(x), m.left(x) + m.width, -m.scale, m.scale]]))
    edges = np.unique(np.concatenate([edges, np.atleast_1d(x)[:1]]))  # a kink may lie on an edge, not within
    fine = np.linspace(edges[:-1], edges[1:], 402)[1:-1]  # inner points: an atom on an edge is not read
    density = np.exp(m.log_density(fine.T.ravel(), x)).reshape(len(edges) - 1, -1)
    chances = density.mean(axis=1) * np.diff(edges)
    points = np.exp([m.log_density(np.array([a]), x)[0] for a in atoms])
    counts = np.histogram(rest, edges)[0]
    counts = np.concatenate([counts, [(y == a).sum() for a in atoms]])
    chances = np.concatenate([chances, points])
    outside, gap = N - counts.sum(), 1 - chances.sum()
    assert 0 <= gap + 1e-6 < 0.01
    assert p_value(np.append(counts, outside), np.append(chances, max(gap, 0))) > LEVEL


@pytest.mark.parametrize(
    "m", [DiscreteLaplace(0.7, 3), DiscreteLaplace(4.0), DiscreteGaussian(0.4), DiscreteGaussian(1.3, 5)]
)
def test_discrete_noise_has_the_stated_probabilities(m):
    y = m.release(np.full(N, 2), np.random.default_rng(14))
    n = np.arange(2 - 200, 2 + 201)
    chances = np.exp(m.log_density(n, 2))
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    assert y.dtype == np.int64
    assert p_value(np.array([(y == v).sum() for v in n]), chances) > LEVEL


def test_subsets_are_uniform_however_they_are_drawn():
    for n, size in ((6, 2), (6, 3), (6, 6)):  # the first by rejection, the others by ordering
        drawn = np.sort(subsets(n, size, 60_000, np.random.default_rng(15)), axis=1)
        kinds, counts = np.unique(drawn, axis=0, return_counts=True)
        wanted = {2: 15, 3: 20, 6: 1}[size]
        assert len(kinds) == wanted
        assert p_value(counts, np.full(wanted, 1 / wanted)) > LEVEL


@pytest.mark.parametrize("m", [SubsetSelection(1.0, 5, 2), SubsetSelection(0.4, 6), SubsetSelection(3.0, 12)])
@pytest.mark.parametrize("sampler", ["release", "exact"])
def test_sets_have_the_stated_probabilities_in_rising_order(m, sampler):
    x, n = np.full(60_000, 3), 60_000
    y = m.release(x, np.random.default_rng(16)) if sampler == "release" else m.exact(x)
    assert (np.diff(y, axis=1) > 0).all()  # rising: the place of a symbol tells nothing
    kinds, counts = np.unique(y, axis=0, return_counts=True)
    weight = np.exp(m.log_density(kinds, np.int64(3)))
    from math import comb

    total = np.exp(m.epsilon) * comb(m.k - 1, m.d - 1) + comb(m.k - 1, m.d)
    weight *= (m.d * np.exp(m.epsilon) + m.k - m.d) / total
    assert n == counts.sum()
    assert p_value(np.append(counts, 0), np.append(weight, max(0.0, 1 - weight.sum()))) > UNSEEDED


@pytest.mark.parametrize("sampler", ["release", "exact"])
def test_no_symbol_of_a_large_catalogue_is_spared_or_preferred(sampler):
    """Each of the other 1,681 symbols is in the set with probability q = .27. What made room for the true symbol was
    once the first of a partition, often symbol 0, whose share was then .18: an audit certified 1.15 at ε = 1.
    3,000 reports: that is off by 11 deviations; 7 of them happen to one of 1,681 once in 10⁸ runs."""
    m, n = SubsetSelection(1.0, 1682), 3000
    x = np.full(n, 1000)
    y = m.release(x, np.random.default_rng(18)) if sampler == "release" else m.exact(x)
    share = np.bincount(y.ravel(), minlength=m.k) / n
    others = np.delete(share, 1000)
    assert np.abs(others - m.q).max() < 7 * np.sqrt(m.q * (1 - m.q) / n)
    assert abs(share[1000] - m.p) < 7 * np.sqrt(m.p * (1 - m.p) / n)


def test_bits_are_drawn_one_by_one():
    """Independent bits: the number of reported ones in a row of 8 is binomial."""
    from scipy.stats import binom

    m = UnarySymmetric(1.0)
    ones = m.release(np.zeros((50_000, 8), np.uint8), np.random.default_rng(17)).sum(axis=1)
    assert p_value(np.bincount(ones, minlength=9), binom.pmf(np.arange(9), 8, m.q)) > LEVEL


def test_types_survive():
    rng = np.random.default_rng(18)
    for kind in (bool, np.uint8, np.int8, np.int64, np.float32):
        for name in ("randomized-response", "unary-symmetric", "unary-optimized", "unary-one-sided"):
            assert MECHANISMS[name].release(np.ones(4, kind), rng).dtype == kind
            assert MECHANISMS[name].exact(np.ones(4, kind)).dtype == kind
    for kind in (np.uint8, np.int32, np.int64):
        assert MECHANISMS["k-randomized-response"].release(np.ones(4, kind), rng).dtype == kind
    stars = np.array([1, 3, 5], np.float32)
    assert MECHANISMS["laplace-rounded"].release(stars, rng).dtype == float
    assert MECHANISMS["one-bit-gradient"].release(stars, rng).dtype == np.int8


def test_common_random_numbers_move_smoothly():
    """The same seed at a larger ε flips a subset of the bits it flipped before."""
    x = np.random.default_rng(0).random((100, 50)) < 0.1
    wrong = [UnarySymmetric(e).release(x, np.random.default_rng(19)) != x for e in (0.5, 1.0, 2.0, 4.0)]
    for before, after in pairwise(wrong):
        assert (after <= before).all()
        assert after.sum() < before.sum()


def test_the_test_notices():
    """Power: the mistakes named above are far below the level."""
    rng = np.random.default_rng(20)
    wrong = Laplace(0.8, 2.0 * 1.03).release(np.zeros(N), rng)
    edges = np.linspace(-9, 9, 61)
    centre = (edges[1:] + edges[:-1]) / 2
    chances = np.exp(Laplace(0.8, 2.0).log_density(centre, 0.0)) * np.diff(edges)
    counts = np.histogram(wrong, edges)[0]
    assert p_value(np.append(counts, N - counts.sum()), np.append(chances, 1 - chances.sum())) < LEVEL
    m = KRandomizedResponse(1.0)
    sloppy = np.where(rng.random(N) < m.p, 0, rng.integers(0, 5, N))
    assert p_value(np.bincount(sloppy, minlength=5), m.channel[0]) < LEVEL


# -------------------------------------------------------------------------------------- exact samplers


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2)])
def test_exact_discrete_laplace(scale):
    y = exact.discrete_laplace(scale, (20_000,))
    n = np.arange(-150, 151)
    chances = np.exp(-np.abs(n) / float(scale))
    assert p_value(np.array([(y == v).sum() for v in n]), chances / chances.sum()) > UNSEEDED


@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(2), Fraction(31, 3)])
def test_exact_discrete_gaussian(variance):
    y = exact.discrete_gaussian(variance, (8_000,))
    n = np.arange(-80, 81)
    chances = np.exp(-(n**2) / (2 * float(variance)))
    assert p_value(np.array([(y == v).sum() for v in n]), chances / chances.sum()) > UNSEEDED


def test_exact_exponential_coin_beyond_one():
    """P = e^−2.5 = .082: 20,000 tosses, 6 standard deviations are ± .0117."""
    heads = np.mean([exact._bernoulli_exp(Fraction(5, 2)) for _ in range(20_000)])
    assert heads == pytest.approx(np.exp(-2.5), abs=6 * np.sqrt(0.082 * 0.918 / 20_000))


def test_exact_uniform_numbers_have_no_modulo_bias():
    assert p_value(np.bincount(exact.below(6, 60_000), minlength=6), np.full(6, 1 / 6)) > UNSEEDED
    assert (exact.below(1, 5) == 0).all()


def test_exact_coins_are_never_certain_unless_they_are():
    assert not exact.bernoulli(np.zeros(1000)).any()
    assert exact.bernoulli(np.ones(1000)).all()
    assert exact.threshold(np.array([0.0, 1e-30, 0.5])).tolist() == [0, 1, 2**62]
    assert exact.bernoulli(np.full(N, 0.3)).mean() == pytest.approx(0.3, abs=6 * np.sqrt(0.21 / N))


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 8.0, 20.0, 50.0])
@pytest.mark.parametrize("make", [LaplaceRounded, OptimalChannel, RandomizedResponse])
def test_the_whole_numbers_of_a_secure_channel_keep_its_epsilon(make, epsilon):
    """From exact fractions: rounding to 2⁻⁶² moves ε by less than one part in 10⁸, and up only where it is tiny."""
    channel = make(epsilon).channel
    whole = exact.weights(channel)
    assert (whole.sum(axis=1) == 2**62).all()
    assert ((whole > 0) == (channel > 0)).all()
    worst = max(
        Fraction(int(whole[i, y]), int(whole[j, y]))
        for i in range(len(whole)) for j in range(len(whole)) for y in range(whole.shape[1])
    )  # fmt: skip
    from recprivlib.mechanisms.common import epsilon_of

    real = np.log(float(worst))
    assert real <= epsilon_of(channel) + 1e-8
    if epsilon <= 20:
        assert real == pytest.approx(epsilon_of(channel), rel=1e-7)
