"""The accountant inverted: never above ε, and within 1 % below it or with the reason why."""

import math
from dataclasses import dataclass

import pytest

from recprivlib.accounting import bill, guarantee, supported
from recprivlib.mechanisms import Laplace
from recprivlib.parameters import BUDGET, UserError, check, configured, parameter
from recprivlib.protocols import Change, Ledger, Release, Sizes
from recprivlib.registry import get, systems
from recprivlib.tuning.inverse import Terms, paid, paying, stated_terms
from recprivlib.tuning.totals import calibrated

SIZES = Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
PRIVATE = {name: entry for name, entry in systems().items() if entry.terms}
REASONS = ("has no finite ε", "does not come down to", "it goes no further than", "its bill jumps")
LITTLE_OFTEN_MUCH = (0.7, 5.0, 300.0)


def counted(system, terms):
    return guarantee(system.ledger(SIZES), terms.unit, terms.relation, terms.delta, terms.view).epsilon


@pytest.mark.parametrize("name", PRIVATE)
def test_a_bill_is_met_from_below_or_it_is_said_why_not(name):
    entry = PRIVATE[name]
    own = stated_terms(entry, entry.system, SIZES)
    ledger = entry.system.ledger(SIZES)
    for unit, relation in supported(ledger, own.view):
        for delta in (0.0, 1e-5):
            for epsilon in LITTLE_OFTEN_MUCH:
                met(name, entry.system, Terms(unit, relation, own.view, delta), epsilon)
    if any(release.crowd > 1 for release in ledger.releases):
        met(name, entry.system, Terms(own.unit, own.relation, "shuffled", 1e-5), 5.0)


def met(name, system, terms, epsilon):
    said, found = "", None
    try:
        found = paid(name, system, SIZES, terms, epsilon)
    except UserError as error:
        said = str(error)
    if found is None:
        assert any(reason in said for reason in REASONS[:2]), said
        return
    assert found.epsilon == counted(found.system, terms) <= epsilon
    assert found.why == "" or any(found.why.startswith(reason) for reason in REASONS[2:])
    assert (found.epsilon >= 0.99 * epsilon) == (found.why == "")
    others = set(vars(system)) - set(paying(system))
    assert all(getattr(found.system, one) == getattr(system, one) for one in others)


@pytest.mark.parametrize("name", PRIVATE)
def test_what_a_system_costs_now_can_be_asked_for_again_from_a_setting_far_away(name):
    entry = PRIVATE[name]
    terms = stated_terms(entry, entry.system, SIZES)
    epsilon = counted(entry.system, terms)
    if not math.isfinite(epsilon):
        with pytest.raises(UserError, match="has no finite ε at these terms"):
            paid(name, entry.system, SIZES, terms, 1.0)
        return
    away = configured(entry.system, {one: 2.7 * getattr(entry.system, one) for one in paying(entry.system)})
    found = paid(name, away, SIZES, terms, epsilon)
    assert (found.why, found.epsilon <= epsilon) == ("", True)
    for one in paying(entry.system):
        assert getattr(found.system, one) == pytest.approx(getattr(entry.system, one), rel=0.02)


@pytest.mark.parametrize("name", PRIVATE)
def test_the_terms_are_those_of_the_bill(name):
    entry = PRIVATE[name]
    ledger = entry.system.ledger(SIZES)
    view = stated_terms(entry, entry.system, SIZES).view
    for asked in ({}, {"delta": 1e-6}, {"unit": "user"}, {"relation": supported(ledger, view)[-1][1]}, {"view": view}):
        if asked.get("unit") and not any(unit == "user" for unit, _ in supported(ledger, view)):
            continue
        one = bill(entry, entry.system, SIZES, **asked)["counted"]
        terms = stated_terms(entry, entry.system, SIZES, **asked)
        assert vars(terms) == {key: one[key] for key in ("unit", "relation", "view", "delta")}, asked
    with pytest.raises(UserError, match=r"unit (is )?'people'"):
        calibrated(name, 1.0, sizes=SIZES, unit="people")


@pytest.mark.parametrize(
    "name, settings, epsilon, terms, values",
    [
        ("dplcf-sp", {}, 1.0, {"relation": "swap"}, {"epsilon": 0.5}),  # two bits differ
        ("fmf-ldp", {"k": 7, "epochs": 1}, 50.0, {}, {"epsilon": 7.14}),  # 50/7, cut to few digits
        ("fmf-ldp", {}, 5000.0, {}, {"epsilon": 2.5}),  # 100 reports in each of 20 epochs
        ("ldp-popularity", {"reports": "one"}, 4.0, {"unit": "user"}, {"epsilon": 4.0}),
        ("dp-gram", {"epsilon": 7.0}, 1.0, {}, {"epsilon": 1.0}),  # its ε is of the whole run
        ("discrete-rr-mf", {}, 5.0, {}, {"epsilon1": 2.074, "epsilon2": 2.074}),  # both by one factor
        ("laplace-svd", {}, 3.0, {}, {"epsilon1": 3.0}),
    ],
)
def test_known_bills(name, settings, epsilon, terms, values):
    found = calibrated(name, epsilon, settings=settings, sizes=SIZES, **terms)
    assert {one: getattr(found, one) for one in values} == values


def test_more_noise_makes_a_smaller_bill_where_noise_is_what_is_paid_with():
    low, high = (calibrated("dp-privrec", epsilon, sizes=SIZES, delta=1e-5) for epsilon in (1.0, 8.0))
    assert low.noise_multiplier > 4 * high.noise_multiplier


@pytest.mark.parametrize(
    "name, epsilon, terms, said",
    [
        ("popularity", 1.0, {}, "popularity promises nothing about privacy"),
        ("dplcf-ap", 1.0, {}, r"dplcf-ap has no finite ε at these terms \(interaction, add-remove, server, δ = 0\): "),
        ("dpsgd-pnbm", 1.0, {}, "item means are released exactly"),
        ("dp-gram", 1.0, {"delta": 0.0}, "Gaussian noise has no pure ε"),
        ("dplcf-sp", 5.0, {"unit": "user", "relation": "replace"}, r"the least is ε = 84\.1, at epsilon 0\.05"),
        ("dplcf-sp", 100.0, {}, "it goes no further than epsilon 20, which costs ε = 20"),
        ("discrete-rr-mf", 0.7, {}, r"the least is ε = 3\.676, at epsilon1 0\.57"),  # below, it costs more again
        ("dplcf-sp", 0.0, {}, "the bill to meet is ε = 0, but must be a number above 0"),
        ("dplcf-sp", math.inf, {}, "the bill to meet is ε = inf"),
    ],
)
def test_the_reason_why_there_is_none_is_one_sentence(name, epsilon, terms, said):
    with pytest.raises(UserError, match=said):
        calibrated(name, epsilon, sizes=SIZES, **terms)


def test_a_bill_that_falls_and_rises_again_is_met_where_it_crosses():
    far = configured(get("discrete-rr-mf").system, {"epsilon1": 0.05, "epsilon2": 0.05})  # costs 5.17, and 1 costs 3.9
    for epsilon in (3.7, 4.0, 5.0):
        met("discrete-rr-mf", far, stated_terms(get("discrete-rr-mf"), far, SIZES), epsilon)
        assert paid("it", far, SIZES, Terms("rating", "replace-value", "server", 0.0), epsilon).why == ""


@dataclass(frozen=True)
class Steps:
    """Costs its ε rounded up to whole numbers."""

    epsilon: float = parameter(1.0, 0.1, 9.0, "ε before it is rounded up", tune=BUDGET)
    __post_init__ = check

    def fit(self, train, rng):
        raise NotImplementedError

    def ledger(self, sizes):
        mechanism = Laplace(epsilon=float(math.ceil(self.epsilon)))
        return Ledger((Release("it", mechanism, {("rating", "replace-value"): Change()}),), trust="nobody")


@dataclass(frozen=True)
class Unpaid(Steps):
    """Names nothing that it is paid with."""

    epsilon: float = parameter(1.0, 0.1, 9.0, "ε before it is rounded up", tune="nobody said that it is paid")


def test_a_bill_that_jumps_stays_below_and_says_where():
    terms = Terms("rating", "replace-value", "server", 0.0)
    found = paid("steps", Steps(), SIZES, terms, 4.6)
    assert (found.epsilon, found.why) == (4.0, "its bill jumps from ε = 4 at epsilon 4 to 5 at epsilon 4")
    with pytest.raises(UserError, match=r"Steps does not cost ε = 4\.6 at any setting: its bill jumps"):
        calibrated(Steps(), 4.6, sizes=SIZES)
    assert paid("steps", Steps(), SIZES, terms, 5.0).epsilon == 5.0
    with pytest.raises(UserError, match="it names nothing that it is paid with"):
        paid("it", Unpaid(), SIZES, terms, 4.0)
