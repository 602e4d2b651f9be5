"""When a wait is worth a word: not before 150 ms, and not in a drag whose results keep coming."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from widgets.kit.frame import Frame

PATIENCE, AGAIN = 150, 1000  # milliseconds until a wait is said, and until it is looked at again


class Waiting:
    """The busy state of one frame. `later(action, milliseconds)` is the session's clock."""

    def __init__(self, frame: Frame, later: Callable[..., None], text: Callable[[], str]):
        self.frame, self.later, self.text = frame, later, text
        self._since = 0.0  # when the wait began; 0: there is none
        self._timed = self._looking = False  # a timer for it runs

    def begin(self) -> None:
        """Something has been asked for."""
        self._since = time.monotonic()
        if not self._timed:
            self._timed = True
            self.later(self._check, PATIENCE)

    def end(self) -> None:
        """It is there."""
        self._since = 0.0
        self.frame.busy = None

    def progress(self, share: float, remaining: float) -> None:
        """So much of a stream is done; `remaining` in seconds."""
        self._say(progress=share, remaining=remaining)

    def _check(self) -> None:
        self._timed = False
        left = PATIENCE - round(1000 * (time.monotonic() - self._since))
        if self._since and left > 0:
            self._timed = True
            self.later(self._check, left)
        elif self._since and self.frame.busy is None:
            self._say(progress=None, remaining=None)
            if not self._looking:
                self._looking = True
                self.later(self._look, AGAIN)

    def _look(self) -> None:
        """Others have had their turn meanwhile."""
        self._looking = bool(self._since and self.frame.busy)
        if self._looking:
            self.later(self._look, AGAIN)
            if self.frame.busy["progress"] is None:
                self._say(progress=None, remaining=None)

    def _say(self, **how: Any) -> None:
        self.frame.busy = {"text": self.text(), **how}
