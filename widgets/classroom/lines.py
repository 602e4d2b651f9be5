"""The web sockets of a class. The door of the book stands before them: it has looked at host and origin already.

    /class/ws       a phone: the code of the room, then answers; it hears {"you": token}, {"state": …}, {"no": sentence}
    /class/wall/ws  the wall: its key, then commands; it hears {"wall": …} and {"no": sentence}

Code and key stand behind the # of an address: neither a log nor a referrer holds them.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from tornado.websocket import WebSocketClosedError, WebSocketHandler

from widgets.address import seat
from widgets.classroom.group import LINES, Class, text
from widgets.classroom.limits import Bucket
from widgets.classroom.seats import Refused, Seat
from widgets.classroom.sentences import LONGEST, Join, Key, Wrong, of_phone, of_wall

log = logging.getLogger(__name__)
HELLO = 10.0  # seconds until a line must have said who it is
ATONCE, EVERY = 10, 0.2  # messages at once; seconds for each one more
NOT_IT, FULL, OVER, FAST, UNHEARD, TIRED = 4001, 4002, 4003, 4008, 4009, 4010
SORRY = {
    NOT_IT: "That is not the code on the wall.",
    FULL: "Every seat is taken.",
    FAST: "Too fast.",
    UNHEARD: "That was not understood.",
    TIRED: "Too many tries; wait a minute.",
}


class Line(WebSocketHandler):
    """A web socket of ours. It has a few seconds to say who it is, and a pace."""

    ping_interval = 10.0  # a phone that sleeps without a word is found out
    ping_timeout = 10.0

    def initialize(self, group: Class) -> None:
        """Called by Tornado."""
        self.group, self.address = group, seat(self.request)
        self.pace, self.known, self.gone = Bucket(ATONCE, EVERY), False, False
        self.alarm: asyncio.TimerHandle | None = None

    @property
    def max_message_size(self) -> int:
        """Tornado drops a line that sends more, before it is read."""
        return 4 * LONGEST

    def check_origin(self, origin: str) -> bool:
        """The door has looked."""
        return True

    def open(self, *_: str) -> None:
        """Called by Tornado."""
        self.group.open += 1
        if self.group.open > LINES:
            self.sorry(FULL)
            return
        self.set_nodelay(True)
        self.alarm = asyncio.get_running_loop().call_later(HELLO, self._silent)

    def _silent(self) -> None:
        if not self.known:
            self.sorry(UNHEARD)

    def sorry(self, code: int) -> None:
        """Ends the line, in one sentence; nothing more of it is heard."""
        self.gone = True
        self.close(code, SORRY[code])

    def say(self, told: str) -> None:
        """Sends, unless nobody is there any more."""
        with contextlib.suppress(WebSocketClosedError):
            self.write_message(told).add_done_callback(lambda it: it.cancelled() or it.exception())

    def on_message(self, message: str | bytes) -> None:
        """Called by Tornado."""
        if self.gone:
            return
        if not self.pace.take():
            self.sorry(FAST)
            return
        try:
            self.hear(message)
        except Wrong:
            self.sorry(UNHEARD)
        except Refused as why:
            self.say(text({"no": str(why)}))
        except Exception:  # nothing that a phone sends ends a class
            log.exception("an answer broke something")
            self.sorry(UNHEARD)

    def hear(self, message: str | bytes) -> None:
        """One message."""
        raise NotImplementedError

    def on_close(self) -> None:
        """Called by Tornado."""
        self.group.open -= 1
        if self.alarm:
            self.alarm.cancel()


class PhoneLine(Line):
    """A phone."""

    seat: Seat | None = None

    def hear(self, message: str | bytes) -> None:
        said = of_phone(message)
        if isinstance(said, Join):
            self._join(said)
        elif self.seat is None:
            raise Wrong("not joined")
        else:
            self.group.room.hear(self.seat, said)
            self.tell()

    def _join(self, said: Join) -> None:
        group = self.group
        if self.known:
            raise Wrong("joined already")
        right = group.tries.right(self.address, said.code, group.room.code)
        if not right:
            self.sorry(TIRED if right is None else NOT_IT)
            return
        if said.token not in group.room.seats and group.crowded(self.address):
            self.sorry(FULL)
            return
        try:
            self.seat = group.room.join(said.token, self.address)
        except Refused:
            self.sorry(FULL)
            return
        self.known = True
        group.phones.add(self)
        self.say(text({"you": self.seat.token}))
        self.tell()

    def tell(self) -> None:
        """This phone's own screen."""
        if self.seat is not None:
            self.say(text({"state": self.group.room.phone(self.seat)}))

    def over(self, sentence: str) -> None:
        """The class has ended."""
        self.gone, self.seat = True, None
        self.close(OVER, sentence)

    def on_close(self) -> None:
        """Called by Tornado."""
        super().on_close()
        self.group.phones.discard(self)
        if self.seat is not None:
            self.group.room.left(self.seat)


class WallLine(Line):
    """The wall, and the teacher before it. There may be several."""

    def hear(self, message: str | bytes) -> None:
        said, group = of_wall(message), self.group
        if isinstance(said, Key):
            right = group.tries.right(self.address, said.key, group.key)
            if not right:
                self.sorry(TIRED if right is None else NOT_IT)
                return
            self.known = True
            group.wall(self, self.request.headers.get("Origin", ""))
        elif not self.known:
            raise Wrong("no key")
        elif said.do == "reset":
            group.reset()
        elif said.do == "widen":
            group.widen()
        else:
            group.room.do(said)

    def on_close(self) -> None:
        """Called by Tornado."""
        super().on_close()
        self.group.walls.discard(self)
