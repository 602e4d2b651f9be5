"""Ledgers as dp-accounting's events and back: the same bill, and the same as theirs where they can compose it."""

from __future__ import annotations

import dataclasses
import math
import sys

import numpy as np
import pytest

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import default_view
from recprivlib.accounting.dp_events import events, from_dp_events, to_dp_events
from recprivlib.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exact,
    Gaussian,
    GaussianOnSample,
    KRandomizedResponse,
    Laplace,
    OnSample,
    OptimalChannel,
    RandomizedResponse,
    UnaryOneSided,
    Unknown,
)
from recprivlib.mechanisms.losses import Channel
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release, Sizes
from recprivlib.registry import systems
from tests.accounting.test_guarantee import Fixed

dp = pytest.importorskip("dp_accounting")
from dp_accounting.pld import PLDAccountant  # noqa: E402
from dp_accounting.rdp import RdpAccountant  # noqa: E402

SIZES = Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0))
USER, JOIN = ("user", "replace"), ("user", "add-remove")
ChannelDpEvent = events().ChannelDpEvent
RELATIONS = dp.NeighboringRelation
LEDGERS = {name: entry.system.ledger(SIZES) for name, entry in systems().items() if entry.terms}
ASKED = [(name, terms) for name, ledger in LEDGERS.items() for terms in supported(ledger, default_view(ledger))]


def stated(mechanism, terms=USER, count=1, **change):
    return Ledger((Release("x", mechanism, {terms: Change(**change)}, count),))


def alike(a, b):
    """Equal events, numbers up to their last bits."""
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-9)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dp.DpEvent):
        return type(a) is type(b) and all(alike(getattr(a, f.name), getattr(b, f.name)) for f in a.__attrs_attrs__)
    return a == b


def flat(event, count=1):
    """(event, how often) of all that is composed."""
    if isinstance(event, dp.ComposedDpEvent):
        return [one for each in event.events for one in flat(each, count)]
    if isinstance(event, dp.SelfComposedDpEvent):
        return flat(event.event, count * event.count)
    return [(event, count)]


@pytest.mark.parametrize("name, terms", ASKED)
def test_every_ledger_comes_back_with_its_bill(name, terms):
    ledger = LEDGERS[name]
    view = default_view(ledger)
    event = to_dp_events(ledger, *terms)
    back = from_dp_events(event, *terms)
    assert alike(to_dp_events(back, *terms), event)
    for delta in (0.0, 1e-6):
        ours = guarantee(ledger, *terms, delta, view).epsilon
        theirs = guarantee(back, *terms, delta, view).epsilon if back else 0.0
        assert theirs == pytest.approx(ours, rel=1e-6), delta


MECHANISMS = [
    (Gaussian(2.0), USER), (Laplace(0.4), USER), (DiscreteLaplace(0.7, 3), USER), (DiscreteGaussian(2.0, 4), USER),
    (RandomizedResponse(1.5), USER), (KRandomizedResponse(1.5, 7), USER), (OptimalChannel(), USER),
    (GaussianOnSample(1.2, 0.02), JOIN), (GaussianOnSample(1.2, 0.02, "poisson", "replace"), USER),
    (GaussianOnSample(1.2, 50 / 943, "fixed-size"), USER), (OnSample(Laplace(0.5), 0.1), JOIN),
    (OnSample(Laplace(0.5), 0.1, "poisson", "replace"), USER), (OnSample(DiscreteLaplace(0.5, 4), 0.1), JOIN),
    (OnSample(DiscreteLaplace(0.5, 4), 0.1, "poisson", "replace"), USER),
    (OnSample(DiscreteGaussian(2.0, 4), 0.1, "poisson", "replace"), USER),
]  # fmt: skip


@pytest.mark.parametrize("mechanism, terms", MECHANISMS)
def test_every_kind_of_noise_comes_back_with_its_bill(mechanism, terms):
    ledger = stated(mechanism, terms, 5)
    event = to_dp_events(ledger, *terms)
    assert alike(to_dp_events(from_dp_events(event, *terms), *terms), event)
    here, there = (guarantee(one, *terms, 1e-5, "server").epsilon for one in (ledger, from_dp_events(event, *terms)))
    assert there == pytest.approx(here, rel=1e-6)


def accountants(event, relation, epsilon):
    """Those of theirs that compose it, with the relation that its multiplier speaks of; and whether they are exact."""
    step = max(1e-4, 1e-5 * epsilon)
    kinds = [one for one, _ in flat(event)]
    if any(isinstance(one, dp.RandomizedResponseDpEvent) for one in kinds):
        repeated = any(n > 1 for one, n in flat(event) if isinstance(one, dp.RandomizedResponseDpEvent))
        # their PLD accountant composes a randomised response once, whatever its count
        made = [(RdpAccountant(neighboring_relation=RELATIONS.REPLACE_ONE), False)]
        made += [] if repeated else [(PLDAccountant(RELATIONS.REPLACE_ONE, step), True)]
    elif any(isinstance(one, dp.SampledWithoutReplacementDpEvent) for one in kinds):
        made = [(RdpAccountant(neighboring_relation=RELATIONS.REPLACE_ONE), False)]
    elif relation != "add-remove" and any(isinstance(one, dp.PoissonSampledDpEvent) for one in kinds):
        made = [(PLDAccountant(RELATIONS.REPLACE_ONE, step), True)]
    else:
        made = [(PLDAccountant(RELATIONS.REPLACE_SPECIAL, step), True)]
    return [(one, tight) for one, tight in made if one.supports(event)]


def compared(ledger, terms, view, delta=1e-6):
    """How many of their accountants were asked."""
    event, found = to_dp_events(ledger, *terms, view), guarantee(ledger, *terms, delta, view)
    if math.isinf(found.epsilon):
        assert any(
            isinstance(one, dp.NonPrivateDpEvent | dp.UnsupportedDpEvent | ChannelDpEvent) for one, _ in flat(event)
        )
        return 0
    asked = accountants(event, terms[1], found.epsilon)
    for accountant, tight in asked:
        theirs = accountant.compose(event).get_epsilon(delta)
        if tight and not found.bound:
            assert found.epsilon == pytest.approx(theirs, rel=3e-3, abs=1e-4)
        elif tight:
            assert theirs <= found.epsilon * (1 + 3e-3)
        else:  # Rényi divergences say no less than what is composed exactly
            assert found.epsilon <= theirs * (1 + 3e-3)
    return len(asked)


def test_their_accountants_agree_on_all_systems_that_they_can_compose():
    composed = {name for name, terms in ASKED if compared(LEDGERS[name], terms, default_view(LEDGERS[name]))}
    assert composed >= {
        "dp-popularity", "dp-gram", "dpsgd-pnbm-repaired", "dp-item-means", "dp-covariance", "dpsgd-mf", "dplcf-sp",
        "fmf-ldp", "laplace-svd", "dp-privrec",
    }  # fmt: skip


@pytest.mark.parametrize("mechanism, terms", MECHANISMS)
def test_their_accountants_agree_on_every_kind_of_noise(mechanism, terms):
    """They know no discrete Gaussian noise, no channel but randomised response, and of samples those of Gaussian
    noise and, where somebody is there or not, of Laplace noise."""
    theirs = not isinstance(mechanism, DiscreteGaussian | OptimalChannel)
    if isinstance(mechanism, OnSample):
        theirs = isinstance(mechanism.noise, Laplace) and terms == JOIN
    assert bool(compared(stated(mechanism, terms), terms, "server")) == theirs


def test_what_hides_nobody_and_what_nobody_knows_are_events_too():
    for mechanism, kind in ((Exact("as it is"), dp.NonPrivateDpEvent), (Unknown("no δ"), dp.UnsupportedDpEvent)):
        event = to_dp_events(stated(mechanism), *USER)
        assert isinstance(event.events[0], kind)
        assert guarantee(from_dp_events(event), *JOIN, 1e-6, "server").epsilon == math.inf
    assert to_dp_events(stated(Laplace(), inputs=0), *USER) == dp.ComposedDpEvent([])


def test_which_way_bits_change_is_kept():
    """A swap of two unlike bits is dearer if nobody knows that one rises and one falls."""
    uneven = Fixed(Channel(np.array([[0.9, 0.1], [0.5, 0.5]]), ((0, 1),)))
    terms = ("interaction", "swap")
    known, unknown = (stated(uneven, terms, inputs=2, back=back) for back in (1, None))
    found = [
        guarantee(from_dp_events(to_dp_events(one, *terms), *terms), *terms, 0.0, "server").epsilon
        for one in (known, unknown)
    ]
    assert found == pytest.approx([math.log(5) + math.log(1.8), 2 * math.log(5)])
    one_sided = stated(UnaryOneSided(), terms, inputs=2, back=1)
    assert alike(to_dp_events(from_dp_events(to_dp_events(one_sided, *terms), *terms), *terms),
                 to_dp_events(one_sided, *terms))  # fmt: skip


def test_theirs_are_read():
    """DP-SGD as they write it: 10,000 Poisson samples, as `subsampled-gaussian` bills them."""
    theirs = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.1)), 10_000)
    found = guarantee(from_dp_events(theirs), *JOIN, 1e-5, "server").epsilon
    assert found == pytest.approx(
        guarantee(stated(GaussianOnSample(1.1, 0.01), JOIN, 10_000), *JOIN, 1e-5, "server").epsilon
    )
    tree = from_dp_events(dp.ZCDpEvent(0.5))
    assert guarantee(tree, *JOIN, 1e-5, "server").why_infinite == "not known: no loss of ours for a ZCDpEvent"


def test_what_has_no_event_is_refused():
    parts = tuple(dataclasses.replace(stated(Laplace()).releases[0], partition="p") for _ in "ab")
    with pytest.raises(UserError, match="no DpEvent"):
        to_dp_events(Ledger(parts), *USER)
    crowd = dataclasses.replace(stated(RandomizedResponse()).releases[0], crowd=100)
    with pytest.raises(UserError, match="no DpEvent"):
        to_dp_events(Ledger((crowd,)), *USER, "shuffled")


def test_without_dp_accounting_a_sentence_says_what_to_install(monkeypatch):
    from recprivlib.accounting import dp_events

    dp_events.events.cache_clear()
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(UserError, match="pip install dp-accounting"):
        to_dp_events(stated(Laplace()), *USER)
