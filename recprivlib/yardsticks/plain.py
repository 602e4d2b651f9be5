"""The yardsticks of the whole book: recommenders without privacy that every private one is held against.

    random       chance
    popularity   how many met the item
    global-mean  one number for everything
    item-mean    the item's mean rating, drawn towards the global mean
    item-knn     the nearest items to those you met vote (Sarwar et al. 2001; eq. 12 of Gao et al. 2020)
    mf-als       implicit matrix factorisation (Hu, Koren & Volinsky 2008)
    fcf          the same factorisation, learnt from the gradients that phones send (Ammad-ud-din et al. 2019)
    ease         a ridge regression between items (Steck 2019)

And one with privacy, for every private recommender must beat it at the same price:

    ldp-popularity   popularity learned from reports that phones have already noised

Where the constants of the first eight come from. They were tuned on what seed 0 of loo-latest leaves of ML-100K for
training: its latest items were held out once more (mean over five ways to break ties in time; standard error .015,
less for differences). Then they were frozen, and tried once on the test items, also those of ML-1M (seed 0). For
the means: five folds of what the first of five folds leaves.

                                      validation             test, HR@10 and /full
                                  HR@10  nDCG@10   /full    ML-100K        ML-1M
    popularity                    .446    .241     .070     .414  .086     .466  .039
    item-knn  jaccard, K = 20     .656    .389     .139
              jaccard, K = 50 *   .654    .384     .136     .626  .109     .662  .071
              jaccard, K = 100    .639    .377     .133
              cosine,  K = 50     .650    .386     .137
    mf-als    16, α 1, λ 10       .693    .410     .146
              24, α 2, λ 10 *     .705    .422     .163     .667  .135     .702  .082
              32, α 2, λ 10       .703    .424     .164
              32, α 10, λ 1       .688    .410     .147
              24, 15 alternations .708    .422     .164
    fcf       24, α 2, λ 10, η .1 .701    .418     .154
              24, α 2, λ 10, η .2*.700    .417     .160     .667  .123     .694  .077
    ease      λ = 100             .664    .412     .178
              λ = 300 *           .683    .417     .168     .669  .142     .702  .103
              λ = 1000            .680    .406     .149

    RMSE:     validation                                              test: ML-100K   ML-1M
    global-mean                                      1.125                  1.126     1.117
    item-mean λ = 0: 1.027, 2 *: 1.024, 5: 1.025, 30: 1.040                 1.022      .979

Within a row of near equals the smaller or rounder one is the default (*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import SubsetSelection, UnarySymmetric
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.constants import Chance, PerItem
from recprivlib.models.descent import Kept, adam
from recprivlib.models.ease import inverse
from recprivlib.models.factors import AtPhones, Factors, half_step
from recprivlib.models.gradients import one_of_each, summed
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import SIMILARITIES, gram
from recprivlib.parameters import BUDGET, PRICE, UNIT, UserError, among, check, dial, parameter
from recprivlib.population import capped, fixed, learnt, loose, steps
from recprivlib.protocols import (
    Array,
    Change,
    Claim,
    Entry,
    Interactions,
    Ledger,
    Model,
    Relation,
    Release,
    Sizes,
    Unbounded,
    Unit,
    Volume,
    last,
)


@dataclass(frozen=True)
class Random:
    """Guesses: the floor under every ranking."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Chance:
        return Chance(int(rng.integers(2**63)))

    def holds(self, size: Volume) -> float:
        return 28.5 * held.scored(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Popularity:
    """Recommends what most people met: the bar to beat."""

    holds = held.little

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(np.bincount(train.items, minlength=train.n_items).astype(np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class GlobalMean:
    """Predicts the mean of all ratings, μ."""

    holds = held.little

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(np.full(train.n_items, train.ratings.mean(dtype=np.float64), np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class ItemMean:
    """Predicts the item's mean rating as if λ people had rated it μ as well: (Σ_u r_ui + λμ) / (n_i + λ)."""

    regularization: float = parameter(2.0, 0, 1000, "λ, ratings of μ added to every item", tune=dial(0.3, 100))

    __post_init__ = check

    holds = held.little

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

    neighbors: int = parameter(50, 1, 100_000, "K, how many similar items vote", tune=dial(5, 100_000, items=True))
    similarity: str = parameter(
        "jaccard", None, None, "how two items are compared", choices=tuple(SIMILARITIES), tune=among(*SIMILARITIES)
    )

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> ItemWeights:
        shared = gram(train.matrix)
        similarity = SIMILARITIES[self.similarity](shared, shared.diagonal().copy(), out=shared)
        ranked = rank_neighbours(similarity, self.neighbors)
        return ItemWeights(train.matrix, neighbourhood(ranked, self.neighbors))

    def holds(self, size: Volume) -> float:
        return held.gram(size) + held.neighbours(size, self.neighbors)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class ImplicitALS:
    """Finds a few hidden tastes: vectors whose inner product is near one where people met, near zero elsewhere."""

    factors: int = parameter(24, 1, 512, "length of a taste vector", tune=dial(4, 64))
    iterations: int = parameter(10, 1, 200, "alternations between users and items", tune=dial(3, 30))
    regularization: float = parameter(
        10.0, 1e-3, 1e4, "λ, pull of the vectors towards zero", tune=dial(0.3, 300, first=True)
    )
    alpha: float = parameter(2.0, 0, 1e4, "α, extra weight of what was met over what was not", tune=dial(0.3, 100))

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Factors:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Factors]]:
        matrix, columns = train.matrix, train.matrix.T.tocsr()
        items = rng.normal(0, 0.1, (train.n_items, self.factors)).astype(np.float32)
        for done in range(1, self.iterations + 1):
            users = half_step(matrix, items, self.alpha, self.regularization)
            items = half_step(columns, users, self.alpha, self.regularization)
            yield done / self.iterations, Factors(users, items, self.alpha, self.regularization)

    def holds(self, size: Volume) -> float:
        return held.half_steps(size, self.factors) + 8.0 * size.interactions

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True, eq=False)
class Gathered:
    """What the server of fcf tells everybody: the item vectors, and what its optimiser remembers."""

    items: Array  # V, float32 (n_items, factors)
    kept: Kept = Kept()


@dataclass(frozen=True)
class FCF:
    """Implicit matrix factorisation by phones and a server: raw gradients leave the phones, vectors of taste do not."""

    factors: int = parameter(24, 1, 512, "length of a taste vector", tune=dial(4, 64))
    epochs: int = parameter(40, 1, 500, "rounds: every phone sends its gradient once in each", tune=dial(10, 80))
    learning_rate: float = parameter(0.2, 1e-6, 10.0, "step of Adam", tune=dial(0.01, 1, first=True))
    regularization: float = parameter(10.0, 1e-3, 1e4, "λ, pull of the vectors towards zero", tune=dial(0.3, 300))
    alpha: float = parameter(2.0, 0, 1e4, "α, extra weight of what was met over what was not", tune=dial(0.3, 100))

    __post_init__ = check

    @property
    def rounds(self) -> int:
        return self.epochs

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return learnt(self, train, rng)

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        return steps(self, train, rng)

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Gathered:
        return Gathered(rng.normal(0, 0.1, (sizes.items, self.factors)).astype(np.float32))

    def collect(self, block: Interactions, told: Gathered, rng: np.random.Generator) -> dict[str, Array]:
        users = half_step(block.matrix, told.items, self.alpha, self.regularization)
        return {"gradient": fixed(summed(block.matrix, users, told.items, self.alpha))}

    def learn(self, told: Gathered, sums: Mapping[str, Array], rng: np.random.Generator) -> Gathered:
        slope = 2 * self.regularization * told.items - 2 * loose(sums["gradient"])
        items, kept = adam(told.items, slope, self.learning_rate, told.kept)
        return Gathered(items.astype(np.float32), kept)

    def model(self, told: Gathered, train: Interactions) -> Factors:
        users = half_step(train.matrix, told.items, self.alpha, self.regularization)
        return AtPhones(users, told.items, self.alpha, self.regularization)

    def holds(self, size: Volume) -> float:
        each_item = 12.0 * size.items * self.factors**2
        return held.half_steps(size, self.factors, alone=True) + each_item + held.kept_blocks(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class Ease:
    """Predicts every item from all the others: B = I − P / diag(P), P = (RᵀR + λI)⁻¹."""

    regularization: float = parameter(300.0, 1, 1e6, "λ, pull of the weights towards zero", tune=dial(10, 10_000))

    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> ItemWeights:
        shared = gram(train.matrix)
        shared[np.diag_indices(train.n_items)] += np.float32(self.regularization)
        weights = inverse(shared)
        if weights is None:
            raise UserError(f"regularization is {self.regularization:g}, too small for this data; try a larger one")
        weights /= -weights.diagonal().copy()
        weights[np.diag_indices(train.n_items)] = 0
        return ItemWeights(train.matrix, weights.T)

    def holds(self, size: Volume) -> float:
        return held.gram(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


# ------------------------------------------------------------------------------- popularity, privately


CLICKS = "a click that somebody sees is a further, unpriced release"
AT_HOME = f"lists are made and used at home; {CLICKS}"
AT_SERVER = (
    f"the server makes lists of the reports alone, which adds nothing; what was met is left out at home; {CLICKS}"
)
FOR_ALL = f"there is one list for everybody; what was met is left out at home; {CLICKS}"
ONCE = "a phone answers once and sends the same answer when asked again"
SEEN = Unbounded("a phone that takes part is seen to take part")


def public_cap() -> Any:
    """τ, as a parameter of a system: what `capped` leaves in `fit`, and what the ledger counts a person by."""
    return parameter(None, 1, 100_000, "τ, the most interactions of one person that are used; none: no cap",
                     kind=int, optional=True, tune=PRICE)  # fmt: skip


def bit_ledger(
    flipping: Any, sizes: Sizes, cap: int | None, claimed: Claim | None = None, assumed: tuple[str, ...] = ()
) -> Ledger:
    """One flipped bit for every item of the catalogue, once in a life; `assumed` says where lists are made."""
    touched = sizes.items if cap is None else min(sizes.items, 2 * cap)
    release = Release(
        what="one flipped bit for every item of the catalogue",
        mechanism=flipping,
        neighbours={
            ("interaction", "add-remove"): Change(
                inputs=1 if cap is None else 2
            ),  # above the cap one turns out another
            ("interaction", "swap"): Change(inputs=2, back=1),
            ("user", "replace"): Change(inputs=touched),
            ("user", "add-remove"): SEEN,
        },
    )
    return Ledger(
        releases=(release,),
        public=("the catalogue", "who takes part", "when reports are sent")
        + (() if cap is None else ("a cap on every history",)),
        assumed=(ONCE, *assumed),
        trust="nobody (local)",
        claimed=claimed,
        counts_public=True,
    )


@dataclass(frozen=True)
class LDPPopularity:
    """How many met each item, estimated from what phones admit.

    reports "bits": every bit of the history flipped, as in dplcf: ε for one interaction.
    reports "one":  one item of the history, drawn at random, hidden in a set of others: ε for the whole person.
    """

    epsilon: float = parameter(1.0, 0.05, 20.0, "ε of one report", tune=BUDGET)
    reports: str = parameter("bits", None, None, "what a phone sends", choices=("bits", "one"), tune=UNIT)
    cap: int | None = public_cap()

    __post_init__ = check
    rounds = 1

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return learnt(self, train, rng)

    def start(self, sizes: Sizes, rng: np.random.Generator) -> None:
        return None

    def collect(self, block: Interactions, told: None, rng: np.random.Generator) -> dict[str, Array]:
        answer, block = self._mechanism(block.n_items), capped(block, self.cap, rng)
        if self.reports == "bits":
            counts = released(answer, block.matrix.toarray() > 0).sum(axis=0, dtype=np.int64)
        else:
            counts = np.bincount(
                released(answer, one_of_each(block.matrix, 1, rng)[:, 0]).ravel(), minlength=block.n_items
            )
        return {"counts": counts, "users": np.array(block.n_users)}

    def learn(self, told: None, sums: Mapping[str, Array], rng: np.random.Generator) -> PerItem:
        answer = self._mechanism(len(sums["counts"]))
        return PerItem(((sums["counts"] - sums["users"] * answer.q) / (answer.p - answer.q)).astype(np.float32))

    def model(self, told: PerItem, train: Interactions) -> PerItem:
        return told

    def holds(self, size: Volume) -> float:
        if self.reports == "bits":
            return held.answered(size, 11) + held.kept_blocks(size)
        return 32.0 * held.blocks(size) * self._mechanism(size.items).d + held.kept_blocks(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        answer = self._mechanism(sizes.items)
        if self.reports == "bits":
            return bit_ledger(answer, sizes, self.cap, assumed=(FOR_ALL,))
        neighbours: dict[tuple[Unit, Relation], Change | Unbounded] = {
            ("user", "replace"): Change(), ("interaction", "swap"): Change(), ("interaction", "add-remove"): Change(),
            ("user", "add-remove"): SEEN,
        }  # fmt: skip
        release = Release("one item of the history, hidden in a set", answer, neighbours)
        public, assumed = ("the catalogue", "who takes part"), (ONCE, FOR_ALL)
        return Ledger((release,), public=public, assumed=assumed, trust="nobody (local)", counts_public=True)

    def _mechanism(self, items: int) -> Any:
        bits = self.reports == "bits"
        return UnarySymmetric(self.epsilon) if bits else SubsetSelection(self.epsilon, k=max(2, items))


SYSTEMS: dict[str, Entry] = {
    "random": Entry(Random(), "ranking", "baseline", "guesses", personalised=False),
    "popularity": Entry(Popularity(), "ranking", "baseline", "what most people met", personalised=False),
    "global-mean": Entry(GlobalMean(), "rating", "baseline", "one number for everything", personalised=False),
    "item-mean": Entry(ItemMean(), "rating", "baseline", "the mean rating of the item", personalised=False),
    "item-knn": Entry(ItemKNN(), "ranking", "baseline", "what is similar to what you met"),
    "mf-als": Entry(ImplicitALS(), "ranking", "baseline", "a few hidden tastes, found by least squares"),
    "ease": Entry(Ease(), "ranking", "baseline", "every item predicted from all the others"),
    "fcf": Entry(FCF(), "ranking", "baseline", "hidden tastes, found from the raw gradients of phones"),
    "ldp-popularity": Entry(
        LDPPopularity(), "ranking", "baseline", "popularity from noisy reports", personalised=False,
        terms=("interaction", "add-remove"),
    ),
}  # fmt: skip
