"""*You are the attacker*: each phone has an Ada of its own and one answer of hers, and all guess.

    (open ─show─> shown ─go on─>) × turns ──> verdict ─more─> more: what the phones really did

Secret and answer are fresh for each phone and turn, and the number of guesses is fixed at the start: so the bound of
statistics.py holds whatever the students do, and no bound is shown before the last turn.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widgets.classroom import coin, statistics
from widgets.classroom.seats import LATE, OTHER, Refused, Seat
from widgets.classroom.sentences import Said

LEAKY = 3.0  # a faulty phone answers at so many times the ε that it claims: thirty see it in five turns


@dataclass
class Attack:
    """`counted` seats are fixed at the start; who comes later plays along."""

    claimed: float
    real: float
    turns: int
    counted: tuple[Seat, ...]
    chance: random.Random
    kind: str = "attack"
    phase: str = "open"
    turn: int = 1
    secret: dict[Seat, int] = field(default_factory=dict)
    answer: dict[Seat, int] = field(default_factory=dict)
    guess: dict[Seat, int] = field(default_factory=dict)
    rows: list[list[int]] = field(default_factory=list)  # of each turn: 1 right, 0 wrong, in no order
    stood_in: int = 0  # guesses that a coin made

    def deal(self, seat: Seat) -> None:
        """An Ada, and what her phone says."""
        if self.phase == "open" and seat not in self.secret:
            self.secret[seat] = self.chance.getrandbits(1)
            self.answer[seat] = int(coin.tossed(np.array([self.secret[seat]]), self.real)[0])

    def hear(self, seat: Seat, said: Said) -> None:
        """A mind may be changed until the turn is counted."""
        if said.what != "guess":
            raise Refused(OTHER)
        if said.turn != self.turn:
            raise Refused(LATE)
        seat.sent["guesses"] += seat not in self.guess
        self.guess[seat] = said.value

    def show(self) -> None:
        """Counts the turn; for who said nothing a coin is tossed."""
        row = []
        for seat in self.counted:
            guess = self.guess.get(seat)
            if guess is None:
                guess, self.stood_in = self.chance.getrandbits(1), self.stood_in + 1
            row.append(int(guess == self.secret[seat]))
        self.rows.append(sorted(row, reverse=True))
        self.phase = "shown" if self.turn < self.turns else "verdict"

    def go_on(self, here: list[Seat]) -> None:
        """The next turn: new secrets, new coins."""
        if self.phase != "shown":
            raise Refused("There is no next turn.")
        self.turn, self.phase = self.turn + 1, "open"
        for known in (self.secret, self.answer, self.guess):
            known.clear()
        for seat in dict.fromkeys((*self.counted, *here)):
            self.deal(seat)

    def more(self) -> None:
        """What the phones really did."""
        self.phase = "more"

    def keeps(self, seat: Seat) -> bool:
        return seat in self.counted

    def phone(self, seat: Seat) -> dict[str, Any]:
        told: dict[str, Any] = {"eps": self.claimed, "p": coin.phone(self.claimed).p}
        told |= {"t": self.turn, "turns": self.turns, "counted": seat in self.counted}
        told |= {"answer": self.answer.get(seat), "guess": self.guess.get(seat)}
        return told | ({} if self.phase == "open" else {"secret": self.secret.get(seat)})

    def wall(self) -> dict[str, Any]:
        trials, right = self.turns * len(self.counted), sum(map(sum, self.rows))
        told = {"eps": self.claimed, "t": self.turn, "turns": self.turns, "n": len(self.counted), "rows": self.rows}
        told |= {"in": sum(seat in self.guess for seat in self.counted), "trials": trials, "right": right}
        told |= {"ceiling": statistics.least(statistics.ceiling(trials))}
        told |= {"hope": statistics.least(statistics.expected(trials, self.claimed))}
        if self.phase in ("verdict", "more"):
            told |= {"proven": statistics.least(statistics.proven(right, trials)), "stood_in": self.stood_in}
            told |= {"broken": statistics.broken(right, trials, self.claimed)}
        return told | ({"real": self.real} if self.phase == "more" else {})
