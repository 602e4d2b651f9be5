"""What computes for readers may be killed, may swell, may hang: it costs one reader one sentence, and no session."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from recprivlib.dashboard import Card
from tests.widgets.hard import HARD, find
from widgets.kit import helpers as module
from widgets.kit import queue as lines
from widgets.kit.helpers import Helpers
from widgets.kit.part import Wire
from widgets.kit.pool import Lane, Pool
from widgets.kit.session import Session

MB = 1 << 20
ONE = {"people": 1}
linux = pytest.mark.skipif(sys.platform != "linux", reason="no limit on address space, no clock of another process")


@pytest.fixture
def pool(monkeypatch):
    """A pool whose helpers are ended in the end. On a busy machine those who let others go first would never come to
    an end: here they only say so."""
    monkeypatch.setattr(module, "give_way", lambda pid: None)
    monkeypatch.setattr(lines, "give_way", lambda thread: None)
    made = []

    def make(many=2, aside=2, room=(150 * MB, 300 * MB)):
        place = Helpers(many, find, aside, room)
        made.append(place)
        return Pool(workers=2, place=place)

    yield make
    for place in made:
        place.close()


class Asked:
    """One reader at one dashboard, and what he was told."""

    def __init__(self, pool, stem, **values):
        self.told, self.news = [], threading.Condition()
        self.lane = Lane(HARD[stem], pool, self._hear)
        self.at = HARD[stem].defaults
        self.ask(**values)

    def ask(self, **values):
        self.at = self.at | values
        self.lane.ask(self.at)

    def _hear(self, update):
        with self.news:
            self.told.append(update)
            self.news.notify_all()

    def last(self, seconds=60.0):
        """The last word: a result or a refusal."""
        with self.news:
            assert self.news.wait_for(lambda: any(one.last for one in self.told), seconds), self.told
            return self.told[-1]

    def some(self, many=1, seconds=60.0):
        with self.news:
            assert self.news.wait_for(lambda: len(self.told) >= many, seconds), self.told


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@contextmanager
def timed(most):
    began = time.monotonic()
    yield
    assert time.monotonic() - began < most


def busy(pool):
    return [one for one in pool.place.staff if one.busy]


def refused(update):
    """The sentence, with its cure."""
    assert isinstance(update.error, Card), update
    assert str(update.error) == "that took more than this server gives; take fewer people"
    assert update.error.cure == ONE
    assert update.error.cure_label == "People = 1"
    return True


def test_it_is_computed_in_another_process_and_remembered_in_this_one(pool):
    here = pool()
    found = Asked(here, "where").last().result
    assert found.area in {one.pid for one in here.place.staff}
    assert found.area != os.getpid()
    assert here.known(HARD["where"], HARD["where"].defaults) == found


def test_a_card_of_an_explorer_arrives_with_its_cure_and_an_error_with_where_it_was(pool):
    here = pool()
    card = Asked(here, "works", height=13).last().error
    assert (type(card), str(card), card.cure) == (Card, "thirteen is not drawn here", {"height": 12})
    error = Asked(here, "works", height=14).last().error
    assert isinstance(error, ZeroDivisionError)
    assert "tests/widgets/small.py" in error.__notes__[0]


def test_a_helper_killed_in_the_middle_of_a_drag_costs_its_reader_one_sentence(pool):
    here = pool()
    reader, other = Asked(here, "works", people=100), Asked(here, "where")
    other.last()
    until(lambda: busy(here))
    os.kill(busy(here)[0].pid, signal.SIGKILL)
    assert refused(reader.last())
    reader.told.clear()
    reader.ask(people=2)
    assert reader.last().result.height == 10, "the session goes on"
    other.told.clear()
    other.ask(height=4)
    assert other.last().result.height == 4
    until(lambda: len(here.place.staff) >= 2)  # another has been started


def test_a_helper_killed_between_two_turns_of_a_stream_is_never_seen(pool):
    """Its reader was not at work: it is begun again elsewhere, and goes on where it was."""
    here = pool(many=1, aside=0)
    reader = Asked(here, "streams", people=10)
    reader.lane.every = 0.0
    reader.some(3)
    stops = threading.Event()
    real = here.place._lease

    def slow(job):
        if stops.is_set() and job.stem == "streams" and job.home is not None:
            stops.clear()
            os.kill(job.home.pid, signal.SIGKILL)
            until(lambda: not job.home.alive())
        return real(job)

    here.place._lease = slow
    stops.set()
    assert reader.last().result.area == 20
    assert not stops.is_set(), "nobody was killed"
    shares = [one.progress for one in reader.told]
    assert shares == sorted(shares), "the bar went back"


@linux
def test_a_job_that_swells_is_refused_and_its_neighbours_stay(pool):
    here = pool()
    with timed(60):
        assert refused(Asked(here, "swells", people=100).last())  # 2 GB
    assert Asked(here, "swells", people=2).last().result.area == 2
    with timed(1.5):  # it is known now, and not begun again
        assert refused(Asked(here, "swells", people=100).last())


@linux
def test_what_does_not_fit_beside_others_is_given_more_room_before_it_is_refused(pool):
    """A quick helper has room for 150 MB here, and one aside for 300."""
    assert Asked(pool(), "swells", people=11).last().result.area == 11


@linux
def test_who_comes_to_a_helper_that_others_have_filled_is_served(pool):
    here = pool(many=1)
    for height in range(1, 6):
        assert Asked(here, "fills", people=3, height=height).last().result.height == height


def test_a_job_that_never_ends_and_takes_nothing_is_ended(pool, monkeypatch):
    monkeypatch.setattr(module, "HUNG", 1.0)
    with timed(30):
        assert refused(Asked(pool(), "sleeps", people=2).last())


@linux
def test_a_step_has_so_many_seconds_of_a_processor(pool, monkeypatch):
    monkeypatch.setattr(module, "STEP", 1.0)
    here = pool()
    assert refused(Asked(here, "works", people=1000).last())  # it would take a hundred
    assert Asked(here, "works", people=2).last().result.height == 10


def test_a_stream_has_so_many_seconds_in_all(pool):
    from widgets.kit.work import Errand

    here, values = pool(), HARD["streams"].defaults | {"people": 20}
    with pytest.raises(Card, match="more than this server gives"):
        list(here.parts(HARD["streams"], "steps", values, Errand(left=1.0)))  # it takes four


def test_cancel_ends_what_cannot_be_stopped(pool, monkeypatch):
    monkeypatch.setattr(module, "HUNG", 600.0)
    here = pool()
    reader = Asked(here, "sleeps", people=2)
    until(lambda: busy(here))
    pid = busy(here)[0].pid
    reader.lane.cancel()
    with timed(module.GRACE + 20):
        until(lambda: pid not in {one.pid for one in here.place.staff})
        until(lambda: not reader.lane._busy)
    assert reader.told == []
    reader.ask(people=1)
    assert reader.last().result.height == 10


def test_a_reader_who_has_gone_is_computed_for_no_longer(pool, monkeypatch):
    monkeypatch.setattr(module, "HUNG", 600.0)
    here = pool()
    session = Session(HARD["sleeps"], here, "people=2", wire=Wire())
    until(lambda: any(one.known for one in busy(here)))
    session.close()
    with timed(module.GRACE + 20):
        until(lambda: not busy(here))


def test_what_others_wait_for_too_goes_on_when_the_first_has_gone(pool):
    here = pool()
    first, second = Asked(here, "works", people=25), Asked(here, "works", people=25)
    until(lambda: any(one.awaited for one in here._under_way.values()))
    first.lane.cancel()
    with timed(60):
        assert second.last().result.height == 10
    assert first.told == []


@linux
def test_a_lone_reader_behind_four_long_jobs_waits_no_more_than_a_moment(pool, monkeypatch):
    """Nobody comes after him who would make the line look."""
    monkeypatch.setattr(lines, "LONG", 0.5)
    here = pool()
    dear = [Asked(here, "works", people=400, height=at) for at in range(1, 5)]  # forty seconds of a processor each
    until(lambda: len(busy(here)) >= 2)
    assert Asked(here, "where").last(30).error is None
    assert not any(one.told for one in dear)
    for one in dear:
        one.lane.cancel()


@linux
def test_what_is_said_to_be_long_never_stands_before_what_is_quick(pool):
    """Nobody has seen it yet: it is admitted by what its explorer says of it."""
    here = pool()
    dear = [Asked(here, "declared", people=500 + at) for at in range(4)]
    until(lambda: busy(here))
    for height in range(1, 6):
        assert Asked(here, "where", height=height).last(30).error is None
    assert all(one.aside for one in here.place.staff if (one.busy))
    for one in dear:
        one.lane.cancel()


def test_a_long_stream_begins_among_the_quick_where_nobody_waits_and_makes_room_for_whoever_comes(pool):
    """Its first picture comes as soon as any other."""
    here = pool(many=1, aside=1)
    stream = Asked(here, "train", people=100)
    stream.lane.every = 0.0
    stream.some(1)
    assert not any(one.aside for one in here.place.staff)
    assert Asked(here, "where").last(30).error is None
    assert not any(one.last for one in stream.told)
    stream.lane.cancel()


def test_what_was_long_once_is_admitted_as_long_with_other_noise(pool):
    here, values = pool(), HARD["works"].defaults | {"people": 30}
    assert here.cost(HARD["works"], values) == 0
    Asked(here, "works", people=30).last()
    assert here.cost(HARD["works"], values) == 0, "it is there"
    assert 2 < here.cost(HARD["works"], values | {"seed": 1}) < 10


def test_they_end_with_the_server_that_was_killed(tmp_path):
    import subprocess

    import psutil

    code = (
        "import time; from tests.widgets.hard import find, HARD; from widgets.kit.helpers import Helpers;"
        "from widgets.kit.pool import Lane, Pool\n"
        "place = Helpers(2, find); pool = Pool(place=place)\n"
        "Lane(HARD['sleeps'], pool, print).ask(HARD['sleeps'].defaults | {'people': 2})\n"
        "while not any(one.busy for one in place.staff): time.sleep(.05)\n"
        "print('ready', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
        process.kill()
    assert psutil.wait_procs(family, timeout=10)[1] == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock is one on the wall")
def test_a_helper_that_was_killed_has_worked_no_longer():
    """Its clock has gone with it: one on the wall stood in, and a step seemed to take hours."""
    place = Helpers(1)
    try:
        place.start_soon()
        until(lambda: place.staff)
        worker = place.staff[0]
        before = worker.worked()
        os.kill(worker.pid, signal.SIGKILL)
        worker.process.join(10)
        assert before <= worker.worked() < before + 5
    finally:
        place.close()
