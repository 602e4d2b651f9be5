"""What a chapter's steps ask of a server: `/scenes/<stem>?epsilon=2&figures=rate,tiles` -> one setting as JSON.

The page draws it with the same script as the frames that were computed beforehand. Every answer is computed (or
remembered) for what the address says, and nothing else: no guess ever comes here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler

from recprivlib.dashboard import Explorer, explorer, stems
from recprivlib.parameters import UserError
from widgets.address import seat
from widgets.kit.drawn import BUDGET, Wanted, drawn, foreseen, text, wanted
from widgets.kit.fairness import Reader
from widgets.kit.pool import Pool, Turns
from widgets.kit.words import sentence
from widgets.kit.work import Errand, Left

MOST = 60  # steps of one address that may wait: a class behind one router
log = logging.getLogger(__name__)


class Scenes(RequestHandler):
    """One setting of one dashboard; what the reader has to mend comes with status 422 and in words."""

    def initialize(self, pool: Callable[[], Pool]) -> None:
        self.pool, self.gone = pool, False

    def on_connection_close(self) -> None:
        """Called by Tornado: the reader has moved on, and nothing is computed for nobody."""
        self.gone = True

    async def get(self, stem: str) -> None:
        if stem not in stems():
            raise HTTPError(404)
        which = explorer(stem)
        try:
            told = await self._in(which, wanted(which, self.request.query))
        except Crowded as reason:
            self.set_status(503)
            told = text({"what": str(reason)})
        except Left:
            return
        except UserError as error:
            self.set_status(422)
            told = text({"what": sentence(str(error))})
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        with contextlib.suppress(StreamClosedError):  # the reader has moved on, and waits for another answer
            await self.finish(told)

    async def _in(self, which: Explorer, step: Wanted) -> str:
        """The scene as JSON, from the pool's threads, in turns with others."""
        pool, guest = self.pool(), Reader(seat(self.request), stays=False)
        admit(pool, guest.address)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[str] = loop.create_future()
        errand = Errand(lambda: self.gone, BUDGET)

        def settle(error: Exception | None, told: str = "") -> None:
            if done.cancelled():
                return
            if error is None:
                done.set_result(told)
            else:
                done.set_exception(error)

        def turns() -> Turns:
            try:
                told = text((yield from drawn(which, pool, step, errand)))
            except Exception as reason:
                self._tell(loop, settle, reason)
            else:
                self._tell(loop, settle, None, told)

        seconds = foreseen(which, pool, step)
        pool.submit(
            lambda: pool.run(turns(), lambda: max(seconds, BUDGET - errand.left), reader=guest), seconds, reader=guest
        )
        return await done

    @staticmethod
    def _tell(loop: Any, settle: Callable, *what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(settle, *what)


class Crowded(Exception):
    """Too much of one address waits."""


def admit(pool: Pool, address: str) -> None:
    """Refuses one more step where an address has many in line; this machine's own, and a silent proxy's, are let in."""
    if address and pool.crowd(address) >= MOST:
        raise Crowded(f"{MOST} steps of your address, {address}, are waiting already. Try again in a moment.")
