"""What a run leaves behind, what its model says when it is asked, and what nobody is said to see."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.hidden import shown_all_the_same
from recprivlib.auditing.mutation import OPERATORS
from recprivlib.auditing.mutation.grafts import become, planted
from recprivlib.auditing.mutation.sides import tidied
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.overheard import alone
from recprivlib.auditing.rehearsal import rehearse
from recprivlib.mechanisms import Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.parameters import configured
from recprivlib.protocols import Change, Claim, Ledger, Release
from recprivlib.registry import get

POPULAR = get("dp-popularity").system
TERMS = ("user", "add-remove")
needs_the_process = pytest.mark.skipif(not alone(), reason="other threads of this process share what is looked at")


def found(system):
    with tidied():
        return rehearse(system, USUAL, *TERMS, "model", 0).found


@pytest.mark.parametrize(
    ("bug", "says"),
    [
        ("side: input", "changes the data that it is given"),
        ("side: public generator", "where the caller's random numbers stand"),
        pytest.param("side: global generator", "Python's global generator", marks=needs_the_process),
    ],
)
def test_what_a_run_leaves_behind_is_found(bug, says):
    assert found(POPULAR) == []
    assert any(says in note for note in found(OPERATORS[bug].build(POPULAR)))


@needs_the_process
@pytest.mark.parametrize("what", ["NumPy's global generator", "a setting of NumPy", "a setting of Python"])
def test_what_all_code_shares_is_left_as_it_was(what):
    def moves(run):
        number = int(run.train.ratings.sum()) % 7
        if what == "NumPy's global generator":
            np.random.seed(number)  # noqa: NPY002
        elif what == "a setting of NumPy":
            np.set_printoptions(precision=9 + number)
        else:
            sys.setrecursionlimit(5000 + number)
        return run.train

    state, options, limit = np.random.get_state(), np.get_printoptions(), sys.getrecursionlimit()  # noqa: NPY002
    try:
        assert any(what in note for note in found(planted(POPULAR, takes=moves)))
    finally:
        np.random.set_state(state)  # noqa: NPY002
        np.set_printoptions(**options)
        sys.setrecursionlimit(limit)


@needs_the_process
def test_what_a_model_says_when_it_is_asked_is_heard():
    def leaves(run, model):
        total, kind = float(run.train.ratings.sum()), type(model)

        def score(self, users, items):
            print(total)
            return kind.score(self, users, items)

        return become(model, score=score)

    notes = found(planted(POPULAR, leaves=leaves))
    assert any(note.startswith("what is printed where a model is asked for scores") for note in notes)


def test_data_that_a_score_closes_over_as_an_object_are_seen():
    def leaves(run, model):
        train = run.train
        return become(model, volume=lambda self: train.volume)

    assert any("train.ratings" in note for note in found(planted(POPULAR, leaves=leaves)))


def test_nobody_is_told_who_was_drawn():
    system = replace(get("dp-privrec").system, rounds=2, cohort=3)
    base = Stage("user", "replace").world()
    ledger = system.ledger(base.sizes)
    assert shown_all_the_same(system, ledger, base, 0) == []
    told = OPERATORS["cohort: told"].build(system)
    assert shown_all_the_same(told, ledger, base, 0) == ["the model.extra tells who was drawn"]


def test_an_answer_that_nobody_is_said_to_see_is_not_seen():
    system, world = get("dp-gram").system, Stage(*TERMS, people=900).world()
    assert shown_all_the_same(system, system.ledger(world.sizes), world, 0) is None
    unseen = OPERATORS["ledger: unseen"].build(system)
    (note,) = shown_all_the_same(unseen, unseen.ledger(world.sizes), world, 0)
    assert "which the ledger says that nobody sees of it" in note


class Plain:
    """Somebody's system, as it comes: no dataclass, and nothing of it can be set."""

    tells = False

    def __init__(self, rounds=7):
        self.rounds = rounds

    def fit(self, train, rng):
        counts = np.bincount(train.items, minlength=train.n_items).astype(float)
        model = PerItem(released(Laplace(1.0), counts))
        return become(model, late=lambda self: counts) if self.tells else model

    def ledger(self, sizes):
        terms = ("interaction", "add-remove")
        line = Release("counts", Laplace(1.0), {terms: Change()})
        return Ledger((line,), trust="the server", claimed=Claim(1.0, 0.0, *terms, "a test"))


def test_a_system_that_is_no_dataclass_is_audited_as_it_is():
    one = Plain()
    assert configured(one, {}) is one
    done = audit(one, trials=1000)
    assert (done.verdict, done.attacked.found, dict(done.params)) == ("holds", (), {"rounds": 7})
    one.tells = True
    assert audit(one, trials=1000).verdict != "holds"
