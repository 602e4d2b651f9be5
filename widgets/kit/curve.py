"""The whole curve: asked for once, computed like any other result, drawn without a flicker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any

from recprivlib.live import Explorer
from recprivlib.live.contract import Values
from widgets.kit.frame import Frame
from widgets.kit.pool import Lane, Pool, Update

log = logging.getLogger(__name__)


class WholeCurve:
    """One reader's curve. `redraw(values)` shows the figures again if they still show `values`, without a curve."""

    def __init__(
        self,
        explorer: Explorer,
        pool: Pool,
        frame: Frame,
        later: Callable[..., None],
        redraw: Callable[[Values], None],
    ):
        whole = explorer.curve
        assert whole is not None
        self.explorer = replace(
            explorer, stem=f"{explorer.stem}/curve", compute=lambda **values: whole(values), steps=None
        )
        self.pool, self.frame, self.later, self.redraw = pool, frame, later, redraw
        self.lane = Lane(self.explorer, pool, self._told, curve=True)
        self._there = Event()  # what was asked for last

    def at(self, values: Values, patience: float) -> Any:
        """The curve, if it is wanted. If it is not there within `patience` seconds, it comes in a redraw."""
        if not self.frame.curve:
            return None
        known = self.pool.known(self.explorer, values)
        if known is None:
            self._there.clear()
            self.lane.ask(values)
            if self._there.wait(patience):
                return self.pool.known(self.explorer, values)
            self.later(partial(self._late, values))
        return known

    def _late(self, values: Values) -> None:
        if self.pool.known(self.explorer, values) is None:
            self.frame.curving = True
        else:
            self.redraw(values)

    def _told(self, update: Update) -> None:
        """From a worker's thread."""
        self._there.set()
        if update.error is not None:
            log.error("no %s at %s", self.explorer.stem, update.values, exc_info=update.error)
        self.later(partial(self._arrived, update))

    def _arrived(self, update: Update) -> None:
        self.frame.curving = False
        if update.error is not None:
            self.frame.curve = False
        else:
            self.redraw(update.values)
