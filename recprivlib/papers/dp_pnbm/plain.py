"""What dp_pnbm is held to without privacy: similarities that are computed and not learnt, and none at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.models import held
from recprivlib.models.similarity import common_cosine, cosine, gram, pearson
from recprivlib.papers.dp_pnbm.offsets import OwnPart, at_home
from recprivlib.papers.dp_pnbm.shared import neighbors as neighbors_
from recprivlib.papers.dp_pnbm.shared import stars_of
from recprivlib.papers.dp_pnbm.weighted import Neighbours, beyond, item_means
from recprivlib.parameters import check, parameter
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
    offset: bool = parameter(True, None, None, "predict deviations from the items' means, as eq. 2 does")
    common: bool = parameter(False, None, None, "compare over the people who rated both")
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
    offset: bool = parameter(True, None, None, "predict deviations from the items' means, as eq. 2 does")
    shrinkage: float = parameter(0.0, 0, 10_000, "times n/(n + shrinkage), n the people who rated both")
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        similarity = pearson(train.rating_matrix, sum(stars_of(train.grid)) / 2, self.shrinkage)
        return neighbours(train, item_means(train), similarity, self.neighbors, offset=self.offset)

    def holds(self, size: Volume) -> float:
        return max(held.squares(size, 28), held.by_neighbours(size))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Uniform:
    """S ≡ 1: nothing learnt. The item's mean, and how far you were from the means so far."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> OwnPart:
        nothing = np.zeros((train.n_items, 0), np.float32)
        return at_home(beyond(train, item_means(train)), nothing, *stars_of(train.grid), pull=0.0)

    def holds(self, size: Volume) -> float:
        return held.own_parts(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()
