"""Build the book into `_build/html`.

    python tools/book.py [--linkcheck]

Unchanged sources are not touched; a build that fails leaves the last good book in place. `_build/work` holds
Sphinx's own output (incremental), which is copied beside `_build/html` and swapped in when the pages are well: before
the dashboards' frames are, since these take longest. `_config.yml` says what is built; conf.py says it to Sphinx.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import hashlib
import io
import json
import logging
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import psutil

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
HTML = BUILD / "html"
WORK = BUILD / "work"
STATE = (WORK / "doctrees", WORK / "html")  # what Sphinx goes on from
SUMS = WORK / "sums.json"  # what its files were when a build ended
FULL = "the disk is full: make room and build again; the last good book stays as it was"
sys.path.insert(0, str(ROOT / "book" / "_ext"))
# jsonschema compiles forty grammars of addresses as it is imported, a second of processor: no notebook here needs one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

import check  # noqa: E402  (a local extension of the book)
import drafts  # noqa: E402
import kept  # noqa: E402

from fingerprint import READABLE, digest, library  # noqa: E402

Say = Callable[[str], None]


class BookError(Exception):
    """The book could not be built; the text is what Sphinx had to say."""


def inputs() -> str:
    """The name of all that the book is made from."""
    own = [ROOT / name for name in ("_config.yml", "_toc.yml", "conf.py", "book", "tools/book.py", "tools/handouts.py")]
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
    try:
        BUILD.mkdir(exist_ok=True)
        with lock(BUILD / "lock", say):
            return _build(say)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise BookError(FULL) from None


def _build(say: Say) -> Path:
    recover()
    name = inputs()
    if not stale():
        say("book: up to date")
        return HTML
    start = time.monotonic()
    say("book: building")
    look_up()
    fetch(say)
    try:
        sphinx("html", early(say))
        publish(name)
    except BaseException:
        withdraw()
        raise
    say(f"book: built in {time.monotonic() - start:.0f} s -> {HTML.relative_to(ROOT)}/index.html")
    return HTML


def early(say: Say) -> Say:
    """`say`; when only the frames are not there yet, the pages are shown. Without a name they count as stale."""

    def heard(line: str) -> None:
        if line == READABLE:
            publish("", last=False)
        say(line)

    return heard


def look_up() -> None:
    """What the words of the book ask for is there, or all that is not is said before anything is begun."""
    if said := check.all_of_it():
        raise BookError("\n".join([*said, "the book was not built; see above"]))


def fetch(say: Say) -> None:
    """Have the data before the first chapter asks for it: a download is seen, and its failure is one sentence."""
    from recprivlib.data import load
    from recprivlib.parameters import UserError

    try:
        data = load("ml-100k")
    except UserError as error:
        raise BookError(str(error)) from None
    say(f"  ml-100k: {len(data.interactions):,} ratings, from {data.source}")


def unfinished() -> list[Path]:
    """The chapters that call themselves drafts."""
    return drafts.listed()


def sphinx(builder: str, say: Say) -> None:
    """One run of Sphinx; warnings are errors."""
    environment()
    listener = Listener(say)
    logging.getLogger("course.progress").handlers = [listener]
    logging.getLogger("course.progress").setLevel(logging.INFO)
    logging.getLogger("course.progress").propagate = False
    heard, problem = io.StringIO(), None
    with (
        contextlib.redirect_stderr(heard),
        contextlib.redirect_stdout(heard if builder == "html" else sys.stdout),
        going_on(listener) if builder == "html" else contextlib.nullcontext(),
    ):
        try:
            result = run(builder, heard)
        except Exception as error:
            result, problem = 1, error
    if result:
        if full(problem) or "No space left on device" in heard.getvalue():
            raise BookError(FULL)
        what = "the book was not built" if builder == "html" else "some links are broken"
        said = re.sub(r"\x1b\[[\d;]*m", "", f"{heard.getvalue()}\n{_told(problem)}").strip()
        raise BookError(f"{said}\n{what}; see above")


def run(builder: str, heard: IO[str]) -> int:
    """Sphinx itself, on conf.py; 0 if all is well."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    with patch_docutils(str(ROOT)), docutils_namespace():
        app = Sphinx(
            srcdir=ROOT,
            confdir=ROOT,
            outdir=WORK / builder,
            doctreedir=WORK / "doctrees",
            buildername=builder,
            status=None if builder == "html" else sys.stdout,
            warning=heard,
            warningiserror=True,
            keep_going=True,
        )
        app.build()
        return int(app.statuscode)


def _told(problem: Exception | None) -> str:
    """What went wrong: one's own mistake in its own words, anything else with the way to it."""
    from sphinx.errors import SphinxError

    if problem is None or isinstance(problem, SphinxError):
        return str(problem or "")
    return "".join(traceback.format_exception(problem))


def full(problem: BaseException | None) -> bool:
    """Whether a problem comes from a disk without room."""
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        problem = problem.__cause__ or problem.__context__
    return False


@contextlib.contextmanager
def going_on(listener: Listener) -> Iterator[None]:
    """Sphinx goes on from its own files of the build before, if they are what they were; else from none."""
    known, found = _sums(), _seen()
    if found and found != known:
        changed = sorted(
            name for name in found.keys() | (known or {}).keys() if found.get(name) != (known or {}).get(name)
        )
        what = f"{changed[0]} is damaged" if known is not None else "the last one was cut short"
        listener.hand_on(f"book: {what}; the pages are made anew, from what the chapters printed")
        for folder in STATE:
            if folder.exists():
                kept.forget(WORK / kept.ASIDE, keep=0)
                place = WORK / kept.ASIDE / folder.name
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(place, ignore_errors=True)
                folder.rename(place)
    SUMS.unlink(missing_ok=True)
    yield
    kept.write(SUMS, json.dumps(_seen()).encode())


def _sums() -> dict[str, str] | None:
    body = kept.read(SUMS, WORK)
    return json.loads(body) if body else None


def _seen() -> dict[str, str]:
    """File -> what it holds, of all that Sphinx goes on from."""
    files = (file for folder in STATE for file in sorted(folder.rglob("*")) if file.is_file())
    return {file.relative_to(WORK).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files}


def environment() -> None:
    """Kernels of the build see neither the reader's IPython profile nor more threads than are good for them."""
    os.environ["IPYTHONDIR"] = str(BUILD / "work" / "ipython")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def publish(name: str, last: bool = True) -> None:
    """Put the finished pages where readers look, whole or not at all; until the `last` time, what was there is kept."""
    fresh, old, gone = (BUILD / f"html.{end}" for end in ("new", "old", "gone"))
    for leftover in (fresh, gone):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        shutil.copytree(WORK / "html", fresh, ignore=shutil.ignore_patterns(".buildinfo"))
        (fresh / ".inputs").write_text(name, encoding="utf-8")
    except BaseException as error:
        shutil.rmtree(fresh, ignore_errors=True)
        if full(error) or "No space left on device" in str(error):  # copytree tells what each file said
            raise BookError(FULL) from None
        raise
    if HTML.exists():
        HTML.rename(gone if old.exists() else old)
    fresh.rename(HTML)
    shutil.rmtree(gone, ignore_errors=True)
    if last:
        shutil.rmtree(old, ignore_errors=True)


def withdraw() -> None:
    """Back to the last good book, where pages were shown whose frames did not come."""
    old, gone = BUILD / "html.old", BUILD / "html.gone"
    if old.exists():
        shutil.rmtree(gone, ignore_errors=True)
        if HTML.exists():
            HTML.rename(gone)
        old.rename(HTML)
        shutil.rmtree(gone, ignore_errors=True)


def recover() -> None:
    """After a build that was killed between two steps of `publish`."""
    old = BUILD / "html.old"
    if old.exists() and HTML.exists():
        shutil.rmtree(old, ignore_errors=True)
    withdraw()


class Listener(logging.Handler):
    """Hands the extensions' progress to whoever started the build."""

    def __init__(self, say: Say):
        super().__init__()
        self.say, self.out = say, sys.stdout

    def emit(self, record: logging.LogRecord) -> None:
        self.hand_on(record.getMessage())

    def hand_on(self, line: str) -> None:
        """Say a line where the build was started, whatever hears the rest."""
        with contextlib.redirect_stdout(self.out):
            self.say(line)


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
