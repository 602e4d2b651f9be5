"""The coin that a phone tosses over each answer, and what that costs: the library's randomised response, and no other.

A phone tosses its coins in the browser (files/coin.mjs) with the rates of `rates`; what the wall tosses itself, for the
eighty rooms and for the phones of an attack, it tosses here, with the operating system's entropy.
"""

from __future__ import annotations

from functools import lru_cache

from recprivlib.accounting import guarantee
from recprivlib.mechanisms import RandomizedResponse, secure
from recprivlib.mechanisms.gate import released
from recprivlib.protocols import Array, Change, Ledger, Relation, Release, Unit

FILM: tuple[Unit, Relation] = ("interaction", "add-remove")  # what a film that is on the list or not costs
LIST: tuple[Unit, Relation] = ("user", "replace")  # and the whole list against any other


def phone(epsilon: float) -> RandomizedResponse:
    """What one phone draws, for each film on its own."""
    return RandomizedResponse(epsilon)


def rates(epsilon: float) -> dict[str, float]:
    """The chance of a yes where yes is true, and where it is not, as a phone has to be told them."""
    coin = phone(epsilon)
    return {"p": coin.p, "q": coin.q}


def tossed(bits: Array, epsilon: float) -> Array:
    """The answers that phones give for these bits."""
    answers: Array = released(secure(phone(epsilon)), bits)
    return answers


@lru_cache(maxsize=256)
def bill(rounds: tuple[float, ...], films: int) -> tuple[float, float]:
    """ε of one film and of the whole list, after rounds at these ε over the same list."""
    sent = tuple(
        Release("an answer for each film", phone(epsilon), {FILM: Change(), LIST: Change(inputs=films)})
        for epsilon in rounds
    )
    ledger = Ledger(sent, trust="nobody (local)")
    return (
        guarantee(ledger, *FILM, 0.0, "server").epsilon,
        guarantee(ledger, *LIST, 0.0, "server").epsilon,
    )
