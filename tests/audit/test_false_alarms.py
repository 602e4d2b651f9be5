"""Honest code is not cried out upon: of a thousand audits no more are loud than the level of each allows."""

from __future__ import annotations

import math

import pytest

from recprivlib.accounting.bills import default_view
from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.run_attack import rehearse
from recprivlib.mechanisms import OptimalChannel, SubsetSelection
from recprivlib.registry import systems
from tests.audit.test_mechanism_check import NUMBERS, SYMBOLS

AUDITS, LOUD = 1000, 85  # bounds hold with 95 % each: more than 85 of 1,000 are wrong with a probability below 1e-6


@pytest.mark.slow
def test_a_thousand_honest_mechanisms_raise_false_alarms_at_their_alpha():
    """At the deciding level, and in what is found, never."""
    loud = 0
    kinds = [*NUMBERS[:1], *NUMBERS[2:], *SYMBOLS, OptimalChannel(1.0), SubsetSelection(1.0, 5)]
    for seed in range(AUDITS):
        found = audit(kinds[seed % len(kinds)], trials=2000, seed=seed)
        loud += found.attacked.epsilon_lower > found.counted.epsilon
        assert found.attacked.decisive <= found.counted.epsilon
        assert found.verdict == "holds", (seed, found.reason)
    assert loud <= LOUD


@pytest.mark.slow
def test_a_thousand_honest_runs_raise_false_alarms_at_their_alpha():
    """Every private system that has a finite bill, in turn; each is replayed once, and listened to with every seed."""
    loud, honest = 0, []
    for name, entry in systems().items():
        if entry.terms:
            view = default_view(entry.system.ledger(USUAL))
            run = rehearse(entry.system, USUAL, *entry.terms, view, 0)
            assert run.found == [], name
            honest.append((name, entry, run))
    for seed in range(AUDITS):
        name, entry, run = honest[seed % len(honest)]
        unit, relation = entry.terms
        found = audit(entry.system, name=name, unit=unit, relation=relation, rehearsed=run, trials=1000, seed=seed)
        loud += found.attacked.epsilon_lower > found.counted.epsilon
        assert found.attacked.found == (), (name, seed)
        assert found.attacked.decisive <= found.counted.epsilon, (name, seed)
        assert found.verdict != "broken" or math.isinf(found.counted.epsilon), (name, seed)
    assert loud <= LOUD
