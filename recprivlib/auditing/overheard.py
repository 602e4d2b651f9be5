"""Other ways out of a run: what it prints, logs and warns of, and what it does outside of its process.

What is said is compared like all else. To write files, open sockets or start processes is not for `fit`: it is named,
whatever the data. Where other threads run, what is printed belongs to all of them and is left out.
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
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
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
_heard: ContextVar[Heard | None] = ContextVar("heard", default=None)


@dataclass
class Heard:
    """What a run said, by the way it said it, and what it did outside."""

    said: dict[str, str] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)


def alone() -> bool:
    """Whether no other thread of Python runs in this process."""
    return threading.active_count() == 1


@contextlib.contextmanager
def overheard() -> Iterator[Heard]:
    """Within this context (and thread) everything that is said, and done outside, is noted."""
    _guard()
    heard = Heard()
    with contextlib.ExitStack() as stack:
        if alone():
            stack.enter_context(_unmoved(heard))
            stack.enter_context(_grown(heard))  # before the terminal is put aside
            stack.enter_context(_printed(heard))
            stack.enter_context(_logged(heard))
            stack.enter_context(_warned(heard))
        token = _heard.set(heard)
        try:
            yield heard
        finally:
            _heard.reset(token)


@contextlib.contextmanager
def _printed(heard: Heard) -> Iterator[None]:
    """By Python's streams, and by the descriptors below them."""
    text = io.StringIO()
    with _descriptors(heard), contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            yield
        finally:
            heard.said["what is printed"] = text.getvalue()


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
def _logged(heard: Heard) -> Iterator[None]:
    """Every record, whatever becomes of it."""
    lines: list[str] = []
    make, root = logging.getLogRecordFactory(), logging.getLogger()
    level, off = root.level, root.manager.disable

    def noted(*args: Any, **rest: Any) -> logging.LogRecord:
        record = make(*args, **rest)
        lines.append(f"{record.name} {record.levelname} {record.getMessage()}")
        return record

    logging.setLogRecordFactory(noted)
    root.setLevel(1)
    logging.disable(logging.NOTSET)
    try:
        yield
    finally:
        logging.setLogRecordFactory(make)
        root.setLevel(level)
        logging.disable(off)
        heard.said["the log"] = "\n".join(lines)


@contextlib.contextmanager
def _warned(heard: Heard) -> Iterator[None]:
    with warnings.catch_warnings(record=True) as kept:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            heard.said["what is warned of"] = "\n".join(str(one.message) for one in kept)


@contextlib.contextmanager
def _grown(heard: Heard) -> Iterator[None]:
    """Files that were open before, where the system shows them."""
    before = _open_files()
    try:
        yield
    finally:
        for which, (size, at) in _open_files().items():
            if which in before and before[which][0] != size and before[which][1] != at:
                heard.outside.append("a run writes to a file that was open before")


@contextlib.contextmanager
def _unmoved(heard: Heard) -> Iterator[None]:
    """What all code of a process shares stands as it stood: whoever comes next would see where a run has left it."""
    before = _shared()
    try:
        yield
    finally:
        after = _shared()
        heard.outside += [
            f"a run leaves {what} otherwise than it was" for what in before if before[what] != after[what]
        ]


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
    heard = _heard.get()
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
