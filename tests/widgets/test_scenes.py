"""What a chapter's steps ask of a server has bounds, takes turns, and ends when nobody waits for it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from recprivlib.dashboard import explorer
from recprivlib.dashboard import steps as paths
from recprivlib.parameters import UserError
from tests.widgets.small import SMALL
from widgets.kit.drawn import BUDGET, GHOSTS, drawn, foreseen, wanted
from widgets.kit.pool import Lane, Pool
from widgets.kit.work import Errand

BOOK = Path(__file__).resolve().parents[2] / "book"


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def ghosts(many):
    return "&".join(f"ghost=height%3D{at}" for at in range(1, many + 1))


def test_a_step_has_no_more_comparisons_than_it_may():
    assert len(wanted(SMALL, ghosts(GHOSTS)).ghosts) == GHOSTS
    with pytest.raises(UserError, match=f"{GHOSTS + 1} comparisons are asked for, but a step has at most {GHOSTS}"):
        wanted(SMALL, ghosts(GHOSTS + 1))


def test_the_same_comparison_or_figure_is_made_once_however_often_it_is_asked_for():
    step = wanted(SMALL, "&".join(["ghost=height%3D3"] * 500) + "&figures=" + ",".join(["plot"] * 500))
    assert (len(step.ghosts), step.figures) == (1, ("plot",))


def test_every_step_of_every_chapter_is_allowed():
    seen = 0
    for chapter in sorted(BOOK.glob("*.md")):
        text = chapter.read_text("utf-8")
        if paths.stem(text):
            seen += 1
            which = explorer(paths.stem(text))
            for state in paths.states(which, text):
                assert len(state.ghosts) <= GHOSTS
                every = [state.values, *(state.values | ghost for ghost in state.ghosts)]
                assert sum(which.effort(values) for values in every) < BUDGET
    assert seen >= 5


def test_what_takes_more_than_a_step_may_is_refused_before_it_begins():
    begun = []
    dear = replace(SMALL, compute=begun.append, effort=lambda values: 4.0 * values["height"])
    pool = Pool(workers=1)
    assert foreseen(dear, pool, wanted(dear, "height=2&ghost=height%3D3")) == 20
    with pytest.raises(UserError, match=f"takes about 72 seconds of a processor, but one may take {BUDGET:.0f}"):
        foreseen(dear, pool, wanted(dear, "height=10&ghost=height%3D8"))
    assert begun == []


def test_others_have_their_turn_between_the_comparisons_of_a_step():
    pool, order = Pool(workers=1), []
    gate, begun, done = threading.Event(), threading.Event(), threading.Event()

    def compute(**values):
        begun.set()
        gate.wait(60)
        end = time.thread_time() + 0.35  # more than a turn
        while time.thread_time() < end:
            sum(range(1000))
        order.append(values["height"])
        return SMALL.compute(**values)

    def scene():
        yield from drawn(which, pool, wanted(which, "height=5&" + ghosts(4)))
        done.set()

    which = replace(SMALL, stem="slow", compute=compute)
    pool.submit(lambda: pool.run(scene()))
    assert begun.wait(60)
    Lane(SMALL, pool, lambda update: order.append("reader")).ask(SMALL.defaults)
    gate.set()
    assert done.wait(60)
    assert order == [5, "reader", 1, 2, 3, 4]


def test_nothing_more_is_computed_for_a_step_that_nobody_waits_for():
    """In a helper the part under way is ended too (test_helpers.py); in this process the next is not begun."""
    from tests.widgets.hard import HARD, find
    from widgets.kit.helpers import Helpers
    from widgets.kit.work import Left

    place = Helpers(1, find, 0)
    pool, gone = Pool(workers=1, place=place), threading.Event()
    ended = []

    def scene():
        try:
            step = wanted(HARD["works"], "people=2&" + ghosts(4))
            yield from drawn(HARD["works"], pool, step, Errand(gone.is_set, BUDGET))
        except Left as reason:
            ended.append(reason)

    try:
        turns = scene()
        next(turns)
        next(turns)
        held = len(pool.results._kept)
        gone.set()
        for _ in turns:
            pass
        assert len(ended) == 1
        assert len(pool.results._kept) <= held + 1
    finally:
        place.close()


def test_who_asks_for_what_somebody_is_at_leaves_his_worker_to_others():
    """A second reader of the same expensive step held the second worker, and all others waited."""
    pool, gate, begun = Pool(workers=2), threading.Event(), threading.Event()

    def compute(**values):
        begun.set()
        gate.wait(120)
        return SMALL.compute(**values)

    dear, told, quick = replace(SMALL, stem="dear", compute=compute), [], threading.Event()
    for _ in range(5):
        Lane(dear, pool, told.append).ask(SMALL.defaults)
    assert begun.wait(60)
    try:
        Lane(SMALL, pool, lambda update: quick.set()).ask(SMALL.defaults)
        assert quick.wait(60), "they hold all workers"
    finally:
        gate.set()
    until(lambda: len(told) == 5)
