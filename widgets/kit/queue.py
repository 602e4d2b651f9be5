"""Whose turn it is: readers stand in one line before a few workers, each with one place in it.

    join(job, reader) ──> the first in line who has not had more than his share of the last minute; of those, the first
                          whose address has nobody at work, else the first; one thread a worker
    ahead(reader)     ──> how many have their turn before

Who has been at one job for long steps aside: another worker takes the next in line, and the job goes on with what the
others leave of the processor. The line looks for such by itself, as long as anybody waits.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from widgets.kit.clock import Clock, clock
from widgets.kit.fairness import Reader, Shares

LONG = 2.0  # seconds of a processor for one job, from which its worker steps aside
ASIDE = 2  # workers who may be aside at the same time, where they are at work themselves
LOOK = 0.25  # seconds between two looks at who has been at one job for long
IDLE = 10.0  # seconds until a worker without work goes
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Place:
    """A job in line, and of whom."""

    job: Callable[[], None]
    reader: Reader | None = None

    @property
    def address(self) -> str:
        """Where he sits; this machine and a silent proxy have none, and everybody there is another."""
        return self.reader.address if self.reader else ""


class Queue:
    """At most `workers` threads at work, besides those who stepped aside. `humble` workers are aside from the start.

    Several lines may have the same `shares`.
    """

    def __init__(self, workers: int, name: str, humble: bool = False, shares: Shares | None = None, aside: int = ASIDE):
        self.workers, self.name, self.humble, self.aside = workers, name, humble, aside
        self.shares = shares or Shares()
        self._waiting: list[Place] = []
        self._staff: set[Worker] = set()
        self._change = threading.Condition()
        self._looking = False

    def join(self, job: Callable[[], None], reader: Reader | None = None) -> None:
        """Has `job` done when its turn comes."""
        self.shares.note(reader)
        with self._change:
            self._waiting.append(Place(job, reader))
            self._man()
            if not self._looking and not self.humble:
                self._looking = True
                threading.Thread(target=self._look, name=f"{self.name} looks", daemon=True).start()

    def _look(self) -> None:
        """Nobody may come for a while: a lone reader does not wait for that."""
        while True:
            time.sleep(LOOK)
            with self._change:
                self._man()
                if not self._waiting:
                    self._looking = False
                    return

    def ahead(self, reader: Reader) -> int:
        """How many are before this reader; 0 where the turn has come, too."""
        with self._change:
            self._man()
            line = sorted(self._waiting, key=self._over)
            return next((at for at, place in enumerate(line) if place.reader is reader), 0)

    def crowd(self, address: str) -> int:
        """How many wait of one address."""
        with self._change:
            return sum(place.address == address for place in self._waiting)

    def waits(self) -> bool:
        """Whether anybody is in line."""
        return bool(self._waiting)

    def _over(self, place: Place) -> int:
        return sum(self.shares.over(place.reader))

    def _man(self) -> None:
        """Enough workers for those who wait; under the lock."""
        if not self._waiting:
            return
        for worker in self._staff if not self.humble else ():
            many = sum(other.aside for other in self._staff)
            if many < self.aside and not worker.aside and worker.worked() > LONG:
                worker.step_aside()
        active = [worker for worker in self._staff if not worker.aside]
        if any(worker.place is None for worker in active):
            self._change.notify()
        elif len(active) < self.workers:
            worker = Worker(self)
            self._staff.add(worker)
            worker.start()

    def next(self, worker: Worker) -> Place | None:
        """The job of a worker who has none; None: he may go."""
        with self._change:
            if worker.place is not None:
                self.shares.note(worker.place.reader, worker.worked())
            worker.place = None
            if not worker.aside:
                self._change.wait_for(self.waits, IDLE)
            if worker.aside or not self._waiting:
                self._staff.discard(worker)
                self._man()
                return None
            busy = Counter(other.place.address for other in self._staff if other.place and other.place.address)
            first = min(self._waiting, key=lambda place: (self._over(place), busy[place.address]))  # of equals
            worker.take(first)
            self._waiting.remove(worker.place)
            self._man()
            return worker.place


class Worker(threading.Thread):
    """One thread of a line. It ends with the process: nobody waits for what a reader who has gone once asked for."""

    def __init__(self, line: Queue):
        super().__init__(name=line.name, daemon=True)
        self.line = line
        self.place: Any = None
        self.aside = False
        self.clock: Clock | None = None
        self._began = 0.0

    def run(self) -> None:
        self.clock = clock()
        self.clock.aside = self.line.humble
        if self.line.humble:
            give_way(self.native_id)
        while (place := self.line.next(self)) is not None:
            try:
                place.job()
            except Exception:
                log.exception("a job failed")
            del place  # while the worker waits, nothing of the last reader is kept

    def take(self, place: Place) -> None:
        """The next job."""
        self.place, self._began = place, self._clock()

    def worked(self) -> float:
        """Seconds of a processor for the job under way."""
        return self._clock() - self._began if self.place is not None else 0.0

    def step_aside(self) -> None:
        """For good: who gave way cannot be given his rank again, and goes after this job."""
        self.aside = True
        if self.clock is not None:
            self.clock.aside = True
        give_way(self.native_id)

    def _clock(self) -> float:
        return self.clock.read() if self.clock is not None else 0.0


def give_way(thread: int | None) -> None:
    """Lets all other threads go first, where a thread has a rank of its own; a server may have a low one already."""
    if thread is not None and sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + 10))
