"""How many dashboards may be open at once, and what is given back when they are closed."""

from __future__ import annotations

import ctypes
import gc
import sys
from contextlib import suppress
from typing import Any

from tornado.httputil import HTTPServerRequest

READERS = 60
TIDY = 10  # seconds between two looks at who has left


class Room:
    """The dashboards of one server that are open now."""

    def __init__(self, server: Any, readers: int):
        self.server, self.readers = server, readers
        self._last = 0  # that were open at the last look

    def open(self) -> int:
        """How many there are."""
        return len(self.server.get_sessions())

    def full(self, request: HTTPServerRequest) -> tuple[int, str] | None:
        """The sentence for one more reader, where there is no room."""
        opens = request.path.startswith("/apps/") and request.method == "GET" and "Upgrade" not in request.headers
        if not opens or self.open() < self.readers:
            return None
        many = "1 dashboard is" if self.readers == 1 else f"{self.readers} dashboards are"
        return 503, (
            f"{many} open already, as many as this server shows at once. This page looks again every ten seconds; "
            "the book itself can be read meanwhile."
        )

    def tidy(self) -> None:
        """Give back the memory of readers who have left."""
        now = self.open()
        if now < self._last:
            gc.collect()
            if sys.platform == "linux":
                with suppress(OSError, AttributeError):  # only the usual C library can
                    ctypes.CDLL("libc.so.6").malloc_trim(0)
        self._last = now
