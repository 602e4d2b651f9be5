"""The wire of a server: the rest of a page, where Panel serves it."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AbstractContextManager
from typing import Any

from panel.io import hold

from widgets.address import seat
from widgets.kit.part import Act, Wire


class PanelWire(Wire):
    """The page of one reader, which Bokeh calls a document; made on the server's own thread."""

    def __init__(self, doc: Any):
        self.doc, self.loop = doc, asyncio.get_running_loop()
        self.address = seat(getattr(doc.session_context, "request", None))

    def later(self, action: Act, milliseconds: int = 0) -> None:
        """No worker adds a callback itself: the document holds it back while it is on hold, and what comes in just as
        the hold ends is lost.
        """

        def add() -> None:
            with contextlib.suppress(AttributeError):  # the reader has left, and the document is taken apart
                if milliseconds:
                    self.doc.add_timeout_callback(action, milliseconds)
                else:
                    self.doc.add_next_tick_callback(action)

        with contextlib.suppress(RuntimeError):  # the server has stopped
            self.loop.call_soon_threadsafe(add)

    def hold(self) -> AbstractContextManager:
        return hold(self.doc)
