"""The web socket of a page, behind the door: every message is read before Bokeh reads it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bokeh.protocol.message import Message
from panel.io.server import WSHandler

from widgets.answers import missing
from widgets.connections import BEHIND
from widgets.hooks import unread
from widgets.messages import Ear, Known, Unheard, known

REFUSED, BROKEN = 1008, 1011  # of RFC 6455: against the rules of this server; something broke in it
OURS = "something broke here; the log has it"
RATE, ATONCE = 360.0, 360.0  # parts of messages in a second, and at once: a drag says 180, a screen's frame each


class Socket(WSHandler):
    """Panel's own, which the door has looked at already; it hears only what a page says, and tells nobody of itself."""

    _known: Known | None = None
    _deaf = _left = False
    _said, _heard = 0.0, 0.0  # parts that were said faster than `RATE` allows, and when the last one came

    def check_origin(self, origin: str) -> bool:
        """The door has looked."""
        return True

    def write_error(self, status_code: int, **_: Any) -> None:
        """Called by Tornado, for a handshake that is none."""
        missing(self, status_code)

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Called by Tornado."""
        self._ear = Ear(self._page)
        wire: Any = self.ws_connection
        wire.write_message = _calm(wire.write_message)
        super().open(*args, **kwargs)

    async def on_message(self, fragment: str | bytes) -> None:
        """Called by Tornado for each part of a message."""
        if self._deaf:
            return
        try:
            if self.connection is None:
                raise Unheard("nobody has answered yet")
            if unread(getattr(self.ws_connection, "stream", None)) > BEHIND:
                raise Unheard("too much is left unread")
            self._ear.hear(fragment)
        except Unheard as reason:
            self._end(REFUSED, str(reason))
            return
        await asyncio.sleep(self._early())
        if not self._deaf:
            await super().on_message(fragment)

    def _early(self) -> float:
        """Seconds until this part is heard: Tornado reads no more of a socket meanwhile, but first what it has read.

        Who says more than a page does waits, and others have their turn after each part.
        """
        now = time.monotonic()
        self._said = max(0.0, self._said - RATE * (now - self._heard)) + 1
        self._heard = now
        return max(0.0, self._said - ATONCE) / RATE

    async def send_message(self, message: Message[Any]) -> None:
        """Called by Bokeh, whose word for an error is a traceback; the log has it."""
        if message.msgtype == "ERROR":
            self._end(BROKEN, OURS)
            return
        await super().send_message(message)

    def on_close(self) -> None:
        """Called by Tornado, twice where both ends go at once.

        Nobody enters this session again: it need not be kept for half a minute.
        """
        if self._left:
            return
        self._left = True
        if self.connection is not None:
            self.connection.session.request_expiration()
        super().on_close()

    def _page(self) -> Known:
        if self._known is None:
            assert self.connection is not None
            self._known = known(self.connection.session.document)
        return self._known

    def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Called by Bokeh, with a code of its own and words about what it met; the log has them."""
        self._end(*((BROKEN, OURS) if code else (None, None)))

    def _end(self, code: int | None, reason: str | None) -> None:
        self._deaf = True
        super().close(code, reason)


def _calm(write: Callable[..., Any]) -> Callable[..., Any]:
    """`write`, whose failure is no news: who leaves in the middle of a word would leave a traceback on the console."""

    def written(*args: Any, **how: Any) -> Any:
        done = write(*args, **how)
        done.add_done_callback(lambda it: it.cancelled() or it.exception())
        return done

    return written
