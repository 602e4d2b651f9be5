"""The whole curve: asked for once, computed like any other result, drawn without a flicker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.contract import Values
from widgets.kit.fairness import Reader
from widgets.kit.frame import Frame
from widgets.kit.pool import Lane, Pool, Update

log = logging.getLogger(__name__)


class WholeCurve:
    """One reader's curve. `redraw(about)` shows the figures again if they still show it, and no curve.

    It is kept by the controls that it depends on: most moves find it there, and no worker waits for another.
    """

    def __init__(
        self,
        explorer: Explorer,
        pool: Pool,
        frame: Frame,
        later: Callable[..., None],
        redraw: Callable[[Values], None],
        reader: Reader | None = None,
    ):
        self.explorer, self.over = explorer, explorer.curve_over
        self.pool, self.frame, self.later, self.redraw = pool, frame, later, redraw
        self.lane = Lane(self.explorer, pool, self._told, curve=True, reader=reader)
        self._there = Event()  # what was asked for last

    def at(self, values: Values, patience: float) -> Any:
        """The curve, if it is wanted. If it is not there within `patience` seconds, it comes in a redraw."""
        if not self.frame.curve:
            return None
        about = {name: value for name, value in values.items() if name not in self.over}
        known = self.pool.known(self.explorer, about, "curve")
        if known is None:
            self._there.clear()
            self.lane.ask(about)
            if self._there.wait(patience):
                known = self.pool.known(self.explorer, about, "curve")
            else:
                self.later(partial(self._late, about))
        return known[0] if known else None

    def _late(self, about: Values) -> None:
        if self.pool.known(self.explorer, about, "curve") is None:
            self.frame.curving = True
        else:
            self.redraw(about)

    def _told(self, update: Update) -> None:
        """From a worker's thread."""
        self._there.set()
        if update.error is not None:
            log.error("no curve of %s at %s", self.explorer.stem, update.values, exc_info=update.error)
        self.later(partial(self._arrived, update))

    def _arrived(self, update: Update) -> None:
        self.frame.curving = False
        if update.error is not None:
            self.frame.curve = False
        else:
            self.redraw(update.values)
