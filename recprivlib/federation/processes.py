"""Functions as processes of this machine that reach nothing beyond it."""

from __future__ import annotations

import multiprocessing
import socket
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any

from recprivlib.parameters import UserError

HERE = "127.0.0.1"
INSIDE = (HERE, "localhost", "::1")
Job = tuple[Callable[..., Any], tuple[Any, ...]]


def together(jobs: Sequence[Job], loaded: str) -> list[Any]:
    """What the functions return, each in a process of its own that has loaded the module `loaded`.

    A process gets its own arguments and nothing else of ours. If one fails, all end.
    """
    methods = multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:  # it loads once for all
        context.set_forkserver_preload([loaded])
    started, pipes = [], []
    try:
        for function, arguments in jobs:
            ours, theirs = context.Pipe(duplex=False)
            started.append(context.Process(target=_alone, args=(function, arguments, theirs)))
            started[-1].start()
            theirs.close()
            pipes.append(ours)
        return [_heard(pipe, process, started) for pipe, process in zip(pipes, started, strict=True)]
    finally:
        for process in started:
            process.kill()
            process.join()


def _heard(pipe: Any, sender: Any, started: Sequence[Any]) -> Any:
    while True:
        codes = [process.exitcode for process in started]  # read once: who ends between two looks is waited for
        if failed := sum(map(bool, codes)):
            raise UserError(f"{failed} of {len(started)} processes failed; what they printed says why")
        living = [process.sentinel for process, code in zip(started, codes, strict=True) if code is None]
        ready = wait([pipe, *living])
        if pipe in ready:
            try:
                return pipe.recv()
            except EOFError:  # it has ended without an answer, and its exit code is on the way
                sender.join()
                if not sender.exitcode:
                    raise UserError("a process ended before it had an answer") from None


def _alone(function: Callable[..., Any], arguments: tuple[Any, ...], pipe: Any) -> None:
    tried: list[str] = []
    sys.addaudithook(lambda event, about: _watch(event, about, tried))
    answer = function(*arguments)
    if tried:
        sys.exit(f"tried to reach {', '.join(tried)}")
    pipe.send(answer)


def _watch(event: str, about: tuple[Any, ...], tried: list[str]) -> None:
    """Who asks for another machine is refused, and noted: a refusal alone may be caught by whoever asked."""
    if event not in ("socket.connect", "socket.getaddrinfo"):
        return
    host = about[0] if event == "socket.getaddrinfo" else about[1][0] if isinstance(about[1], tuple) else HERE
    if host is not None and str(host) not in INSIDE:
        tried.append(str(host))
        raise PermissionError(f"a run on this machine has nothing to ask {host}")


def awaited(port: int, patience: float) -> str:
    """The address of a port of this machine, once somebody listens there."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex((HERE, port)) == 0:
                return f"{HERE}:{port}"
        time.sleep(0.1)
    raise UserError(f"nobody listens at port {port}")


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return int(probe.getsockname()[1])
