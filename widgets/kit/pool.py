"""Where `compute` runs: one bounded pool for all readers, one cache they share, and one lane a reader.

    lane.ask(values) ──> at most one computation under way and one waiting, the newest
                    └──> tell(Update) from the worker's thread, once a result or, for a stream, several times

Who has had a turn goes to the end of the line, with what is left of a stream too (`Line`).

A drag therefore never queues work: what was waiting is replaced, and a stream (`explorer.steps`) is closed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, cast

from recprivlib.executors import one_thread
from recprivlib.live import Explorer
from recprivlib.live.contract import Values
from recprivlib.live.memory import Memory, worked
from widgets.kit.line import Line
from widgets.kit.share import Reader, Shares

Key = tuple[str, tuple[tuple[str, Hashable], ...]]
RESULT_BYTES = 64 << 20  # what can be computed again
COSTLY = 2.0  # seconds of a computation from which its reader waits in a line of his own
TURN = 0.3  # seconds of a stream, after which it is somebody else's turn
STREAM_EVERY = 0.1  # seconds between two pictures of a stream


def key(stem: str, values: Values) -> Key:
    """What a result is remembered under."""
    return stem, tuple(sorted(values.items()))


class Pool:
    """A few worker threads (NumPy lets go of the interpreter while it works) and what all readers share."""

    lines: tuple[Line, ...] = ()

    def __init__(self, workers: int | None = None, limit: int = RESULT_BYTES):
        self.results = Memory(limit)
        self._one_thread = one_thread()  # of linear algebra a worker; as long as the pool lives
        self._shares = Shares()
        self._quick = Line(workers or max(2, min(4, os.cpu_count() or 1)), "compute", shares=self._shares)
        self._costly = Line(1, "costly", humble=True, shares=self._shares)
        self._curves = Line(1, "curve", shares=self._shares)
        self.lines = (self._quick, self._costly)

    def submit(
        self, job: Callable[[], None], costly: bool = False, curve: bool = False, reader: Reader | None = None
    ) -> None:
        """Runs `job` when its turn comes; what is costly waits in a line of its own, and nobody else waits for it.

        Workers who draw wait a moment for a whole curve. It has a worker of its own, who waits for nobody.
        """
        line = self._curves if curve else self._costly if costly else self._quick
        line.join(job, reader)

    def run(self, turns: Iterator[None]) -> bool:
        """One job to its end; or, where others wait, one turn of it: then it is not done."""
        end = worked() + TURN
        return not any(worked() > end and any(line.waits() for line in self.lines) for _ in turns)

    def crowd(self, address: str) -> int:
        """How much of one address waits."""
        return sum(line.crowd(address) for line in self.lines)

    def ahead(self, reader: Reader) -> int:
        """How many readers have their turn before this one."""
        return max((line.ahead(reader) for line in self.lines), default=0)

    def over(self, reader: Reader) -> tuple[bool, bool]:
        """Whether he has had more than his share of the last minute, and whether his address has."""
        return self._shares.over(reader)

    def known(self, explorer: Explorer, values: Values) -> Any:
        """The result if somebody asked for it before, else None."""
        return self.results.known(key(explorer.stem, values))

    def result(self, explorer: Explorer, values: Values) -> Any:
        """`compute(**values)`; two readers who ask the same at once share one computation."""
        return self.results.get(key(explorer.stem, values), lambda: explorer.compute(**values))


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
        self.generation = 0
        self.asked: Values | None = None  # what was asked for last; None once that was taken back
        self.every = STREAM_EVERY
        self._mute = -1  # results of this generation or an older one are no longer wanted
        self._waiting: tuple[int, Values] | None = None
        self._busy = False
        self._took = 0.0  # seconds of the last computation
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
        self.pool.submit(self._work, self._is_costly(values), self.curve, self.reader)

    def _is_costly(self, values: Values) -> bool:
        """Seen the last time; what is known already costs nothing."""
        return self._took > COSTLY and self.pool.known(self.explorer, values) is None

    def _next_is_costly(self) -> bool:
        waiting = self._waiting
        return waiting is not None and self._is_costly(waiting[1])

    def cancel(self) -> None:
        """Forgets what waits, closes a stream, and drops the result of what cannot be stopped."""
        with self._lock:
            self._mute = self.generation
            self.generation += 1
            self.asked = self._waiting = None

    def _work(self) -> None:
        self._go_on(self._turns())

    def _go_on(self, turns: Iterator[None]) -> None:
        if not self.pool.run(turns):
            self.pool.submit(partial(self._go_on, turns), self._took > COSTLY, self.curve, self.reader)

    def _turns(self) -> Iterator[None]:
        with self._lock:
            job, self._waiting = self._waiting, None
            if job is None:
                self._busy = False
                return
        generation, values = job
        took, began = 0.0, worked()
        try:
            for update in self._updates(generation, values):
                if update is not None and generation > self._mute:
                    self.tell(update)
                self._took = took = took + worked() - began
                yield  # another thread may go on
                began = worked()
        except Exception as error:
            if generation > self._mute:
                self.tell(Update(values, error=error))
        finally:
            self._took = took + worked() - began  # its own work: a busy machine makes nobody costly
            self.pool.submit(self._work, self._next_is_costly(), self.curve, self.reader)  # at the end: others wait too

    def _updates(self, generation: int, values: Values) -> Iterator[Update | None]:
        """What there is to tell; None after a block of a stream that tells nothing."""
        explorer = self.explorer
        known = self.pool.known(explorer, values)
        if known is not None or explorer.steps is None:
            yield Update(values, self.pool.result(explorer, values) if known is None else known)
            return
        began = shown = time.monotonic()
        result = None
        with closing(cast(Generator, explorer.steps(**values))) as stream:
            for progress, result in stream:
                now = time.monotonic()
                remaining = (now - began) * (1 - progress) / progress if progress > 0 else self.every
                if now - shown >= self.every <= remaining:
                    shown = now
                    yield Update(values, result, progress=progress, remaining=remaining, last=False)
                else:
                    yield None
                if progress < 1 and generation != self.generation:
                    if shown == began:  # in a drag every move is answered, with as much as there is
                        yield Update(values, result, progress=None, last=False)
                    return
        self.pool.results.get(key(explorer.stem, values), lambda: result)
        yield Update(values, result)
