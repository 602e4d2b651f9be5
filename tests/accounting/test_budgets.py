"""The filter never overspends, not even when many threads pay at once; the odometer is right at every reading."""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from recprivlib.accounting import zcdp
from recprivlib.accounting.budgets import Filter, Odometer, Overspent
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import Exact, Gaussian, GaussianOnSample, Laplace, Unknown
from recprivlib.mechanisms.losses import Pure
from recprivlib.parameters import UserError


def test_a_refused_release_costs_nothing_and_a_smaller_one_still_passes():
    purse = Filter(1.0)
    purse.spend(Laplace(epsilon=0.6))
    with pytest.raises(Overspent, match=r"costs 0\.5 .* only 0\.4 of 1"):
        purse.spend(Laplace(epsilon=0.5))
    assert purse.left == pytest.approx(0.4)
    assert purse.spend(Laplace(epsilon=0.4)) == pytest.approx(0, abs=1e-12)


def test_tenths_add_up_to_a_whole():
    purse = Filter(0.3)
    for _ in range(3):
        purse.spend(Laplace(epsilon=0.1))
    with pytest.raises(Overspent):
        purse.spend(Laplace(epsilon=0.001))


def test_forty_threads_cannot_overspend():
    """1,000 attempts at .01 on a budget of 1: exactly 100 pass. Without the lock two read one balance and more do."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        purse, start = Filter(1.0), Barrier(40)

        def attempts(_):
            start.wait()
            passed = 0
            for _ in range(25):
                try:
                    purse.spend(Laplace(epsilon=0.01))
                    passed += 1
                except Overspent:
                    pass
            return passed

        with ThreadPoolExecutor(40) as pool:
            assert sum(pool.map(attempts, range(40))) == 100
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("measure", ["zcdp", "rdp"])
def test_gaussian_budgets_are_kept_and_mostly_used(measure):
    """What a full purse of Gaussians really costs (exact profile) is at most the budget, and at least 70 % of it."""
    purse, count = Filter(2.0, 1e-6, measure), 0
    while True:
        try:
            purse.spend(Gaussian(noise_multiplier=20.0))
            count += 1
        except Overspent:
            break
    spent = tightest([(gaussian_pair(1 / 20), count)], 1e-6)[0]
    assert 0.7 * 2.0 < spent <= 2.0


def test_an_rdp_filter_pays_for_cohorts_and_a_zcdp_filter_refuses_them():
    one = GaussianOnSample(noise_multiplier=1.0, rate=0.01)
    assert Filter(2.0, 1e-5, "rdp", order=8).spend(one, count=10, relation="add-remove") > 0
    with pytest.raises(UserError, match="zcdp has no finite cost"):
        Filter(2.0, 1e-5, "zcdp").spend(one, relation="add-remove")


@pytest.mark.parametrize("mechanism", [Exact("sent in the clear"), Unknown("δ of SGLD unknown"), Gaussian()])
def test_what_has_no_finite_cost_is_refused(mechanism):
    with pytest.raises(UserError, match=r"no budget can pay|no finite cost"):
        Filter(1.0).spend(mechanism)


@pytest.mark.parametrize(
    "wrong", [(0.0,), (math.inf,), (1.0, 1e-5), (1.0, 0.0, "zcdp"), (1.0, 0.0, "rdp"), (0.01, 1e-9, "rdp", 3.0)]
)
def test_budgets_that_make_no_sense_are_refused(wrong):
    with pytest.raises(UserError):
        Filter(*wrong)


def test_the_odometer_adds_pure_epsilon():
    meter = Odometer()
    assert meter.epsilon == 0
    assert meter.record(Laplace(epsilon=0.25), count=4) == pytest.approx(1.0)
    assert meter.epsilon == pytest.approx(1.0)


def test_the_odometer_never_reads_less_than_the_truth():
    """At every reading ε is at least that of the exact Gaussian profile at the whole δ, and it never falls."""
    meter, before = Odometer(delta=1e-5), 0.0
    for count in range(1, 60):
        now = meter.record(Gaussian(noise_multiplier=8.0))
        assert now >= before
        assert now >= tightest([(gaussian_pair(1 / 8), count)], 1e-5)[0]
        before = now


def test_zcdp_budget_and_bill_agree():
    """A filter's ρ converts back to its ε: (√(ε+L) − √L)² is the textbook's inverse."""
    purse = Filter(1.5, 1e-6, "zcdp")
    assert zcdp.to_epsilon(purse.limit, 1e-6) <= 1.5
    one = pair(Pure(0.1), "replace")
    assert one is not None
    assert one.rho == pytest.approx(0.005)


@pytest.mark.parametrize(
    "wrong", [{"count": 0}, {"count": -5}, {"count": 1.5}, {"distance": -3.0}, {"distance": math.nan}]
)
def test_nothing_earns_budget_back(wrong):
    """A negative count or distance once refilled the purse."""
    purse, meter = Filter(1.0), Odometer()
    for pay in (purse.spend, meter.record):
        with pytest.raises(UserError, match=r"(count|distance) is"):
            pay(Laplace(0.5), **wrong)
    assert (purse.left, meter.epsilon) == (1.0, 0.0)
