"""What a bug is here: a function from a system to the same system with the bug, or None where it does not apply."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing import USUAL
from recprivlib.auditing.mutation.grafts import planted
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.pace import shortened
from recprivlib.mechanisms.gate import Call, taped
from recprivlib.mechanisms.noise import rooted
from recprivlib.protocols import Array, Interactions, Ledger, Relation, Unit


@dataclass(frozen=True)
class Operator:
    """One bug, for any system."""

    plants: str  #: what is wrong then, in a sentence
    shows: str  #: by what a user would notice, had she looked
    build: Callable[[Any], Any | None]  #: system -> mutated system, or None: it does not apply
    blind: str = ""  #: why our audit may not see it (blind.py)


def raw(train: Interactions) -> Array:
    """The sum of each item's ratings: secret at all terms there are, and nothing of it is noised."""
    return np.bincount(train.items, train.ratings, train.n_items)


def total(train: Interactions) -> float:
    """The sum of all ratings."""
    return float(train.ratings.sum(dtype=float))


def odd(train: Interactions) -> bool:
    """One bit of the true data, which any change of them may turn over."""
    return bool(zlib.crc32(raw(train).tobytes()) & 1)


def lengths(train: Interactions) -> Array:
    """How much each person met."""
    return np.bincount(train.users, minlength=train.n_users)


def ledger_of(system: Any) -> Ledger:
    """At the public sizes of ML-100K."""
    return system.ledger(USUAL)


def terms(system: Any) -> tuple[Unit, Relation]:
    """What its claim is for: whoever has none is given one before a bug is put into it (scoring.py)."""
    claim = ledger_of(system).claimed
    assert claim, "a bug is put into systems that claim something"
    return claim.unit, claim.relation


def counts_only(system: Any) -> bool:
    """Whether the values of ratings alone are secret: who rated what, and when, is public."""
    return terms(system)[1] == "replace-value"


def whole_people(system: Any) -> bool:
    """Whether all there is to know about a person is secret."""
    return terms(system)[0] == "user" and terms(system)[1] in ("replace", "add-remove")


@dataclass(frozen=True, eq=False)
class Tried:
    """What one short honest run of a system did: it tells what applies to it."""

    model: Any
    calls: tuple[Call, ...]
    caps: tuple[int, ...]  # those that were asked for

    def answers(self, fits: Callable[[Any, Any], bool] = lambda mechanism, x: True) -> int:
        """How many answers there were of a mechanism and to an input of this kind."""
        return sum(not call.secret and fits(call.mechanism, call.x) for call in self.calls)

    @property
    def draws(self) -> int:
        return sum(call.secret for call in self.calls)


@functools.lru_cache(maxsize=4)
def tried(system: Any) -> Tried:
    """A short run on sixty people."""
    caps: list[int] = []

    def noted(run: Any, ask: Callable, train: Interactions, cap: int | None) -> Interactions:
        caps.extend([] if cap is None else [cap])
        return ask()

    with rooted(0), taped() as tape:
        model = planted(shortened(system), caps=noted).fit(
            Stage("user", "replace", 60).world(), np.random.default_rng(0)
        )
    return Tried(model, tuple(tape.calls), tuple(caps))
