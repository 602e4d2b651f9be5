"""What must hold for every mechanism and every run: monotone, associative, ordered from tight to loose."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recprivlib.accounting import advanced, curves, grid, guarantee, pld, pure, rdp, zcdp
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms.losses import Channel, GaussianShift, LaplaceShift, Pure, SubsampledGaussian
from recprivlib.protocols import Change, Ledger, Release

EXAMPLES = settings(max_examples=30, deadline=None, derandomize=True)
CLOSE = 1 + 2 * grid.ROUNDING  # two bills may lie on different grids

deltas = st.sampled_from([1e-3, 1e-5, 1e-8])
counts = st.integers(1, 300)
budgets = st.floats(0.02, 4.0)


def channel(seed: int) -> Channel:
    matrix = np.random.default_rng(seed).dirichlet(np.full(4, 3.0), 3)
    return Channel(matrix, ((0, 1), (1, 2), (0, 2)))


losses = st.one_of(
    budgets.map(Pure),
    budgets.map(LaplaceShift),
    budgets.map(GaussianShift),
    st.integers(0, 50).map(channel),
    st.builds(SubsampledGaussian, st.floats(0.6, 4.0), st.floats(0.002, 0.5), st.just("poisson")),
)


@EXAMPLES
@given(losses, counts, deltas)
def test_tight_is_never_looser_than_loose(loss, count, delta):
    """The bill ≤ RDP ≤ basic, and ≤ zCDP and advanced composition where they apply."""
    parts = [(pair(loss, "add-remove"), count)]
    bill = tightest(parts, delta)[0]
    for other in (rdp.epsilon, zcdp.epsilon, advanced.epsilon):
        assert bill <= other(parts, delta) * CLOSE + 1e-9
    assert rdp.epsilon(parts, delta) <= pure.epsilon(parts)


@EXAMPLES
@given(losses, counts, counts, deltas)
def test_more_releases_cost_more(loss, few, more, delta):
    one = pair(loss, "add-remove")
    few, more = sorted((few, more))
    assert tightest([(one, few)], delta)[0] <= tightest([(one, more)], delta)[0] * CLOSE + 1e-9


@EXAMPLES
@given(st.floats(0.5, 3.0), st.floats(1.02, 2.0), st.floats(0.002, 0.5), counts, deltas,
       st.sampled_from([("poisson", "add-remove"), ("poisson", "replace"), ("fixed-size", "replace")]))  # fmt: skip
def test_more_noise_costs_less(noise, factor, rate, count, delta, scheme):
    loud, quiet = (pair(SubsampledGaussian(z, rate, scheme[0]), scheme[1]) for z in (noise, noise * factor))
    assert tightest([(quiet, count)], delta)[0] <= tightest([(loud, count)], delta)[0] * CLOSE + 1e-9


@EXAMPLES
@given(losses, counts, st.sampled_from([(1e-3, 1e-5), (1e-5, 1e-9)]))
def test_a_smaller_delta_costs_more(loss, count, pair_of_deltas):
    parts = [(pair(loss, "add-remove"), count)]
    large, small = (tightest(parts, delta)[0] for delta in pair_of_deltas)
    assert large <= small * CLOSE + 1e-9


class Fixed:
    """A mechanism with a given loss."""

    draws_itself = True

    def __init__(self, loss):
        self.value = loss

    def loss(self, distance=1.0):
        return self.value


@EXAMPLES
@given(losses, st.integers(2, 12), deltas)
def test_once_n_times_is_n_at_once(loss, count, delta):
    terms = {("user", "add-remove"): Change()}
    mechanism = Fixed(loss)
    at_once = Ledger((Release("x", mechanism, terms, count),))
    apart = Ledger((Release("x", mechanism, terms),) * count)
    inputs = Ledger((Release("x", mechanism, {("user", "add-remove"): Change(inputs=count)}),))
    alike = (at_once, apart) if isinstance(loss, SubsampledGaussian) else (at_once, apart, inputs)
    bills = {guarantee(ledger, "user", "add-remove", delta, "server").epsilon for ledger in alike}
    assert len(bills) == 1


@EXAMPLES
@given(st.lists(losses, min_size=2, max_size=4), deltas)
def test_mixed_runs_cost_at_least_their_dearest_part_and_at_most_rdp(run, delta):
    parts = [(pair(loss, "add-remove"), 3) for loss in run]
    bill = tightest(parts, delta)[0]
    for part in parts:
        assert tightest([part], delta)[0] <= bill * CLOSE + 1e-9
    assert bill <= rdp.epsilon(parts, delta) * CLOSE + 1e-9


@EXAMPLES
@given(losses, counts, deltas)
def test_epsilon_and_delta_are_inverse(loss, count, delta):
    """δ(ε) of the composed losses, read back at the ε that was solved for, is δ."""
    one = pair(loss, "add-remove")
    step = grid.grid_step([(one, count)])
    composed = pld.composed(
        [(grid.discretised(one.profile, one.reverse, step, delta * 1e-6, one.largest), count)], delta
    )
    epsilon = composed.epsilon(delta)
    if 0 < epsilon < math.inf:
        assert composed.delta(epsilon) == pytest.approx(delta, rel=1e-6)


@EXAMPLES
@given(st.floats(0.6, 3.0), st.floats(0.002, 0.3), counts, deltas)
def test_cohorts_without_replacement_cost_at_least_independent_ones(noise, rate, count, delta):
    """Under replacement Poisson's exact bill at the same physical noise is a floor for any sound fixed-size bound."""
    fixed, floor = (pair(SubsampledGaussian(noise, rate, scheme), "replace") for scheme in ("fixed-size", "poisson"))
    assert tightest([(floor, count)], delta)[0] <= tightest([(fixed, count)], delta)[0] * CLOSE + 1e-9


def test_curves_are_the_single_bills():
    loss, counts = SubsampledGaussian(1.0, 0.01, "fixed-size"), [1, 10, 100, 1000]
    by_count = curves.over_counts(loss, counts, "replace", 1e-5)
    all_of_them = curves.accountants(loss, counts, "replace", 1e-5)
    for i, count in enumerate(counts):
        parts = [(pair(loss, "replace"), count)]
        assert by_count[i] == tightest(parts, 1e-5)[0] == all_of_them["tightest"][i]
        assert all_of_them["RDP"][i] == pytest.approx(rdp.epsilon(parts, 1e-5), rel=1e-12)
    noises = [SubsampledGaussian(z, 0.01, "fixed-size") for z in (0.8, 1.0, 2.0)]
    assert (np.diff(curves.over_losses(noises, 100, "replace", 1e-5)) < 0).all()
    assert set(curves.accountants(Pure(0.0), counts, "replace", 1e-5)["RDP"]) == {0.0}
