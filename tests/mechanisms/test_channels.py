"""Channels against closed forms, brute force and the figures that the notes lead to."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Duchi,
    Gaussian,
    GaussianOnSample,
    KRandomizedResponse,
    Laplace,
    LaplaceRounded,
    OneBitGradient,
    OnSample,
    OptimalChannel,
    Piecewise,
    RandomizedResponse,
    RoundedOrTruth,
    SubsetSelection,
    UnaryOneSided,
    UnaryOptimized,
    UnarySymmetric,
)
from recprivlib.mechanisms.common import epsilon_of, logistic, worst
from recprivlib.mechanisms.losses import Sampled, SubsampledGaussian
from recprivlib.parameters import UserError

EPSILONS = (0.05, 0.5, 1.0, 2.0, 4.0, 8.0)


def test_the_worst_output_is_found_in_both_orders():
    matrix = np.array([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]])
    epsilon, inputs, output = worst(matrix, ((0, 1),))
    assert epsilon == pytest.approx(math.log(5))
    assert (inputs, output) == ((0, 1), 0)
    assert worst(matrix[::-1], ((0, 1),))[1] == (1, 0)


def test_an_output_that_nobody_gives_proves_nothing_and_one_that_one_gives_everything():
    assert epsilon_of(np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]])) == pytest.approx(math.log(2))
    assert math.isinf(epsilon_of(np.array([[0.5, 0.5, 0.0], [0.25, 0.7, 0.05]])))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_swap_under_the_optimized_encoding_costs_epsilon_and_a_bit_less(epsilon):
    """Wang et al. 2017, eq. 2: (p/q)·((1−q)/(1−p)) = e^ε, by brute force over rows of three bits."""
    m = UnaryOptimized(epsilon)
    rows = list(itertools.product((0, 1), repeat=3))
    full = np.exp([[m.log_density(np.array(y), np.array(x)) for y in rows] for x in ((1, 0, 0), (0, 1, 0))])
    np.testing.assert_allclose(full.sum(axis=1), 1)
    assert epsilon_of(full) == pytest.approx(epsilon, rel=1e-9)
    for level in (0.0, epsilon / 3, 0.9 * epsilon):
        sticks = [np.maximum(c[0] - math.exp(level) * c[1], 0).sum() for c in (full, m.channel)]
        assert sticks[0] == pytest.approx(sticks[1], abs=1e-14)
    one_bit = max(math.log((math.exp(epsilon) + 1) / 2), epsilon - math.log((math.exp(epsilon) + 1) / 2))
    assert epsilon_of(m.bit_channel) == pytest.approx(one_bit, rel=1e-9)


def test_the_symmetric_encoding_at_half_is_sue():
    """SUE at ε per swap keeps a bit with e^{ε/2}/(e^{ε/2}+1) (Erlingsson et al. 2014)."""
    m = UnarySymmetric(1.0)
    swap = np.array([np.outer(m.channel[1], m.channel[0]).ravel(), np.outer(m.channel[0], m.channel[1]).ravel()])
    assert epsilon_of(m.channel) == pytest.approx(1.0)
    assert epsilon_of(swap) == pytest.approx(2.0)


def test_what_the_one_sided_encoding_does_guarantee():
    m = UnaryOneSided(1.0)
    delta = max(np.maximum(m.channel[i] - math.exp(9.0) * m.channel[1 - i], 0).sum() for i in (0, 1))
    assert delta == pytest.approx(1 - math.exp(-1.0)) == pytest.approx(m.proof)  # at any ε, also at 9
    assert m.one_sided == pytest.approx(1.0) == pytest.approx(math.log(m.channel[1, 1] / m.channel[0, 1]))
    tv = 0.5 * np.abs(m.channel[0] - m.channel[1]).sum()
    assert tv == pytest.approx(m.proof)  # (0, 1 − e^−ε)


@pytest.mark.parametrize("epsilons, known", [((1.0, 1.0), 3.87), ((0.1, 0.1), 4.57), ((3.0, 3.0), 6.35)])
def test_laplace_or_truth_on_the_grid_costs_more_than_the_sum(epsilons, known):
    """By hand: worst at an end, C(1,1)/C(5,1) = 1 + p/((1−p)L(5,1)) + …, L(5,1) = ½e^{−3.5ε1/4}."""
    m = RoundedOrTruth(*epsilons)
    first, second = epsilons
    p = logistic(second)
    far = 0.5 * math.exp(-3.5 * first / 4)
    stay = 1 - 0.5 * math.exp(-0.5 * first / 4)
    by_hand = math.log((p + (1 - p) * stay) / ((1 - p) * far))
    inner = [  # an inner star x, seen from the far end
        math.log(m.channel[i, i] / min(m.channel[j, i] for j in range(5))) for i in range(5)
    ]
    assert epsilon_of(m.channel) == pytest.approx(max(by_hand, *inner), rel=1e-12)
    assert epsilon_of(m.channel) == pytest.approx(known, abs=0.005)
    assert epsilon_of(m.channel) > sum(epsilons)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_rounded_laplace_against_the_distribution_function(epsilon):
    from scipy.stats import laplace

    m = LaplaceRounded(epsilon)
    edges = np.array([-np.inf, 1.5, 2.5, 3.5, 4.5, np.inf])
    expected = np.diff(laplace.cdf(edges, loc=np.array(m.grid)[:, None], scale=4 / epsilon), axis=1)
    np.testing.assert_allclose(m.channel, expected, rtol=1e-9, atol=1e-15)
    by_hand = math.log((1 - 0.5 * math.exp(-epsilon / 8)) / (0.5 * math.exp(-3.5 * epsilon / 4)))
    assert epsilon_of(m.channel) == pytest.approx(by_hand, rel=1e-12)


def test_neighbouring_stars_are_closer_than_far_ones():
    m = LaplaceRounded(4.0)
    near, far = m.loss(0.25), m.loss(1.0)
    assert len(near.pairs) == 4
    assert len(far.pairs) == 10
    assert epsilon_of(near.matrix, near.pairs) <= 1.0 + 1e-12 < epsilon_of(far.matrix, far.pairs)
    assert len(LaplaceRounded(4.0, grid=tuple(np.arange(1, 11) / 2)).loss(1 / 9).pairs) == 9


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k, size", [(5, 1), (5, 2), (6, 3), (6, None)])
def test_subset_selection_against_all_subsets(epsilon, k, size):
    m = SubsetSelection(epsilon, k, size)
    sets = np.array(list(itertools.combinations(range(k), m.d)))
    full = np.exp([m.log_density(sets, np.int32(x)) for x in (0, 1)])
    full /= full.sum(axis=1, keepdims=True)
    loss = m.loss()
    assert epsilon_of(full) == pytest.approx(epsilon, rel=1e-9)
    for level in (0.0, epsilon / 2):
        sticks = [np.maximum(c[0] - math.exp(level) * c[1], 0).sum() for c in (full, loss.matrix)]
        assert sticks[0] == pytest.approx(sticks[1], abs=1e-13)
    held = (sets == 0).any(axis=1)
    assert full[0, held].sum() == pytest.approx(m.p)
    assert full[1, held].sum() == pytest.approx(m.q)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_chosen_subset_size_is_the_best_one(epsilon):
    k = 40
    chosen = SubsetSelection(epsilon, k)
    best = min(SubsetSelection(epsilon, k, d).variance for d in range(1, k))
    assert chosen.variance == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("distance", [0.1, 0.35, 1.0])
def test_the_piecewise_channel_against_an_integral_of_its_density(epsilon, distance):
    m = Piecewise(epsilon)
    for start in (-1.0, 1 - 2 * distance, -distance):  # the same everywhere
        x, other = start, start + 2 * distance
        cuts = np.concatenate([m.left([x, other]), m.left([x, other]) + m.width, [-m.scale, m.scale]])
        cuts = np.sort(cuts)
        middles, lengths = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
        p, q = (np.exp(m.log_density(middles, z)) * lengths for z in (x, other))
        assert p.sum() == pytest.approx(1, rel=1e-9)
        loss = m.loss(distance)
        for level in (0.0, epsilon / 2):
            direct = np.maximum(p - math.exp(level) * q, 0).sum()
            merged = np.maximum(loss.matrix[0] - math.exp(level) * loss.matrix[1], 0).sum()
            assert direct == pytest.approx(merged, abs=1e-9)


@pytest.mark.parametrize("make", [Duchi, OneBitGradient])
@pytest.mark.parametrize("distance", [0.2, 0.7, 1.0])
def test_two_point_reports_differ_most_at_an_end(make, distance):
    m = make(2.0)
    starts = np.linspace(-1, 1 - 2 * distance, 21)
    rows = np.exp([[m.log_density(y, x) for y in m.outputs] for x in (*starts, *(starts + 2 * distance))])
    pairs = tuple((i, i + 21) for i in range(21))
    loss = m.loss(distance)
    assert epsilon_of(rows, pairs) == pytest.approx(epsilon_of(loss.matrix, loss.pairs), rel=1e-9)


@pytest.mark.parametrize("epsilon, sensitivity", [(1.0, 1), (0.3, 4), (2.0, 7)])
def test_the_discrete_laplace_channel_is_its_distribution_with_equal_ratios_merged(epsilon, sensitivity):
    m = DiscreteLaplace(epsilon, sensitivity)
    reach = math.ceil(40 * m.scale)
    n = np.arange(-reach, reach + sensitivity + 1)
    p, q = (np.exp(m.log_density(n, x)) for x in (0, sensitivity))
    assert p.sum() == pytest.approx(1, abs=1e-12)
    loss = m.loss()
    np.testing.assert_allclose(
        loss.matrix[0],
        [p[n <= 0].sum(), *p[(n > 0) & (n < sensitivity)], p[n >= sensitivity].sum()],
        rtol=1e-9,
    )
    for level in (0.0, epsilon / 3):
        direct = np.maximum(p - math.exp(level) * q, 0).sum()
        assert direct == pytest.approx(
            np.maximum(loss.matrix[0] - math.exp(level) * loss.matrix[1], 0).sum(), abs=1e-11
        )


def test_discrete_laplace_noise_of_one_step_is_randomised_response():
    np.testing.assert_allclose(DiscreteLaplace(1.7).loss().matrix, RandomizedResponse(1.7).channel, rtol=1e-12)


@pytest.mark.parametrize("noise", [Laplace(1.5), DiscreteLaplace(1.5)])
@pytest.mark.parametrize("sampling", ["poisson", "fixed-size"])
def test_sampling_amplifies_a_pure_epsilon(noise, sampling):
    """ln(1 + q(e^ε − 1)) is the largest likelihood ratio of the mixture (Balle, Barthe & Gaboardi 2018, Theorem 9)."""
    m = OnSample(noise if sampling == "poisson" else replace(noise, sensitivity=2), 0.25, sampling)
    bound = pair(m.loss(), m.stated).pure
    assert bound == pytest.approx(math.log1p(0.25 * math.expm1(1.5)))
    y = np.arange(-30, 31)
    rows = [m.log_density(y, x) for x in m.worst_pair()]
    largest = np.abs(rows[1] - rows[0]).max()
    assert largest <= bound + 1e-12
    if sampling == "poisson":
        assert largest == pytest.approx(bound)
    assert m.loss(0.0).epsilon == 0


def test_the_wrapped_gaussian_is_the_named_one():
    named, wrapped = GaussianOnSample(1.5, 0.1, "fixed-size"), OnSample(Gaussian(1.5, 2.0), 0.1, "fixed-size")
    assert named.loss() == wrapped.loss() == SubsampledGaussian(1.5, 0.1, "fixed-size")
    assert named.loss(3.0) == SubsampledGaussian(0.5, 0.1, "fixed-size")
    shift = DiscreteGaussian(1.0).loss()
    assert OnSample(DiscreteGaussian(1.0), 0.1).loss() == Sampled(shift, shift, 0.1, "poisson")


def test_the_small_channel_of_many_symbols_is_the_large_one():
    m = KRandomizedResponse(1.5, k=7)
    loss = m.loss()
    np.testing.assert_allclose(loss.matrix[0], [m.channel[0, 0], m.channel[0, 1], m.channel[0, 2:].sum()])
    assert epsilon_of(loss.matrix, loss.pairs) == pytest.approx(epsilon_of(m.channel))


# ----------------------------------------------------------------------------------- the optimal channel


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.5, 2.0])
def test_up_to_two_the_best_question_is_four_stars_or_more(epsilon):
    channel = OptimalChannel(epsilon).channel
    yes, no = logistic(epsilon), logistic(-epsilon)
    np.testing.assert_allclose(channel, [[yes, no]] * 3 + [[no, yes]] * 2, rtol=1e-9)


@pytest.mark.parametrize("epsilon", [3.0, 4.0])
def test_from_three_on_it_is_randomised_response_over_merged_stars(epsilon):
    channel = OptimalChannel(epsilon).channel
    expected = KRandomizedResponse(epsilon, k=4).channel[[0, 0, 1, 2, 3]]
    np.testing.assert_allclose(channel, expected, rtol=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_other_mechanism_explains_more_at_the_same_epsilon(epsilon):
    m = OptimalChannel(epsilon)
    share, stars = np.array(m.prior), np.array(m.grid)
    stars = stars - share @ stars

    def explained(channel: np.ndarray) -> float:
        return (((share * stars) @ channel) ** 2 / (share @ channel)).sum() / (share @ stars**2)

    # A rounded Laplace channel of noise parameter ε costs at most ε.
    rivals = [KRandomizedResponse(epsilon).channel, LaplaceRounded(epsilon).channel]
    duchi = Duchi(epsilon)
    rivals.append(np.exp([[duchi.log_density(y, x / 2) for y in duchi.outputs] for x in (-2, -1, 0, 1, 2)]))
    rng = np.random.default_rng(0)
    for _ in range(30):  # staircase channels of two random halves
        half = rng.integers(0, 2, (5, 1))
        rivals.append(np.where(half == [[0, 1]], logistic(epsilon), logistic(-epsilon)))
    assert m.explained == pytest.approx(explained(m.channel))
    assert all(explained(rival) <= m.explained + 1e-12 for rival in rivals)


def test_half_stars_and_other_priors_have_optima_too():
    grid = tuple(np.arange(1, 11) / 2)
    m = OptimalChannel(2.0, grid=grid, prior=(0.1,) * 10)
    assert epsilon_of(m.channel) == pytest.approx(2.0)
    assert m.channel.shape[0] == 10
    with pytest.raises(UserError, match="prior of 5 shares does not fit a grid of 10"):
        OptimalChannel(2.0, grid=grid)


def test_a_cached_channel_cannot_be_spoilt():
    with pytest.raises(ValueError):
        OptimalChannel(1.0).channel[0, 0] = 1.0
