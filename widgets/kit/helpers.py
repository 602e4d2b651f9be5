"""Processes that compute for readers, and can be ended: by who asked, by what they took, by themselves.

    parts(…) ──lease──> a helper that has nothing else to do ──pipe──> `helper.main`: the next part of one computation
                           │
        sessions, results and drawing stay in the server: a helper that ends takes nothing of anybody's with it

A few helpers answer what is quick. What is foreseen as long begins aside, in a helper that lets all others go first.
What turns out to be long is moved there: another helper takes its place; where enough are aside already it is given up,
and begun again when one of them is free. While all the others are at what takes a while, one more is kept for what is
quick.

A computation waits for its next turn in the helper that began it. Where that one has ended meanwhile, or is long at
something else, another begins it again and nobody sees it. The one that was under way when its helper was killed, was
full or hung is told so (`Exceeded`). A helper whose reader has gone is ended as well.
"""

from __future__ import annotations

import itertools
import logging
import multiprocessing
import multiprocessing.util  # what it does at the end of the program comes after what was registered later
import os
import pickle
import signal
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

from recprivlib.dashboard import Explorer, explorer
from recprivlib.dashboard.contract import Values
from widgets.kit import helper
from widgets.kit.clock import Clock, clock
from widgets.kit.cost import QUICK
from widgets.kit.queue import LONG, give_way
from widgets.kit.work import AGAIN, Again, Errand, Exceeded, Left, Part, Told

LOOK = 0.1  # seconds between two looks at a helper that has not answered
STEP = 60.0  # seconds of a processor from one part to the next
READY = 60.0  # seconds that a helper has to begin
HUNG = 20.0  # seconds in which a helper has answered nothing and worked nothing
GRACE = 1.0  # seconds that a helper has to come to the end of a part that nobody waits for
WAITED = 2.0  # seconds that it is waited for at most, while others have nothing to do
ELSEWHERE = 1.0  # seconds that are waited for the one that has begun, before another begins again
ROOM = 384 << 20, 900 << 20  # bytes that a quick helper, and one aside, may take beyond the library itself
CACHE = 0.5  # of what one process would remember
ATTEMPTS = 5  # of one computation, at most
UNUSED = 60.0  # seconds until a helper is ended, aside or kept for what is quick, that nobody needs
KNOWN = 200  # settings of which it is remembered who has computed them
PRELOADED = ["widgets.kit.loaded"]
ABOUT = ("data", "seed")  # controls by which a helper remembers what it has loaded and split

log = logging.getLogger(__name__)


class Helper:
    """One process, seen from the server. One that is `kept` does nothing but what is quick."""

    def __init__(self, find: Callable[[str], Explorer], aside: bool, room: tuple[int, int], kept: bool = False):
        self.aside, self.roomy, self.kept, self.busy = aside, aside, kept, False
        self.foreseen = 0.0  # seconds that it is thought to be busy
        self._worked = 0.0
        self.rested = time.monotonic()  # since when it has nothing to do, while it has not
        self.known: OrderedDict[Any, None] = OrderedDict()
        self.begun = 0.0  # what it had worked when it was asked last
        self._sending = threading.Lock()
        self._line, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=helper.main, args=(theirs, find, room[aside], CACHE), daemon=True)
        with theirs, quietly():
            self.process.start()
        self.pid = self.process.pid or 0
        if not self._line.poll(READY):
            self.end()
            raise OSError(f"a helper was not ready after {READY:.0f} seconds")
        self._line.recv_bytes()
        if aside:
            give_way(self.pid)

    def takes(self, job: Job) -> None:
        """It is asked for this now. Of settings that it knows nobody can tell how long they take."""
        self.busy, self.foreseen = True, 0.0 if job.about in self.known else job.errand.foreseen
        self.known[job.about] = None
        self.known.move_to_end(job.about)
        while len(self.known) > KNOWN:
            self.known.popitem(last=False)

    def worked(self) -> float:
        """Seconds of a processor so far; of a clock on the wall where nobody else can tell."""
        if sys.platform != "linux":
            return time.monotonic()
        with suppress(OSError):
            self._worked = time.clock_gettime((~self.pid << 3) | 2)  # the clock of another process
        return self._worked  # of one that has ended, what it was last

    def alive(self) -> bool:
        """Whether it is there."""
        return self.process.is_alive()

    def open(self) -> bool:
        """Whether it can be asked, as it has nothing to do: it says nothing then, so what comes is the line's end.

        Of the end of a process a busy system tells late, of its line's at once.
        """
        with suppress(OSError, EOFError):
            return self.alive() and not self._line.poll()
        return False

    def soon(self) -> bool:
        """Whether it is expected to be free in a moment."""
        return not self.busy or (self.foreseen <= QUICK and self.worked() - self.begun < QUICK)

    def step_aside(self) -> None:
        """For good: whoever gave way cannot be given his rank again."""
        self.aside, self.kept = True, False
        give_way(self.pid)

    def ask(self, message: tuple, look: Callable[[float], None]) -> tuple:
        """Its answer; `look` is called again and again meanwhile with its seconds so far, and may raise."""
        with self._sending:
            self._line.send_bytes(pickle.dumps(message, 5))
        begun = self.begun = self.worked()
        mine = clock()
        mine.helper = lambda: self.worked() - begun
        try:
            while not self._line.poll(LOOK):
                look(self.worked() - begun)
            return pickle.loads(self._line.recv_bytes())
        finally:
            mine.helper = None
            mine.helped += max(0.0, self.worked() - begun) if self.alive() else 0.0

    def close(self, number: int) -> None:
        """Forgets one computation."""
        with suppress(OSError, ValueError), self._sending:
            self._line.send_bytes(pickle.dumps((number,)))

    def end(self) -> None:
        """At once."""
        with suppress(OSError, ValueError):
            self.process.kill()
            self.process.join(5)
            self._line.close()


class Helpers:
    """All of them: `many`, one more for what is quick where these are busy, and at most `aside` for what takes long."""

    def __init__(
        self,
        many: int | None = None,
        find: Callable[[str], Explorer] = explorer,
        aside: int = 2,
        room: tuple[int, int] = ROOM,
    ):
        self.many, self.find, self.room, self.most = many or max(2, min(4, os.cpu_count() or 1)), find, room, aside
        self.workers = 2
        self.aside = 64  # threads that may wait for a helper aside: they take nothing
        self.staff: list[Helper] = []
        self._wanted = 0  # threads that wait for a quick one
        self._coming: Counter[tuple[bool, bool]] = Counter()  # being started, by whether they are aside, or kept
        self._change = threading.Condition()
        self._numbers = itertools.count(1)
        self._failed, self._closed = 0, False  # starts in vain, one after the other

    # --------------------------------------------------------------------------------------------- computing

    def parts(self, known: Explorer, part: Part, values: Values, errand: Errand) -> Iterator[Told | Again]:
        """See `Place`. What was told before it was begun again is not told twice."""
        best: Told = (0.0, None)
        long = False
        for attempt in itertools.count(1):
            job = Job(next(self._numbers), known.stem, part, dict(values), errand, long, ELSEWHERE * 4 ** (attempt - 1))
            try:
                for told in self._turns(job):
                    if not isinstance(told, Again) and told[0] >= best[0]:
                        best = told
                    yield told if isinstance(told, Again) else best
                return
            except Lost as reason:
                if attempt >= ATTEMPTS:
                    raise Exceeded(f"{known.stem} was begun {attempt} times in vain: {reason}", again=False) from None
                long = long or reason.long
                yield AGAIN if reason.long else best
            finally:
                job.close()

    def _turns(self, job: Job) -> Iterator[Told]:
        while True:
            worker = self._lease(job)
            mine, good = clock(), False
            try:
                kind, *told = worker.ask(job.asks(), Watch(self, worker, job, mine))
                good = True
            except (EOFError, OSError, pickle.UnpicklingError):
                if self._closed:
                    raise Left("the server has stopped") from None
                raise Exceeded(f"the helper at {job.stem} has ended", again=False) from None
            finally:
                if good:
                    job.home = worker
                    self._release(worker)
                else:
                    self._dismiss(worker)
            if kind == "full":
                self._full(worker, job)
            if kind == "error":
                raise told[0]
            if kind == "end":
                return
            yield told[0], told[1]

    def _full(self, worker: Helper, job: Job) -> None:
        """Others may have filled a helper: it ends, and another has more room. In that one it is one's own doing."""
        self._dismiss(worker)
        if worker.roomy or not self.most:
            raise Exceeded(f"{job.stem} needs more memory than a helper has")
        raise Lost("its helper was full", long=True)

    def wanted(self) -> bool:
        """Whether somebody waits for a quick helper."""
        return self._wanted > 0

    # ------------------------------------------------------------------------------------------------- staff

    def _lease(self, job: Job) -> Helper:
        """A helper for one part of a computation: the one that has begun it, else one that knows such settings."""
        aside = (clock().aside or job.long) and self.most > 0
        begun = time.monotonic()
        with self._change:
            while True:
                if self._closed:
                    raise Left("the server has stopped")
                job.errand_goes_on()
                self._bury()
                waited = time.monotonic() - begun
                found = self._home(job, waited) if job.home else self._free(job, aside, waited)
                if found is not None:
                    found.takes(job)
                    return found
                if not job.home and self._short(aside):
                    self._begin(aside)
                elif not job.home and job.quick and not aside and self._short_of_quick():
                    self._begin(False, kept=True)
                self._wanted += not aside
                try:
                    self._change.wait(LOOK)
                finally:
                    self._wanted -= not aside

    def _home(self, job: Job, waited: float) -> Helper | None:
        if job.home not in self.staff:
            raise Lost("its helper has ended")
        if job.home.busy and waited > job.patience:
            raise Lost("its helper is long at something else")
        return None if job.home.busy else job.home

    def _free(self, job: Job, aside: bool, waited: float) -> Helper | None:
        """One that knows such settings, be it aside; else whoever knows least, unless one that does is free soon."""
        rank = [one for one in self.staff if one.aside == aside and (job.quick or not one.kept)]
        free = [one for one in rank if not one.busy]
        beside = [one for one in self.staff if one.aside and not one.busy and not aside]
        best = next((one for one in [*free, *beside] if job.about in one.known), None)
        knows = [one for one in rank if job.about in one.known]
        if best is None and free and (waited > WAITED or not any(one.soon() for one in knows)):
            best = min(free, key=lambda one: (one.kept, len(one.known)))
        return best

    def _there(self, aside: bool, kept: bool) -> int:
        """How many are, or will be in a moment."""
        return sum((one.aside, one.kept) == (aside, kept) for one in self.staff) + self._coming[aside, kept]

    def _short(self, aside: bool) -> bool:
        return self._there(aside, False) < (self.most if aside else self.many)

    def _short_of_quick(self) -> bool:
        """Whether all who could do it are there, and will be busy for a while."""
        if self._there(False, True) or self._coming[False, False]:
            return False
        return not any(one.soon() for one in self.staff if not one.aside)

    def _begin(self, aside: bool, kept: bool = False) -> None:
        """Has one more started in the background; under the lock. Where none can be, that is said."""
        if self._failed >= ATTEMPTS:
            self._failed = 0
            raise Exceeded("no helper can be started", again=False)
        self._coming[aside, kept] += 1
        threading.Thread(target=self._start, args=(aside, kept), name="a helper comes", daemon=True).start()

    def _start(self, aside: bool, kept: bool) -> None:
        worker = None
        try:
            worker = Helper(self.find, aside, self.room, kept)
        except Exception as reason:  # whatever it was, nobody waits for this one
            log.warning("a helper could not be started: %r", reason)
        with self._change:
            self._coming[aside, kept] -= 1
            self._failed = 0 if worker else self._failed + 1
            if worker is not None and not self._closed:
                self.staff.append(worker)
                worker = None
            self._change.notify_all()
        if worker is not None:
            worker.end()

    def _release(self, worker: Helper) -> None:
        with self._change:
            worker.busy, worker.rested = False, time.monotonic()
            self._change.notify_all()

    def _dismiss(self, worker: Helper) -> None:
        """Ends one, and has another take its place in the background."""
        with self._change:
            if worker in self.staff:
                self.staff.remove(worker)
            self._change.notify_all()
        worker.end()
        self.start_soon()

    def _bury(self) -> None:
        """Those that were killed while they had nothing to do, and those besides the `many` that nobody needed; under
        the lock.
        """
        for worker in [one for one in self.staff if not one.busy]:
            besides = worker.aside or worker.kept
            if not worker.open() or (besides and time.monotonic() > worker.rested + UNUSED):
                self.staff.remove(worker)
                worker.end()
                self._fill()

    def start_soon(self) -> None:
        """In the background, as many as there are to be for what is quick."""
        with self._change:
            self._fill()

    def _fill(self) -> None:
        while not self._closed and self._short(False) and self._failed < ATTEMPTS:
            self._begin(False)

    def move_aside(self, worker: Helper) -> bool:
        """Whether one more may go on aside; then another takes its place."""
        with self._change:
            if self._there(True, False) >= self.most:
                idle = next((one for one in self.staff if one.aside and not one.busy), None)
                if idle is None:
                    return False
                self.staff.remove(idle)
                idle.end()
            worker.step_aside()
        self.start_soon()
        return True

    def close(self) -> None:
        """Ends them all."""
        with self._change:
            self._closed, gone, self.staff = True, self.staff, []
        for worker in gone:
            worker.end()
        if STARTING.acquire(timeout=5):  # what is just being started is not cut off in the middle of a word
            STARTING.release()


class Lost(Exception):
    """Whatever was computed so far is gone, by nobody's fault. `long`: it is to be begun again among what is long."""

    def __init__(self, why: str, long: bool = False):
        super().__init__(why)
        self.long = long


class Job:
    """One computation, and the helper in which it waits for its next turn."""

    def __init__(self, number: int, stem: str, part: Part, values: Values, errand: Errand, long: bool, patience: float):
        self.number, self.stem, self.part, self.values, self.errand = number, stem, part, values, errand
        self.long, self.patience = long, patience
        self.about = tuple(values.get(name) for name in ABOUT)
        self.home: Any = None

    @property
    def quick(self) -> bool:
        """As far as that can be foreseen."""
        return self.errand.foreseen <= QUICK

    def asks(self) -> tuple:
        """What the helper is told."""
        return self.number, self.stem, self.part, self.values, min(STEP, max(1.0, self.errand.left))

    def errand_goes_on(self) -> None:
        """Unless nobody waits for it any more."""
        if self.errand.gone():
            raise Left

    def close(self) -> None:
        """Nobody wants more of it."""
        if self.home is not None:
            self.home.close(self.number)


class Watch:
    """What is looked at while a helper works: whether anybody waits for it, what it has taken, whom it holds up."""

    def __init__(self, all_: Helpers, worker: Helper, job: Job, mine: Clock):
        self.all, self.worker, self.job, self.mine = all_, worker, job, mine
        self._left: float | None = None  # since when nobody waits
        self._last, self._since = -1.0, time.monotonic()  # what it had worked when it last worked

    def __call__(self, seconds: float) -> None:
        now = time.monotonic()
        if self.job.errand.gone():
            self._left = self._left or now
            if now > self._left + GRACE:
                raise Left
        if seconds > min(STEP, self.job.errand.left):
            raise Exceeded(f"{self.job.stem} took more than {seconds:.0f} seconds for one part")
        if seconds > self._last + 0.01:
            self._last, self._since = seconds, now
        elif now > self._since + HUNG:
            raise Exceeded(f"{self.job.stem} did nothing for {HUNG:.0f} seconds")
        held_up = self.mine.aside or (seconds > LONG and self.all.wanted())
        if held_up and not self.worker.aside and self.all.most and not self.all.move_aside(self.worker):
            raise Lost("others wait, and enough are at something long", long=True)


# ------------------------------------------------------------------------------------------------ processes

CONTEXT: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
STARTING = threading.Lock()


@contextmanager
def quietly() -> Iterator[None]:
    """Starts a process that knows nothing of the program that started it, and does not hear Ctrl-C.

    One starts at a time. Linear algebra has one thread there from the beginning: what forks later has no others.
    """
    with STARTING:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        program, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        blocked = set()
        if sys.platform == "linux":
            from multiprocessing import resource_tracker

            CONTEXT.set_forkserver_preload(PRELOADED)
            resource_tracker.ensure_running()  # it lets signals through again when it starts
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            sys.modules["__main__"] = program
            if sys.platform == "linux":
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
