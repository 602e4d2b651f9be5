"""Bills at the edge of what doubles hold: heavy losses, tiny δ, ε beyond 700. References: mpmath and dp-accounting."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.accounting import exact, grid, mechanism_bill, pld, profiles
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import MECHANISMS, DiscreteGaussian, Gaussian, OnSample
from recprivlib.mechanisms.losses import GaussianShift, LaplaceShift, SubsampledGaussian
from recprivlib.parameters import configured

mp = pytest.importorskip("mpmath")


def counted(loss, relation, count, delta):
    return tightest([(pair(loss, relation), count)], delta)[0]


def test_a_bill_of_thousands_does_not_vanish_in_an_overflow():
    """2.3e-13 was counted. With μ = 100 and rate ½ δ(ε) is the integral of two mixtures, in 40 digits."""
    mp.mp.dps = 40
    found = counted(OnSample(Gaussian(0.01), 0.5, "poisson", "replace").loss(), "replace", 1, 1e-6)

    def mixture(z, x):
        return (mp.npdf(z) + mp.npdf(z, x)) / 2

    def delta(e):
        def gap(z):
            return mixture(z, 50) - mp.e**e * mixture(z, -50)

        start = mp.findroot(lambda z: mp.log(mixture(z, 50)) - mp.log(mixture(z, -50)) - e, (30, 60), solver="illinois")
        return mp.quad(gap, [start, start + 1, start + 3, start + 10, start + 30])

    assert 1479 < found < 1480
    assert float(delta(mp.mpf(found))) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize(("noise", "distance"), [(DiscreteGaussian(0.05, 20), 1.7), (DiscreteGaussian(0.5, 4), 2.0)])
def test_a_discrete_gaussian_far_out_is_its_sum(noise, distance):
    """from 30 standard deviations on 2.3e-10 was counted; Gaussian noise alone costs 739."""
    mp.mp.dps = 60
    loss = noise.loss(distance)
    found = counted(loss, "replace", 1, 1e-6)
    weight = {n: mp.e ** (-(mp.mpf(n) ** 2) / (2 * mp.mpf(loss.sigma) ** 2)) for n in range(-120, 121)}
    total = sum(weight.values())
    gaps = (weight[n] - mp.e ** mp.mpf(found) * weight.get(n + loss.shift, mp.mpf(0)) for n in range(-120, 121))
    assert float(sum(max(gap, 0) for gap in gaps) / total) == pytest.approx(1e-6, rel=1e-5)
    assert found == pytest.approx(counted(GaussianShift(loss.shift / loss.sigma), "replace", 1, 1e-6), rel=0.2)


@pytest.mark.parametrize(("noise", "rate", "count", "delta", "once", "now", "step"), [
    (1.0, 1e-4, 1000, 1e-12, 1.40, 0.095, 5e-5), (0.6, 1e-4, 10_000, 1e-9, 3.61, 1.92, 5e-5),
    (0.5, 1e-3, 100, 1e-10, 7.83, 6.66, 5e-4),
])  # fmt: skip
def test_rare_heavy_losses_at_a_small_delta(noise, rate, count, delta, once, now, step):
    """`once` was counted. Between the optimistic and the pessimistic grid of dp-accounting, within 1 %."""
    other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    found = counted(SubsampledGaussian(noise, rate, "poisson"), "add-remove", count, delta)
    low, high = (
        other.from_gaussian_mechanism(
            noise, value_discretization_interval=step, sampling_prob=rate, log_mass_truncation_bound=-60,
            pessimistic_estimate=side,
        ).self_compose(count).get_epsilon_for_delta(delta)
        for side in (False, True)
    )  # fmt: skip
    assert found == pytest.approx(now, rel=0.01)
    assert low * (1 - 1e-6) <= found <= high * (1 + 5e-3) < once


@pytest.mark.parametrize("name", ["subset-selection", "unary-one-sided", "randomized-response", "optimal-channel"])
@pytest.mark.parametrize("count", [1, 2, 50])
def test_the_largest_budget_has_a_bill(name, count):
    """two releases of `subset-selection` or `unary-one-sided` at ε = 50 divided by 0."""
    found = mechanism_bill(configured(MECHANISMS[name], {"epsilon": 50.0}), name, count, delta=1e-6)["counted"]
    if name == "unary-one-sided":
        assert (found["epsilon"], bool(found["why_infinite"])) == (math.inf, True)
    else:
        assert 45 * count <= found["epsilon"] <= 50 * count * (1 + 1e-9)


def test_what_is_not_a_number_is_never_small():
    """A profile of NaN would read as "reached": it raises; in a composition its masses are refused too."""

    def broken(e):
        return np.where(e > 1, np.nan, 0.5 * np.exp(-e))

    one = Pair("broken", broken, broken, math.inf, None, mean=0.1, variance=0.2)
    with pytest.raises(ArithmeticError, match="not a number"):
        exact.epsilon(one, 1e-6)
    with pytest.raises(ArithmeticError, match="not a number"):
        pld.epsilon([(one, 3)], 1e-6)
    with pytest.raises(ArithmeticError, match="not a number"):
        grid.Losses(0.1, 0, np.array([0.5, np.nan, 0.1]), 0.0).epsilon(1e-6)
    with pytest.raises(ArithmeticError, match="not a number"):
        grid.Losses(0.1, 0, np.array([0.5, 0.1]), math.nan).epsilon(1e-6)


FAR = np.array([0.0, 1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0, 739.0, 5e3, 4.9e5, 1e9])


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 1.0, 34.0, 100.0, 1e3])
def test_no_profile_overflows(mu):
    """Falling, within [0, 1], no warning; and Gaussian noise to 1e-9 of what 60 digits say."""
    mp.mp.dps = 60
    with np.errstate(all="raise", under="ignore"):
        curves = [profiles.gaussian(FAR, mu), profiles.laplace(FAR, mu), profiles.randomized_response(FAR, mu)]
        for rate in (1e-9, 1e-3, 0.5, 1 - 1e-9):
            sampled = (profiles.poisson_removed, profiles.poisson_added, profiles.poisson_replaced,
                       profiles.fixed_size_replaced)  # fmt: skip
            curves.extend(curve(FAR, mu, rate) for curve in sampled)
    for curve in curves:
        assert (np.diff(curve) <= 1e-15).all()
        assert ((curve >= 0) & (curve <= 1)).all()
    for e, found in zip(FAR, curves[0], strict=True):
        a = mp.mpf(mu) / 2 - mp.mpf(e) / mu
        true = float(mp.ncdf(a) - mp.e ** mp.mpf(e) * mp.ncdf(a - mu))
        assert found == pytest.approx(true, rel=1e-9 + 1e-15 / mu, abs=1e-300)


def test_finite_channels_are_read_far_out():
    rows, others = np.array([[0.5, 0.5, 0.0]]), np.array([[0.0, 1e-300, 1.0]])
    np.testing.assert_allclose(profiles.channel(np.array([0.0, 500.0, 800.0, 1e6]), rows, others), [1, 1, 0.5, 0.5])
    losses, masses = np.array([-2e3, 0.0, 900.0]), np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(profiles.atomic(losses, masses)(np.array([0.0, 899.0, 900.0])),
                               [0.5, 0.5 * -math.expm1(-1.0), 0.0], rtol=1e-12)  # fmt: skip


def test_a_few_losses_of_different_kinds_are_counted_on_a_grid_that_is_fine_enough():
    """Two sampled sums and one Laplace report, all tiny: at most 1 % above dp-accounting's fine grid (it was 6 %)."""
    other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    for noise, rate, each, delta in ((1.0, 0.01, 0.6, 1e-5), (0.8, 0.001, 0.5, 1e-6), (2.0, 0.05, 0.3, 1e-4)):
        parts = [(pair(SubsampledGaussian(noise, rate, "poisson"), "add-remove"), 2),
                 (pair(LaplaceShift(each), "add-remove"), 1)]  # fmt: skip
        low, high = (
            other.from_laplace_mechanism(1 / each, value_discretization_interval=4e-4, pessimistic_estimate=side)
            .compose(other.from_gaussian_mechanism(noise, value_discretization_interval=4e-4, sampling_prob=rate,
                                                   pessimistic_estimate=side).self_compose(2))
            .get_epsilon_for_delta(delta)
            for side in (False, True)
        )  # fmt: skip
        assert low - 1e-6 <= tightest(parts, delta)[0] <= high * 1.003
