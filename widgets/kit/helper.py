"""What a helper does, in a process of its own: it is asked for the next part of a computation, and answers.

    (number, stem, part, values, seconds)  ──>  ("part", progress, result) | ("end",) | ("error", exception) | ("full",)
    (number,)                              ──>  nothing: that computation is closed

Several computations may be under way, each a generator that waits for its next turn. It answers one at a time.
"""

from __future__ import annotations

import ctypes
import gc
import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recprivlib.dashboard import Explorer, explorer
from recprivlib.dashboard.memory import narrowed
from recprivlib.executors import one_thread
from widgets.kit.work import played

DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG
TIDY = 0.5  # seconds of a computation after which what it held is given back to the system


@dataclass
class Job:
    """One computation under way."""

    parts: Any  # a generator
    spent: float = 0.0  # seconds of a processor


def main(line: Any, find: Callable[[str], Explorer] = explorer, room: int = 0, cache: float = 1.0) -> None:
    """Answers until the line is closed, in `room` bytes more than now; remembers the share `cache` of what it would."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(DIES_WITH_PARENT, signal.SIGKILL)  # with the process that it is a copy of
    threading.Thread(target=_with_the_server, daemon=True).start()
    _single = one_thread()
    narrowed(cache)
    if room:
        bounded(room)
    jobs: dict[int, Job] = {}
    with suppress(EOFError, OSError):
        line.send_bytes(b"ready")
        while True:
            number, *asked = pickle.loads(line.recv_bytes())
            if asked:
                line.send_bytes(_answer(jobs, number, find, *asked))
            else:
                _close(jobs, number)


def _with_the_server() -> None:
    """Ends this process when the server has ended, also in the middle of something long."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _answer(
    jobs: dict[int, Job], number: int, find: Callable, stem: str, part: Any, values: Any, seconds: float
) -> bytes:
    """The next part of a computation, packed; whatever else there is to say of it is the last."""
    begun = time.process_time()
    _no_longer_than(begun + seconds)
    try:
        if number not in jobs:
            jobs[number] = Job(played(find(stem), part, values))
        told = next(jobs[number].parts, None)
        jobs[number].spent += time.process_time() - begun
        if told is not None:
            return pickle.dumps(("part", *told), 5)
        last: tuple = ("end",)
    except MemoryError:
        last = ("full",)
    except Exception as error:
        last = ("error", _portable(error))
    _close(jobs, number)
    return pickle.dumps(last, 5)


def _portable(error: Exception) -> Exception:
    """The exception as the server can read it, with where it came from."""
    error.add_note("in a helper:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error, 5))
    except Exception:
        known = RuntimeError(f"{type(error).__name__}: {error}")
        known.__notes__ = error.__notes__
        return known
    return error.with_traceback(None)


def _close(jobs: dict[int, Job], number: int) -> None:
    job = jobs.pop(number, None)
    if job is None:
        return
    with suppress(Exception):
        job.parts.close()
    job.parts = iter(())
    if job.spent > TIDY:
        gc.collect()
        if sys.platform == "linux":
            with suppress(OSError, AttributeError):  # only the usual C library can
                ctypes.CDLL(None).malloc_trim(0)


def bounded(room: int) -> None:
    """So many bytes of address space more than this process has now, where the system can hold it to that."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if sys.platform == "linux":
            now = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.setrlimit(resource.RLIMIT_AS, (now + room, resource.RLIM_INFINITY))


def _no_longer_than(end: float) -> None:
    """The system ends this process after so many seconds of a processor, should nobody else do."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(end) + 5, resource.RLIM_INFINITY))
