"""How many dashboards may be open at once, and what is given back when they are closed."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress
from typing import Any

from tornado.httputil import HTTPServerRequest

from widgets.address import seat
from widgets.routes import asked

READERS = 60
TIDY = 10  # seconds between two looks at who has left
LOOKS = "This page looks again every ten seconds; the book itself can be read meanwhile."


class Room:
    """The dashboards of one server that are open now."""

    def __init__(self, server: Any, readers: int):
        self.server, self.readers = server, readers
        self._last = 0  # that were open at the last look

    def open(self) -> list[Any]:
        """Those there are; a page that was closed makes room at once, and is taken apart soon after."""
        return [session for session in self.server.get_sessions() if not session.expiration_requested]

    def of(self, address: str) -> int:
        """How many of them are seen at one address."""
        contexts = (session.document.session_context for session in self.open())
        return sum(seat(context.request) == address for context in contexts if context is not None)

    def full(self, request: HTTPServerRequest) -> tuple[int, str] | None:
        """The sentence for one more reader, where there is no room. One address has half of it at most."""
        if asked(request).kind != "dashboard" or request.method != "GET":
            return None
        address, half = seat(request), (self.readers + 1) // 2
        if len(self.open()) >= self.readers:
            return 503, f"{_are(self.readers)} open already, as many as this server shows at once. {LOOKS}"
        if address and self.of(address) >= half:
            return 503, (f"{_are(half)} open already at your address, {address}: "
                         f"half of what this server shows at once, and the others are for others. {LOOKS}")  # fmt: skip
        return None

    def tidy(self) -> None:
        """Give back the memory of readers who have left."""
        now = len(self.server.get_sessions())
        if now < self._last:
            gc.collect()
            if sys.platform == "linux":
                with suppress(OSError, AttributeError):  # only the usual C library can
                    ctypes.CDLL("libc.so.6").malloc_trim(0)
        self._last = now


def _are(many: int) -> str:
    return "1 dashboard is" if many == 1 else f"{many} dashboards are"
