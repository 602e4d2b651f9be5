"""The book at `/` and every dashboard at `/apps/<stem>`, on one port.

A dashboard is found by listing this folder: a file that defines `app()` is one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.settings import settings
from bokeh.util.token import generate_secret_key
from tornado.ioloop import PeriodicCallback
from tornado.web import HTTPError, RequestHandler, StaticFileHandler

from widgets.address import LOOPBACK, at_home, names, site
from widgets.answers import FAILED, missing, run, scripts
from widgets.classroom.group import Class
from widgets.classroom.mount import handlers
from widgets.connections import LIMITS, Gate, capacity
from widgets.gatekeeper import Door
from widgets.hooks import created
from widgets.messages import MESSAGE
from widgets.occupancy import READERS, TIDY, Room
from widgets.routes import LABORATORY

HERE = Path(__file__).resolve().parent
BOOK = HERE.parent / "_build" / "html"
LAB = HERE.parent / "_build" / "site" / "lab"
UNUSED = 30  # seconds that a page may take from its first byte to its web socket: a whole class opens it at once
LEFT = 5  # seconds until a page that was closed is taken apart
log = logging.getLogger(__name__)


def stems() -> tuple[str, ...]:
    """The dashboards there are."""
    files = sorted(HERE.glob("*.py"))
    return tuple(path.stem for path in files if re.search(r"^def app\(", path.read_text("utf-8"), re.MULTILINE))


def laboratory(folder: Path = LAB) -> Path | None:
    """Where `make site` has left Python for the readers' browsers, if it has."""
    return folder if (folder / "manifest.json").is_file() and (folder / "exercise.mjs").is_file() else None


def apps() -> dict[str, Callable[[], Any]]:
    """The address of each dashboard and the function that makes a fresh one for every visitor."""
    return {f"/apps/{stem}": _careful(import_module(f"widgets.{stem}").app) for stem in stems()}


def _careful(app: Callable[[], Any]) -> Callable[[], Any]:
    """`app`; where it breaks, the reader is told that much, and the log has it."""

    def made() -> Any:  # Panel calls plain functions only
        try:
            return app()
        except Exception:
            log.exception("a dashboard could not be made")
            FAILED.add(pn.state.curdoc)
            return pn.Column()

    return made


def warm_up() -> None:
    """The first picture of every dashboard, in the background, before a reader asks for it."""
    from widgets.kit import warm_soon

    for stem in stems():
        warm_soon(stem)


# --------------------------------------------------------------------------------------------- pages


class Page(StaticFileHandler):
    """A file of the book. Browsers may keep it, but ask each time whether it has changed."""

    def validate_absolute_path(self, root: str, absolute_path: str) -> str | None:
        if any(part.startswith(".") for part in Path(self.path).parts):
            raise HTTPError(404)
        try:
            return super().validate_absolute_path(root, absolute_path)
        except HTTPError:  # outside the book, or a folder: there is no such page
            raise HTTPError(404) from None

    def compute_etag(self) -> str:
        """Tornado remembers a file's hash for good, and would call a rebuilt page unchanged."""
        about = Path(str(self.absolute_path)).stat()
        return f'"{about.st_mtime_ns:x}-{about.st_size:x}"'

    def get_cache_time(self, path: str, modified: Any, mime_type: str) -> int:
        return 0

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")
        page = Path(str(self.absolute_path))
        if page.suffix == ".html":
            run(self.request, scripts(page, page.stat().st_mtime_ns))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        missing(self, status_code)


class Live(RequestHandler):
    """How a page finds out that somebody can compute for it; a book without a server answers live: false.

    Who asks from this machine itself may open the wall of a class.
    """

    def initialize(self, group: Class, lab: bool) -> None:
        """Called by Tornado."""
        self.group, self.lab = group, lab

    def get(self) -> None:
        self.set_header("Cache-Control", "no-store")
        self.set_header("Content-Type", "application/json")
        wall = {"wall": f"/class/wall#{self.group.key}"} if at_home(self.request) else {}
        lab = {"lab": "lab/"} if self.lab else {}
        self.write(json.dumps({"live": True, "apps": list(stems()), **wall, **lab}))


class Laboratory(Page):
    """A file of the laboratory of a built site: Python for a reader's own browser. Nothing of it is run here."""

    def set_extra_headers(self, path: str) -> None:
        super().set_extra_headers(path)
        if path == "worker.mjs":  # a worker has a policy of its own, that of its script
            run(self.request, "'wasm-unsafe-eval'")


# -------------------------------------------------------------------------------------------- server


def create(
    host: str,
    port: int,
    book: Path,
    framed: Sequence[str] = (),
    readers: int = READERS,
    group: Class | None = None,
    lab: Path | None = None,
) -> Any:
    """The server, listening but not yet answering; `framed` are the sites that may show it in a page of theirs.

    `group` is the class that it holds, if somebody else has to know its key; `lab` is the laboratory of a built site,
    if it is to be handed out.
    """
    from widgets.kit.page import shared_pool
    from widgets.kit.scenes import Scenes

    shared_pool()  # its helpers come while the server does the rest
    settings.perform_error_diagnostics = False  # looks for similar names whenever Panel asks for one that is not there
    pages = {"path": str(book), "default_filename": "index.html"}
    group = group or Class(site(host, port))
    serving = partial(
        pn.serve,
        apps(),
        address=host,
        port=port,
        websocket_origin=[f"{name}:{port}" for name in names(host)],
        show=False,
        start=False,
        verbose=False,
        use_index=False,
        extra_patterns=[
            (r"/live\.json", Live, {"group": group, "lab": lab is not None}),
            (r"/scenes/([\w-]+)", Scenes, {"pool": shared_pool}),
            *handlers(group),
            *([(rf"/lab/({LABORATORY})", Laboratory, {"path": str(lab)})] if lab else []),
            (r"/(?!static/|components/)(.*)", Page, pages),
        ],
        compress_response=host not in LOOPBACK,  # worth its time on a wireless network only
        sign_sessions=True,
        secret_key=generate_secret_key(),
        websocket_max_message_size=MESSAGE,
        http_server_kwargs=dict(LIMITS),
        unused_session_lifetime_milliseconds=1000 * UNUSED,
        check_unused_sessions_milliseconds=1000 * LEFT,
    )
    server, http = created(serving)
    door = Door(http.request_callback, names(host), port, settings.allowed_ws_origin() or (), framed)
    room = Room(server, readers)
    door.limits.append(room.full)
    gate = Gate(http, capacity(readers))
    door.heard.append(gate.has_asked)
    gate.watch()
    PeriodicCallback(room.tidy, 1000 * TIDY).start()
    PeriodicCallback(group.tidy, 1000 * TIDY).start()
    return server


def serve(
    host: str,
    port: int,
    ready: Callable[[], None],
    book: Path = BOOK,
    framed: Sequence[str] = (),
    readers: int = READERS,
    group: Class | None = None,
    lab: Path | None = None,
) -> None:
    """Answer until Ctrl-C or a polite kill."""
    server = create(host, port, book, framed, readers, group, lab)
    server.start()
    loop = server.io_loop
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_event_loop().add_signal_handler(number, loop.stop)
    loop.add_callback(ready)
    with contextlib.suppress(KeyboardInterrupt):
        loop.start()
    server.stop(wait=False)
