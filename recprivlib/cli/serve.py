"""`recpriv serve`: build the book if it is stale, serve it with the dashboards."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path

from recprivlib.parameters import UserError

GLOSS = "builds the book if it is stale and serves it with its dashboards on one port"
ROOT = Path(__file__).resolve().parent.parent.parent
READABLE = "book: the pages can be read"  # how the build's line begins, once a server may show them


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this verb."""
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 opens it to everybody nearby (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="from 1 to 65535 (8000)")
    parser.add_argument("--class", action="store_true", dest="wall", help="open the wall of a class, not the book")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--readers",
        type=int,
        default=60,
        metavar="N",
        help="dashboards open at once, 1 to 1000; half of them at most for one address (60)",
    )
    parser.add_argument(
        "--embed",
        action="append",
        default=[],
        metavar="SITE",
        help="a site that may frame it, like https://school.example",
    )
    parser.epilog = "Behind a proxy, set BOKEH_ALLOW_WS_ORIGIN to the host that browsers see."


def execute(args: argparse.Namespace) -> int:
    """Check the address, fetch the data, build the book, answer until Ctrl-C."""
    if not (ROOT / "_toc.yml").is_file():
        raise UserError("recpriv serve needs the book; in a clone of the project run: make serve")
    if not 0 < args.port < 65536:
        raise UserError(f"port is {args.port}, but must be a whole number from 1 to 65535")
    if not 1 <= args.readers <= 1000:
        raise UserError(f"readers is {args.readers}, but must be a whole number from 1 to 1000")
    for site in args.embed:
        if re.fullmatch(r"https?://[\w.-]+(:\d{1,5})?", site, re.ASCII) is None:
            raise UserError(f"--embed got {site!r}, but must be like https://school.example")
    try:
        _serve(args)
    except KeyboardInterrupt:
        _say("\nstopped")
        return 130
    return 0


def _serve(args: argparse.Namespace) -> None:
    from widgets import address

    address.check_address(args.host, args.port)
    _say("[1/2] the book")
    with _building() as readable:
        from widgets import server  # Panel takes a second or two; no other verb waits for it
        from widgets.classroom.group import Class

        readable()
        names = address.names(args.host)
        here = f"http://{names[0]}:{args.port}"
        group = Class(address.site(args.host, args.port))
        wall = f"{here}/class/wall#{group.key}"

        def ready() -> None:
            others = [name for name in names if name not in address.LOOPBACK]
            _say(f"[2/2] serving {here}   (Ctrl-C ends)")
            if others:
                _say(f"      for others in this network: {', '.join(f'http://{name}:{args.port}' for name in others)}")
            if args.wall:
                _say(f"      phones of a class: {group.site}/class   the wall, for the teacher alone: {wall}")
            if getattr(args, "json", False):
                known = {"url": here, "apps": list(server.stems())} | ({"wall": wall} if args.wall else {})
                print(json.dumps(known), flush=True)
            if not args.no_open and _has_screen():
                webbrowser.open(wall if args.wall else here)
            server.warm_up()

        lab = server.laboratory()
        server.serve(args.host, args.port, ready, framed=args.embed, readers=args.readers, group=group, lab=lab)
    _say("\nstopped")


@contextlib.contextmanager
def _building() -> Iterator[Callable[[], None]]:
    """The build of the book, in a process of its own, which ends with this one; what it gives waits for the pages."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite kill is a Ctrl-C
    command = [sys.executable, str(ROOT / "tools" / "book.py")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
    there = threading.Event()

    def listen() -> None:
        for line in process.stdout or ():
            _say(line.rstrip())
            if line.startswith(READABLE):
                there.set()
        process.wait()
        there.set()

    def readable() -> None:
        while not there.wait(0.5):
            pass  # Ctrl-C is heard between two waits
        if process.returncode:
            raise UserError("the book could not be built; what is wrong stands above")

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield readable
    finally:
        process.terminate()
        process.wait()
        listener.join(5)
        signal.signal(signal.SIGTERM, before)


def _has_screen() -> bool:
    """Is there a person with a desktop? (Without one, a text browser would take over the terminal.)"""
    desktop = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return desktop and sys.stdout.isatty()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
