"""A place in the room, and what it has sent. Of its owner nothing is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from widgets.classroom import coin
from widgets.classroom.films import FILMS
from widgets.classroom.sentences import Said

LATE = "This round is over."
TWICE = "You have answered already."
OTHER = "That is not asked now."


class Refused(Exception):
    """A phone or the wall asks for what cannot be; the text says why."""


@dataclass(eq=False)
class Seat:
    """The token is all that it is known by; `here` counts its open lines."""

    token: str
    place: str = ""  # the address that it was taken from, for the limit of one; "" for this machine itself
    here: int = 0
    sent: Counter[str] = field(default_factory=Counter)  # answers by kind, since the class began
    own: tuple[float, ...] = ()  # the ε of each round in which its owner's own list was asked for

    def ledger(self) -> dict[str, Any]:
        """What has left this phone, with the bill of all rounds over its owner's own list."""
        film, whole = coin.bill(self.own, len(FILMS)) if self.own else (0.0, 0.0)
        return dict(self.sent) | {"film": film, "list": whole}


class Round(Protocol):
    """What is being played. `phase` is open, shown or more; an attack has a verdict too."""

    kind: str
    phase: str

    def deal(self, seat: Seat) -> None:
        """What a phone is given as the round begins, or as it comes late."""

    def hear(self, seat: Seat, said: Said) -> None:
        """An answer; `Refused` where it cannot count."""

    def show(self) -> None:
        """Closes what is open, and counts it."""

    def more(self) -> None:
        """What is shown after that; `Refused` where there is no more."""

    def keeps(self, seat: Seat) -> bool:
        """Whether something hangs on this seat while its phone is away."""

    def phone(self, seat: Seat) -> dict[str, Any]:
        """All that a phone needs to draw its screen; of secrets, its own alone."""

    def wall(self) -> dict[str, Any]:
        """All that the wall shows."""


def once(seat: Seat, sent: set[Seat], kind: str) -> None:
    """The seat has answered now, or is refused."""
    if seat in sent:
        raise Refused(TWICE)
    sent.add(seat)
    seat.sent[kind] += 1
