"""The frame round the figures: sentence, prediction, states, footer. Its page is frame.html, its hands frame.js."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widgets.kit.part import Part, Shared

SIZES = ("phone", "book", "snug", "wide")  # of the page; from snug on all of it is one screen


class Frame(Part):
    """The line between the page's own elements and one session.

    Upwards go `theme`, `size`, `large`, `curve` and messages {"do": …}; the guess of a prediction stays in the page.
    """

    # From the session: what is to be seen.
    shown = Shared(0, "Counts results, so that a page (and a test) can tell that one arrived.")
    sentence = Shared("")
    advice = Shared("", "What to look at after a `Try this`.")
    replies = Shared([], "The computed answer to each possible guess; empty until it is there.")
    busy = Shared(None, "text, progress, remaining")
    curving = Shared(False, "The whole curve is on its way.")
    card = Shared(None, "what, cure, last, empty")
    notice = Shared("", "What the frame itself has to say: a bad link, for one.")
    alts = Shared({}, "Figure -> its words.")
    strip = Shared("")
    query = Shared("", "The settings as a link holds them.")
    rows = Shared({}, "Figure -> header and rows, while the table is open.")

    # From the page: how it is to be seen.
    theme = Shared("light", among=["light", "dark"])
    size = Shared("book", among=list(SIZES))
    large = Shared(False)
    curve = Shared(False)
    calm = Shared(False, "Less motion is wanted: streams are shown five times less often.")
    tables = Shared(False)

    script = "frame.js"

    def __init__(self, hear: Callable[[dict], None], **params: Any):
        super().__init__(**params)
        self._hear = hear

    def heard(self, data: Any) -> None:
        if isinstance(data, dict):
            self._hear(data)

    def give(self, **what: Any) -> None:
        """Hands the page something once: a file to save, a text to copy."""
        self.tell(**what)
