"""Where `compute` runs: one bounded pool for all readers, one cache they share, and one lane a reader.

    lane.ask(values) ──> at most one computation under way and one waiting, the newest
                    └──> tell(Update) from the worker's thread, once a result or, for a stream, several times

Who has had a turn goes to the end of the line, with what is left of a stream too (`Queue`). What is thought to take
a while (`Costs`) stands in a line of its own, and so does what takes long: what is quick waits for neither. A worker
here waits for the place where the computing is done (`work.Place`), and draws; who asks for what somebody else is at,
goes on when that is there (`Later`).

A drag therefore never queues work: what was waiting is replaced, and a stream (`explorer.steps`) is closed.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, cast

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.memory import Memory
from recprivlib.executors import one_thread
from widgets.kit.clock import worked
from widgets.kit.cost import COSTLY, QUICK, Costs
from widgets.kit.fairness import Reader, Shares
from widgets.kit.queue import Queue
from widgets.kit.words import too_much
from widgets.kit.work import Again, Errand, Exceeded, Here, Left, Part, Place, Told

Key = tuple[str, tuple[tuple[str, Hashable], ...]]
RESULT_BYTES = 64 << 20  # what can be computed again
TURN = 0.3  # seconds of a stream, after which it is somebody else's turn
STREAM_EVERY = 0.1  # seconds between two pictures of a stream
REFUSED = 600.0  # seconds in which what took more than there is is not begun again
log = logging.getLogger(__name__)


def key(stem: str, values: Values, part: Part = "result") -> Key:
    """What a result is remembered under."""
    return stem + "/curve" * (part == "curve"), tuple(sorted(values.items()))


class Later:
    """What somebody else is computing; who asks for it too goes on when that is over."""

    def __init__(self) -> None:
        self._acts: list[Callable[[], None]] = []
        self._over = False
        self._lock = Lock()

    @property
    def awaited(self) -> bool:
        """Whether anybody is waiting."""
        return bool(self._acts)

    def then(self, act: Callable[[], None]) -> None:
        """Calls `act` when it is over."""
        with self._lock:
            if not self._over:
                self._acts.append(act)
                return
        act()

    def over(self) -> None:
        """It is there, or will not be."""
        with self._lock:
            self._over, acts, self._acts = True, self._acts, []
        for act in acts:
            act()


Turn = Again | Later | None  # what stands between two turns of a job
Turns = Generator[Turn, None, Any]


class Pool:
    """A few worker threads and what all readers share."""

    lines: tuple[Queue, ...] = ()

    def __init__(self, workers: int | None = None, limit: int = RESULT_BYTES, place: Place | None = None):
        self._share(limit, place)
        self._one_thread = one_thread()  # of linear algebra a worker; as long as the pool lives
        self._shares = Shares()
        many, aside = workers or max(2, min(4, os.cpu_count() or 1)) * self.place.workers, self.place.aside
        self._quick = Queue(many, "compute", shares=self._shares, aside=aside)
        self._usual = Queue(many, "compute more", shares=self._shares, aside=aside)
        self._costly = Queue(1, "costly", humble=True, shares=self._shares)
        self._curves = Queue(1, "curve", shares=self._shares, aside=aside)
        self._costly_curves = Queue(1, "costly curve", humble=True, shares=self._shares)
        self.lines = (self._quick, self._usual, self._costly)

    def _share(self, limit: int = RESULT_BYTES, place: Place | None = None) -> None:
        self.results, self.place, self.costs = Memory(limit), place or Here(), Costs()
        self._under_way: dict[Key, Later] = {}
        self._refused: OrderedDict[Key, float] = OrderedDict()
        self._parked: Counter[str] = Counter()
        self._lock = Lock()

    def submit(
        self, job: Callable[[], None], seconds: float = 0.0, curve: bool = False, reader: Reader | None = None
    ) -> None:
        """Runs `job`, which takes about so many seconds, when its turn comes: of its line, and no other waits for it.

        Workers who draw wait a moment for a whole curve. It has a worker of its own, who waits for nobody.
        """
        if curve:
            line = self._costly_curves if seconds > COSTLY else self._curves
        else:
            line = self._costly if seconds > COSTLY else self._usual if seconds > QUICK else self._quick
        line.join(job, reader)

    def run(
        self,
        turns: Iterator[Turn],
        seconds: Callable[[], float] = lambda: 0.0,
        curve: bool = False,
        reader: Reader | None = None,
    ) -> None:
        """One job to its end; or, where others wait, one turn of it, and the rest when it is in front again.

        `seconds` are those that it takes about, by what is known of it then.
        """

        def again(long: bool = False) -> None:
            self.submit(
                partial(self.run, turns, seconds, curve, reader), math.inf if long else seconds(), curve, reader
            )

        end = worked() + TURN
        for turn in turns:
            if isinstance(turn, Later):
                self._park(turn, again, reader)
                return
            if isinstance(turn, Again):
                again(long=True)
                return
            if worked() > end and not self.calm():
                again()
                return

    def _park(self, turn: Later, again: Callable[[], None], reader: Reader | None) -> None:
        address = reader.address if reader else ""

        def back() -> None:
            with self._lock:
                self._parked -= Counter([address])
            again()

        with self._lock:
            self._parked[address] += 1
        turn.then(back)

    def calm(self) -> bool:
        """Whether nobody is in line, nor a worker for somebody who can compute."""
        return not (self.place.wanted() or any(line.waits() for line in self.lines))

    def crowd(self, address: str) -> int:
        """How much of one address waits."""
        return sum(line.crowd(address) for line in self.lines) + self._parked[address]

    def ahead(self, reader: Reader) -> int:
        """How many readers have their turn before this one."""
        return max((line.ahead(reader) for line in self.lines), default=0)

    def over(self, reader: Reader) -> tuple[bool, bool]:
        """Whether he has had more than his share of the last minute, and whether his address has."""
        return self._shares.over(reader)

    def known(self, explorer: Explorer, values: Values, part: Part = "result") -> Any:
        """The result if somebody asked for it before, else None."""
        return self.results.known(key(explorer.stem, values, part))

    def cost(self, explorer: Explorer, values: Values, part: Part = "result") -> float:
        """Seconds that it will take about; what is known takes none."""
        return 0.0 if self.known(explorer, values, part) is not None else self.costs.of(explorer, part, values)

    def result(self, explorer: Explorer, values: Values) -> Any:
        """`compute(**values)`, in one go; two readers who ask the same at once share one computation."""

        def compute() -> Any:
            told = [each for each in self.parts(explorer, "result", values, Errand()) if not isinstance(each, Again)]
            return told[-1][1]

        return self.results.get(key(explorer.stem, values), compute)

    def made(self, explorer: Explorer, part: Part, values: Values, errand: Errand) -> Turns:
        """The result or the whole curve, in turns; made once for all who ask for it at the same time."""
        name, result, spent = key(explorer.stem, values, part), None, 0.0
        while (known := self.results.known(name)) is None:
            with self._lock:
                other = self._under_way.get(name)
                mine = self._under_way.setdefault(name, Later())
            if other is not None:
                yield other
                continue
            shared = Errand(lambda own=mine: errand.gone() and not own.awaited, errand.left)  # type: ignore[misc]
            try:
                for told in self.parts(explorer, part, values, shared):
                    if not isinstance(told, Again):
                        result = told[1]
                    spent, errand.left = spent + errand.left - shared.left, shared.left
                    yield told if isinstance(told, Again) else None
                return self.results.get(name, lambda made=result: made, spent)  # type: ignore[misc]
            finally:
                with self._lock:
                    del self._under_way[name]
                mine.over()
        return known

    def parts(self, explorer: Explorer, part: Part, values: Values, errand: Errand) -> Iterator[Told | Again]:
        """What the place tells; what it takes is noted, and what takes more than there is is said in a sentence."""
        name, spent, whole = key(explorer.stem, values, part), 0.0, False
        if self._refused.get(name, 0.0) > time.monotonic():
            raise too_much(explorer, values)
        errand.foreseen = self.costs.of(explorer, part, values)
        try:
            with closing(cast(Generator, self.place.parts(explorer, part, values, errand))) as stream:
                while not whole:
                    began = worked()
                    try:
                        told = next(stream, None)
                    finally:
                        took = worked() - began
                        spent, errand.left = spent + took, errand.left - took
                    whole = told is None
                    if told is not None:
                        yield told
        except Exceeded as reason:
            log.warning("%s at %s: %s", explorer.stem, dict(values), reason)
            if reason.again:
                self._refuse(name)
            raise too_much(explorer, values) from reason
        finally:
            self.costs.note(explorer, part, values, spent, whole)

    def _refuse(self, name: Key) -> None:
        with self._lock:
            self._refused[name] = time.monotonic() + REFUSED
            while len(self._refused) > 1000:
                self._refused.popitem(last=False)


@dataclass(frozen=True)
class Update:
    """What a reader is told: a result (of a stream: so far), or what went wrong."""

    values: Values
    result: Any = None
    error: Exception | None = None
    progress: float | None = 1.0  # None: this is all there will be of it, and newer settings are on their way
    remaining: float = 0.0  # seconds
    last: bool = True


class Lane:
    """One reader's place in the pool."""

    def __init__(
        self,
        explorer: Explorer,
        pool: Pool,
        tell: Callable[[Update], None],
        curve: bool = False,
        reader: Reader | None = None,
    ):
        self.explorer, self.pool, self.tell, self.curve = explorer, pool, tell, curve
        self.reader = reader or Reader()
        self.part: Part = "curve" if curve else "steps" if explorer.steps else "result"
        self.generation = 0
        self.asked: Values | None = None  # what was asked for last; None once that was taken back
        self.every = STREAM_EVERY
        self._mute = -1  # results of this generation or an older one are no longer wanted
        self._waiting: tuple[int, Values] | None = None
        self._busy = False
        self._now: tuple[Values, float] | None = None  # what is under way, or was last, and its seconds so far
        self._foreseen = 0.0  # seconds that it was thought to take
        self._lock = Lock()

    def ask(self, values: Values) -> None:
        """Computes at `values` next, instead of anything that was still waiting."""
        with self._lock:
            self.generation += 1
            self.asked = dict(values)
            self._waiting = (self.generation, self.asked)
            if self._busy:
                return
            self._busy = True
        self._join()

    def cancel(self) -> None:
        """Forgets what waits, closes a stream, ends what can be ended, and drops the result of what cannot."""
        with self._lock:
            self._mute = self.generation
            self.generation += 1
            self.asked = self._waiting = None

    def _join(self) -> None:
        """What is long stands apart; but a stream gives its turn to whoever comes, and moves apart then."""
        seconds = self._foreseen = self._awaits()
        if self.part == "steps" and self.pool.calm():
            seconds = min(seconds, COSTLY)
        self.pool.submit(self._work, seconds, self.curve, self.reader)

    def _work(self) -> None:
        """Who has asked for more than he stood in line for goes to the line where that is done."""
        seconds = self._awaits()
        if any(self._foreseen <= bound < seconds for bound in (QUICK, COSTLY)):
            self._join()
        else:
            self.pool.run(self._turns(), self._takes, self.curve, self.reader)

    def _awaits(self) -> float:
        """Seconds that what waits will take."""
        waiting = self._waiting
        return self._cost(waiting[1]) if waiting is not None else 0.0

    def _takes(self) -> float:
        """Seconds of what is under way, as it was foreseen or by what it has taken."""
        return max(self._foreseen, self._now[1] if self._now is not None else 0.0)

    def _cost(self, values: Values) -> float:
        """Seconds that a step will take. In a drag along the axis, the one before knows best."""
        if self._now is not None:
            before, took = self._now
            moved = {name for name in values if values[name] != before.get(name)}
            if all(c.place == "axis" for c in self.explorer.controls if c.name in moved):
                return min(took, self.pool.cost(self.explorer, values, self.part))
        return self.pool.cost(self.explorer, values, self.part)

    def _turns(self) -> Iterator[Turn]:
        with self._lock:
            job, self._waiting = self._waiting, None
            if job is None:
                self._busy = False
                return
        generation, values = job
        took, began = 0.0, worked()
        self._now = values, took
        try:
            for update in self._updates(generation, values):
                turn = None if isinstance(update, Update) else update
                if isinstance(update, Update) and generation > self._mute:
                    self.tell(update)
                took += worked() - began
                self._now = values, took
                yield turn  # another thread may go on
                began = worked()
        except Left:
            pass  # nobody is there to be told, or the server has stopped
        except Exception as error:
            if generation > self._mute:
                self.tell(Update(values, error=error))
        finally:
            self._now = values, took + worked() - began  # its own work: a busy machine makes nobody costly
            self._join()  # at the end: others wait too

    def _updates(self, generation: int, values: Values) -> Iterator[Update | Turn]:
        """What there is to tell; else what `Turn` holds after a block of a stream that tells nothing."""
        explorer = self.explorer
        known = self.pool.known(explorer, values, self.part)
        errand = Errand(lambda: generation <= self._mute)
        if known is not None or self.part != "steps":
            if known is None:
                known = yield from self.pool.made(explorer, self.part, values, errand)
            yield Update(values, known)
            return
        began = shown = time.monotonic()
        result, spent = None, errand.left
        with closing(cast(Generator, self.pool.parts(explorer, "steps", values, errand))) as stream:
            for told in stream:
                if isinstance(told, Again):
                    yield told
                    continue
                progress, result = told
                now = time.monotonic()
                remaining = (now - began) * (1 - progress) / progress if progress > 0 else self.every
                if result is not None and now - shown >= self.every <= remaining:
                    shown = now
                    yield Update(values, result, progress=progress, remaining=remaining, last=False)
                else:
                    yield None
                if progress < 1 and generation != self.generation:
                    if shown == began and result is not None:
                        # in a drag every move is answered, with as much as there is
                        yield Update(values, result, progress=None, last=False)
                    return
        spent -= errand.left
        self.pool.results.get(key(explorer.stem, values), lambda: result, spent)
        yield Update(values, result)
