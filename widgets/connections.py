"""How many connections are open at once, and for how long somebody may keep one without asking anything.

    accepted ──> waiting for a whole request ──> answered ──> waiting … , or a web socket

A request has `SLOW` seconds to arrive, and brings no body. Where there are too many connections, of one address or of
all, the one goes that has waited longest without a request; who is being answered stays. Behind a proxy all come from
this machine itself, which has no share of its own, and so is bounded by the sum.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

from tornado.ioloop import PeriodicCallback

from widgets.hooks import unread

SLOW = 20.0  # seconds for the lines of a request, also for the next one on the same connection
HEADER = 32 << 10  # bytes of them
BEHIND = 16 << 20  # bytes that somebody may leave unread
LOOK = 1000  # milliseconds between two looks at who does
SPARE = 200  # files that a server has open besides
LIMITS: dict[str, Any] = {
    "max_header_size": HEADER,
    "max_body_size": 0,  # this server only gives
    "idle_connection_timeout": SLOW,
    "body_timeout": SLOW,
}


class Gate:
    """Stands before Tornado's `HTTPServer`. One address may have half of `most` connections."""

    def __init__(self, http: Any, most: int):
        self.most, self.half = most, (most + 1) // 2
        self._open: dict[str, set[Any]] = {}  # address -> its connections
        self._waiting: dict[Any, str] = {}  # a connection without a request -> its address; the oldest first
        self._accept, self._start = http.handle_stream, http.start_request
        http.handle_stream, http.start_request = self.accept, self.start
        self._clock = PeriodicCallback(self.look, LOOK)

    def watch(self) -> None:
        """From now on, on the loop of the server."""
        self._clock.start()

    def accept(self, stream: Any, address: Any) -> Any:
        """Called by Tornado for each new connection."""
        where = _where(address)
        crowded = len(self._of(where)) >= self.half and where != ""
        if (crowded or self.many() >= self.most) and not self._make_room(where if crowded else None):
            stream.close()
            return None
        self._open.setdefault(where, set()).add(stream)
        self._waiting[stream] = where
        return self._accept(stream, address)

    def start(self, server: Any, request: Any) -> Any:
        """Called by Tornado when a connection begins to wait for a request."""
        where = self._waiting.pop(server.stream, None) or _where(getattr(server.context, "address", None))
        self._waiting[server.stream] = where
        return self._start(server, request)

    def has_asked(self, request: Any) -> None:
        """A whole request has come: its connection waits no longer."""
        self._waiting.pop(getattr(request.connection, "stream", None), None)

    def many(self) -> int:
        """The connections there are."""
        return sum(len(streams) for streams in self._open.values())

    def look(self) -> None:
        """Forgets who has left, and lets go of who asks and does not read."""
        for where in list(self._open):
            for stream in self._of(where):
                if unread(stream) > BEHIND:
                    stream.close()
        self._waiting = {stream: where for stream, where in self._waiting.items() if not stream.closed()}

    def _of(self, where: str) -> set[Any]:
        """The connections of an address that are still open."""
        left = {stream for stream in self._open.get(where, ()) if not stream.closed()}
        self._open[where] = left
        if not left:
            del self._open[where]
        return left

    def _make_room(self, where: str | None) -> bool:
        """Closes the connection that has waited longest, of that address if one is named."""
        those = (each for each, theirs in self._waiting.items() if where in (None, theirs) and not each.closed())
        stream = next(those, None)
        if stream is None:
            return False
        self._open.get(self._waiting.pop(stream), set()).discard(stream)
        stream.close()
        return True


def capacity(readers: int) -> int:
    """Connections for so many readers: a browser takes up to seven, and others read the book meanwhile."""
    most = 512 + 8 * readers
    if sys.platform == "win32":
        return most
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < most + SPARE:
        soft = most + SPARE if hard == resource.RLIM_INFINITY else min(hard, most + SPARE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        most = min(most, soft - SPARE)
    return max(most, 64)


def _where(address: Any) -> str:
    """The address of a connection; "" for this machine itself."""
    try:
        known = ipaddress.ip_address(str(address[0]).partition("%")[0])
    except (ValueError, IndexError, TypeError):
        return ""
    return "" if known.is_loopback else str(known)
