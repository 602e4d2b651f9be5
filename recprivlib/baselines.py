"""The yardsticks of the whole book: recommenders without privacy that every private one is held against.

random       chance
popularity   how many met the item
global-mean  one number for everything
item-mean    the item's mean rating, drawn towards the global mean
item-knn     the nearest items to those you met vote (Sarwar et al. 2001; eq. 12 of Gao et al. 2020)
mf-als       implicit matrix factorisation (Hu, Koren & Volinsky 2008)
ease         a ridge regression between items (Steck 2019)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from recprivlib.models.constants import Chance, PerItem
from recprivlib.models.factors import Factors, half_step
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import SIMILARITIES, gram, mirror
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Entry, Interactions, Ledger, Sizes


@dataclass(frozen=True)
class Random:
    """Guesses: the floor under every ranking."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Chance:
        return Chance(int(rng.integers(2**63)))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Popularity:
    """Recommends what most people met: the bar to beat."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(np.bincount(train.items, minlength=train.n_items).astype(np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class GlobalMean:
    """Predicts the mean of all ratings, μ."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(np.full(train.n_items, train.ratings.mean(dtype=np.float64), np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class ItemMean:
    """Predicts the item's mean rating as if λ people had rated it μ as well: (Σ_u r_ui + λμ) / (n_i + λ)."""

    regularization: float = parameter(2.0, 0, 1000, "λ, ratings of μ added to every item")

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        mean = train.ratings.mean(dtype=np.float64)
        counts = np.bincount(train.items, minlength=train.n_items)
        excess = np.bincount(train.items, train.ratings - mean, minlength=train.n_items)
        return PerItem((mean + excess / np.maximum(counts + self.regularization, 1)).astype(np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class ItemKNN:
    """Recommends what is similar to what you met: s(u, i) = Σ_{j∈KNN(i)} sim(i, j) R_uj."""

    neighbors: int = parameter(50, 1, 100_000, "K, how many similar items vote")
    similarity: str = parameter("jaccard", None, None, "how two items are compared", choices=tuple(SIMILARITIES))

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> ItemWeights:
        shared = gram(train.matrix)
        similarity = SIMILARITIES[self.similarity](shared, shared.diagonal().copy(), out=shared)
        ranked = rank_neighbours(similarity, self.neighbors)
        return ItemWeights(train.matrix, neighbourhood(ranked, self.neighbors))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class ImplicitALS:
    """Finds a few hidden tastes: vectors whose inner product is near one where people met, near zero elsewhere."""

    factors: int = parameter(24, 1, 512, "length of a taste vector")
    iterations: int = parameter(10, 1, 200, "alternations between users and items")
    regularization: float = parameter(10.0, 1e-3, 1e4, "λ, pull of the vectors towards zero")
    alpha: float = parameter(2.0, 0, 1e4, "α, extra weight of what was met over what was not")

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Factors:
        return deque(self.steps(train, rng), maxlen=1)[0][1]

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Factors]]:
        matrix, columns = train.matrix, train.matrix.T.tocsr()
        items = rng.normal(0, 0.1, (train.n_items, self.factors)).astype(np.float32)
        for done in range(1, self.iterations + 1):
            users = half_step(matrix, items, self.alpha, self.regularization)
            items = half_step(columns, users, self.alpha, self.regularization)
            yield done / self.iterations, Factors(users, items, self.alpha, self.regularization)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Ease:
    """Predicts every item from all the others: B = I − P / diag(P), P = (RᵀR + λI)⁻¹."""

    regularization: float = parameter(300.0, 1, 1e6, "λ, pull of the weights towards zero")

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> ItemWeights:
        from scipy.linalg import lapack

        inverse = gram(train.matrix)
        inverse[np.diag_indices(train.n_items)] += np.float32(self.regularization)
        # the transpose is in Fortran order, so LAPACK works in place: one items × items array in all
        factor, bad = lapack.spotrf(inverse.T, lower=1, clean=0, overwrite_a=1)
        if bad:
            raise UserError(f"regularization is {self.regularization:g}, too small for this data; try a larger one")
        inverse = mirror(lapack.spotri(factor, lower=1, overwrite_c=1)[0].T)
        inverse /= -inverse.diagonal().copy()
        inverse[np.diag_indices(train.n_items)] = 0
        return ItemWeights(train.matrix, inverse.T)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


SYSTEMS: dict[str, Entry] = {
    "random": Entry(Random(), "ranking", "baseline", "guesses", personalised=False),
    "popularity": Entry(Popularity(), "ranking", "baseline", "what most people met", personalised=False),
    "global-mean": Entry(GlobalMean(), "rating", "baseline", "one number for everything", personalised=False),
    "item-mean": Entry(ItemMean(), "rating", "baseline", "the mean rating of the item", personalised=False),
    "item-knn": Entry(ItemKNN(), "ranking", "baseline", "what is similar to what you met"),
    "mf-als": Entry(ImplicitALS(), "ranking", "baseline", "a few hidden tastes, found by least squares"),
    "ease": Entry(Ease(), "ranking", "baseline", "every item predicted from all the others"),
}
