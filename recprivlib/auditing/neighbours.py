"""The stage that a run is attacked on: people who are made up for the terms and the system's own cap (scenes.py)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from recprivlib.auditing.scenes import WHO, Scene, made_up
from recprivlib.mechanisms.common import STARS
from recprivlib.protocols import HasWorstPair, Interactions, Relation, Unit

__all__ = ["ITEMS", "PEOPLE", "WHO", "Stage", "meant_for"]

PEOPLE, ITEMS = 12, 50


@dataclass(frozen=True)
class Stage:
    """Made-up worlds at (unit, relation). `ends`: what a changed rating is in either world; `cap` the system's own.

    `even`: from rare to common items go in equal steps. Else by a factor, as they do in life: then, whatever number of
    people or stars a code waits for, some item has fewer, some has more, and of some the ratings decide.
    """

    unit: Unit
    relation: Relation
    people: int = PEOPLE
    ends: tuple[float, float] = (STARS[0], STARS[-1])
    items: int = ITEMS
    cap: int | None = None
    even: bool = True

    @cached_property
    def first(self) -> Scene:
        """The scene of the farthest change."""
        return next(made_up(self))

    def scenes(self) -> Iterator[Scene]:
        """All scenes, one after another."""
        yield self.first
        yield from islice(made_up(self), 1, None)

    def world(self, moved: bool = False, item: int = 0) -> Interactions:
        """The base of pair number `item`, or its neighbour: pairs are counted through all scenes."""
        pairs = ((scene.base, world) for scene in self.scenes() for _, world, near in scene.others if near)
        return next(islice(pairs, item, None))[moved]

    def far(self) -> Interactions:
        """Everything that is secret is another, of all people at once; what is public stays."""
        return next(world for _, world, near in self.first.others if not near)


def meant_for(stage: Stage, mechanisms: list) -> Stage:
    """The stage on which a rating moves as far as one of these mechanisms finds hardest to hide."""
    for mechanism in mechanisms:
        pair: tuple = mechanism.worst_pair() if isinstance(mechanism, HasWorstPair) else ()
        if len(pair) == 2 and all(np.ndim(end) == 0 and float(end) in STARS for end in pair):
            return dataclasses.replace(stage, ends=(float(pair[0]), float(pair[1])))
    return stage
