"""One class: who sits in it, and what is being played. No sockets here, and nothing is written down.

    lobby ──begin──> open ──show──> shown ──more──> more ──lobby──> lobby        (each round may bend this: see there)
    any ──reset──> lobby, with another code; all seats forgotten

A state is told whole, to phones and wall, never as a difference: who was asleep needs no history.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from widgets.classroom.attack import LEAKY, Attack
from widgets.classroom.crowd import Crowd
from widgets.classroom.seats import LATE, Refused, Round, Seat
from widgets.classroom.sentences import CODE, LETTERS, Command, Said
from widgets.classroom.sketch import Sketch
from widgets.classroom.vote import Vote

SEATS = 60
Questions = Mapping[str, Mapping[str, Any]]


class Room:
    """`chance` draws secrets and orders; `told` is called whenever there is something new to say."""

    def __init__(self, told: Callable[[], None] = lambda: None, chance: random.Random | None = None):
        self.questions: Questions = {}
        self.told, self.chance = told, chance or secrets.SystemRandom()
        self.reset()

    def reset(self) -> None:
        """Forgets everybody and everything."""
        self.code = "".join(secrets.choice(CODE) for _ in range(LETTERS))
        self.seats: dict[str, Seat] = {}
        self.round: Round | None = None
        self.number = 0
        self.told()

    # -------------------------------------------------------------------------------------------------- seats

    @property
    def here(self) -> list[Seat]:
        """Those whose phone has a line open."""
        return [seat for seat in self.seats.values() if seat.here]

    def join(self, token: str, place: str = "") -> Seat:
        """The seat that the token is known for, or a new one."""
        seat = self.seats.get(token)
        if seat is None:
            if len(self.seats) >= SEATS and not self._vacate():
                raise Refused("Every seat is taken.")
            seat = Seat(secrets.token_hex(16), place)
            self.seats[seat.token] = seat
        seat.here += 1
        if self.round is not None:
            self.round.deal(seat)
        self.told()
        return seat

    def left(self, seat: Seat) -> None:
        """A line of it is closed. The seat stays while anything hangs on it: phones sleep."""
        seat.here -= 1
        if not seat.here and not seat.sent and not self._kept(seat):
            self.seats.pop(seat.token, None)
        self.told()

    def of(self, place: str) -> int:
        """How many seats one address has now; one that was left with nothing of this round on it is none."""
        return sum(seat.place == place and bool(seat.here or self._kept(seat)) for seat in self.seats.values())

    def _kept(self, seat: Seat) -> bool:
        return self.round is not None and self.round.keeps(seat)

    def _vacate(self) -> bool:
        """A seat whose phone is away and on which nothing of this round hangs goes to somebody who is here."""
        away = [seat for seat in self.seats.values() if not seat.here and not self._kept(seat)]
        if away:
            del self.seats[away[0].token]
        return bool(away)

    # -------------------------------------------------------------------------------- what phones and teacher do

    def hear(self, seat: Seat, said: Said) -> None:
        """An answer; `Refused` if it cannot count."""
        if self.round is None or said.r != self.number or self.round.phase != "open":
            raise Refused(LATE)
        self.round.hear(seat, said)
        self.told()

    def do(self, command: Command) -> None:
        """What the teacher wants; `Refused` if it cannot be now."""
        if command.do == "begin":
            self.round = self._begun(command.words)
            self.number += 1
            for seat in self.seats.values():
                self.round.deal(seat)
        elif command.do == "lobby":
            self.round = None
        elif command.do == "show":
            self._in("open").show()
        elif command.do == "more":
            self._in("verdict" if isinstance(self.round, Attack) else "shown").more()
        elif command.do == "next" and isinstance(self.round, Attack):
            self.round.go_on(self.here)
        else:
            raise Refused("Not now.")
        self.told()

    def _begun(self, words: Mapping[str, Any]) -> Round:
        kind = words["kind"]
        if kind == "crowd":
            return Crowd(float(words["eps"]), words["cards"], self.chance)
        if kind == "attack":
            if not self.here:
                raise Refused("Nobody is here yet.")
            leaky = words["coin"] == "leaky" or (words["coin"] == "sealed" and self.chance.random() < 0.5)
            claimed = float(words["eps"])
            real = claimed * (LEAKY if leaky else 1.0)
            return Attack(claimed, real, words["turns"], tuple(self.here), self.chance)
        asked = self.questions.get(words["ask"])
        if asked is None or asked["kind"] != kind:
            raise Refused("There is no such question.")
        return Sketch(dict(asked), self.chance) if kind == "sketch" else Vote(dict(asked))

    def _in(self, phase: str) -> Round:
        if self.round is None or self.round.phase != phase:
            raise Refused("Not now.")
        return self.round

    # ----------------------------------------------------------------------------------------- what is told

    def phone(self, seat: Seat) -> dict[str, Any]:
        """All that a phone needs to draw its screen."""
        told = self._now() | {"ledger": seat.ledger()}
        return told | (self.round.phone(seat) if self.round else {})

    def wall(self) -> dict[str, Any]:
        """All that the wall shows."""
        told = self._now() | {"code": self.code, "here": len(self.here), "seats": len(self.seats)}
        return told | (self.round.wall() if self.round else {})

    def mark(self) -> tuple[Any, ...]:
        """What of this room every phone shows: it changes with the phase, not with each answer."""
        it = self.round
        return self.code, self.number, it and (it.phase, getattr(it, "turn", 0), bool(getattr(it, "before", 0)))

    def _now(self) -> dict[str, Any]:
        it = self.round
        return {"r": self.number, "kind": it.kind if it else "lobby", "phase": it.phase if it else ""}
