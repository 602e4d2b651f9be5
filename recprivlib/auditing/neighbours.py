"""Small data sets that an attack on a run is played on: neighbours, and data that share nothing but what is public."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from recprivlib.mechanisms.common import STARS
from recprivlib.protocols import Array, HasWorstPair, Interactions, Relation, Unit

PEOPLE, ITEMS, WHO = 12, 50, 1  # WHO: the person whose data neighbours differ in
GENRES = 19


@dataclass(frozen=True)
class Stage:
    """World 0 and its neighbours at (unit, relation). `ends`: what a changed rating is in either world."""

    unit: Unit
    relation: Relation
    people: int = PEOPLE
    ends: tuple[float, float] = (STARS[0], STARS[-1])

    def world(self, moved: bool = False, item: int = 0) -> Interactions:
        """The data without the change, or with it: at `item`, or in everything of hers."""
        met, stars = self._base(item)
        if moved:
            self._move(met, stars, item)
        return self._data(met, stars)

    def far(self) -> Interactions:
        """Everything that is secret is another, of all people at once; what is public stays."""
        met = self._base(0)[0]
        rng = np.random.default_rng(8)
        if self.relation == "swap":
            met = rng.permuted(met, axis=1)  # how much somebody met is public
        elif self.relation != "replace-value":
            met = ~met
        return self._data(met, rng.choice(STARS, met.shape), other=self._whole)

    @property
    def _whole(self) -> bool:
        """Whether all there is to know about a person is secret."""
        return self.unit == "user" and self.relation in ("replace", "add-remove")

    def _base(self, item: int) -> tuple[Array, Array]:
        rng = np.random.default_rng(7)
        met = rng.random((self.people, ITEMS)) < 0.3
        stars = rng.choice(STARS, met.shape)
        beside = (item + 1) % ITEMS
        if self.relation == "replace-value":
            met[WHO, [item, beside]], stars[WHO] = True, self.ends[0]
        elif self.unit == "user":
            stars[WHO] = self.ends[0]
            met[WHO] &= self.relation != "add-remove"
        else:
            met[WHO, item], met[WHO, beside], stars[WHO, [item, beside]] = False, True, self.ends[1]
        return met, stars

    def _move(self, met: Array, stars: Array, item: int) -> None:
        if self.relation == "replace-value":
            stars[WHO, item if self.unit == "rating" else slice(None)] = self.ends[1]
        elif self.unit == "user":
            met[WHO], stars[WHO] = ~met[WHO], self.ends[1]
        else:
            met[WHO, item] = True
            if self.relation == "swap":
                met[WHO, (item + 1) % ITEMS] = False

    def _data(self, met: Array, stars: Array, other: bool = False) -> Interactions:
        users, items = np.nonzero(met)
        people = np.arange(self.people) + other
        genres = np.zeros((ITEMS, GENRES), bool)
        genres[np.arange(ITEMS), 1 + np.arange(ITEMS) % (GENRES - 1)] = True
        features = {
            "age": 20 + people % 40, "gender": np.array(["F", "M"])[people % 2],
            "occupation": np.array(["writer", "doctor", "artist", "farmer"])[people % 4],
        }  # fmt: skip
        return Interactions(
            users.astype(np.int32), items.astype(np.int32), stars[users, items].astype(np.float32),
            np.zeros(len(users), np.int64), self.people, ITEMS, STARS, features, {"genres": genres},
        )  # fmt: skip


def meant_for(stage: Stage, mechanisms: list) -> Stage:
    """The stage on which a rating moves as far as one of these mechanisms finds hardest to hide."""
    for mechanism in mechanisms:
        pair: tuple = mechanism.worst_pair() if isinstance(mechanism, HasWorstPair) else ()
        if len(pair) == 2 and all(np.ndim(end) == 0 and float(end) in STARS for end in pair):
            return dataclasses.replace(stage, ends=(float(pair[0]), float(pair[1])))
    return stage
