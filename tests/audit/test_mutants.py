"""Every private system with every bug of `mutants.py` put into it: none is listed here, and none may pass.

The replay and the books need no luck, so a few runs show each bug; whole audits with their verdicts are slow tests.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from recprivlib.accounting import guarantee, supported
from recprivlib.accounting.bills import default_view
from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.conformance import priceless
from recprivlib.auditing.rehearsal import BRIEF, rehearse
from recprivlib.parameters import parameters
from recprivlib.registry import systems
from tests.audit import mutants

PRIVATE = {name: entry for name, entry in systems().items() if entry.terms}
NAMED = list(mutants.SENT)[:6]  # the others are much the same bugs
HELD = mutants.KEPT | mutants.MET
FRESH = ("phones_send_the_truth", "noise_is_drawn_and_thrown_away")  # bugs even where no noise has a price


def rehearsed(system, terms):
    """What a replay and the books say of a run, in the brief form that dashboards take."""
    ledger = system.ledger(USUAL)
    return rehearse(system, USUAL, *terms, default_view(ledger), 0, budget=BRIEF)


@pytest.fixture(autouse=True)
def no_clock(monkeypatch):
    """What a brief look plays hangs on what it has reached alone, and not on how busy this machine is."""
    monkeypatch.setattr("recprivlib.auditing.played_scenes.time.process_time", lambda: 0.0)


def public(name, bug):
    """Whether what the model holds is no secret at the terms of this system."""
    return bug in mutants.MET and PRIVATE[name].terms[1] == "replace-value"


def priced(system):
    """Whether any of its noise has a price: a bug in noise without one changes no bill."""
    return not all(priceless(release.mechanism) for release in system.ledger(USUAL).releases)


@pytest.mark.parametrize("name", PRIVATE)
def test_an_honest_run_agrees_with_its_ledger_and_enough_of_it_is_reached_beside_a_readers_slider(name):
    """Also the tape of a run: every mechanism of the ledger answers, and neighbours move what it states and no more.

    The brief form has the verdict of the whole.
    """
    entry = PRIVATE[name]
    run = rehearsed(entry.system, entry.terms)
    assert run.found == []
    for line in run.books.lines:
        assert 0 < line.far
        assert line.kept
    short = run.checked.short
    assert short is None or name == "dpsgd-pnbm"  # its bill adds every entry of a gradient: broken, whatever is reached


BUGS = [
    pytest.param(name, bug, marks=() if bug in NAMED else pytest.mark.slow)
    for name, entry in PRIVATE.items() for bug in mutants.SENT if bug in FRESH or priced(entry.system)
]  # fmt: skip


@pytest.mark.parametrize(("name", "bug"), BUGS)
def test_a_bug_in_what_leaves_is_found(name, bug):
    entry = PRIVATE[name]
    with mutants.sent_wrongly(mutants.SENT[bug]) as calls:
        run = rehearsed(entry.system, entry.terms)
    assert calls, "nothing of this system leaves through `released`"
    assert run.found


@pytest.mark.parametrize("bug", HELD)
@pytest.mark.parametrize("name", PRIVATE)
def test_a_true_statistic_in_the_model_is_found(name, bug):
    entry = PRIVATE[name]
    run = rehearsed(mutants.other_fit(entry.system, HELD[bug]), entry.terms)
    if public(name, bug):
        assert run.leaks == []
    else:
        assert any("liked moves with the data" in note for note in run.leaks)


def capped(name):
    """The system with a cap of five, in the form that bills whole people, and such terms; None: it never does."""
    system = PRIVATE[name].system
    known = parameters(system)
    if "cap" not in known:
        return None
    system = replace(system, cap=5, **({"unit": "user"} if "unit" in known and "user" in known["unit"].choices else {}))
    ledger = system.ledger(USUAL)
    view = default_view(ledger)
    for unit, relation in supported(ledger, view):
        if unit == "user" and guarantee(ledger, unit, relation, 1e-6, view).epsilon < math.inf:
            return system, (unit, relation)
    return None


CAPPED = {name: capped(name) for name in PRIVATE if capped(name)}


@pytest.mark.parametrize("name", CAPPED)
def test_a_cap_that_is_stated_and_not_enforced_is_found(name):
    """A cap of five, and a person with many more: billed for five, she may not move more."""
    system, terms = CAPPED[name]
    assert rehearsed(system, terms).found == []
    with mutants.without_a_cap() as calls:
        run = rehearsed(system, terms)
    assert calls, "this system does not enforce its cap with `population.capped`"
    assert any("but the ledger states" in note for note in run.found)


EVERY = [*mutants.SENT, *HELD, *mutants.LIES]
SEEN = {"phones_send_the_truth", "noise_is_drawn_and_thrown_away", "one_item_in_fifty_has_no_noise",
        "noise_has_a_seed_of_its_own", "answers_go_around_the_gate", *HELD}  # fmt: skip
UNSEEN = {  # bugs that a whole audit finds nothing against, and why
    "dpps-pnbm": {*EVERY} - SEEN - {"the_data_choose_the_seed"},  # item means leave as they are: broken, the bill is ∞
    "dpps-mf": {*EVERY} - SEEN,  # nobody knows the law of SGLD, so no noise departs from it: open, the bill is ∞
    "laplace-rr-svd": {"noise_comes_from_another_field", "a_report_goes_out_twice"},  # a sure truth: broken, ∞
    "item-sign": {"one_in_fifty_bare"},  # 99.55 % of its reports are true anyway: a truth in fifty is 9 in 100,000
}


@pytest.mark.slow
@pytest.mark.parametrize("bug", EVERY)
@pytest.mark.parametrize("name", PRIVATE)
def test_no_bug_passes_a_whole_audit(name, bug, monkeypatch):
    """None holds; what is found nothing against is in the list. What is public is no bug."""
    monkeypatch.setattr(
        "recprivlib.auditing.run_attack.SECONDS", 0.5
    )  # watching is for the bound, not for what is found
    entry = PRIVATE[name]
    system = mutants.other_fit(entry.system, HELD[bug]) if bug in HELD else entry.system
    with mutants.bug_in(bug, system):
        found = audit(system, name=name, trials=10_000)
    caught = bool(found.attacked.found) or found.attacked.decisive > found.counted.epsilon
    assert caught == (bug not in UNSEEN.get(name, ()) and not public(name, bug))
    assert found.verdict != "holds" or public(name, bug)


def test_what_a_report_that_is_nearly_always_true_hides_is_seen_where_it_lies_more():
    """The bug that is not seen at ε = 10 a report, at 2."""
    entry = PRIVATE["item-sign"]
    system = replace(entry.system, epsilon=2.0)
    with mutants.bug_in("one_in_fifty_bare", system):
        found = audit(system, trials=2000)
    assert any("not drawn as it says" in note for note in found.attacked.found)


def test_what_a_model_holds_may_be_words():
    """A leak beside public features in words: the run is watched all the same, and the audit has a verdict."""
    entry = PRIVATE["dp-privrec"]
    found = audit(mutants.other_fit(entry.system, mutants.KEPT["the_model_holds_true_means"]), trials=1000)
    assert any("liked moves with the data" in note for note in found.attacked.found)
    assert "that the world can see" in found.attacked.attack
