"""Who is let in.

    request ──> Door.find_handler ──> a sentence (Refused) │ what `routes` lets Tornado find ──> Manners: the headers

A page of another site can make a reader's browser send anything to this server: by a name of its own that points here
(DNS rebinding), by a web socket, by a frame. So requests are answered only under this server's own names, web sockets
only to its own pages, and only once for each page that was opened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from bokeh.server.util import check_allowlist, create_hosts_allowlist
from bokeh.util.token import check_token_signature, get_session_id, get_token_payload
from tornado.httputil import HTTPServerRequest

from widgets.answers import Dashboard, Head, Manners, Moved, Refused, plain
from widgets.routes import SOCKETS, answered, asked, foreign
from widgets.sockets import Socket

Why = tuple[int, str]
OURS = {"dashboard": plain(Dashboard), "socket": Socket}


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
        self.heard: list[Callable[[HTTPServerRequest], None]] = []  # are told of each request that has come whole
        self._used: dict[str, float] = {}  # sessions that were entered, until their token is stale anyway
        application.find_handler = self.find_handler
        application.add_transform(lambda request: Manners(request, self))

    def find_handler(self, request: HTTPServerRequest, **kwargs: Any) -> Any:
        """The handler of a request; Tornado's own choice, unless there is something to say first."""
        for tell in self.heard:
            tell(request)
        for ask in (self._host, _path, _method, self._site, self._socket, *self.limits):
            why = ask(request)
            if why is not None:
                return self._said(request, *why)
        what, found = asked(request), self.route(request, **kwargs)
        if what.kind == "folder" and f"/apps/{what.stem}" in self.application.applications:
            return self.application.get_handler_delegate(request, Moved, {"to": f"/apps/{what.stem}"})
        handler = getattr(found, "handler_class", None)
        if handler is None or not answered(what, handler):
            return self._said(request, 404, "")
        if what.kind == "dashboard" and request.method == "HEAD":
            return self.application.get_handler_delegate(request, Head)
        found.handler_class = OURS.get(what.kind) or plain(handler)
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

    def _site(self, request: HTTPServerRequest) -> Why | None:
        if foreign(request, bool(self.framed)):
            return 403, "A page of another site may link to the pages of this server, and asks for nothing else."
        return None

    def _socket(self, request: HTTPServerRequest) -> Why | None:
        what = asked(request)
        if what.kind not in SOCKETS:
            return None
        if request.method != "GET" or request.headers.get("Upgrade", "").lower() != "websocket":
            return 404, ""
        sent = request.headers.get("Origin", "")
        origin = _host(sent)
        if not (origin and (origin == request.host.lower() or origin in self.origins or self._proxied(origin))):
            return 403, f"Only this server's own pages may speak to it, not those of {sent or 'an unnamed site'!r}."
        if what.kind != "socket":  # a line of a class asks for its code or key itself
            return None
        return None if self._enter(request, what.stem) else (403, "This page was opened before; reload it to go on.")

    def _enter(self, request: HTTPServerRequest, stem: str) -> bool:
        """Whether the token is one of ours, still good, of a page of this dashboard, and used for the first time."""
        words = [word.strip() for word in request.headers.get("Sec-WebSocket-Protocol", "").split(",")]
        application, now = self.application, time.time()
        try:
            kind, token = words
            if not check_token_signature(token, secret_key=application.secret_key, signed=application.sign_sessions):
                return False  # before it is unpacked: it may be small only as it is sent
            session, until = get_session_id(token), float(get_token_payload(token)["session_expiry"])
        except Exception:  # anything may be written there
            return False
        here = application.applications.get(f"/apps/{stem}")
        waiting = {each.id for each in here.sessions} if here else ()
        if kind != "bokeh" or until <= now or session in self._used or session not in waiting:
            return False
        self._used = {known: end for known, end in self._used.items() if end > now} | {session: until}
        return True


def _path(request: HTTPServerRequest) -> Why | None:
    if not unquote(request.path).isprintable():
        return 404, ""
    named = {"bokeh-session-id", "bokeh-token"}
    cookie = request.headers.get("Cookie", "").lower()
    if (
        not named.isdisjoint(request.arguments)
        or not named.isdisjoint(map(str.lower, request.headers))
        or any(name in cookie for name in named)
    ):
        return 403, "A session begins with its page; nobody enters another's."
    return None


def _method(request: HTTPServerRequest) -> Why | None:
    return None if request.method in ("GET", "HEAD") else (405, "This server only gives; nothing is sent to it.")


def _host(address: str) -> str:
    """The host and port of an address; "" for what is none."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


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
