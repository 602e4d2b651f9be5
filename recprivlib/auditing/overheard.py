"""Other ways out of a run: what it prints, logs and warns of, and what it does outside of its process.

What is said is compared like all else. To write files, open sockets or start processes is not for `fit`: it is named,
whatever the data. Other threads may live in the process (a notebook's, a server's): what is said is a run's own by the
thread that says it, and theirs goes where it would. What bears nobody's name is a run's where all of them slept
while it ran; what is written to the descriptors of a terminal is looked at where there are none.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import logging
import os
import random
import stat
import sys
import tempfile
import threading
import time
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
OUTSIDE = (
    "os.putenv", "os.unsetenv", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
    "os.kill", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime",
    "os.chmod", "os.setxattr", "subprocess.Popen", "socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind",
    "sqlite3.connect", "urllib.Request", "webbrowser.open", "syslog.syslog", "_thread.start_new_thread",
)  # fmt: skip
DATA = (int, float, complex, str, bytes, bytearray, list, dict, set, tuple, np.ndarray, np.generic)
CPU_OF_A_THREAD = 6  # of Linux's names for clocks: the low bits of one that tells how long one thread has run


@dataclass
class Heard:
    """What a run said, by the way it said it, and what it did outside."""

    said: dict[str, str] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    printed: io.StringIO = field(default_factory=io.StringIO)
    logged: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)


class _Here(threading.local):
    """By thread: a context of Python's can be left by whoever is in it."""

    heard: Heard | None = None


_here = _Here()


def alone() -> bool:
    """Whether no other thread of Python runs in this process."""
    return threading.active_count() == 1


@contextlib.contextmanager
def overheard() -> Iterator[Heard]:
    """Within this context (and thread) everything that is said, and done outside, is noted."""
    _guard()
    heard = Heard()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_unmoved(heard))
        stack.enter_context(_unhung(heard))
        stack.enter_context(_grown(heard))  # before the terminal is put aside
        if alone():
            stack.enter_context(_descriptors(heard))
        stack.enter_context(_ears)
        before, _here.heard = _here.heard, heard
        try:
            yield heard
        finally:
            _here.heard = before
            heard.said["what is printed"] = heard.printed.getvalue()
            heard.said["the log"] = "\n".join(heard.logged)
            heard.said["what is warned of"] = "\n".join(heard.warned)


class _Ears:
    """What Python says by is one for all threads: it is led aside while any of them listens, once."""

    def __init__(self) -> None:
        self.lock, self.listeners, self.on = threading.Lock(), 0, contextlib.ExitStack()

    def __enter__(self) -> None:
        with self.lock:
            if not self.listeners:
                for way in (_printed, _logged, _warned):
                    self.on.enter_context(way())
            self.listeners += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.listeners -= 1
            if not self.listeners:
                self.on.close()


_ears = _Ears()


class _Routed:
    """A stream: of a run in the thread that runs it, and as it was in all others."""

    def __init__(self, usual: Any) -> None:
        self._usual = usual or io.StringIO()

    def __getattr__(self, name: str) -> Any:
        heard = _here.heard
        return getattr(self._usual if heard is None else heard.printed, name)


@contextlib.contextmanager
def _printed() -> Iterator[None]:
    out: Any = _Routed(sys.stdout)
    err: Any = _Routed(sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


@contextlib.contextmanager
def _descriptors(heard: Heard) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        try:
            for stream in (sys.__stdout__, sys.__stderr__):
                if stream is not None:
                    stream.flush()
            kept = [(number, os.dup(number)) for number in (1, 2)]
            file = stack.enter_context(tempfile.TemporaryFile())
            for number, _ in kept:
                os.dup2(file.fileno(), number)
        except (OSError, ValueError, AttributeError):  # a page of a browser has no descriptors
            yield
            return
        try:
            yield
        finally:
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            heard.said["what is written to a terminal"] = file.read().decode(errors="replace")


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    """Every record of a run, whatever becomes of it, unless its own logger is set to be silent."""
    make, usual, root = logging.getLogRecordFactory(), logging.Logger.isEnabledFor, logging.getLogger()

    def noted(*args: Any, **rest: Any) -> logging.LogRecord:
        record = make(*args, **rest)
        if _here.heard is not None:
            _here.heard.logged.append(f"{record.name} {record.levelname} {record.getMessage()}")
        return record

    def open_to(logger: logging.Logger, level: int) -> bool:
        if _here.heard is None:
            return usual(logger, level)
        one: logging.Logger | None = logger
        while one is not None and one is not root and not one.level:
            one = one.parent
        return not logger.disabled and (one is None or one is root or level >= one.level)

    logging.setLogRecordFactory(noted)
    logging.Logger.isEnabledFor = open_to  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)
        logging.Logger.isEnabledFor = usual  # type: ignore[method-assign]


@contextlib.contextmanager
def _warned() -> Iterator[None]:
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def noted(message: Any, *rest: Any, **more: Any) -> None:
            if _here.heard is None:
                usual(message, *rest, **more)
            else:
                _here.heard.warned.append(str(message))

        warnings.showwarning = noted
        warnings.simplefilter("always")
        yield


def _clocks() -> dict[int | None, float]:
    """How long each other thread has run, in nanoseconds; where nobody tells, a number that equals none."""
    found: dict[int | None, float] = {}
    for one in threading.enumerate():
        if one.ident != threading.get_ident():
            try:
                found[one.native_id] = time.clock_gettime_ns(~int(one.native_id or 0) << 3 | CPU_OF_A_THREAD)
            except (OSError, AttributeError, OverflowError):
                found[one.native_id] = float("nan")
    return found


@contextlib.contextmanager
def _grown(heard: Heard) -> Iterator[None]:
    """Files that were open before, where the system shows them."""
    clocks, before = _clocks(), _open_files()
    try:
        yield
    finally:
        now = _open_files()
        for which, (size, at) in now.items() if clocks == _clocks() else ():
            if which in before and before[which][0] != size and before[which][1] != at:
                heard.outside.append("a run writes to a file that was open before")


@contextlib.contextmanager
def _unmoved(heard: Heard) -> Iterator[None]:
    """What all code of a process shares stands as it stood: whoever comes next would see where a run has left it."""
    clocks, before = _clocks(), _shared()
    try:
        yield
    finally:
        after = _shared()
        moved = [what for what in before if before[what] != after[what]]
        if moved and clocks == _clocks():
            heard.outside += [f"a run leaves {what} otherwise than it was" for what in moved]


def _shared() -> dict[str, Any]:
    """By what it is called: global generators, settings, and what anybody may hang on Python itself."""
    generator = np.random.get_state(legacy=False)["state"]  # noqa: NPY002
    return {
        "Python's global generator": hash(random.getstate()),
        "NumPy's global generator": (generator["key"].tobytes(), generator["pos"]),
        "a setting of NumPy": (np.geterr(), np.get_printoptions()),
        "a setting of Python": (sys.getrecursionlimit(), sys.getswitchinterval(), Path.cwd(), *sys.path, *sys.argv),
        "a name of Python's own": (*vars(builtins), *vars(sys), *os.environ.items()),
    }


def _sizes() -> dict[str, int]:
    """Of each module that is loaded, how many names it has."""
    return {name: len(vars(one)) for name, one in list(sys.modules.items()) if isinstance(one, types.ModuleType)}


@contextlib.contextmanager
def _unhung(heard: Heard) -> Iterator[None]:
    """No data are hung on a module that was there before: whoever shares the process could read them."""
    clocks, before = _clocks(), _sizes()
    try:
        yield
    finally:
        now = _sizes()
        grown = [name for name, size in now.items() if size > before.get(name, size)]
        data = [f"{name}.{key}" for name in grown for key, value in list(vars(sys.modules[name]).items())[before[name]:]
                if isinstance(value, DATA)]  # fmt: skip
        if data and clocks == _clocks():
            heard.outside.append(f"a run leaves {data[0]} where nothing was")


Which = tuple[int, int, int]  # a descriptor and its file: a number is given anew to another


def _open_files() -> dict[Which, tuple[int, int]]:
    """Of each regular file that this process alone holds open: its size, and where the process stands in it.

    Others may write to a file that is open here: of that its size alone tells. What the parent has open too, and what
    is printed to, is moved by others.
    """
    shared = {which[1:] for which in _regular("self") if which[0] in (1, 2)} | {x[1:] for x in _regular(os.getppid())}
    found: dict[Which, tuple[int, int]] = {}
    for which, size in _regular("self").items():
        with contextlib.suppress(OSError):
            if which[1:] not in shared:
                found[which] = size, os.lseek(which[0], 0, os.SEEK_CUR)
    return found


def _regular(process: int | str) -> dict[Which, int]:
    """The regular files that a process has open, and their sizes; none where the system does not show them."""
    found: dict[Which, int] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{process}/fd"):  # noqa: PTH208
            with contextlib.suppress(OSError):
                about = os.stat(f"/proc/{process}/fd/{name}")  # noqa: PTH116
                if stat.S_ISREG(about.st_mode):
                    found[int(name), about.st_dev, about.st_ino] = about.st_size
    return found


def _guard() -> None:
    """Python tells of every file, socket and process; it is asked once, and forgets nothing after that."""
    if not hasattr(_guard, "on") and hasattr(sys, "addaudithook"):
        _guard.on = True  # type: ignore[attr-defined]
        sys.addaudithook(_noted)


def _noted(event: str, args: tuple) -> None:
    heard = _here.heard
    if heard is None:
        return
    if event == "open":
        where, mode, flags = args
        if isinstance(where, int) or "__pycache__" in str(where) or str(where) == os.devnull:
            return
        if (flags or 0) & WRITES or set(mode or "") & set("wax+"):
            heard.outside.append(f"a run writes to {where!s}")
    elif event in OUTSIDE:
        heard.outside.append(f"a run leaves its process: {event} {args[0] if args else ''!s}")
