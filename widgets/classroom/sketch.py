"""*Draw it*: everybody draws a curve alone; all lines over one another; then the measured one."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from widgets.classroom.seats import OTHER, Refused, Seat, once
from widgets.classroom.sentences import Said

PHONE = ("question", "at", "x", "places", "low", "high", "percent", "digits", "least")


@dataclass
class Sketch:
    """`question` is a chapter's own (questions.py). Lines are kept in no order, and not with who drew them."""

    question: dict[str, Any]
    chance: random.Random
    kind: str = "sketch"
    phase: str = "open"
    sent: set[Seat] = field(default_factory=set)
    lines: list[tuple[int | None, ...]] = field(default_factory=list)

    def deal(self, seat: Seat) -> None:
        """Everybody is asked the same."""

    def hear(self, seat: Seat, said: Said) -> None:
        if said.what != "line" or len(said.value) != len(self.question["x"]):
            raise Refused(OTHER)
        if sum(y is not None for y in said.value) < self.question["least"]:
            raise Refused("Draw a little more of it.")
        once(seat, self.sent, "lines")
        self.lines.insert(self.chance.randint(0, len(self.lines)), said.value)

    def show(self) -> None:
        """All lines at once: nobody draws after another."""
        self.phase = "shown"

    def more(self) -> None:
        """The measured curve."""
        self.phase = "more"

    def keeps(self, seat: Seat) -> bool:
        return seat in self.sent

    def phone(self, seat: Seat) -> dict[str, Any]:
        return {name: self.question[name] for name in PHONE} | {"sent": seat in self.sent}

    def wall(self) -> dict[str, Any]:
        told = {name: self.question[name] for name in PHONE} | {"in": len(self.lines), "link": self.question["link"]}
        told["lines"] = [] if self.phase == "open" else self.lines
        return told | ({"truth": self.question["truth"]} if self.phase == "more" else {})
