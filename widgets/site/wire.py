"""A worker's wire: what a session changes goes to the page as messages, and there is one thread for everything."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import monotonic
from typing import Any

from widgets.kit.part import Act, Part, Wire
from widgets.kit.pool import Later, Pool, Turn

log = logging.getLogger(__name__)
SLICE = 0.03  # seconds of a stream until the page has a turn
Send = Callable[[dict[str, Any]], None]
Clock = Callable[[Act, int], None]  # calls an action after so many milliseconds, with nothing else under way


class Turns(Pool):
    """A pool of one, which is also the clock: news for the page first, then jobs a slice at a time, then the rest."""

    def __init__(self, clock: Clock, after: Act):
        self._share()
        self._clock, self._after = clock, after
        self._news: deque[Act] = deque()
        self._jobs: deque[Act] = deque()
        self._idle: deque[Iterator[None]] = deque()
        self._set = False

    def submit(self, job: Act, seconds: float = 0.0, curve: bool = False, reader: Any = None) -> None:
        self._jobs.append(job)
        self._wake()

    def run(
        self, turns: Iterator[Turn], seconds: Any = None, curve: bool = False, reader: Any = None,
    ) -> None:  # fmt: skip
        def again() -> None:
            self._jobs.appendleft(partial(self.run, turns))
            self._wake()

        end = monotonic() + SLICE
        for turn in turns:
            if isinstance(turn, Later):
                turn.then(again)
                return
            if monotonic() > end:
                again()
                return

    def idle(self, turns: Iterator[None]) -> None:
        """What nobody waits for: one part of it whenever there is nothing else."""
        self._idle.append(turns)
        self._wake()

    def later(self, action: Act, milliseconds: int = 0) -> None:
        """Soon, before any job; or after so long."""
        if milliseconds:
            self._clock(partial(self.later, action), milliseconds)
        else:
            self._news.append(action)
            self._wake()

    def _wake(self) -> None:
        if not self._set:
            self._set = True
            self._clock(self._turn, 0)

    def _turn(self) -> None:
        self._set = False
        try:
            if self._news:
                while self._news:
                    self._news.popleft()()
            elif self._jobs:
                self._jobs.popleft()()
            elif self._idle:
                turns = self._idle.popleft()
                if next(turns, self) is not self:
                    self._idle.append(turns)
        except Exception:  # one dashboard's trouble is not another's
            log.exception("a turn failed")
        self._after()
        if self._news or self._jobs or self._idle:
            self._wake()


class PageWire(Wire):
    """The page of one dashboard. What has changed is sent when the turn is over."""

    patience = 0.0  # nobody else could compute the curve meanwhile

    def __init__(self, turns: Turns, send: Send):
        self.turns, self.send = turns, send
        self._changed: dict[str, dict[str, Any]] = {}
        self._idle = True

    def later(self, action: Act, milliseconds: int = 0) -> None:
        self.turns.later(action, milliseconds)

    def join(self, parts: Mapping[str, Part]) -> None:
        """From now on the page follows these."""
        self._changed.clear()
        for place, part in parts.items():
            part.tie(partial(self._note, place), partial(self._tell, place))

    def flush(self, idle: bool) -> None:
        """Sends what is new, and whether anything is still being computed."""
        changed, self._changed = self._changed, {}
        if changed or idle is not self._idle:
            self._idle = idle
            self.send({"put": changed, "idle": idle})

    def _note(self, place: str, changed: Mapping[str, Any]) -> None:
        self._changed.setdefault(place, {}).update(changed)

    def _tell(self, place: str, message: Mapping[str, Any]) -> None:
        self.send({"place": place, "say": message})
