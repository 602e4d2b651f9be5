"""*Lie to me*: each phone tosses its coins at home, and a crowd of lies is still counted.

    open ── lists arrive ──> shown: the estimate, its error, the truth ──> more: the same histories in eighty rooms

With invented lives a card is dealt to each phone, so the truth is known. With their own, it never leaves the phones:
there is nothing to compare with, and no more.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from widgets.classroom import coin, statistics
from widgets.classroom.films import FILMS, Card, deck
from widgets.classroom.seats import OTHER, Refused, Seat, once
from widgets.classroom.sentences import Said

MANY = 80


@dataclass
class Crowd:
    """Lists are kept in no order, and not with who sent them."""

    epsilon: float
    cards: bool  # whether histories are dealt, so that the truth is known; else they are the owners' own
    chance: random.Random
    kind: str = "crowd"
    phase: str = "open"
    dealt: dict[Seat, Card] = field(default_factory=dict)
    sent: set[Seat] = field(default_factory=set)
    lists: list[tuple[int, ...]] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    many: list[float] = field(default_factory=list)
    _deck: list[Card] = field(default_factory=list)

    def deal(self, seat: Seat) -> None:
        """A card, as long as the round is open."""
        if self.cards and self.phase == "open" and seat not in self.dealt:
            if not self._deck:
                self._deck = self.chance.sample(deck(), len(deck()))
            self.dealt[seat] = self._deck.pop()

    def hear(self, seat: Seat, said: Said) -> None:
        """A list, once: who tosses again pays again."""
        if said.what != "lies" or len(said.value) != len(FILMS):
            raise Refused(OTHER)
        once(seat, self.sent, "cards" if self.cards else "own")
        if not self.cards:
            seat.own += (self.epsilon,)
        self.lists.insert(self.chance.randint(0, len(self.lists)), said.value)

    def show(self) -> None:
        """The truth is that of the cards whose phones have sent."""
        self.phase = "shown"
        if self.cards and self.sent:
            self.truth = np.sum([self.dealt[seat][1] for seat in self.sent], axis=0).tolist()

    def more(self) -> None:
        """The same histories in eighty rooms, each phone with coins of its own."""
        if not self.truth:
            raise Refused("There is no more of this.")
        n = len(self.lists)
        histories = [np.repeat([1, 0], [MANY * k, MANY * (n - k)]) for k in self.truth]
        yeses = [int(coin.tossed(bits, self.epsilon).sum()) for bits in histories]
        self.many = [statistics.estimate(each, MANY * n, self.epsilon) / MANY for each in yeses]
        self.phase = "more"

    def keeps(self, seat: Seat) -> bool:
        return seat in self.sent or seat in self.dealt

    def phone(self, seat: Seat) -> dict[str, Any]:
        name, row = self.dealt.get(seat, ("", ()))
        earlier = seat.own if not self.cards else ()
        rounds = earlier if seat in self.sent and not self.cards else (*earlier, self.epsilon)
        film, whole = coin.bill(rounds, len(FILMS))
        asked = {"eps": self.epsilon, "films": FILMS, "cards": self.cards, "sent": seat in self.sent}
        return asked | coin.rates(self.epsilon) | {"name": name, "card": row, "film": film, "list": whole}

    def wall(self) -> dict[str, Any]:
        n = len(self.lists)
        told: dict[str, Any] = {"eps": self.epsilon, "films": FILMS, "cards": self.cards}
        told |= {"lists": ["".join(map(str, each)) for each in self.lists], "p": coin.phone(self.epsilon).p}
        if self.phase == "open" or not n:
            return told
        yes = np.sum(self.lists, axis=0).tolist()
        found = {"yes": yes, "estimate": [statistics.estimate(each, n, self.epsilon) for each in yes]}
        found |= {"error": statistics.error(n, self.epsilon), "truth": self.truth, "times": MANY, "many": self.many}
        return told | found | {"smaller": statistics.error(MANY * n, self.epsilon) / MANY}
