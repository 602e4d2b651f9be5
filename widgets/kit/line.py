"""Whose turn it is: readers stand in one line before a few workers, each with one place in it.

    join(job, reader) ──> the first in line whose address has nobody at work, else the first; one thread a worker
    ahead(reader)     ──> how many have their turn before

Who has been at one job for long steps aside: another worker takes the next in line, and the job goes on with what the
others leave of the processor.
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

LONG = 2.0  # seconds of a processor for one job, from which its worker steps aside
ASIDE = 2  # workers who may be aside at the same time
IDLE = 10.0  # seconds until a worker without work goes
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Place:
    """A job in line, of whom, and where he sits."""

    job: Callable[[], None]
    reader: Any = None
    address: str = ""


class Line:
    """At most `workers` threads at work, besides those who stepped aside. `humble` workers are aside from the start."""

    def __init__(self, workers: int, name: str, humble: bool = False):
        self.workers, self.name, self.humble = workers, name, humble
        self._waiting: list[Place] = []
        self._staff: set[Worker] = set()
        self._change = threading.Condition()

    def join(self, job: Callable[[], None], reader: Any = None, address: str = "") -> None:
        """Has `job` done when its turn comes. Without an address (this machine, a proxy) everybody is another."""
        with self._change:
            self._waiting.append(Place(job, reader, address))
            self._man()

    def ahead(self, reader: Any) -> int:
        """How many are before this reader; 0 where the turn has come, too."""
        with self._change:
            self._man()
            return next((at for at, place in enumerate(self._waiting) if place.reader is reader), 0)

    def crowd(self, address: str) -> int:
        """How many wait of one address."""
        with self._change:
            return sum(place.address == address for place in self._waiting)

    def waits(self) -> bool:
        """Whether anybody is in line."""
        return bool(self._waiting)

    def _man(self) -> None:
        """Enough workers for those who wait; under the lock."""
        if not self._waiting:
            return
        for worker in self._staff if not self.humble else ():
            if sum(other.aside for other in self._staff) < ASIDE and worker.worked() > LONG:
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
            worker.place = None
            if not worker.aside:
                self._change.wait_for(self.waits, IDLE)
            if worker.aside or not self._waiting:
                self._staff.discard(worker)
                self._man()
                return None
            busy = Counter(other.place.address for other in self._staff if other.place and other.place.address)
            worker.take(min(self._waiting, key=lambda place: busy[place.address]))  # of equals the first
            self._waiting.remove(worker.place)
            self._man()
            return worker.place


class Worker(threading.Thread):
    """One thread of a line. It ends with the process: nobody waits for what a reader who has gone once asked for."""

    def __init__(self, line: Line):
        super().__init__(name=line.name, daemon=True)
        self.line = line
        self.place: Any = None
        self.aside = False
        self._began = 0.0

    def run(self) -> None:
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
        give_way(self.native_id)

    def _clock(self) -> float:
        if self.ident is not None and hasattr(time, "pthread_getcpuclockid") and self.is_alive():
            with suppress(OSError):
                return time.clock_gettime(time.pthread_getcpuclockid(self.ident))
        return time.monotonic()


def give_way(thread: int | None) -> None:
    """Lets all other threads go first, where a thread has a rank of its own."""
    if thread is not None and sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, 10)
