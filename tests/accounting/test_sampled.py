"""Sampled mechanisms against integrals, sums and dp-accounting; several records of one person under one noise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from recprivlib.accounting import guarantee
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, OnSample, losses
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release

GRID = np.array([0.0, 0.05, 0.2, 0.5, 1.0, 2.0])
USER = ("user", "add-remove")


def stick(p, q, weight, e=GRID):
    return np.array([(np.maximum(p - math.exp(x) * q, 0) * weight).sum() for x in e])


def counted(loss, relation, count=1, delta=1e-6):
    return tightest([(pair(loss, relation), count)], delta)[0]


Z = np.linspace(-40, 40, 800_001)


def laplace(at):
    return np.exp(-np.abs(Z - at)) / 2


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.95])
@pytest.mark.parametrize("c", [0.3, 1.0, 3.0])
def test_sampled_laplace_noise_is_its_integral(c, rate):
    step = Z[1] - Z[0]
    away, up, down = (
        laplace(0),
        (1 - rate) * laplace(0) + rate * laplace(c),
        (1 - rate) * laplace(0) + rate * laplace(-c),
    )
    loss = losses.Sampled(losses.LaplaceShift(c), losses.LaplaceShift(2 * c), rate, "poisson")
    one, other = pair(loss, "add-remove"), pair(loss, "replace")
    np.testing.assert_allclose(one.profile(GRID), stick(up, away, step), atol=1e-7)
    np.testing.assert_allclose(one.reverse(GRID), stick(away, up, step), atol=1e-7)
    np.testing.assert_allclose(other.profile(GRID), stick(up, down, step), atol=1e-7)
    assert other.pure == pytest.approx(np.log(up / down).max(), rel=1e-9)
    assert max(one.pure, 0) == pytest.approx(np.log(up / away).max(), rel=1e-9)


@pytest.mark.parametrize("noise", ["laplace", "discrete gaussian", "discrete laplace"])
def test_opposite_values_are_the_worst_of_log_concave_noise(noise):
    """Every x, x′ on a grid of values in [−c, c]: what the docstring proves. x′ = 0 alone would be up to 40 % lower."""
    rate, c = 0.3, 1.5
    if noise == "laplace":
        loss, step, places = (
            losses.Sampled(losses.LaplaceShift(c), losses.LaplaceShift(2 * c), rate, "poisson"),
            Z[5] - Z[0],
            np.linspace(-c, c, 9),
        )
        density = {x: laplace(x)[::5] for x in [*places, 0.0]}
    elif noise == "discrete laplace":
        loss = losses.Sampled(DiscreteLaplace(c, 4).loss(), DiscreteLaplace(2 * c, 8).loss(), rate, "poisson")
        n, step, places = np.arange(-200, 201), 1.0, np.arange(-4, 5)
        density = {x: np.tanh(c / 8) * np.exp(-np.abs(n - x) * c / 4) for x in [*places, 0]}
    else:
        one, two = losses.DiscreteGaussianShift(2.5, 4), losses.DiscreteGaussianShift(2.5, 8)
        loss = losses.Sampled(one, two, rate, "poisson")
        n, step, places = np.arange(-90, 91), 1.0, np.arange(-4, 5)
        density = {x: np.exp(-0.5 * ((n - x) / 2.5) ** 2) / np.exp(-0.5 * (n / 2.5) ** 2).sum() for x in [*places, 0]}
    mixed = {x: (1 - rate) * density[0] + rate * density[x] for x in places}
    found = np.max([stick(mixed[x], mixed[y], step) for x, y in itertools.permutations(places, 2)], axis=0)
    np.testing.assert_allclose(found, pair(loss, "replace").profile(GRID), atol=1e-7)


@pytest.mark.parametrize("rate", [0.02, 0.5])
def test_sampled_channels_are_their_sums(rate):
    """A randomised response and an asymmetric channel, with and without her; the bound under replace holds."""
    for matrix in (np.array([[0.8, 0.2], [0.2, 0.8]]), np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])):
        base = losses.Channel(matrix, ((0, 1),))
        one = pair(losses.Sampled(base, base, rate, "poisson"), "add-remove")
        worst = np.zeros(len(GRID))
        for away, here in (matrix, matrix[::-1]):
            mixed = (1 - rate) * away + rate * here
            worst = np.max([worst, stick(mixed, away, 1.0), stick(away, mixed, 1.0)], axis=0)
        np.testing.assert_allclose(np.maximum(one.profile(GRID), one.reverse(GRID)), worst, atol=1e-12)
        for scheme in ("poisson", "fixed-size"):
            bound = pair(losses.Sampled(base, base, rate, scheme), "replace").profile(GRID)
            assert (worst <= bound + 1e-12).all()


@pytest.mark.parametrize(("loss", "relation", "count", "was", "now"), [
    (OnSample(Laplace(1.0), 0.01).loss(), "add-remove", 1000, 2.44, 1.29),
    (OnSample(Laplace(1.0, 2.0), 0.1, "poisson", "replace").loss(), "replace", 1, 0.159, 0.103),
])  # fmt: skip
def test_figures_of_sampled_laplace_noise(loss, relation, count, was, now):
    """`was` was counted. The first against dp-accounting, the second against ln(max ratio) at δ = 10⁻⁶."""
    found = counted(loss, relation, count)
    assert found == pytest.approx(now, rel=0.01)
    assert found < was
    if relation == "add-remove":
        other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
        low, high = (
            other.from_laplace_mechanism(1.0, value_discretization_interval=1e-4, sampling_prob=0.01,
                                         pessimistic_estimate=side).self_compose(count).get_epsilon_for_delta(1e-6)
            for side in (False, True)
        )  # fmt: skip
        assert low - 1e-6 <= found <= high * 1.003


@pytest.mark.parametrize(("epsilon", "sensitivity", "rate", "count", "was", "now"), [
    (1.0, 2, 0.01, 1, 0.01703, 0.01041), (2.0, 2, 0.3, 1, 1.0704, 0.6260), (1.0, 4, 0.1, 100, 4.530, 4.119),
])  # fmt: skip
def test_figures_of_whole_number_laplace_noise_on_a_sample(epsilon, sensitivity, rate, count, was, now):
    """Where a person is replaced: `was` took the worst of either world, which no two values reach together."""
    noise = DiscreteLaplace(epsilon, sensitivity)
    found = counted(OnSample(noise, rate, "poisson", "replace").loss(), "replace", count)
    assert found == pytest.approx(now, rel=1e-3)
    half, whole = noise.loss(0.5), noise.loss(1.0)
    plain = losses.Sampled(*(losses.Channel(x.matrix, x.pairs) for x in (half, whole)), rate, "poisson")
    assert counted(plain, "replace", count) == pytest.approx(was, rel=1e-3)
    n, c = np.arange(-400, 401), sensitivity // 2
    worlds = [(1 - rate) * np.exp(-np.abs(n) * epsilon / sensitivity) +
              rate * np.exp(-np.abs(n - x) * epsilon / sensitivity) for x in (c, -c)]  # fmt: skip
    assert counted(OnSample(noise, rate, "poisson", "replace").loss(), "replace", 1, 0.0) == pytest.approx(
        np.log(worlds[0] / worlds[1]).max(), rel=1e-9
    )


def test_whole_number_noise_on_a_sample_costs_what_gaussian_noise_costs():
    """σ = 10 steps; at 1,000 rounds they differ by 10⁻⁴. At σ = 1, and by simulation, δ within 4 standard errors."""
    for relation, sensitivity in (("add-remove", 10), ("replace", 20)):
        whole = OnSample(DiscreteGaussian(1.0, sensitivity), 0.01, "poisson", relation).loss()
        smooth = OnSample(Gaussian(1.0), 0.01, "poisson", relation).loss()
        assert counted(whole, relation, 1000) == pytest.approx(counted(smooth, relation, 1000), rel=1e-3)
    rng, rate, runs, rounds = np.random.default_rng(3), 0.2, 200_000, 12
    one = pair(OnSample(DiscreteGaussian(1.0, 1), rate).loss(), "add-remove")
    n = np.arange(-12, 13)
    p = np.exp(-0.5 * n**2) / np.exp(-0.5 * n**2).sum()
    y = rng.choice(n, (runs, rounds), p=p) + (rng.random((runs, rounds)) < rate)
    loss = np.log(1 - rate + rate * np.exp(y - 0.5)).sum(axis=1)
    for delta in (0.1, 0.01):
        epsilon = tightest([(one, rounds)], delta)[0]
        gain = np.maximum(-np.expm1(epsilon - loss), 0)
        assert gain.mean() <= delta + 4 * gain.std() / runs**0.5
        assert gain.mean() == pytest.approx(delta, rel=0.03)


# ------------------------------------------------------------------------- several records of one person


def gaussian(at):
    return np.exp(-0.5 * (Z - at) ** 2) / math.sqrt(2 * math.pi)


@pytest.mark.parametrize(("mu", "rate", "records"), [(0.5, 0.1, 2), (1.0, 0.02, 10), (0.2, 0.6, 5)])
def test_several_records_under_one_noise_are_their_integral(mu, rate, records):
    step = Z[1] - Z[0]
    shares = [math.comb(records, j) * rate**j * (1 - rate) ** (records - j) for j in range(records + 1)]
    up, down = (sum(w * gaussian(side * j * mu) for j, w in enumerate(shares)) for side in (1, -1))
    loss = losses.Sampled(losses.GaussianShift(mu), losses.GaussianShift(2 * mu), rate, "poisson", records)
    one, other = pair(loss, "add-remove"), pair(loss, "replace")
    np.testing.assert_allclose(one.profile(GRID), stick(up, gaussian(0), step), atol=1e-8)
    np.testing.assert_allclose(one.reverse(GRID), stick(gaussian(0), up, step), atol=1e-8)
    np.testing.assert_allclose(other.profile(GRID), stick(up, down, step), atol=1e-8)


def test_parallel_records_of_full_length_are_the_worst():
    """What Kahane's inequality proves, in the plane: 40 draws of two records (and of their replacements), each in the
    disc. One set of 40,000 normal draws; records that count as one of their mean length would be far below."""
    rng, mu, rate = np.random.default_rng(9), 1.2, 0.4
    z = rng.standard_normal((40_000, 2))
    loss = losses.Sampled(losses.GaussianShift(mu), losses.GaussianShift(2 * mu), rate, "poisson", 2)
    one, other = pair(loss, "add-remove"), pair(loss, "replace")

    def likelihood(records):
        total = np.zeros(len(z))
        for chosen in itertools.product((0, 1), repeat=2):
            w = np.array(chosen) @ records
            total += rate ** sum(chosen) * (1 - rate) ** (2 - sum(chosen)) * np.exp(z @ w - w @ w / 2)
        return total

    for e in (0.0, 0.3, 0.8):
        at = np.array([e])
        for _ in range(40):
            angles, lengths = rng.uniform(0, 7, (2, 2)), mu * rng.random((2, 2)) ** 0.5
            x, y = (
                likelihood(r[:, None] * np.stack([np.cos(t), np.sin(t)], 1))
                for r, t in zip(lengths, angles, strict=True)
            )
            for found, bound in ((x - math.exp(e), one.profile), (1 - math.exp(e) * x, one.reverse),
                                 (x - math.exp(e) * y, other.profile)):  # fmt: skip
                gain = np.maximum(found, 0)
                assert gain.mean() <= bound(at)[0] + 4 * gain.std() / len(z) ** 0.5


def test_ten_sampled_interactions_of_one_person():
    """6.91 was counted (ten times as many releases) where 30.6 is true: dp-accounting's Gaussian mixture. Its dots are
    connected from above, 2·10⁻⁴ off on this grid; from below its finest grid says no more than 26."""
    other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    mechanism = OnSample(Gaussian(1.0), 0.01)

    def bill(change):
        line = Release("sum", mechanism, {("interaction", "add-remove"): Change(), USER: change}, 1000)
        return guarantee(Ledger((line,)), *USER, 1e-6, "server").epsilon

    shares = [math.comb(10, j) * 0.01**j * 0.99 ** (10 - j) for j in range(11)]
    once = other.from_mixture_gaussian_mechanism(1.0, list(range(11)), shares, value_discretization_interval=5e-3)
    true = once.self_compose(1000).get_epsilon_for_delta(1e-6)
    assert true == pytest.approx(30.6, rel=2e-3)
    assert true * (1 - 1e-3) <= bill(Change(records=10)) <= true * 1.005
    with pytest.raises(UserError, match="share its noise"):
        bill(Change(inputs=10))
    assert counted(mechanism.loss(), "add-remove", 10_000) == pytest.approx(6.91, rel=0.01)  # what it would have been


def test_several_records_are_for_sampled_gaussian_sums_only():
    line = Release("x", Laplace(), {USER: Change(records=2)})
    with pytest.raises(UserError, match="no sampled sum"):
        guarantee(Ledger((line,)), *USER, 1e-6, "server")
    for sampling, noise in (("fixed-size", Gaussian(1.0)), ("poisson", Laplace())):
        relation = "replace" if sampling == "fixed-size" else "add-remove"
        line = Release("x", OnSample(noise, 0.5, sampling), {("user", relation): Change(records=2)})
        with pytest.raises(UserError, match="Gaussian noise on Poisson samples only"):
            guarantee(Ledger((line,)), "user", relation, 1e-6, "server")


@pytest.mark.parametrize("loss", [
    losses.LaplaceShift(1.0), losses.Pure(1.0), losses.DiscreteGaussianShift(2.0, 3), losses.GaussianShift(0.7),
    DiscreteLaplace(1.0, 3).loss(),
])  # fmt: skip
@pytest.mark.parametrize("scheme", ["poisson", "fixed-size"])
def test_everybody_drawn_is_no_sample_and_nobody_drawn_is_nothing(loss, scheme):
    e = GRID
    whole = pair(losses.Sampled(loss, loss, 1.0, scheme), "replace")
    nearly = pair(losses.Sampled(loss, loss, 1 - 1e-12, scheme), "replace")
    np.testing.assert_allclose(whole.profile(e), pair(loss, "replace").profile(e), atol=1e-12)
    if scheme == "fixed-size":
        np.testing.assert_allclose(nearly.profile(e), whole.profile(e), atol=1e-9)
    assert pair(losses.Sampled(loss, loss, 0.0, scheme), "replace") is None


def test_one_cohort_of_fixed_size_reaches_its_bound_and_a_hundred_cost_little_less():
    """All others like the one who comes: (1−q)N(0)+qN(μ) against N(0). dp-accounting composes that pair."""
    other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    loss = losses.SubsampledGaussian(1.0, 0.01, "fixed-size")
    calm, moved = (np.exp(-((Z - at) ** 2) / 2) / math.sqrt(2 * math.pi) for at in (0, 1))
    found = pair(loss, "replace")
    assert found.symmetric
    np.testing.assert_allclose(
        found.profile(GRID), stick(0.99 * calm + 0.01 * moved, calm, Z[1] - Z[0]), rtol=1e-6, atol=1e-12
    )
    reached = other.from_gaussian_mechanism(
        1.0, sampling_prob=0.01, value_discretization_interval=1e-4, pessimistic_estimate=False, use_connect_dots=False
    ).self_compose(100).get_epsilon_for_delta(1e-5)  # fmt: skip
    bound = counted(loss, "replace", 100, 1e-5)
    assert reached == pytest.approx(0.713, abs=0.001)
    assert bound == pytest.approx(0.768, abs=0.001)


def test_a_sample_of_what_proves_or_says_nothing_has_a_bill():
    """All losses are 0 or infinite: there is nothing to make a grid of."""
    base = losses.Channel(np.array([[0.03, 0.97], [0.0, 1.0]]), ((0, 1),))
    loss = losses.Sampled(base, base, 0.998, "poisson")
    assert counted(loss, "replace", 4, 3e-4) == math.inf
    assert counted(loss, "replace", 4, 0.2) < 1
