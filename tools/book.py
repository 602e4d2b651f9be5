"""Build the book into `_build/html`.

    python tools/book.py [--linkcheck]

Unchanged sources are not touched; a build that fails leaves the last good book in place. `_build/work` holds
Sphinx's own output (incremental), which is copied beside `_build/html` and swapped in when all is well.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import logging
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import psutil

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
HTML = BUILD / "html"
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from fingerprint import READABLE, digest, library  # noqa: E402  (a local extension of the book)

Say = Callable[[str], None]


class BookError(Exception):
    """The book could not be built; the text is what Sphinx had to say."""


def inputs() -> str:
    """The name of all that the book is made from."""
    own = [ROOT / name for name in ("_config.yml", "_toc.yml", "book", "tools/book.py")]
    return digest(own, library())


def stale() -> bool:
    """Would a build change anything?"""
    mark = HTML / ".inputs"
    return not mark.is_file() or mark.read_text("utf-8") != inputs()


def tell(line: str) -> None:
    """Progress on the terminal, at once."""
    print(line, flush=True)


def build(say: Say = tell) -> Path:
    """The folder of the built book, made anew if anything it depends on has changed."""
    BUILD.mkdir(exist_ok=True)
    with lock(BUILD / "lock", say):
        name = inputs()
        if not stale():
            say("book: up to date")
            return HTML
        start = time.monotonic()
        say("book: building")
        fetch(say)
        sphinx("html", early(say))
        publish(name)
        say(f"book: built in {time.monotonic() - start:.0f} s -> {HTML.relative_to(ROOT)}/index.html")
    return HTML


def early(say: Say) -> Say:
    """`say`; on a first build the pages are shown before the frames are there. Without a name they count as stale."""

    def heard(line: str) -> None:
        first = line == READABLE and not HTML.exists()
        if first:
            publish("")
        say(line if first or line != READABLE else "book: computing the dashboards' frames")

    return heard


def fetch(say: Say) -> None:
    """Have the data before the first chapter asks for it: a download is seen, and its failure is one sentence."""
    from recprivlib.data import load
    from recprivlib.parameters import UserError

    try:
        data = load("ml-100k")
    except UserError as error:
        raise BookError(str(error)) from None
    say(f"  ml-100k: {len(data.interactions):,} ratings, from {data.source}")


def sphinx(builder: str, say: Say) -> None:
    """One run of Sphinx with Jupyter Book's configuration; warnings are errors."""
    from jupyter_book.sphinx import build_sphinx

    environment()
    listener = Listener(say)
    logging.getLogger("course.progress").handlers = [listener]
    logging.getLogger("course.progress").setLevel(logging.INFO)
    logging.getLogger("course.progress").propagate = False
    heard = io.StringIO()
    with contextlib.redirect_stderr(heard), contextlib.redirect_stdout(heard if builder == "html" else sys.stdout):
        result = build_sphinx(
            ROOT,
            BUILD / "work" / builder,
            noconfig=True,
            path_config=ROOT / "_config.yml",
            confoverrides={"external_toc_path": str(ROOT / "_toc.yml"), "latex_individualpages": False},
            doctreedir=BUILD / "work" / "doctrees",
            builder=builder,
            warningiserror=True,
            keep_going=True,
            quiet=builder == "html",
        )
    if result:
        what = "the book was not built" if builder == "html" else "some links are broken"
        said = re.sub(r"\x1b\[[\d;]*m", "", heard.getvalue()).strip()
        raise BookError(f"{said}\n{what}; see above")


def environment() -> None:
    """Kernels of the build see neither the reader's IPython profile nor more threads than are good for them."""
    os.environ["IPYTHONDIR"] = str(BUILD / "work" / "ipython")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def publish(name: str) -> None:
    """Put the finished pages where readers look, whole or not at all."""
    fresh, old = BUILD / "html.new", BUILD / "html.old"
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(BUILD / "work" / "html", fresh, ignore=shutil.ignore_patterns(".buildinfo"))
    (fresh / ".inputs").write_text(name, encoding="utf-8")
    if HTML.exists():
        HTML.rename(old)
    fresh.rename(HTML)
    shutil.rmtree(old, ignore_errors=True)


class Listener(logging.Handler):
    """Hands the extensions' progress to whoever started the build."""

    def __init__(self, say: Say):
        super().__init__()
        self.say, self.out = say, sys.stdout

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.redirect_stdout(self.out):
            self.say(record.getMessage())


@contextlib.contextmanager
def lock(path: Path, say: Say = lambda line: None) -> Iterator[None]:
    """Two builds at a time would write over each other: the second says so, and waits."""
    with path.open("w") as file:
        if not grabbed(file):
            say("book: another build is under way in this folder; this one waits for it")
            while not grabbed(file):
                time.sleep(0.2)
        yield


def grabbed(file: IO[str]) -> bool:
    """Whether the file is ours now; it is given back as it is closed, or with the process."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def stop(number: int, _: object) -> None:
    """Ctrl-C, or a polite kill: nothing half done is published, and no kernel goes on working for nobody."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            child.kill()
    os._exit(128 + number)  # not through Sphinx and its threads, which would wait for the chapters under way


def heed() -> None:
    """Has `stop` called for a signal, by whom it may reach: Python runs handlers in the main thread alone.

    That one waits for chapters, and was seen to wait on where another thread had been interrupted.
    """
    here, there = socket.socketpair()
    there.setblocking(False)
    signal.set_wakeup_fd(there.detach())
    threading.Thread(target=lambda: stop(here.recv(1)[0], None), daemon=True).start()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # a shell's background job is not to hear of Ctrl-C
            signal.signal(number, stop)


def main() -> int:
    heed()
    parser = argparse.ArgumentParser(description="Build the book into _build/html.")
    parser.add_argument("--linkcheck", action="store_true", help="check every link instead (needs the internet)")
    options = parser.parse_args()
    try:
        if options.linkcheck:
            sphinx("linkcheck", tell)
        else:
            build()
    except BookError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
