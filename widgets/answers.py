"""What every answer says of itself, and the answers that are one sentence."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from panel.io.server import DocHandler
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import HTTPError, OutputTransform, RequestHandler

if TYPE_CHECKING:
    from widgets.gatekeeper import Door

POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",  # pages of the book add the hashes of their own lines, dashboards a word of their own
    "style-src": "'self' 'unsafe-inline'",  # Plotly, Bokeh and MathJax write style sheets as they draw
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
INLINE = re.compile(rb"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
SCRIPT = re.compile(r"<script(?![^>]*application/json)(?=[ >])")
FOR_DASHBOARDS = "'nonce-{nonce}'"  # Bokeh's start, Panel's list of modules, and the modules that these import
HANDLERS = re.compile(rb'\son\w+="([^"]*)"')


class Manners(OutputTransform):
    """What every answer says of itself: where its parts may come from, who may frame it; not what it is made with."""

    def __init__(self, request: HTTPServerRequest, door: Door):
        self.request, self.door = request, door

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Called by Tornado before the first byte leaves."""
        host = self.request.host if self.door.ours(self.request) else ""
        policy = POLICY | {
            "script-src": f"'self' {getattr(self.request, 'scripts', '')}".strip(),
            # blob: for modules that the widgets put together; not every browser's 'self' covers sockets
            "connect-src": " ".join(["'self'", "blob:", *([f"ws://{host}", f"wss://{host}"] if host else [])]),
            "frame-src": "'self'",
            "frame-ancestors": " ".join(["'self'", *self.door.framed]),
        }
        own = getattr(self.request, "policy", None)
        if own is not None:
            policy = own | {"connect-src": " ".join(["'self'", *([f"ws://{host}", f"wss://{host}"] if host else [])])}
        headers["Content-Security-Policy"] = "; ".join(f"{what} {where}" for what, where in policy.items())
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin" if own is None else "no-referrer"
        headers.pop("Server", None)
        return status_code, headers, chunk


def run(request: HTTPServerRequest, scripts: str) -> None:
    """The answer to this request may run these besides files of this server."""
    request.scripts = scripts  # type: ignore[attr-defined]


def strict(request: HTTPServerRequest, policy: dict[str, str]) -> None:
    """The answer to this request has a policy of its own, stricter than the book's; it may speak to this server."""
    request.policy = policy  # type: ignore[attr-defined]


class Plain(RequestHandler):
    """Whatever goes wrong is said in a sentence: no page of Tornado's, no word of what broke."""

    def write_error(self, status_code: int, **_: Any) -> None:
        """Called by Tornado."""
        missing(self, status_code)


@cache
def plain(handler: type[RequestHandler]) -> type[RequestHandler]:
    """`handler`, with errors said as `Plain` says them."""
    return type(handler.__name__, (Plain, handler), {"__module__": handler.__module__})


class Refused(RequestHandler):
    """An answer of one sentence."""

    def initialize(self, status: int, sentence: str) -> None:
        """Called by Tornado."""
        self.status, self.sentence = status, sentence

    def prepare(self) -> None:
        """Called by Tornado before it looks for a method."""
        if self.status == 503:  # there will be room: the page looks again by itself
            self.set_header("Retry-After", "10")
            self.set_header("Refresh", "10")
        missing(self, self.status, self.sentence)

    def write_error(self, status_code: int, **_: Any) -> None:
        """Called by Tornado, for a method that it does not know."""
        missing(self, self.status, self.sentence)


FAILED: WeakSet[Any] = WeakSet()  # documents of dashboards that could not be made


class Dashboard(DocHandler):
    """The page of a dashboard: only what stands in it is run, not what may come into it later."""

    async def get_session(self) -> Any:
        """Called by Panel, which would print the traceback of a dashboard that cannot be made into its page."""
        session: Any = await super().get_session()  # type: ignore[misc]
        if session.document in FAILED:
            session.request_expiration()
            raise HTTPError(500)
        return session

    def write(self, chunk: Any) -> None:
        """Called by Bokeh, once, with the whole page."""
        nonce = secrets.token_urlsafe(16)
        run(self.request, FOR_DASHBOARDS.format(nonce=nonce))
        super().write(SCRIPT.sub(rf'<script nonce="{nonce}"', chunk) if isinstance(chunk, str) else chunk)


class Moved(Plain):
    """Where a page is, with the same settings."""

    def initialize(self, to: str) -> None:
        """Called by Tornado."""
        self.to = to

    def get(self, *_: str) -> None:
        """Called by Tornado."""
        self.redirect(f"{self.to}?{self.request.query}".rstrip("?"), permanent=True)

    head = get


class Head(RequestHandler):
    """A dashboard's headers, without making one."""

    def head(self, *_: str) -> None:
        """Called by Tornado."""
        self.set_header("Content-Type", "text/html")
        self.set_header("Cache-Control", "no-store")


def missing(handler: RequestHandler, status: int, sentence: str = "") -> None:
    """A page that says so, and the way back."""
    what = "There is no page" if status == 404 else f"The server could not answer ({status}) for"
    said = sentence or f"{what} {handler.request.path}."
    handler.set_status(status)
    handler.set_header("Content-Type", "text/html; charset=utf-8")
    handler.finish(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<title>Not here</title><style>:root{color-scheme:light dark}body{font:18px/1.6 system-ui,sans-serif;"
        "max-width:34rem;margin:20vh auto;padding:0 1.5rem;overflow-wrap:break-word}</style>"
        f"<h1>Not here</h1><p>{html.escape(said)}</p>"
        "<p><a href='/'>To the first page of the book</a></p></html>"
    )


@lru_cache(maxsize=256)
def scripts(page: Path, changed: int) -> str:
    """What a page of the book runs besides files: its own lines, by their hashes. `changed` tells a rebuilt one.

    The theme's button for the full screen is an attribute, which takes 'unsafe-hashes'; nothing is made of text.
    """
    body = page.read_bytes()
    lines = sorted({_hash(text) for text in (*INLINE.findall(body), *HANDLERS.findall(body))})
    return " ".join(["'unsafe-hashes'", *(f"'sha256-{line}'" for line in lines)]) if lines else ""


def _hash(text: bytes) -> str:
    return base64.b64encode(hashlib.sha256(text).digest()).decode()
