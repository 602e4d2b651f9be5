"""What dp_pnbm is held to without privacy: similarities that are computed and not learnt, and none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.models import held
from recprivlib.models.similarity import common_cosine, cosine, gram, pearson
from recprivlib.models.stars import stars_of
from recprivlib.papers.dp_pnbm.offsets import OwnPart, at_home
from recprivlib.papers.dp_pnbm.offsets import means as shrunk
from recprivlib.papers.dp_pnbm.shared import neighbors as neighbors_
from recprivlib.papers.dp_pnbm.weighted import Neighbours, beyond, item_means
from recprivlib.parameters import READING, among, check, dial, parameter
from recprivlib.protocols import Array, Interactions, Ledger, Sizes, Volume


def neighbours(
    train: Interactions, means: Array, similarity: Array, k: int, floor: float = 0.0, *, offset: bool = True
) -> Neighbours:
    """Eq. 2 with these means and similarities; without `offset`, of the stars themselves."""
    means = means if offset else np.zeros_like(means)
    return Neighbours(beyond(train, means).rows, means, similarity, k, *stars_of(train.grid), floor)


@dataclass(frozen=True)
class Cos:
    """The cosine of two items' columns of stars."""

    neighbors: int = neighbors_(900)
    offset: bool = parameter(True, None, None, "predict deviations from the items' means, as eq. 2 does", tune=READING)
    common: bool = parameter(False, None, None, "compare over the people who rated both", tune=among(False, True))
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        stars = train.rating_matrix
        if self.common:
            similarity = common_cosine(stars)
        else:
            shared = gram(stars)
            similarity = cosine(shared, shared.diagonal().copy(), out=shared)
        return neighbours(train, item_means(train), similarity, self.neighbors, offset=self.offset)

    def holds(self, size: Volume) -> float:
        return held.by_neighbours(size) + held.squares(size, 12) * self.common

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Pcc:
    """Pearson's correlation over the people who rated both."""

    neighbors: int = neighbors_(900)
    offset: bool = parameter(True, None, None, "predict deviations from the items' means, as eq. 2 does", tune=READING)
    shrinkage: float = parameter(
        0.0, 0, 10_000, "times n/(n + shrinkage), n the people who rated both", tune=dial(0.5, 500)
    )
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        similarity = pearson(train.rating_matrix, sum(stars_of(train.grid)) / 2, self.shrinkage)
        return neighbours(train, item_means(train), similarity, self.neighbors, offset=self.offset)

    def holds(self, size: Volume) -> float:
        return max(held.squares(size, 28), held.by_neighbours(size))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


def _pull(gloss: str, first: bool = False) -> Any:
    return parameter(None, 0, 1000, gloss, kind=float, optional=True, tune=dial(0.1, 50, first=first))


@dataclass(frozen=True)
class Uniform:
    """S ≡ 1: nothing learnt. The item's mean, and how far you were from the means so far; either may be pulled."""

    pull_items: float | None = _pull("λ of items, ratings of the overall mean added to each; none: none", first=True)
    pull_people: float | None = _pull("λ of people, ratings at the items' means added to each; none: none")
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> OwnPart:
        nothing = np.zeros((train.n_items, 0), np.float32)
        return at_home(beyond(train, self._means(train)), nothing, *stars_of(train.grid), pull=self.pull_people or 0.0)

    def _means(self, train: Interactions) -> Array:
        if not self.pull_items:
            return item_means(train)
        counts = np.bincount(train.items, minlength=train.n_items)
        return shrunk(np.bincount(train.items, train.ratings, train.n_items), counts, 0.0, self.pull_items)

    def holds(self, size: Volume) -> float:
        return held.own_parts(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()
