"""The frame round the figures: sentence, prediction, states, footer. Its page is frame.html, its hands frame.js."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import panel as pn
import param

HERE = Path(__file__).parent


class Frame(pn.custom.JSComponent):
    """The line between the page's own elements and one session on the server.

    Upwards go `theme`, `size`, `large`, `curve` and messages {"do": …}; the guess of a prediction stays in the page.
    """

    # From the server: what is to be seen.
    shown = param.Integer(default=0, doc="Counts results, so that a page (and a test) can tell that one arrived.")
    sentence = param.String()
    advice = param.String(doc="What to look at after a `Try this`.")
    replies = param.List(doc="The computed answer to each possible guess; empty until it is there.")
    busy = param.Dict(default=None, allow_None=True, doc="text, progress, remaining")
    curving = param.Boolean(default=False, doc="The whole curve is on its way.")
    card = param.Dict(default=None, allow_None=True, doc="what, cure, last, empty")
    notice = param.String(doc="What the frame itself has to say: a bad link, for one.")
    alts = param.Dict(default={}, doc="Figure -> its words.")
    strip = param.String()
    query = param.String(doc="The settings as a link holds them.")
    rows = param.Dict(default={}, doc="Figure -> header and rows, while the table is open.")

    # From the page: how it is to be seen.
    theme: Any = param.Selector(default="light", objects=["light", "dark"])
    size: Any = param.Selector(default="book", objects=["phone", "book", "wide"])
    large = param.Boolean(default=False)
    curve = param.Boolean(default=False)
    calm = param.Boolean(default=False, doc="Less motion is wanted: streams are shown five times less often.")
    tables = param.Boolean(default=False)

    _esm = HERE / "frame.js"

    def __init__(self, hear: Callable[[dict], None], **params: Any):
        super().__init__(**{"width": 0, "height": 0, "margin": 0} | params)
        self._hear = hear

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict):
            self._hear(data)

    def give(self, **what: Any) -> None:
        """Hands the page something once: a file to save, a text to copy."""
        self._send_msg(what)
