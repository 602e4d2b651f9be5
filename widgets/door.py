"""Who is let in, and what every answer says of itself.

    request ──> Door.find_handler ──> a sentence (Refused) │ what Tornado finds ──> Manners: the headers

A page of another site can make a reader's browser send anything to this server: by a name of its own that points here
(DNS rebinding), by a web socket, by a frame. So requests are answered only under this server's own names, web sockets
only to its own pages, and only once for each page that was opened.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from bokeh.server.util import check_allowlist, create_hosts_allowlist
from bokeh.util.token import check_token_signature, get_session_id, get_token_payload
from panel.io.server import AutoloadJsHandler, DocHandler, WSHandler
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform, RequestHandler

MESSAGE = 256 << 10  # bytes that a page may send at once: its largest is a list of films
DEPTH = 64  # of brackets in a message
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",  # figures, widgets and MathJax are written so
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
Why = tuple[int, str]


class Door:
    """Stands before every handler of an application. `names` and `port` are how browsers may know this server."""

    def __init__(
        self, application: Any, names: Iterable[str], port: int, proxies: Iterable[str] = (), framed: Iterable[str] = ()
    ):
        self.application, self.route = application, application.find_handler
        self.names = {name.lower() for name in names}
        self.origins = {f"{name}:{port}" for name in self.names}
        self.proxies = create_hosts_allowlist(list(proxies), port) if proxies else []
        self.framed = tuple(framed)
        self.limits: list[Callable[[HTTPServerRequest], Why | None]] = []  # of other kinds: how many readers, for one
        self._used: dict[str, float] = {}  # sessions that were entered, until their token is stale anyway
        application.find_handler = self.find_handler
        application.add_transform(lambda request: Manners(request, self))

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        """The handler of a request; Tornado's own choice, unless there is something to say first."""
        for ask in (self._host, _path, _method, self._socket, *self.limits):
            why = ask(request)
            if why is not None:
                return self._said(request, *why)
        found = self.route(request, **kwargs)
        kind = getattr(found, "handler_class", None)
        if kind is AutoloadJsHandler:  # a page of another site would run it
            return self._said(request, 404, "")
        if kind is WSHandler:
            found.handler_class = Socket
        elif kind is DocHandler and request.method == "HEAD":
            return self.application.get_handler_delegate(request, Head)
        return found

    def _said(self, request: HTTPServerRequest, status: int, sentence: str) -> Any:
        return self.application.get_handler_delegate(request, Refused, {"status": status, "sentence": sentence})

    # ------------------------------------------------------------------------------------------- who asks

    def _host(self, request: HTTPServerRequest) -> Why | None:
        if self.ours(request):
            return None
        return 421, f"This server does not answer to {request.host!r}, but to {', '.join(sorted(self.names))}."

    def ours(self, request: HTTPServerRequest) -> bool:
        """Is it asked by a name of its own, or by the address that the request came in at?"""
        host = request.host.lower()
        name = _split(host)[0]
        return name in self.names or name == _arrival(request) or self._proxied(host)

    def _proxied(self, host: str) -> bool:
        return bool(self.proxies) and check_allowlist(host, self.proxies)

    def _socket(self, request: HTTPServerRequest) -> Why | None:
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return None
        sent = request.headers.get("Origin", "")
        origin = urlsplit(sent).netloc.lower()
        if not (origin and (origin == request.host.lower() or origin in self.origins or self._proxied(origin))):
            return 403, f"Only this server's own pages may speak to it, not those of {sent or 'an unnamed site'!r}."
        return None if self._enter(request) else (403, "This page was opened before; reload it to go on.")

    def _enter(self, request: HTTPServerRequest) -> bool:
        """Whether the token is one of ours, still good, and used for the first time."""
        words = [word.strip() for word in request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        application, now = self.application, time.time()
        try:
            kind, token = words
            signed = check_token_signature(token, secret_key=application.secret_key, signed=application.sign_sessions)
            session, until = get_session_id(token), float(get_token_payload(token)["session_expiry"])
        except Exception:  # anything may be written there
            return False
        if kind != "bokeh" or not signed or until <= now or session in self._used:
            return False
        self._used = {known: end for known, end in self._used.items() if end > now} | {session: until}
        return True


def _path(request: HTTPServerRequest) -> Why | None:
    plain = unquote(request.path)
    climbs = ".." in plain.split("/") and plain.startswith(("/static/", "/components/"))
    if climbs or not plain.isprintable():
        return 404, ""
    if {"bokeh-session-id", "bokeh-token"} & set(request.arguments) or "Bokeh-Session-Id" in request.headers:
        return 403, "A session begins with its page; nobody enters another's."
    return None


def _method(request: HTTPServerRequest) -> Why | None:
    return None if request.method in ("GET", "HEAD") else (405, "This server only gives; nothing is sent to it.")


def _split(host: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def _arrival(request: HTTPServerRequest) -> str | None:
    """The address of this machine that a request came in at."""
    stream = getattr(request.connection, "stream", None) or getattr(
        getattr(request.connection, "request_conn", None), "stream", None
    )
    try:
        return str(stream.socket.getsockname()[0]) if stream is not None else None
    except (OSError, AttributeError):
        return None


# ------------------------------------------------------------------------------------------------ answers


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
            # blob: for modules that the widgets put together; not every browser's 'self' covers sockets
            "connect-src": " ".join(["'self'", "blob:", *([f"ws://{host}", f"wss://{host}"] if host else [])]),
            "frame-src": "'self'",
            "frame-ancestors": " ".join(["'self'", *self.door.framed]),
        }
        headers["Content-Security-Policy"] = "; ".join(f"{what} {where}" for what, where in policy.items())
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        headers.pop("Server", None)
        return status_code, headers, chunk


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


class Socket(WSHandler):
    """Panel's web socket behind the door: it has looked at the origin, and takes no message made to exhaust us."""

    def check_origin(self, origin: str) -> bool:
        """The door has looked."""
        return True

    async def on_message(self, fragment: str | bytes) -> None:
        """Called by Tornado for each part of a message."""
        if isinstance(fragment, str) and deep(fragment):
            self.close(1008, "nested too deep")
            return
        await super().on_message(fragment)

    def on_close(self) -> None:
        """Called by Tornado. Nobody enters this session again: it need not be kept for half a minute."""
        if self.connection is not None:
            self.connection.session.request_expiration()
        super().on_close()


def deep(text: str, most: int = DEPTH) -> bool:
    """Whether brackets are nested deeper than `most`.

    >>> deep("[" * 65), deep("[]" * 65)
    (True, False)
    """
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > most:
            return True
    return False
