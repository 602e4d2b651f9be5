"""What all readers of one process share: results kept under a bound of bytes, each made once.

Everything kept is frozen data that depends on its key alone, so sharing it is never seen, only felt.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

from recprivlib.dashboard.contract import nbytes

T = TypeVar("T")
LARGE = 64 << 20  # bytes of a memory that holds something of every reader
EVERY: weakref.WeakSet[Memory] = weakref.WeakSet()
worked = getattr(time, "thread_time", time.process_time)  # seconds of one's own work; a browser has one thread only


class Memory:
    """Keeps at most `limit` bytes: longest what took the most time to make for its size, and what is asked for.

    A thing is worth its seconds a byte over `_floor`, anew each time it is asked for; what is worth least goes, and the
    floor rises to that. With as many readers as settings, dropping what is oldest would drop just what is next.
    """

    def __init__(self, limit: int):
        self.limit = limit
        self.held = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int, float]] = OrderedDict()  # with its size and seconds a byte
        self._worth: dict[Hashable, float] = {}
        self._floor = 0.0
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()
        EVERY.add(self)

    def get(self, key: Hashable, make: Callable[[], T], seconds: float = 0.0) -> T:
        """What `make` gave for `key`. Of several who ask at once, one makes it and the others wait.

        `seconds`: what it took before, where `make` only hands it over.
        """
        with self._lock:
            if key in self._kept:
                return self._asked(key)
            gate = self._making.setdefault(key, threading.Lock())
        with gate:
            with self._lock:
                if key in self._kept:
                    return self._kept[key][0]
            try:
                start = worked()
                value = make()
                self._keep(key, value, seconds + worked() - start)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def known(self, key: Hashable) -> Any:
        """What is kept under `key`, or None; nobody is waited for."""
        with self._lock:
            if key not in self._kept:
                return None
            return self._asked(key)

    def _asked(self, key: Hashable) -> Any:
        value, _, cost = self._kept[key]
        self._kept.move_to_end(key)
        self._worth[key] = self._floor + cost
        return value

    def _keep(self, key: Hashable, value: Any, seconds: float) -> None:
        size = nbytes(value)
        if size > self.limit:
            return
        with self._lock:
            self._kept[key] = (value, size, seconds / max(1, size))
            self._asked(key)
            self.held += size
            while self.held > self.limit:
                others = (other for other in self._kept if other != key)  # this one is about to be used
                least = min(others, key=self._worth.__getitem__)  # of equals the oldest
                self._floor = self._worth.pop(least)
                self.held -= self._kept.pop(least)[1]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._worth.clear()
            self.held, self._floor = 0, 0.0


class Growing(Generic[T]):
    """What comes out of a long computation, for all who follow it: who leaves halfway finds it there again."""

    nbytes = 8 << 20  # what such a computation may hold until its end

    def __init__(self, source: Iterator[T]):
        self._source = source
        self._made: list[T] = []
        self._failed: Exception | None = None
        self._lock = threading.Lock()
        self.seconds = 0.0  # of work so far

    def follow(self) -> Iterator[T]:
        """The newest that is there, and all that comes after it."""
        at = max(0, len(self._made) - 1)
        while self._reaches(at):
            yield self._made[at]
            at += 1

    def _reaches(self, at: int) -> bool:
        """Makes the next one, unless somebody else has made it by now; whether there is one."""
        with self._lock:
            if self._failed:
                raise self._failed
            if at == len(self._made):
                start = worked()
                try:
                    self._made.extend(itertools.islice(self._source, 1))
                except Exception as error:
                    self._failed = error
                    raise
                finally:
                    self.seconds += worked() - start
            return at < len(self._made)


MEMORY = Memory(256 << 20)


def narrowed(share: float) -> None:
    """What this process keeps of many readers takes no more than `share` of its bound from now on."""
    for memory in EVERY:
        if memory.limit >= LARGE:
            memory.limit = int(share * memory.limit)
