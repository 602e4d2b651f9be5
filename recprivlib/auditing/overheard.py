"""Other ways out of a run: what it prints, logs and warns of, and what it does outside of its process.

What is said is compared like all else. To write files, open sockets or start processes is not for `fit`: it is named,
whatever the data. Where other threads run, what is printed belongs to all of them and is left out.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

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
            stack.enter_context(_printed(heard))
            stack.enter_context(_logged(heard))
            stack.enter_context(_warned(heard))
            stack.enter_context(_grown(heard))
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
        for number, size in _open_files().items():
            if before.get(number, size) != size:
                heard.outside.append("a run writes to a file that was open before")


def _open_files() -> dict[int, int]:
    """The size of each regular file that this process holds open, but for its terminal's."""
    found: dict[int, int] = {}
    try:
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  there may be none
            with contextlib.suppress(OSError):
                about = os.fstat(int(name))
                if stat.S_ISREG(about.st_mode) and (about.st_dev, about.st_ino) != _terminal():
                    found[int(name)] = about.st_size
    except OSError:
        pass
    return found


def _terminal() -> tuple[int, int]:
    about = os.fstat(1)
    return about.st_dev, about.st_ino


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
