"""What a run leaves behind, what its model says when it is asked, and what nobody is said to see."""

from __future__ import annotations

import contextlib
import logging
import random
import sys
import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.hidden import shown_all_the_same
from recprivlib.auditing.mutation import OPERATORS
from recprivlib.auditing.mutation.grafts import become, planted
from recprivlib.auditing.mutation.sides import tidied
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.overheard import overheard
from recprivlib.auditing.rehearsal import rehearse
from recprivlib.mechanisms import Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.parameters import configured
from recprivlib.protocols import Change, Claim, Ledger, Release
from recprivlib.registry import get

POPULAR = get("dp-popularity").system
TERMS = ("user", "add-remove")


def found(system):
    with tidied():
        return rehearse(system, USUAL, *TERMS, "model", 0).found


@pytest.mark.parametrize(
    ("bug", "says"),
    [
        ("side: input", "changes the data that it is given"),
        ("side: public generator", "where the caller's random numbers stand"),
        ("side: global generator", "Python's global generator"),
    ],
)
def test_what_a_run_leaves_behind_is_found(bug, says):
    assert found(POPULAR) == []
    assert any(says in note for note in found(OPERATORS[bug].build(POPULAR)))


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


def test_what_a_model_says_when_it_is_asked_is_heard():
    def leaves(run, model):
        total, kind = float(run.train.ratings.sum()), type(model)

        def score(self, users, items):
            print(total)
            return kind.score(self, users, items)

        return become(model, score=score)

    notes = found(planted(POPULAR, leaves=leaves))
    assert any(note.startswith("what is printed where a model is asked for scores") for note in notes)


@contextlib.contextmanager
def beside(work=lambda: None):
    """Another thread, which does its work again and again, or sleeps if it has none."""
    begun, end = threading.Event(), threading.Event()

    def run():
        work()
        begun.set()
        while not end.wait(None if work.__name__ == "<lambda>" else 1e-4):
            work()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield begun.wait(60)
    finally:
        end.set()
        thread.join()


@pytest.mark.parametrize("bug", ["side: global generator", "side: printed", "side: logged", "side: warned"])
def test_a_thread_that_sleeps_beside_a_run_deafens_nobody(bug):
    """As in a notebook, or with a server in the process."""
    with beside():
        assert found(POPULAR) == []
        assert found(OPERATORS[bug].build(POPULAR))


def test_what_other_threads_do_is_no_run_of_ours(capsys):
    def speaks():
        print("theirs")
        logging.getLogger("theirs").debug("theirs")
        random.random()

    def waits():
        """Until the other has had a turn."""
        ahead = random.getstate()
        while random.getstate() == ahead:
            threading.Event().wait(1e-3)

    state = random.getstate()
    try:
        with beside(speaks):
            with overheard() as heard:
                waits()
                print("ours")
                logging.getLogger("ours").debug("ours")
                warnings.warn("ours", stacklevel=1)
            assert heard.said == {
                "what is printed": "ours\n", "the log": "ours DEBUG ours", "what is warned of": "ours",
            }  # fmt: skip
            assert heard.outside == []
    finally:
        random.setstate(state)
    assert set(capsys.readouterr().out.split()) == {"theirs"}


def test_what_two_threads_listen_by_is_put_back_when_both_have_ended():
    before = sys.stdout, sys.stderr, logging.Logger.isEnabledFor, warnings.showwarning, logging.getLogRecordFactory()
    first, second = overheard(), overheard()
    one, opened, closed = first.__enter__(), threading.Event(), threading.Event()

    def other():
        with second as heard:
            opened.set()
            closed.wait(60)
            print("second")
        said.append(heard.said["what is printed"])

    said = []
    thread = threading.Thread(target=other)
    thread.start()
    opened.wait(60)
    print("first")
    first.__exit__(None, None, None)
    closed.set()
    thread.join()
    assert (one.said["what is printed"], said) == ("first\n", ["second\n"])
    after = sys.stdout, sys.stderr, logging.Logger.isEnabledFor, warnings.showwarning, logging.getLogRecordFactory()
    assert before == after


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
