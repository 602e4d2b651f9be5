"""Somebody who means no good, in a process of his own: what he takes of a processor is not a reader's.

    python -m tests.server.attacks.besetting floods http://127.0.0.1:8000   until its input ends, or a minute is over

It prints how often he has done it. `KINDS` are the four that thirty readers are measured beside.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.server.attacks import saying
from tests.server.attacks.stage import ROOT, Stage
from widgets.load import beset

MOST = 60.0  # seconds
HALF = 1000  # requests that are begun and not ended, at the same time
PACE = 0.25  # seconds until the next hundred of them
DEAR = 6  # steps that are asked for at the same time
Done = Callable[[], Any]


def bombs(site: str, done: Done) -> None:
    """The messages that no page sends, one after the other, and again."""
    stage: Any = Stage(site, None, Path())  # type: ignore[arg-type]
    for say in itertools.cycle(saying.SAYS.values()):
        saying.spoken(stage, say)
        done()


def floods(site: str, done: Done) -> None:
    """A page that moves its slider as fast as it can say so; if it is hung up on, another is opened."""
    stage: Any = Stage(site, None, Path())  # type: ignore[arg-type]

    async def talk() -> None:
        async with saying.opened(stage) as reader:
            for at in itertools.count():
                for fragment in saying.moves(reader.stops[at % len(reader.stops)])(reader):
                    await reader.socket.write_message(fragment)
                done()
                await asyncio.sleep(0)  # what is answered is heard, and forgotten
                while reader.socket.read_queue.qsize():
                    await reader.socket.read_message()

    while True:
        with contextlib.suppress(Exception):
            asyncio.run(talk())


def headers(site: str, done: Done) -> None:
    """Half requests, by the thousand, a letter now and then; for those that are hung up on others are begun."""
    crowd: list[socket.socket] = []
    begun: set[socket.socket] = set()
    known = urlsplit(site)
    while True:
        for _ in range(min(100, HALF - len(crowd))):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex((str(known.hostname), int(known.port or 80)))
            crowd.append(one)
        time.sleep(PACE)  # the queue of a listening socket is short
        for one in list(crowd):
            try:
                one.send(b"x" if one in begun else b"GET / HTTP/1.1\r\nX: ")
                begun.add(one)
                one.recv(1)  # nothing is said to it: it is hung up on
                gone = True
            except BlockingIOError:
                gone = False
            except OSError:
                gone = True
            if gone:
                done()
                one.close()
                begun.discard(one)
                crowd.remove(one)


def ghosts(site: str, done: Done) -> None:
    """Steps of a chapter that are as full of comparisons as may be, several at a time."""

    async def ask() -> None:
        await asyncio.gather(*(beset(site, "dplcf", number, time.monotonic() + MOST, done) for number in range(DEAR)))

    asyncio.run(ask())


KINDS = {each.__name__: each for each in (bombs, floods, headers, ghosts)}


@contextlib.contextmanager
def besetting(kind: str, site: str) -> Iterator[Callable[[], int]]:
    """Somebody of this kind; what is given says how often he has done it, and ends him."""
    command = [sys.executable, "-m", __name__, kind, site]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
            yield lambda: int(process.communicate(timeout=60)[0])
        finally:
            process.kill()


def main(kind: str, site: str) -> None:
    """See above."""
    count = itertools.count()
    threading.Timer(MOST, os._exit, (1,)).start()
    print("ready", flush=True)
    threading.Thread(target=KINDS[kind], args=(site, lambda: next(count)), daemon=True).start()
    sys.stdin.read()
    print(next(count), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
