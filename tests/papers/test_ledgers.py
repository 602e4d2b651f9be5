"""What ledgers state as data beside their bill: what is public of the people, and what no neighbours can reach."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from recprivlib import get
from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import default_view
from recprivlib.papers.dp_pnbm.pnbm import beginning, of_person
from recprivlib.papers.dp_pnbm.system import bounds_of
from recprivlib.protocols import Sizes
from recprivlib.registry import systems

GRID = (1.0, 2.0, 3.0, 4.0, 5.0)
PRIVATE = [name for name, entry in systems().items() if entry.terms]
TELLING = ("who takes part", "how many people", "which films each person rated")


def ledger_of(system, users):
    return system.ledger(Sizes(users, 1682, grid=GRID))


def priced(ledger):
    """What is drawn, how often, and from how many: without the slack for rounding, which is no part of the noise."""
    return [
        (line.mechanism, line.count, line.crowd, {t: getattr(c, "distance", c) for t, c in line.neighbours.items()})
        for line in ledger.releases
    ]


@pytest.mark.parametrize("name", PRIVATE)
def test_where_the_noise_hangs_on_how_many_there_are_that_is_public(name):
    """A crowd, a cohort's share or a choice made by the number of people tells it to whoever reads the ledger."""
    system = get(name).system
    few, many = (ledger_of(system, users) for users in (943, 6040))
    if priced(few) != priced(many):
        assert few.counts_public
    said = any(word in what for what in few.public for word in TELLING)
    assert few.counts_public == said
    assert few.rated_public == ("which films each person rated" in few.public)


@pytest.mark.parametrize("name", PRIVATE)
def test_where_who_rated_what_is_public_only_changed_values_have_a_price(name):
    """Whoever came, left or rated another film is seen in what everybody knows."""
    ledger = ledger_of(get(name).system, 943)
    if ledger.rated_public:
        for unit, relation in supported(ledger, default_view(ledger)):
            bill = guarantee(ledger, unit, relation, 1e-6, default_view(ledger))
            assert ("who rated what is public" in bill.why_infinite) == (relation != "replace-value")
            assert relation == "replace-value" or math.isinf(bill.epsilon)


def test_somebody_who_joins_may_stay_unseen_where_the_number_is_not_public():
    """Bills under add-remove of a person mean most where nobody knows how many there are: these say so."""
    silent = {name for name in PRIVATE if not ledger_of(get(name).system, 943).counts_public}
    assert silent == {"dp-popularity", "dpsgd-pnbm", "dpps-pnbm", "dpsgd-pnbm-repaired"}
    for name in ("dp-item-means", "dp-covariance"):
        one, all_ = (dataclasses.replace(get(name).system, protects=unit) for unit in ("rating", "user"))
        assert ledger_of(one, 943).counts_public
        assert not ledger_of(all_, 943).counts_public


def test_a_bound_that_is_never_reached_says_why_and_no_other_does():
    """Algorithm 1 is billed every entry at its own largest, both ways. A person who rated everything, 300 of them drawn
    at the ends of the scale and replaced by another such, moves less than a third of it from where training starts."""
    system, items = get("dpsgd-pnbm").system, 60
    ledger = system.ledger(Sizes(943, items, grid=GRID))
    said = {line.what for line in ledger.releases if line.unreached}
    assert said == {"the noisy gradient of step 1"}
    others = [line for n in PRIVATE if n != "dpsgd-pnbm" for line in ledger_of(get(n).system, 943).releases]
    assert not any(line.unreached for line in others)
    rng, most = np.random.default_rng(5), 0.0
    start = beginning(items, system.start, system.rescale, rng)
    bounds, stated = bounds_of(system, 1, GRID), 2 * items * (items - 1) * system.largest(1, GRID)
    for _ in range(300):
        people = rng.choice(np.float32([-4.0, 4.0]), (2, items)) * (rng.random((2, items)) < rng.uniform(0.1, 1))
        one, other = (of_person(start.copy(), x.astype(np.float32), np.arange(items), bounds) for x in people)
        most = max(most, float(np.abs(one - other).sum()))
    assert 0 < most < stated / 3, most / stated
