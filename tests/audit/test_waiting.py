"""Bugs of kinds that the score does not list: each is found, and by the rule of its kind."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.accounting.bills import default_view
from recprivlib.auditing import USUAL
from recprivlib.auditing.mutation import scoring
from recprivlib.auditing.mutation.grafts import holding, planted
from recprivlib.auditing.mutation.operator import raw
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.other_worlds import asked_often, by_luck, left_behind
from recprivlib.auditing.overheard import alone
from recprivlib.auditing.played_scenes import Act
from recprivlib.auditing.rehearsal import BRIEF, WHOLE, rehearse
from recprivlib.registry import systems
from tests.audit import waiting
from tests.audit.aside import processes

PRIVATE = {name: entry for name, entry in systems().items() if entry.terms}
SAID = {
    "wait: second question": "leaves numpy.linalg._last",
    "wait: one item": "leaves numpy.linalg._last",
    "model: error": "leaves numpy.linalg._last",
    "side: module": "leaves numpy.last_run",
    "wait: lucky noise": "moves with the data",
    "wait: lucky numbers": "moves with the data",
    "wait: first run": "the first run of a process",
    "wait: nobody looks": "where nobody looks",
    "model: kind": "kind.raw moves",
    "model: called": "the model.class moves",
    "ledger: of the data": "the ledger is another after a run",
    "lie: large bare": "hangs on what it is added to",
}
LUCK, LIE = ("wait: lucky noise", "wait: lucky numbers"), ("lie: large bare",)
CHILD = ("wait: second question", "wait: one item", "model: error", "side: module", "wait: first run",
         "wait: nobody looks")  # fmt: skip
NAME = "dp-item-means"


@pytest.fixture(autouse=True)
def _tidy():
    yield
    waiting.tidy()


def found(system, terms, view="server", budget=BRIEF):
    return rehearse(system, USUAL, *terms, view, 0, budget=budget).found


def by_its_rule(label, system):
    """The part of a whole rehearsal that is made for such a bug."""
    act = Act(*PRIVATE[NAME].terms, "model", 0, math.inf)
    stage = Stage(*PRIVATE[NAME].terms)
    if label in CHILD:
        assert alone(), "what one run leaves to the next is not looked at"
        return left_behind(system, act)
    if label in LUCK + LIE:
        return (by_luck if label in LUCK else asked_often)(system, stage, USUAL, act).found
    return found(system, PRIVATE[NAME].terms, "model")


@pytest.fixture(scope="module")
def aside():
    with processes(__name__) as ask:
        yield ask


@pytest.mark.parametrize("label", waiting.OPERATORS)
def test_it_is_found_by_its_rule(label, aside):
    """Where other threads run (a worker's own, a server that another test has left) no child is forked: there it is
    asked of a process that does nothing else."""
    planted_in, honest = both(label) if alone() else aside(both, label)
    assert any(SAID[label] in note for note in planted_in), planted_in
    assert honest == []


def both(label):
    """What is said of the bug, and of the system that it is planted into."""
    honest = scoring.base(PRIVATE[NAME])
    return by_its_rule(label, waiting.OPERATORS[label].build(honest)), by_its_rule(label, honest)


@pytest.mark.slow
@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("label", waiting.OPERATORS)
def test_it_is_found_in_every_system(label, name):
    """Every rule is a part of an audit, whatever the system: minutes each where runs are dear."""
    honest = scoring.base(PRIVATE[name])
    if (mutated := waiting.OPERATORS[label].build(honest)) is None:
        pytest.skip("it does not apply")
    assert found(mutated, PRIVATE[name].terms, default_view(honest.ledger(USUAL)), WHOLE) != []


# ------------------------------------------------------------------- the same bugs, whose traces no other rule sees


def hidden_in_words(monkeypatch, when):
    """Raw sums are kept in a place that no rule looks at, so that the question alone can tell."""
    kept = {}
    monkeypatch.setattr(waiting, "kept_aside", lambda train: kept.update(raw=raw(train)))
    monkeypatch.setattr(waiting, "aside", lambda: kept["raw"])
    return found(when(scoring.base(PRIVATE[NAME])), PRIVATE[NAME].terms, "model")


@pytest.mark.parametrize("when", [waiting.second_question, waiting.one_item])
def test_a_model_is_asked_again_and_of_one_item(monkeypatch, when):
    """What other people are recommended moves with hers: where the second answer is another, that is said as well."""
    notes = hidden_in_words(monkeypatch, waiting.scoring(when))
    assert any("other people are recommended" in note or "asked a second time" in note for note in notes), notes


def test_a_model_is_asked_about_nobody(monkeypatch):
    notes = hidden_in_words(monkeypatch, waiting.wrong_question)
    assert any("other people are recommended" in note for note in notes), notes


def test_an_honest_model_is_the_same_on_tape_and_where_nobody_looks(aside):
    """Also one of whose leaves two have one name."""
    assert (twins() if alone() else aside(twins)) == []


def twins():
    """What is said of a model two of whose leaves have one name."""
    twins = np.empty(2, object)
    twins[:] = [1.5, "a word"]
    honest = planted(PRIVATE[NAME].system, leaves=lambda run, model: holding(model, twins))
    return left_behind(honest, Act(*PRIVATE[NAME].terms, "model", 0, math.inf))
