"""Whose turn it is: in order, one worker an address while others wait, and nobody behind what takes long."""

import sys
import threading
import time
from collections import Counter

import pytest

from recprivlib.dashboard.memory import worked
from tests.widgets.small import SMALL
from widgets.kit import fairness as share
from widgets.kit import queue as lines
from widgets.kit import scenes
from widgets.kit.fairness import Reader, Shares
from widgets.kit.pool import Lane, Pool
from widgets.kit.queue import Queue
from widgets.kit.session import Session
from widgets.kit.words import ahead


@pytest.fixture
def gate():
    """Whoever works waits here; at the end everybody goes."""
    event = threading.Event()
    yield event
    event.set()


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_everybody_has_a_turn_in_the_order_of_coming_and_knows_how_many_are_before(gate):
    line, done = Queue(1, "one"), []
    line.join(lambda: gate.wait(60))
    until(lambda: not line.waits())
    a, b, c, d = (Reader() for _ in range(4))
    for reader, name in ((a, "a"), (b, "b"), (c, "c")):
        line.join(lambda name=name: done.append(name), reader)
    assert [line.ahead(reader) for reader in (a, b, c, d)] == [0, 1, 2, 0]
    gate.set()
    until(lambda: len(done) == 3)
    assert done == ["a", "b", "c"]


def test_one_address_has_one_worker_while_somebody_else_waits(gate):
    line, begun = Queue(2, "two"), []

    def job(name, wait=None):
        begun.append(name)
        if wait:
            wait.wait(60)

    first = threading.Event()
    line.join(lambda: job("crowd 1", gate), Reader("crowd"))
    line.join(lambda: job("crowd 2", first), Reader("crowd"))
    until(lambda: len(begun) == 2)  # nobody else waited
    line.join(lambda: job("crowd 3"), Reader("crowd"))
    line.join(lambda: job("alone"), Reader("alone"))
    first.set()
    until(lambda: len(begun) == 4)
    assert begun[2:] == ["alone", "crowd 3"]


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no rank of its own")
def test_who_works_long_steps_aside_and_the_next_has_a_turn(monkeypatch, gate):
    """A first step with an expensive setting cannot be told from a cheap one before it is under way."""
    monkeypatch.setattr(lines, "LONG", 0.05)
    line, ranks, began = Queue(1, "one"), [], threading.Event()

    def long():
        began.set()
        while not gate.is_set():
            sum(range(1000))

    line.join(long)
    assert began.wait(60)
    time.sleep(0.2)
    line.join(lambda: ranks.append(lines.os.getpriority(lines.os.PRIO_PROCESS, threading.get_native_id())))
    until(lambda: ranks)
    assert not gate.is_set()
    (aside,) = (worker for worker in line._staff if worker.aside)
    assert lines.os.getpriority(lines.os.PRIO_PROCESS, aside.native_id) == min(19, ranks[0] + 10)
    gate.set()
    until(lambda: aside not in line._staff)


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no rank of its own")
def test_a_lone_reader_is_not_left_behind_what_is_long_because_nobody_comes_after_him(monkeypatch, gate):
    """The line looked only when somebody asked: he waited for a minute."""
    monkeypatch.setattr(lines, "LONG", 0.3)
    line, began, done = Queue(1, "one"), threading.Event(), threading.Event()

    def long():
        began.set()
        while not gate.is_set():
            sum(range(1000))

    line.join(long)
    assert began.wait(60)
    line.join(done.set)
    assert done.wait(60)
    assert not gate.is_set()


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no rank of its own")
def test_who_steps_aside_goes_after_the_others_of_a_server_that_has_a_low_rank_itself():
    """It had a rank that did not depend on the server's: under `nice -n 15` it went before all others."""
    ranks = []

    def rank():
        for _ in range(2):
            lines.give_way(threading.get_native_id())
            ranks.append(lines.os.getpriority(lines.os.PRIO_PROCESS, threading.get_native_id()))

    thread = threading.Thread(target=rank)
    thread.start()
    thread.join(60)
    mine = lines.os.getpriority(lines.os.PRIO_PROCESS, 0)
    assert ranks == [min(19, mine + 10), 19]


def test_a_job_that_fails_ends_nobody_s_work(caplog):
    line, done = Queue(1, "one"), threading.Event()
    line.join(lambda: 1 / 0)
    line.join(done.set)
    assert done.wait(60)
    assert "ZeroDivisionError" in caplog.text


def test_a_stream_gives_its_turn_to_those_who_wait(gate):
    from dataclasses import replace

    pool, told, begun, done = Pool(workers=1), [], threading.Event(), threading.Event()

    def steps(**values):
        while not gate.is_set():
            begun.set()
            sum(range(20_000))
            yield 0.5, None
        yield 1.0, SMALL.compute(**values)

    Lane(replace(SMALL, stem="long", steps=steps), pool, told.append).ask(SMALL.defaults)
    assert begun.wait(60)
    Lane(SMALL, pool, lambda update: done.set()).ask(SMALL.defaults)
    assert done.wait(60), "a stream kept the only worker"
    gate.set()
    until(lambda: any(update.last for update in told))


def test_a_reader_who_waits_is_told_how_many_are_before(gate):
    pool = Pool(workers=1)
    here = Session(SMALL, pool)
    until(lambda: not here.lane._busy)
    pool.submit(lambda: gate.wait(60))
    until(lambda: not pool._quick.waits())
    for number in range(2):
        Lane(SMALL, pool, lambda update: None).ask(SMALL.defaults | {"height": 3 + number})
    here.lane.ask(here.values | {"height": 9})
    assert here._under_way() == "2 readers are ahead of you…"
    gate.set()
    until(lambda: not here.lane._busy)
    assert here._under_way().startswith("computing")


def test_an_address_with_many_steps_in_line_is_told_to_wait(gate):
    """A chapter's steps ask without a session: nobody else would count them."""
    pool, one, other = Pool(workers=1), Reader("192.0.2.7"), Reader("192.0.2.8")
    pool.submit(lambda: gate.wait(60))
    until(lambda: not pool._quick.waits())
    for _ in range(scenes.MOST):
        scenes.admit(pool, one.address)
        pool.submit(lambda: None, reader=one)
    with pytest.raises(scenes.Crowded, match=r"60 steps of your address, 192\.0\.2\.7, are waiting already"):
        scenes.admit(pool, one.address)
    scenes.admit(pool, other.address)
    scenes.admit(pool, "")


def test_who_has_had_more_than_a_share_goes_after_the_others_and_is_told_so(gate):
    pool, done = Pool(workers=1), []
    much, little, late = Session(SMALL, pool), Reader(), Reader()
    until(lambda: not much.lane._busy)
    pool._shares.note(much.lane.reader, 10.0)
    pool._shares.note(little, 1.0)
    pool.submit(lambda: gate.wait(60))
    until(lambda: not pool._quick.waits())
    much.lane.tell = lambda update: done.append("much")
    much.lane.ask(much.values | {"height": 9})
    assert much._under_way().startswith("computing"), "nobody else waits"
    for reader, name in ((little, "little"), (late, "late")):
        pool.submit(lambda name=name: done.append(name), reader=reader)
    assert much._under_way() == "2 readers go first, you have had your share of this minute…"
    gate.set()
    until(lambda: len(done) == 3)
    assert done == ["little", "late", "much"]


def test_an_address_has_a_share_too(gate):
    """Its readers have had little each."""
    line, done = Queue(1, "one"), []
    many, alone = [Reader("192.0.2.7") for _ in range(20)], Reader("192.0.2.8")
    for reader in many:
        line.shares.note(reader, 1.0)
    line.shares.note(alone, 1.0)
    assert line.shares.over(many[0]) == (False, True)
    assert "1 reader goes first, your address has had its share of this minute…" == ahead(1, *line.shares.over(many[0]))
    line.join(lambda: gate.wait(60))
    until(lambda: not line.waits())
    line.join(lambda: done.append("many"), many[0])
    line.join(lambda: done.append("alone"), alone)
    assert (line.ahead(many[0]), line.ahead(alone)) == (1, 0)
    gate.set()
    until(lambda: len(done) == 2)
    assert done == ["alone", "many"]


def test_what_was_long_ago_is_forgotten(monkeypatch):
    monkeypatch.setattr(share, "MINUTE", 0.05)
    shares, much = Shares(), Reader()
    for reader in (Reader(), Reader(), much):
        shares.note(reader, 10.0 * (reader is much))
    assert shares.over(much) == (True, True)
    until(lambda: shares.over(much) == (False, False))
    assert shares._readers._sums == shares._addresses._sums == {}, "a reader who has left is kept"


@pytest.mark.parametrize("greedy", [1, 3])
def test_costly_steps_one_after_the_other_take_no_more_than_their_share(monkeypatch, greedy):
    """In turns alone each would take thirty times as much of the processor as any of the six who ask for cheap ones."""
    monkeypatch.setattr(share, "LEAST", 0.03)
    pool, had, end = Pool(workers=1), Counter(), threading.Event()

    def ask(reader, seconds):
        def job():
            began = worked()
            while worked() < began + seconds:
                sum(range(1000))
            had[reader] += worked() - began
            if not end.is_set():
                ask(reader, seconds)

        pool.submit(job, reader=reader)

    costly, cheap = [Reader() for _ in range(greedy)], [Reader() for _ in range(6)]
    for reader, seconds in [*((one, 0.06) for one in costly), *((one, 0.002) for one in cheap)]:
        ask(reader, seconds)
    until(lambda: sum(had.values()) > 1.2, 60)
    end.set()
    until(lambda: not pool._quick.waits(), 60)
    mean = sum(had.values()) / len(had)
    assert max(had[reader] for reader in costly) < 2 * mean + 0.06, had  # and the step that was begun
    assert min(had[reader] for reader in cheap) > 0.4 * mean, had
