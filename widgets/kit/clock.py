"""How many seconds of a processor somebody has worked: his own thread, and the helper that he waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from recprivlib.dashboard import memory

HERE = threading.local()


class Clock:
    """Of one thread. Any other may read it."""

    def __init__(self) -> None:
        self._thread = threading.current_thread()
        self.helped = 0.0  # seconds of helpers who have answered
        self.helper: Callable[[], float] | None = None  # seconds of the one who has not
        self.aside = False  # whoever runs by it lets others go first

    def read(self) -> float:
        """Seconds so far; those of a clock on the wall where a thread has none of its own."""
        helper = self.helper
        return self._own() + self.helped + (helper() if helper else 0.0)

    def _own(self) -> float:
        if self._thread.is_alive() and self._thread.ident is not None and hasattr(time, "pthread_getcpuclockid"):
            with suppress(OSError):
                return time.clock_gettime(time.pthread_getcpuclockid(self._thread.ident))
        return time.monotonic()


def clock() -> Clock:
    """That of this thread."""
    if not hasattr(HERE, "clock"):
        HERE.clock = Clock()
    return HERE.clock


def worked() -> float:
    """Seconds that this thread has worked, and helpers for it."""
    return memory.worked() + clock().helped
