"""The systems: one-bit gradients from every phone, as printed, thawed, and one sign an item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.mechanisms import OneBitGradient, SubsetSelection
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.descent import OPTIMISERS, Kept
from recprivlib.models.factors import AtPhones, Factors, half_step
from recprivlib.models.gradients import at_cells, histories, level, one_of_each, orthonormal
from recprivlib.parameters import BUDGET, READING, among, check, dial, parameter
from recprivlib.population import learnt, steps
from recprivlib.protocols import (
    Array,
    Change,
    Claim,
    Entry,
    Interactions,
    Ledger,
    Mechanism,
    Relation,
    Release,
    Sizes,
    Unbounded,
    Unit,
    Volume,
)
from recprivlib.yardsticks.plain import AT_HOME, SEEN

STEPS = 20  # gradient steps in an epoch, Section 4.3
COOLING = 0.3  # of item-sign's steps
FRESH = "every report has fresh noise, and every phone sends exactly k of them in every epoch"
Messages = tuple[Array, Array]  # cells and signs: row u is what phone u sends to the proxy
SPLIT = "a shuffler splits messages: report j of everybody is one shuffle, and mixing these as well is post-processing"


# ----------------------------------------------------------------------------------------------- the phone


def tastes(met: sp.csr_array, items: Array, alpha: float, regularization: float) -> Array:
    """x_u of every phone, eq. 4. In double precision: λ = 10⁻⁶ is lost beside a V that has grown."""
    return half_step(met, items.astype(np.float64), alpha, regularization)


def ldp_module(gradient: Array, mechanism: OneBitGradient) -> Array:
    """Algorithm 1 for every chosen cell: −1 or +1. Nothing else leaves a phone."""
    return released(mechanism, gradient)


def chosen(phones: int, cells: int, k: int, rng: np.random.Generator) -> Array:
    """k cells of every phone, drawn whatever the data, with replacement: Algorithm 2 calls Algorithm 1 k times."""
    return rng.integers(0, cells, (phones, k), np.int32)


# ----------------------------------------------------------------------------------------------- the proxy


def proxy(cells: Array, signs: Array, number: int) -> dict[str, Array]:
    """What is left of the messages of a block: how often "+" and how often "−" was said of each of `number` cells.

    A row of `cells` and `signs` is one phone's message. Without senders and without an order, single reports are
    these counts and nothing more: whoever shuffles them gains no more and tells no more.
    """
    said = np.bincount((2 * cells + (signs > 0)).ravel(), minlength=2 * number).reshape(number, 2)
    return {"minus": said[:, 0].copy(), "plus": said[:, 1].copy()}


def shuffled(cells: Array, signs: Array, rng: np.random.Generator) -> Array:
    """The same reports one by one, as they leave the proxy: rows of (cell, sign) in a random order."""
    order = rng.permutation(cells.size)
    return np.stack([cells.ravel()[order], signs.ravel()[order]], axis=1)


# ---------------------------------------------------------------------------------------------- the server


def balance(sums: Mapping[str, Array], shape: tuple[int, int]) -> Array:
    """S: how many more "+" than "−" were said of each cell, items × factors."""
    return (sums["plus"] - sums["minus"]).reshape(shape)


def reports(sums: Mapping[str, Array]) -> int:
    """How many reports there were."""
    return int(sums["plus"].sum() + sums["minus"].sum())


@dataclass(frozen=True, eq=False)
class Told:
    """What the server knows, and tells everybody at the start of an epoch."""

    items: Array  # V, (n_items, factors)
    epoch: int = 0
    kept: Kept = Kept()  # what its optimiser remembers


# ------------------------------------------------------------------------------------------------- systems


def _epsilon(default: float = 2.5) -> Any:
    return parameter(default, 0.01, 50.0, "ε of one report", tune=BUDGET)


def _k(default: int = 100) -> Any:
    return parameter(
        default, 1, 10_000, "reports a phone sends in an epoch", tune=among(1, 2, 5, 10, 20, 50, 100, 250, splits=True)
    )


def _epochs(default: int = 20) -> Any:
    return parameter(
        default, 1, 200, "epochs: everybody reports k times in each", tune=among(1, 5, 10, 20, 30, splits=True)
    )


def _factors() -> Any:
    return parameter(5, 1, 64, "F, length of a vector", tune=among(1, 2, 5, 10))


def _regularization() -> Any:
    return parameter(1e-6, 1e-9, 10.0, "λ, pull of the vectors towards zero", tune=dial(1e-9, 10))


def _alpha() -> Any:
    return parameter(1.0, 0.0, 1000.0, "α, extra weight of what was met over what was not", tune=dial(0.3, 100))


@dataclass(frozen=True)
class FMFLDP:
    """The paper's system: raw gradients in, 20 gradient steps of the server on the sum of the bits."""

    epsilon: float = _epsilon()
    k: int = _k()
    epochs: int = _epochs()
    factors: int = _factors()
    learning_rate: float = parameter(
        1e-3, 1e-7, 0.05, "γ, length of a gradient step", tune=dial(1e-7, 0.05, first=True)
    )
    regularization: float = _regularization()
    alpha: float = _alpha()
    init: float = parameter(0.01, 1e-6, 10.0, "standard deviation of the first item vectors", tune=dial(1e-5, 1))
    direction: str = parameter(
        "down", None, None, "which way the server steps", choices=("down", "printed"), tune=READING
    )
    mean: str = parameter(
        "phone", None, None, "what the sum of reports is divided by", choices=("phone", "report"), tune=READING
    )
    optimiser: str = parameter(
        "gradient", None, None, "how the server steps", choices=tuple(OPTIMISERS), tune=among(*OPTIMISERS)
    )
    __post_init__ = check

    @property
    def rounds(self) -> int:
        return self.epochs

    def fit(self, train: Interactions, rng: np.random.Generator) -> Factors:
        return learnt(self, train, rng)  # type: ignore[return-value]

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Factors]]:
        return steps(self, train, rng)  # type: ignore[return-value]

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Told:
        return Told(rng.normal(0, self.init, (sizes.items, self.factors)))

    def collect(self, block: Interactions, told: Told, rng: np.random.Generator) -> dict[str, Array]:
        return proxy(*self.messages(block, told, rng), told.items.size)

    def messages(self, block: Interactions, told: Told, rng: np.random.Generator) -> Messages:
        cells = chosen(block.n_users, told.items.size, self.k, rng)
        return cells, ldp_module(self.gradients(block, told, cells), OneBitGradient(self.epsilon, told.items.size))

    def gradients(self, block: Interactions, told: Told, cells: Array) -> Array:
        """What every phone's history says of these cells, before the coin."""
        met, items = histories(block), told.items.astype(np.float32)
        users = tastes(met, told.items, self.alpha, self.regularization)
        return at_cells(met, users, items, self.alpha, cells)

    def learn(self, told: Told, sums: Mapping[str, Array], rng: np.random.Generator) -> Told:
        """Eq. 9, then 20 steps of Algorithm 2."""
        bits, sent = OneBitGradient(self.epsilon, told.items.size), reports(sums)
        by = sent if self.mean == "report" else sent / self.k
        found = bits.scale / by * balance(sums, told.items.shape)
        slope = -2 * found if self.direction == "down" else found
        items, kept = told.items, told.kept
        for _ in range(STEPS):
            pull = 2 * self.regularization * items
            items, kept = OPTIMISERS[self.optimiser](items, slope + pull, self.learning_rate, kept)
        return Told(items, told.epoch + 1, kept)

    def model(self, told: Told, train: Interactions) -> Factors:
        return at_home(told, train, self.alpha, self.regularization)

    def holds(self, size: Volume) -> float:
        return _sent(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        counts = "whole run" if self.epochs == 1 else "one epoch"
        claim = Claim(self.k * self.epsilon, 0.0, "user", "replace", "Theorem 3 and Section 5.1", counts)
        return bits_ledger(self.epsilon, self.k, self.epochs, self.factors, sizes, claim)


@dataclass(frozen=True)
class FMFLDPStable:
    """The same bits, thawed. Nothing more is asked of anybody.

    The phone scales its x to a largest entry of 1, so that no gradient vanishes inside [−1, 1]; the server keeps the
    columns of V orthonormal, so that noise cannot make V grow and x shrink, and takes shorter and shorter steps.
    """

    epsilon: float = _epsilon()
    k: int = _k()
    epochs: int = _epochs()
    factors: int = _factors()
    learning_rate: float = parameter(
        0.3, 1e-4, 100.0, "η: the step of epoch t is η/(1+t)", tune=dial(0.01, 10, first=True)
    )
    regularization: float = _regularization()
    alpha: float = _alpha()
    __post_init__ = check

    @property
    def rounds(self) -> int:
        return self.epochs

    def fit(self, train: Interactions, rng: np.random.Generator) -> Factors:
        return learnt(self, train, rng)  # type: ignore[return-value]

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Factors]]:
        return steps(self, train, rng)  # type: ignore[return-value]

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Told:
        return Told(orthonormal(rng.normal(size=(sizes.items, self.factors))))

    def collect(self, block: Interactions, told: Told, rng: np.random.Generator) -> dict[str, Array]:
        return proxy(*self.messages(block, told, rng), told.items.size)

    def messages(self, block: Interactions, told: Told, rng: np.random.Generator) -> Messages:
        cells = chosen(block.n_users, told.items.size, self.k, rng)
        return cells, ldp_module(self.gradients(block, told, cells), OneBitGradient(self.epsilon, told.items.size))

    def gradients(self, block: Interactions, told: Told, cells: Array) -> Array:
        """What every phone's history says of these cells, before the coin: cut to what the coin can say."""
        met, items = histories(block), told.items.astype(np.float32)
        users = tastes(met, told.items, self.alpha, self.regularization)
        return at_cells(met, users, items, self.alpha, cells, level(users))

    def learn(self, told: Told, sums: Mapping[str, Array], rng: np.random.Generator) -> Told:
        found = OneBitGradient(self.epsilon, told.items.size).scale / reports(sums) * balance(sums, told.items.shape)
        return Told(orthonormal(told.items + self.learning_rate / (1 + told.epoch) * found), told.epoch + 1)

    def model(self, told: Told, train: Interactions) -> Factors:
        return at_home(told, train, self.alpha, self.regularization)

    def holds(self, size: Volume) -> float:
        return _sent(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return bits_ledger(self.epsilon, self.k, self.epochs, self.factors, sizes)


@dataclass(frozen=True)
class ItemSign:
    """Few reports that say more: a film of the history and a sign, hidden among all films and both signs.

    In a random cell nearly every phone has p = 0 and sends −(XᵀX)v_i, which knows no film; here every report is about
    a film its phone met. Which factor the sign is for is drawn in the open. The server looks at the direction alone.
    """

    epsilon: float = _epsilon(10.0)
    k: int = _k(1)
    epochs: int = _epochs(5)
    factors: int = _factors()
    learning_rate: float = parameter(
        3.0, 1e-3, 100.0, "η: the step of epoch t is η/(1 + 0.3t)", tune=dial(0.1, 30, first=True)
    )
    regularization: float = _regularization()
    alpha: float = _alpha()
    __post_init__ = check

    @property
    def rounds(self) -> int:
        return self.epochs

    def fit(self, train: Interactions, rng: np.random.Generator) -> Factors:
        return learnt(self, train, rng)  # type: ignore[return-value]

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Factors]]:
        return steps(self, train, rng)  # type: ignore[return-value]

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Told:
        return Told(orthonormal(rng.normal(size=(sizes.items, self.factors))))

    def collect(self, block: Interactions, told: Told, rng: np.random.Generator) -> dict[str, Array]:
        return proxy(*self.messages(block, told, rng), told.items.size)

    def messages(self, block: Interactions, told: Told, rng: np.random.Generator) -> Messages:
        met = histories(block)
        users = level(tastes(met, told.items, self.alpha, self.regularization))
        items, factor = one_of_each(met, self.k, rng), rng.integers(0, self.factors, (block.n_users, self.k))
        plus = rng.random(items.shape) < (1 + np.take_along_axis(users, factor, axis=1)) / 2
        sets = released(hiding(self.epsilon, block.n_items), 2 * items + plus)
        return sets // 2 * self.factors + factor[:, :, None], sets % 2

    def learn(self, told: Told, sums: Mapping[str, Array], rng: np.random.Generator) -> Told:
        found = unit(balance(sums, told.items.shape)) * np.sqrt(self.factors)
        step = self.learning_rate / (1 + COOLING * told.epoch)
        return Told(orthonormal(told.items + step * found), told.epoch + 1)

    def model(self, told: Told, train: Interactions) -> Factors:
        return at_home(told, train, self.alpha, self.regularization)

    def holds(self, size: Volume) -> float:
        sets = hiding(self.epsilon, size.items).d
        return 32.0 * held.blocks(size) * self.k * sets + held.kept_blocks(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        what = "a film of the history and a sign, hidden among all films and both signs"
        return local_ledger(what, hiding(self.epsilon, sizes.items), self.k * self.epochs, sizes)


# ---------------------------------------------------------------------------------------- what they share


def _sent(system: FMFLDP | FMFLDPStable, size: Volume) -> float:
    """The messages of one block with the vectors that each of them looks up, and what all blocks keep."""
    cells = (4.0 * system.factors + 20.0) * held.blocks(size) * system.k
    return cells + held.half_steps(size, system.factors, alone=True) + held.kept_blocks(size)


def at_home(told: Told, train: Interactions, alpha: float, regularization: float) -> Factors:
    """Every phone scores with the V that was told last and a taste vector of its own."""
    users = tastes(histories(train), told.items, alpha, regularization)
    return AtPhones(users, told.items.astype(np.float32), alpha, regularization)


def clipped(system: Any, model: Factors, train: Interactions, rng: np.random.Generator) -> float:
    """The share of gradient values that the projection to [−1, 1] would cut now, at 20 random cells of each phone.

    Nobody but us can see it. NaN where nothing is projected.
    """
    if isinstance(system, ItemSign):
        return math.nan
    cells = chosen(train.n_users, model.items.size, 20, rng)
    along = level(model.users) if isinstance(system, FMFLDPStable) else None
    values = at_cells(histories(train), model.users, model.items, model.alpha, cells, along)
    return float((np.abs(values) > 1).mean())


def hiding(epsilon: float, items: int) -> SubsetSelection:
    """A film and a sign as one of 2M symbols."""
    return SubsetSelection(epsilon, k=2 * items)


def unit(x: Array) -> Array:
    """`x` at length 1; nothing stays nothing."""
    return x / max(float(np.linalg.norm(x)), 1e-300)


def bits_ledger(
    epsilon: float, k: int, epochs: int, factors: int, sizes: Sizes, claimed: Claim | None = None
) -> Ledger:
    """k one-bit gradients of a phone in every epoch."""
    bits = OneBitGradient(epsilon, sizes.items * factors)
    return local_ledger("the sign of one gradient cell drawn at random", bits, k * epochs, sizes, claimed)


def local_ledger(what: str, mechanism: Mechanism, count: int, sizes: Sizes, claimed: Claim | None = None) -> Ledger:
    """`count` reports of every phone over the whole run; any change of a history may change all of them."""
    neighbours: dict[tuple[Unit, Relation], Change | Unbounded] = {
        ("user", "replace"): Change(), ("interaction", "add-remove"): Change(), ("interaction", "swap"): Change(),
        ("user", "add-remove"): SEEN,
    }  # fmt: skip
    return Ledger(
        releases=(Release(what, mechanism, neighbours, count, crowd=sizes.users),),
        public=("the catalogue", "who takes part", "what a report is about, drawn whatever the data"),
        assumed=(FRESH, SPLIT, AT_HOME),
        trust="nobody (local)",
        claimed=claimed,
        counts_public=True,
    )


BILL: tuple[Unit, Relation] = ("user", "replace")
SYSTEMS: dict[str, Entry] = {
    "fmf-ldp": Entry(FMFLDP(), "ranking", "paper", "one-bit gradients from every phone, as printed", terms=BILL),
    "fmf-ldp-stable": Entry(
        FMFLDPStable(), "ranking", "repaired", "the same bits, vectors kept at length one", terms=BILL
    ),
    "item-sign": Entry(ItemSign(), "ranking", "beyond", "few reports of a met film and a sign", terms=BILL),
}
