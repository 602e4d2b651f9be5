"""One class on the network: its room, its lines, and when they are told what is new."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from widgets.address import LOOPBACK
from widgets.classroom.limits import Tries
from widgets.classroom.qr import matrix
from widgets.classroom.questions import fetched
from widgets.classroom.room import SEATS, Room

if TYPE_CHECKING:
    from widgets.classroom.lines import PhoneLine, WallLine

log = logging.getLogger(__name__)
FRAME = 0.1  # seconds between two pictures of the wall
PER_ADDRESS = 3  # seats of one address; this machine itself, and a proxy that names nobody, may have all
LINES = 3 * SEATS  # open at once, of anybody
IDLE = 3 * 3600.0  # seconds without anybody, after which all is forgotten
OVER = "The class is over."


class Class:
    """The room of this server. `site` is where phones find it, until a wall is opened under another name."""

    def __init__(self, site: str) -> None:
        self.site, self.key = site.rstrip("/"), secrets.token_urlsafe(18)
        self.phones: set[PhoneLine] = set()
        self.walls: set[WallLine] = set()
        self.tries = Tries()
        self.open = 0  # lines, whoever is at the other end
        self.asking = False  # whether the questions have been sent for
        self._due, self._last, self._mark = False, 0.0, ()
        self._empty = time.monotonic()
        self.room = Room(self.changed)
        self.reset()

    def reset(self) -> None:
        """Everybody is sent home, everything forgotten."""
        for line in list(self.phones):
            line.over(OVER)
        self.phones.clear()
        self.tries = Tries()
        self.per_address, self.turned_away = PER_ADDRESS, 0
        self.room.reset()

    # -------------------------------------------------------------------------------------------- who comes

    def wall(self, line: WallLine, origin: str) -> None:
        """A wall has been opened; under a name that others may know, phones are sent to that name."""
        self.walls.add(line)
        if origin and urlsplit(origin).hostname not in LOOPBACK:
            self.site = origin
        if not self.asking:
            self.asking = True
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._ask, args=(loop,), name="questions", daemon=True).start()
        self.changed()

    def _ask(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            found = fetched()
        except Exception:
            log.exception("the questions of the chapters could not be had")
            self.asking = False  # the next wall tries again
            return
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(self._known, found)

    def _known(self, found: dict[str, Any]) -> None:
        self.room.questions = found
        self.changed()

    def crowded(self, address: str) -> bool:
        """Whether an address has as many seats as one may have; the teacher is told."""
        crowded = bool(address) and self.room.of(address) >= self.per_address
        if crowded:
            self.turned_away += 1
            self.changed()
        return crowded

    def widen(self) -> None:
        """All phones may come from one address: a school's, or a proxy's."""
        self.per_address, self.turned_away = SEATS, 0
        self.changed()

    def tidy(self) -> None:
        """Forgets a class that everybody has left; called now and then."""
        if self.phones or self.walls or not self.room.seats:
            self._empty = time.monotonic()
        elif time.monotonic() - self._empty > IDLE:
            self.reset()
        self.tries.forget()

    # ------------------------------------------------------------------------------------------- what is told

    def changed(self) -> None:
        """The room has something new: the wall hears of it soon, the phones where their own screens change."""
        if self._due:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nobody listens yet
            return
        self._due = True
        loop.call_later(max(0.0, self._last + FRAME - time.monotonic()), self._tell)

    def _tell(self) -> None:
        self._due, self._last = False, time.monotonic()
        mark = self.room.mark()
        if mark != self._mark:
            self._mark = mark
            for phone in list(self.phones):
                phone.tell()
        if self.walls:
            told = text({"wall": self.room.wall() | self.about()})
            for wall in list(self.walls):
                wall.say(told)

    def about(self) -> dict[str, Any]:
        """What the wall shows beside the round."""
        address = f"{self.site}/class"
        code = matrix(f"{address}#{self.room.code}".encode())
        asks = {name: [asked["kind"], asked["question"]] for name, asked in self.room.questions.items()}
        told = {"qr": ["".join("01"[dark] for dark in row) for row in code], "asks": asks, "away": self.turned_away}
        alone = urlsplit(self.site).hostname in LOOPBACK  # no phone gets here
        return told | {"address": address.removeprefix("http://"), "alone": alone}


def text(told: dict[str, Any]) -> str:
    """What is said on a line."""
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)
