"""The systems: what phones send, and what the server makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.mechanisms.gate import released
from recprivlib.mechanisms.unary import UnaryOneSided, UnarySymmetric
from recprivlib.models import held
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import at_least, at_most, gram
from recprivlib.models.spectral import Projected, directions
from recprivlib.papers.dplcf.pairwise import Training, Weighted, bpr, gmf
from recprivlib.parameters import BUDGET, PEOPLE, READING, among, check, dial, parameter
from recprivlib.population import capped, crowd
from recprivlib.protocols import Array, Claim, Entry, Interactions, Ledger, Model, Relation, Sizes, Unit, Volume, last
from recprivlib.yardsticks.plain import AT_HOME, AT_SERVER, ItemKNN, bit_ledger, public_cap

Flipping = type[UnarySymmetric] | type[UnaryOneSided]
Learner = Callable[[Array, Training, np.random.Generator], Iterator[tuple[float, Weighted]]]


ROWS = 256  # phones that report at once


def _epsilon() -> Any:
    return parameter(1.0, 0.05, 20.0, "ε of one reported bit", tune=BUDGET)


def _population() -> Any:
    return parameter(1, 1, 100, "times as many phones, their histories drawn from the real ones", tune=PEOPLE)


# ------------------------------------------------------------------------------------- what a phone sends


def reports(block: Interactions, flipping: Any) -> Array:
    """R̂: every bit of every history of `block` flipped on its own (eq. 3), boolean users × items."""
    matrix = block.matrix
    out = np.empty(matrix.shape, bool)
    for start in range(0, len(out), ROWS):  # the uniform numbers of a whole block would be the largest array of all
        out[start : start + ROWS] = released(flipping, matrix[start : start + ROWS].toarray() > 0)
    return out


def counted(reported: Array) -> dict[str, Array]:
    """What the server keeps of a block of reports: m₁₁ of every pair of items (m_i on its diagonal), and M."""
    return {"both": gram(reported, np.int32), "users": np.array(len(reported))}


def stated(flipping: Any, sizes: Sizes, cap: int | None, lists: str = AT_HOME, population: int = 1) -> Ledger:
    """The paper's ledger, with its claim: ε for one interaction, whatever the two flipping rates are."""
    claim = Claim(flipping.epsilon, 0.0, "interaction", "add-remove", "eq. 2 and 3 with Theorem 3.1 of its [38]")
    drawn = f"each of the {population} times as many phones is a person of its own, though they drew the same histories"
    return bit_ledger(flipping, sizes, cap, claim, (lists, drawn) if population > 1 else (lists,))


def _reported(size: Volume, population: int) -> float:
    """Counts of two blocks beside each other, the bits of one, and the phones that were drawn."""
    many = held.crowd(size, population)
    counts = held.squares(size, 9.4) + held.answered(many, 1.5)
    return counts + held.kept_blocks(many) + held.drawn(size, population)


# -------------------------------------------------------------------------------------- what the server does


@dataclass(frozen=True)
class Inverse:
    """Two rows of A⁻¹ (eq. 7): the coefficients of m₀₀, m₀₁, m₁₀, m₁₁ in n̂₀₀ and in n̂₁₁."""

    n00: tuple[float, float, float, float]
    n11: tuple[float, float, float, float]


def right(p: float, q: float) -> Inverse:
    """A = T⊗T with T = [[1−q, 1−p], [q, p]] (rows: what is reported), so A⁻¹ = T⁻¹⊗T⁻¹."""
    zero, one = np.linalg.inv([[1 - q, 1 - p], [q, p]])
    return Inverse(tuple(np.kron(zero, zero)), tuple(np.kron(one, one)))


def printed(p: float, q: float) -> Inverse:
    """What stands in the text we worked from: eq. 11 where p = 1; else the inverse of A as eq. 6 prints it."""
    if p == 1:
        below = 1 - q
        return Inverse((1 / below**2, 0.0, 0.0, 0.0), (-((q / below) ** 2), 0.0, -q / below, 1.0))
    lie, quiet = 1 - p, 1 - q
    matrix = [
        [quiet**2, lie * quiet, lie * quiet, lie**2],
        [quiet * p, quiet * p, lie * q, lie * p],
        [quiet * p, lie * q, quiet * p, lie * p],
        [q**2, p * q, q * p, p**2],
    ]
    rows = np.linalg.inv(matrix)
    return Inverse(tuple(rows[0]), tuple(rows[3]))


def blind(p: float, q: float) -> Inverse:
    """The noise-unaware server of LCF-SP and LCF-AP: n = m, as if p = 1 and q = 0."""
    return Inverse((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


INVERSES: dict[str, Callable[[float, float], Inverse]] = {"right": right, "printed": printed, "blind": blind}


def solved(row: tuple[float, ...], sums: Mapping[str, Array], i: Any = slice(None), j: Array | None = None) -> Array:
    """One row of eq. 7, float32: for the items `i` beside every item, or for the pairs of `i` and `j`.

    m₁₀ = m_i − m₁₁, m₀₁ = m_j − m₁₁ and m₀₀ = M − m_i − m_j + m₁₁, so the row is linear in m₁₁, m_i and m_j.
    """
    r00, r01, r10, r11 = row
    ones = sums["both"].diagonal().astype(float)
    mine, theirs = _beside(ones, i, j)
    out = sums["both"][i if j is None else (i, j)].astype(np.float32)
    out *= np.float32(r00 - r01 - r10 + r11)
    out += ((r01 - r00) * theirs + r00 * float(sums["users"])).astype(np.float32)
    out += ((r10 - r00) * mine).astype(np.float32)
    return out


def _beside(values: Array, i: Any, j: Array | None) -> tuple[Array, Array]:
    """The values of both sides of each pair, so that they broadcast."""
    return (values[i][:, None], values) if j is None else (values[i], values[j])


def alike(
    sums: Mapping[str, Array], inverse: Inverse, counts: Array, cut: str, i: Any, j: Array | None = None
) -> Array:
    """Eq. 4 with the estimates of eqs. 9 and 10, n̂₁₁ / (M − n̂₀₀), cut to what is possible; pairs as in `solved`.

    The paper does not say what becomes of impossible estimates. "ratio" cuts as little as keeps eq. 4 an index:
    n₁₁ ≥ 0, union ≥ 1, n₁₁/union ≤ 1. "feasible" cuts every estimate: 1 ≤ n_i ≤ M (`counts`) and
    n₁₁ ≤ min(n_i, n_j), so that no rare film is more alike than its own count allows.
    """
    users = np.float32(sums["users"])
    both = at_least(solved(inverse.n11, sums, i, j), 0)
    if cut == "feasible":
        mine, theirs = _beside(np.clip(counts, 1, users).astype(np.float32), i, j)
        np.minimum(both, np.minimum(mine, theirs), out=both)
        union = mine + theirs - both
    else:
        neither = solved(inverse.n00, sums, i, j)
        union = at_least(np.subtract(users, neither, out=neither), 1)
    return at_most(np.divide(both, union, out=both), 1)


def similarities(sums: Mapping[str, Array], inverse: Inverse, counts: Array, cut: str = "ratio") -> Array:
    """How alike every two items are, float32 (items, items)."""
    out = np.empty(sums["both"].shape, np.float32)
    for start in range(0, len(out), 256):
        part = slice(start, start + 256)
        out[part] = alike(sums, inverse, counts, cut, part)
    return out


def popularity(sums: Mapping[str, Array], p: float, q: float) -> Array:
    """n̂_i = (m_i − Mq)/(p − q): how many met each item, unbiased."""
    return (sums["both"].diagonal() - float(sums["users"]) * q) / (p - q)


# -------------------------------------------------------------------------------------------------- systems


@dataclass(frozen=True)
class DPLCF:
    """Flip at home, compare items at the server through `inverse`, score at home with the true history."""

    epsilon: float = _epsilon()
    neighbors: int = parameter(
        20,
        1,
        100_000,
        "items that vote, the paper's number_of_neighbour",
        tune=dial(5, 100_000, first=True, items=True),
    )
    inverse: str = parameter("right", None, None, "how eq. 7 is solved", choices=tuple(INVERSES), tune=READING)
    cut: str = parameter(
        "ratio",
        None,
        None,
        "what becomes of impossible estimates",
        choices=("ratio", "feasible"),
        tune=among("ratio", "feasible"),
    )
    cap: int | None = public_cap()
    population: int = _population()
    flipping: Flipping = UnarySymmetric
    __post_init__ = check
    rounds = 1

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return crowd(self, train, self.population, rng)

    def start(self, sizes: Sizes, rng: np.random.Generator) -> None:
        return None

    def collect(self, block: Interactions, told: None, rng: np.random.Generator) -> dict[str, Array]:
        return counted(reports(capped(block, self.cap, rng), self.flipping(self.epsilon)))

    def learn(self, told: None, sums: Mapping[str, Array], rng: np.random.Generator) -> sp.csr_array:
        """The nearest items of every item, and how alike they are."""
        return neighbourhood(rank_neighbours(self.similarities(sums), self.neighbors, rng), self.neighbors)

    def model(self, told: sp.csr_array, train: Interactions) -> ItemWeights:
        return ItemWeights(train.matrix, told)

    def similarities(self, sums: Mapping[str, Array]) -> Array:
        """What the server broadcasts, before it is cut to the nearest."""
        return similarities(sums, *self._estimates(sums))

    def alike(self, told: sp.csr_array, sums: Mapping[str, Array], i: Array, j: Array) -> Array:
        """The same for the pairs of `i` and `j` alone."""
        return alike(sums, *self._estimates(sums), i, j)

    def _estimates(self, sums: Mapping[str, Array]) -> tuple[Inverse, Array, str]:
        flipping = self.flipping(self.epsilon)
        p, q = (1.0, 0.0) if self.inverse == "blind" else (flipping.p, flipping.q)
        return INVERSES[self.inverse](p, q), popularity(sums, p, q), self.cut

    def holds(self, size: Volume) -> float:
        return _reported(size, self.population) + held.neighbours(size, self.neighbors)

    def ledger(self, sizes: Sizes) -> Ledger:
        return stated(self.flipping(self.epsilon), sizes, self.cap, population=self.population)


@dataclass(frozen=True, eq=False)
class Seen:
    """What the spectral server tells everybody: the directions, how far each is trusted, and what all are given."""

    vectors: Array
    filter: Array
    floor: Array


@dataclass(frozen=True)
class DPLCFSpectral:
    """The same reports; the server keeps the directions that stand out of the noise (models/spectral.py).

    f = √c²·x² / (x² + ridge·M). Where fewer than `least` directions stand out, the noisy popularity is added.
    """

    epsilon: float = _epsilon()
    factors: int = parameter(32, 1, 256, "the most directions that are kept", tune=dial(1, 128))
    ridge: float = parameter(
        0.3, 0.01, 10, "pull of weak directions towards zero, as a share of the users", tune=dial(0.02, 5, first=True)
    )
    least: int = parameter(
        4, 0, 64, "directions below which the noisy popularity joins in", tune=among(0, 1, 2, 4, 8, 16)
    )
    cap: int | None = public_cap()
    population: int = _population()
    __post_init__ = check
    rounds = 1

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return crowd(self, train, self.population, rng)

    def start(self, sizes: Sizes, rng: np.random.Generator) -> None:
        return None

    def collect(self, block: Interactions, told: None, rng: np.random.Generator) -> dict[str, Array]:
        return counted(reports(capped(block, self.cap, rng), UnarySymmetric(self.epsilon)))

    def learn(self, told: None, sums: Mapping[str, Array], rng: np.random.Generator) -> Seen:
        flipping, users = UnarySymmetric(self.epsilon), int(sums["users"])
        liked = popularity(sums, flipping.p, flipping.q).astype(np.float32)
        gram = solved(right(flipping.p, flipping.q).n11, sums)
        gram[np.diag_indices_from(gram)] = liked
        found = directions(gram, flipping.variance, users, self.factors, rng)
        filtered = np.sqrt(found.trust) * found.lengths / (found.lengths + np.float32(self.ridge * users))
        few = len(filtered) < self.least
        return Seen(found.vectors, filtered, liked / np.float32(users) * np.float32(few))

    def model(self, told: Seen, train: Interactions) -> Projected:
        return Projected(train.matrix, told.vectors, told.filter, told.floor)

    def alike(self, told: Seen, sums: Mapping[str, Array], i: Array, j: Array) -> Array:
        """Eq. 4 for the pairs of `i` and `j`, read off the directions that are kept: f ≈ x² / (x² + ridge·M)."""
        flipping, users = UnarySymmetric(self.epsilon), int(sums["users"])
        lengths = self.ridge * users * told.filter / np.maximum(1 - told.filter, 1e-6)
        both = ((told.vectors[i] * lengths) * told.vectors[j]).sum(axis=1)
        counts = np.clip(popularity(sums, flipping.p, flipping.q).astype(np.float32), 1, users)
        both = np.clip(both, 0, np.minimum(counts[i], counts[j]))
        return both / (counts[i] + counts[j] - both)

    def holds(self, size: Volume) -> float:
        return _reported(size, self.population) + 12.0 * size.items * (self.factors + 16)

    def ledger(self, sizes: Sizes) -> Ledger:
        return stated(UnarySymmetric(self.epsilon), sizes, self.cap, population=self.population)


@dataclass(frozen=True)
class OnReports:
    """A central factor model trained on the flipped bits, as the paper's BPR-MF and GMF: lists come from the server."""

    epsilon: float = _epsilon()
    factors: int = parameter(8, 1, 256, "length of a taste vector", tune=dial(2, 64))
    epochs: int = parameter(10, 1, 500, "passes over the reported ones", tune=dial(5, 60))
    learning_rate: float = parameter(0.001, 1e-6, 1.0, "step of Adam", tune=dial(1e-4, 0.1, first=True))
    regularization: float = parameter(0.001, 0, 1.0, "pull of the vectors towards zero", tune=dial(1e-6, 0.1))
    cap: int | None = public_cap()
    learner: Learner = bpr
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Weighted:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Weighted]]:
        reported = reports(capped(train, self.cap, rng), UnarySymmetric(self.epsilon))
        training = Training(self.factors, self.epochs, self.learning_rate, self.regularization)
        yield from self.learner(reported, training, rng)

    def holds(self, size: Volume) -> float:
        flipping = UnarySymmetric(self.epsilon)
        tables = 20.0 * self.factors * (size.users + size.items)
        return size.users * size.items + 26.0 * held.ones(size, flipping.p, flipping.q) + tables

    def ledger(self, sizes: Sizes) -> Ledger:
        return stated(UnarySymmetric(self.epsilon), sizes, self.cap, AT_SERVER)


BILL: tuple[Unit, Relation] = ("interaction", "add-remove")
SYSTEMS: dict[str, Entry] = {
    "lcf-ub": Entry(ItemKNN(neighbors=20), "ranking", "paper", "the same recommender without any noise"),
    "lcf-sp": Entry(DPLCF(inverse="blind"), "ranking", "paper", "flipped bits taken for the truth", terms=BILL),
    "lcf-ap": Entry(
        DPLCF(inverse="blind", flipping=UnaryOneSided), "ranking", "paper",
        "one-sided flipping, taken for the truth", terms=BILL,
    ),
    "dplcf-sp": Entry(DPLCF(), "ranking", "paper", "flipped bits, similarities estimated", terms=BILL),
    "dplcf-ap": Entry(
        DPLCF(flipping=UnaryOneSided), "ranking", "paper", "one-sided flipping, similarities estimated", terms=BILL
    ),
    "bpr-mf": Entry(OnReports(), "ranking", "paper", "pairwise ranking factors on the flipped bits", terms=BILL),
    "gmf": Entry(OnReports(learner=gmf), "ranking", "paper", "weighted factors on the flipped bits", terms=BILL),
    "dplcf-spectral": Entry(
        DPLCFSpectral(), "ranking", "beyond", "the same bits, the server keeps what stands out of the noise", terms=BILL
    ),
}  # fmt: skip
