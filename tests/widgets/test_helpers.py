"""What computes for readers may be killed, may swell, may hang: it costs one reader one sentence, and no session."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from recprivlib.dashboard import Card
from tests.widgets.hard import HARD, find
from widgets.kit import helpers as module
from widgets.kit import queue as lines
from widgets.kit.cost import Costs
from widgets.kit.helpers import Helpers
from widgets.kit.part import Wire
from widgets.kit.pool import Lane, Pool
from widgets.kit.session import Session
from widgets.kit.work import Errand, Left

MB = 1 << 20
ONE = {"people": 1}
PATIENCE = 180.0  # seconds; a machine on which twenty others compute gives two seconds of work a minute
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

    def last(self, seconds=PATIENCE):
        """The last word: a result or a refusal."""
        with self.news:
            assert self.news.wait_for(lambda: any(one.last for one in self.told), seconds), self.told
            return self.told[-1]

    def some(self, many=1, seconds=PATIENCE):
        with self.news:
            assert self.news.wait_for(lambda: len(self.told) >= many, seconds), self.told


def until(true, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


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
    assert refused(Asked(here, "swells", people=100).last())  # 2 GB
    assert Asked(here, "swells", people=2).last().result.area == 2
    real, begun = here.place._lease, []
    here.place._lease = lambda job: (begun.append(job), real(job))[1]
    assert refused(Asked(here, "swells", people=100).last())
    assert begun == [], "it was known, and begun again"


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
    assert refused(Asked(pool(), "sleeps", people=2).last())


@linux
def test_a_step_has_so_many_seconds_of_a_processor(pool, monkeypatch):
    monkeypatch.setattr(module, "STEP", 1.0)
    here = pool()
    assert refused(Asked(here, "works", people=1000).last())  # it would take a hundred
    assert Asked(here, "works", people=2).last().result.height == 10


@linux
def test_a_helper_ends_itself_where_nobody_looks_at_what_it_takes(pool):
    """The system ends it: a server that is busy, or gone wrong, need not."""
    worker = module.Helper(find, False, (0, 0))
    try:
        with pytest.raises((EOFError, OSError)):
            worker.ask((1, "works", "result", HARD["works"].defaults | {"people": 150}, 0.5), lambda seconds: None)
        assert worker.worked() < 10  # of fifteen
    finally:
        worker.end()


def test_a_stream_has_so_many_seconds_in_all(pool):
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
    until(lambda: not busy(here))


def test_what_others_wait_for_too_goes_on_when_the_first_has_gone(pool):
    here, asked = pool(), []
    real = here.place._lease
    here.place._lease = lambda job: (asked.append(job.number), real(job))[1]
    first, second = Asked(here, "works", people=25), Asked(here, "works", people=25)
    until(lambda: any(one.awaited for one in here._under_way.values()))
    first.lane.cancel()
    assert second.last().result.height == 10
    assert first.told == []
    assert len(set(asked)) == 1, "it was ended, and begun again for the second"


@linux
def test_a_lone_reader_behind_four_long_jobs_waits_no_more_than_a_moment(pool, monkeypatch):
    """Nobody comes after him who would make the line look."""
    monkeypatch.setattr(lines, "LONG", 0.5)
    here = pool()
    dear = [Asked(here, "works", people=400, height=at) for at in range(1, 5)]  # forty seconds of a processor each
    until(lambda: len(busy(here)) >= 2)
    assert Asked(here, "where").last().error is None
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
        assert Asked(here, "where", height=height).last().error is None
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
    assert Asked(here, "where").last().error is None
    assert not any(one.last for one in stream.told)
    stream.lane.cancel()


@linux
def test_a_whole_curve_that_is_said_to_be_long_begins_aside(pool):
    """It was thought to take nothing, and held a quick helper until it was seen to be long."""
    here = pool()
    dear, told = [], []
    lane = Lane(HARD["curved"], here, dear.append, curve=True)
    lane.ask(HARD["curved"].defaults | {"people": 400})
    until(lambda: busy(here))
    assert all(one.aside for one in busy(here))
    quick = Lane(HARD["curved"], here, told.append, curve=True)
    quick.ask(HARD["curved"].defaults)
    until(lambda: told)
    assert dear == [], "it was waited for"
    lane.cancel()


def test_what_is_quick_waits_for_nobody_who_takes_a_while(pool):
    """Each of them takes less than is costly, and there are more than helpers, and more than workers."""
    here, did = pool(), []
    real = here.place._lease

    def lease(job):
        worker = real(job)
        did.append((job.stem, worker.kept, worker.aside))
        return worker

    here.place._lease = lease
    slow = [Asked(here, "declared", people=19, height=at) for at in range(1, 7)]  # two seconds of a processor each
    until(lambda: len(busy(here)) == 2)
    for height in range(1, 4):
        assert Asked(here, "where", height=height).last().error is None
    assert not any(one.told for one in slow[2:]), "it stood behind them"
    assert ("where", True, False) in did
    assert not any(stem == "declared" and (kept or aside) for stem, kept, aside in did), did
    for one in slow:
        one.lane.cancel()


def test_one_is_kept_for_what_is_quick_and_does_nothing_else(pool):
    place, values = pool(aside=0).place, HARD["declared"].defaults

    def lease(number, foreseen, gone=lambda: False):
        errand = Errand(gone, foreseen=foreseen)
        return place._lease(module.Job(number, "declared", "result", values | {"seed": number}, errand, False, 1.0))

    assert not any(lease(number, 1.5).kept for number in (1, 2))
    kept = lease(3, 0.1)
    assert kept.kept
    place._release(kept)
    end = time.monotonic() + 1
    with pytest.raises(Left):
        lease(4, 1.5, lambda: time.monotonic() > end)
    assert not kept.busy
    assert lease(5, 0.1) is kept


def test_whoever_computes_is_told_how_long_it_is_thought_to_take(pool):
    here, told = pool(), []

    def parts(which, part, values, errand):
        told.append(errand.foreseen)
        yield 1.0, None

    here.place = SimpleNamespace(parts=parts)
    for part in ("result", "curve"):
        list(here.parts(HARD["declared"], part, HARD["declared"].defaults | {"people": 15}, Errand()))
    assert told == [1.5, 1.5]


def test_a_helper_at_what_takes_a_while_is_not_waited_for(pool):
    here = pool(many=1, aside=0)
    Asked(here, "where").last()
    place, values = here.place, HARD["declared"].defaults
    (worker,) = place.staff
    for seed, foreseen, soon in ((0, 1.5, True), (1, 0.1, True), (2, 1.5, False)):  # the first it knows
        job = module.Job(-1, "declared", "result", values | {"seed": seed}, Errand(foreseen=foreseen), False, 1.0)
        assert place._lease(job) is worker
        assert worker.soon() is soon
        place._release(worker)


def test_what_a_helper_aside_knows_is_asked_of_it_and_not_begun_elsewhere(pool):
    here = pool()
    Asked(here, "declared", people=25, seed=7).last()
    aside = {one.pid for one in here.place.staff if one.aside}  # two, where the first to begin had to give up its place
    assert aside
    assert Asked(here, "where", seed=7).last().result.area in aside
    assert Asked(here, "where", seed=8).last().result.area not in aside


def test_one_that_was_kept_for_what_is_quick_goes_when_nobody_needs_it(pool, monkeypatch):
    here = pool(many=1)
    slow = Asked(here, "declared", people=19)
    until(lambda: busy(here))
    Asked(here, "where").last()
    assert [one.kept for one in here.place.staff] == [False, True]
    slow.last()
    monkeypatch.setattr(module, "UNUSED", 0.0)
    Asked(here, "where", height=3).last()
    until(lambda: [one.kept for one in here.place.staff] == [False])


def test_who_asks_for_more_than_he_stands_in_line_for_goes_to_the_other_line():
    """While he waits he may move on from what is quick to what is costly."""
    here, gate, names = Pool(workers=1), threading.Event(), []

    def compute(**values):
        names.append(threading.current_thread().name)
        return HARD["where"].compute(**values)

    which = replace(HARD["declared"], compute=compute)
    here.submit(lambda: gate.wait(60))
    until(lambda: not here._quick.waits())
    lane, told = Lane(which, here, lambda update: told.append(update)), []
    for people in (1, 10, 50):
        lane.ask(which.defaults | {"people": people})
    gate.set()
    until(lambda: told)
    assert names == ["costly"]


def test_what_an_explorer_calls_costly_stays_so_until_it_took_less_than_half():
    """Near the bound the same question was costly, then quick, then costly."""
    costs, which = Costs(), HARD["declared"]
    at, other = which.defaults | {"people": 30}, which.defaults | {"people": 31}
    for seconds, foreseen in ((1.9, 3.0), (1.5, 3.0), (5.0, 5.0), (1.0, 4.0)):
        costs.note(which, "result", at, seconds)
        assert costs.of(which, "result", at) == pytest.approx(foreseen)
    for _ in range(30):
        costs.note(which, "result", at, 0.1)
    assert costs.of(which, "result", at) == pytest.approx(0.1)
    assert costs.of(which, "result", other) >= 1.5


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
    assert psutil.wait_procs(family, timeout=60)[1] == []


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
        worker.process.join(60)
        assert before <= worker.worked() < before + 5
    finally:
        place.close()
