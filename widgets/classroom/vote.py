"""*Vote*: a question of a chapter, before talking it over and after.

open ──> shown ── more ──> open again ──> shown, the first vote dashed behind it
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from widgets.classroom.seats import OTHER, Refused, Seat
from widgets.classroom.sentences import Said


@dataclass
class Vote:
    """`question` is a chapter's own (questions.py)."""

    question: dict[str, Any]
    kind: str = "vote"
    phase: str = "open"
    sent: dict[Seat, int] = field(default_factory=dict)
    before: list[int] = field(default_factory=list)

    def deal(self, seat: Seat) -> None:
        """Everybody is asked the same."""

    def hear(self, seat: Seat, said: Said) -> None:
        """A mind may be changed while the question is open."""
        if said.what != "vote" or said.value >= len(self.question["answers"]):
            raise Refused(OTHER)
        seat.sent["votes"] += seat not in self.sent
        self.sent[seat] = said.value

    def show(self) -> None:
        self.phase = "shown"

    def more(self) -> None:
        """Once more, after talking it over."""
        if self.before:
            raise Refused("There is no more of this.")
        self.before = self._tally()
        self.sent.clear()
        self.phase = "open"

    def keeps(self, seat: Seat) -> bool:
        return seat in self.sent

    def phone(self, seat: Seat) -> dict[str, Any]:
        told = {"question": self.question["question"], "answers": self.question["answers"]}
        return told | {"vote": self.sent.get(seat), "again": bool(self.before)}

    def wall(self) -> dict[str, Any]:
        told = {name: self.question[name] for name in ("question", "answers", "link")} | {"in": len(self.sent)}
        told |= {"again": bool(self.before), "before": self.before if self.phase == "shown" else []}
        return told | ({"tally": self._tally()} if self.phase == "shown" else {})

    def _tally(self) -> list[int]:
        counts = Counter(self.sent.values())
        return [counts[at] for at in range(len(self.question["answers"]))]
