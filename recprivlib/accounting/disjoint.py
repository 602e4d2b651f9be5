"""Releases on disjoint data: two neighbours differ in few of them, and the dearest so many are the bill."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from recprivlib.accounting.dominating import Pair
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Relation

Part = tuple[Pair, int]
COMBINATIONS = 256  # of disjoint parts that are tried one by one


@dataclass
class Disjoint:
    """The releases of one partition, and in how many of them neighbours differ at most."""

    parts: list[Part] = field(default_factory=list)
    touched: int = 0

    def add(self, part: Part, change: Change, relation: Relation) -> None:
        """A part counts as the dearest change that any release of the partition states."""
        self.parts.append(part)
        moves = 1 if relation == "add-remove" else 2
        self.touched = max(self.touched, moves if change.parts is None else change.parts)

    def choices(self) -> list[tuple[Part, ...]]:
        """What may differ together. Of equal pairs the largest counts go first: no other choice costs more."""
        counts: dict[Pair, list[int]] = {}
        for one, count in self.parts:
            counts.setdefault(one, []).append(count)
        each = [[(one, n) for n in sorted(known, reverse=True)[: self.touched]] for one, known in counts.items()]
        distinct = list(itertools.chain.from_iterable(each))
        size = min(self.touched, len(distinct))
        if math.comb(len(distinct), size) > COMBINATIONS:
            raise _too_many()
        return list(itertools.combinations(distinct, size))


def _too_many() -> UserError:
    return UserError(f"disjoint data in more than {COMBINATIONS} different ways; state one worst release instead")


def choices(disjoint: Iterable[Disjoint]) -> Iterable[tuple[Part, ...]]:
    """Some parts of each partition: two neighbours differ in those alone, so the worst choice is the bill."""
    options = [one.choices() for one in disjoint]
    if math.prod(len(option) for option in options) > COMBINATIONS:
        raise _too_many()
    return (tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*options))
