"""A drag never queues work, readers share results, and memory has a bound."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.widgets.small import SMALL
from widgets.kit.curve import WholeCurve
from widgets.kit.pool import Lane, Pool, key


@pytest.fixture
def pool():
    return Pool(workers=2)


class Told(list):
    """Collects updates; `wait` until there are some, or a last one."""

    def __init__(self):
        super().__init__()
        self.news = threading.Condition()

    def __call__(self, update):
        with self.news:
            self.append(update)
            self.news.notify_all()

    def until(self, true, seconds=60.0):
        with self.news:
            assert self.news.wait_for(lambda: true(self), seconds), f"only {list(self)}"


def idle(lane, seconds=60.0):
    end = time.monotonic() + seconds
    while lane._busy:
        assert time.monotonic() < end, "the lane never came to rest"
        time.sleep(0.002)


def test_a_drag_computes_the_first_and_the_last_setting_only(pool):
    started, gate = [], threading.Event()

    def slow(**values):
        started.append(values["height"])
        gate.wait(60)
        return SMALL.compute(**values)

    told = Told()
    lane = Lane(replace(SMALL, compute=slow), pool, told)
    for height in range(1, 11):
        lane.ask(SMALL.defaults | {"height": height})
        if height == 1:
            while not started:
                time.sleep(0.001)
    gate.set()
    told.until(lambda news: len(news) == 2)
    idle(lane)
    assert started == [1, 10]
    assert [update.result.height for update in told] == [1, 10]


def test_a_newer_setting_closes_a_stream(pool):
    closed, begun = [], threading.Event()

    def steps(**values):
        try:
            for at in range(1000):
                begun.set()
                time.sleep(0.005)
                yield at / 1000, SMALL.compute(**values) if values["height"] < 20 else None
        finally:
            closed.append(values["height"])

    def quick(**values):
        if values["height"] == 2:
            yield 1.0, SMALL.compute(**values)
        else:
            yield from steps(**values)

    told = Told()
    lane = Lane(replace(SMALL, steps=quick), pool, told)
    lane.ask(SMALL.defaults | {"height": 1})
    assert begun.wait(60)
    lane.ask(SMALL.defaults | {"height": 2})
    told.until(lambda news: any(update.last for update in news))
    idle(lane)
    assert closed == [1]
    assert [update.result.height for update in told if update.last] == [2]


def test_in_a_drag_every_move_is_answered_with_what_its_stream_had(pool):
    """The picture is there before the attack: who moves on sees it, and the attack of that setting is not played."""
    moved, begun, attacked = threading.Event(), threading.Event(), []

    def steps(**values):
        begun.set()
        moved.wait(60)
        yield 0.5, SMALL.compute(**values)
        attacked.append(values["height"])
        yield 1.0, SMALL.compute(**values)

    told = Told()
    lane = Lane(replace(SMALL, steps=steps), pool, told)
    lane.ask(SMALL.defaults | {"height": 1})
    assert begun.wait(60)
    lane.ask(SMALL.defaults | {"height": 2})
    moved.set()
    told.until(lambda news: any(update.last for update in news))
    idle(lane)
    assert [(update.result.height, update.progress, update.last) for update in told] == [(1, None, False), (2, 1, True)]
    assert attacked == [2]
    assert pool.known(SMALL, SMALL.defaults | {"height": 1}) is None, "half of a result is no result"


def test_cancel_closes_a_stream_and_says_nothing_more(pool):
    closed, begun = threading.Event(), threading.Event()

    def steps(**values):
        try:
            while True:
                begun.set()
                time.sleep(0.002)
                yield 0.5, None
        finally:
            closed.set()

    told = Told()
    lane = Lane(replace(SMALL, steps=steps), pool, told)
    lane.ask(SMALL.defaults)
    assert begun.wait(60)
    lane.cancel()
    assert closed.wait(60)
    idle(lane)
    assert not any(update.last for update in told)


def test_cancel_drops_the_result_of_what_cannot_be_stopped(pool):
    gate, started = threading.Event(), threading.Event()

    def slow(**values):
        started.set()
        gate.wait(60)
        return SMALL.compute(**values)

    told = Told()
    lane = Lane(replace(SMALL, compute=slow), pool, told)
    lane.ask(SMALL.defaults)
    assert started.wait(60)
    lane.cancel()
    gate.set()
    idle(lane)
    assert told == []
    lane.ask(SMALL.defaults)
    told.until(lambda news: len(news) == 1)


def test_a_failure_is_told_and_the_lane_goes_on(pool):
    told = Told()
    lane = Lane(SMALL, pool, told)
    lane.ask(SMALL.defaults | {"height": 14})
    told.until(lambda news: len(news) == 1)
    lane.ask(SMALL.defaults | {"height": 15})
    told.until(lambda news: len(news) == 2)
    assert isinstance(told[0].error, ZeroDivisionError)
    assert told[1].result.area == 15


def test_thirty_readers_who_ask_the_same_share_one_computation(pool):
    calls = []

    def counted(**values):
        calls.append(values)
        time.sleep(0.05)
        return SMALL.compute(**values)

    told = Told()
    shared = replace(SMALL, compute=counted)
    for _ in range(30):
        Lane(shared, pool, told).ask(SMALL.defaults)
    told.until(lambda news: len(news) == 30)
    assert len(calls) == 1


def test_what_is_remembered_has_a_bound_in_bytes():
    pool = Pool(workers=1, limit=100_000)
    wide = replace(SMALL, compute=lambda **values: np.zeros(1250))  # 10 000 bytes each
    for height in range(1, 21):
        pool.result(wide, SMALL.defaults | {"height": height})
        assert pool.results.held <= 100_000
    assert sum(pool.known(wide, SMALL.defaults | {"height": h}) is not None for h in range(1, 21)) <= 10
    assert pool.known(wide, SMALL.defaults | {"height": 20}) is not None


def test_two_dashboards_do_not_share_a_result(pool):
    other = replace(SMALL, stem="other", compute=lambda **values: "other")
    assert pool.result(SMALL, SMALL.defaults).area == 10
    assert pool.result(other, SMALL.defaults) == "other"
    assert key("small", SMALL.defaults) != key("other", SMALL.defaults)


def test_a_worker_has_one_thread_of_linear_algebra(pool):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    told, done = [], threading.Event()
    pool.submit(lambda: (told.extend(threadpoolctl.threadpool_info()), done.set()))
    assert done.wait(60)
    assert {each["num_threads"] for each in told if each["user_api"] == "blas"} == {1}


@pytest.mark.parametrize("seconds", [0.0, 1.0, 10.0])
def test_a_worker_who_waits_for_a_curve_does_not_hold_up_the_one_who_computes_it(seconds):
    """The only worker of its line draws: what it waits for must not stand behind it in the same line."""
    pool, found, done = Pool(workers=1), [], threading.Event()
    whole = replace(SMALL, curve=lambda values: values["height"])
    frame = SimpleNamespace(curve=True, curving=False)
    curve = WholeCurve(whole, pool, frame, lambda call: call(), lambda values: None)

    def draws():
        found.append(curve.at(SMALL.defaults | {"height": 4}, 2.0))
        done.set()

    pool.submit(draws, seconds)
    assert done.wait(60)
    assert found == [4]


def test_a_move_that_leaves_the_whole_curve_as_it_is_waits_for_nobody():
    pool, asked = Pool(workers=1), []
    whole = replace(SMALL, curve=lambda values: asked.append(values) or None, curve_over=("width", "seed"))
    curve = WholeCurve(whole, pool, SimpleNamespace(curve=True, curving=False), lambda call: call(), lambda about: None)
    for width in (1.0, 2.0, 3.0):
        assert curve.at(SMALL.defaults | {"width": width, "seed": int(width)}, 2.0) is None  # nothing was committed
    assert len(asked) == 1
    curve.at(SMALL.defaults | {"height": 4}, 2.0)
    assert [values["height"] for values in asked] == [10, 4]
