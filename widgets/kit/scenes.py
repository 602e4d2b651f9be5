"""What a chapter's steps ask of a server: `/scenes/<stem>?epsilon=2&figures=rate,tiles` -> one setting as JSON.

The page draws it with the same script as the frames that were computed beforehand. Every answer is computed (or
remembered) for what the address says, and nothing else: no guess ever comes here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, RequestHandler

from recprivlib.live import Explorer, explorer, stems
from recprivlib.live.contract import Values
from recprivlib.live.scene import scene
from recprivlib.parameters import UserError
from widgets.kit.pool import Pool, key

log = logging.getLogger(__name__)


class Scenes(RequestHandler):
    """One setting of one dashboard; what the reader has to mend comes with status 422 and in words."""

    def initialize(self, pool: Callable[[], Pool]) -> None:
        self.pool = pool

    async def get(self, stem: str) -> None:
        if stem not in stems():
            raise HTTPError(404)
        which = explorer(stem)
        try:
            figures = [which.figure(name).name for name in self.get_query_argument("figures").split(",")]
            values, refused = which.read(self.request.query)
            ghosts = [_changes(which, text) for text in self.get_query_arguments("ghost")]
            if refused:
                raise UserError(f"{', '.join(refused)} cannot be had at this value")
            told = await _in(self.pool(), lambda: drawn(which, self.pool(), values, figures, ghosts))
        except UserError as error:
            self.set_status(422)
            told = json.dumps({"what": str(error)}, ensure_ascii=False)
        self.set_header("Content-Type", "application/json")
        self.set_header("Cache-Control", "no-store")
        with contextlib.suppress(StreamClosedError):  # the reader has moved on, and waits for another answer
            await self.finish(told)


def _changes(which: Explorer, text: str) -> dict[str, Any]:
    return {name: which.control(name).checked(value) for name, value in parse_qsl(text)}


def drawn(which: Explorer, pool: Pool, values: Values, figures: Sequence[str], ghosts: Sequence[Values]) -> str:
    """The scene, from what all readers of this process share."""

    def curve(chosen: Values) -> Any:
        whole = which.curve
        return pool.results.get(key(f"{which.stem}/curve", chosen), lambda: whole(chosen)) if whole else None

    told = scene(which, values, figures, ghosts, True, lambda chosen: pool.result(which, chosen), curve)
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


async def _in(pool: Pool, job: Callable[[], str]) -> str:
    """`job` in one of the pool's threads."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def settle(error: Exception | None, told: str = "") -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(told)
        else:
            done.set_exception(error)

    def work() -> None:
        try:
            told, error = job(), None
        except Exception as reason:
            told, error = "", reason
        loop.call_soon_threadsafe(settle, error, told)

    pool.submit(work)
    return await done
