"""The systems: one network for all, adapted at home, trained in rounds with privacy and without."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from recprivlib.accounting.rounding import summed
from recprivlib.mechanisms import Cohort, VectorGaussian
from recprivlib.mechanisms.gate import drawn, released
from recprivlib.models import held
from recprivlib.papers.privrec.claim import claimed_epsilon
from recprivlib.papers.privrec.meta import gradients, maml, reptile
from recprivlib.papers.privrec.network import ACTIVATIONS, Shape
from recprivlib.papers.privrec.phones import TOGETHER, FineTuned, Practice
from recprivlib.papers.privrec.training import SIZES, Adam, PhoneTraining, Start, rounds, sound
from recprivlib.parameters import BUDGET, PRICE, READING, UserError, among, check, dial, parameter
from recprivlib.protocols import Array, Claim, Entry, Interactions, Ledger, Relation, Release, Sizes, Unit, Volume, last
from recprivlib.yardsticks.plain import AT_HOME
from recprivlib.yardsticks.trusted import DPGram

LEAST, MOST = 1e-6, 1e6  # of the clipping bound
KINDS, FEATURES = 1000, 19  # combinations of genres that items have, and genres: what an estimate of memory takes
Steps = Iterator[tuple[float, FineTuned]]


def _cohort(*more: int) -> Any:
    return parameter(
        30, 1, 100_000, "M, phones that train in one round", tune=among(10, 20, 30, 60, *more, splits=True)
    )


def _rounds(default: int = 300) -> Any:
    return parameter(default, 1, 100_000, "E₁, rounds of the server", tune=dial(20, 1000, splits=True))


def _local_epochs() -> Any:
    return parameter(20, 1, 1_000, "E₂, passes of a phone over its history in one round", tune=dial(2, 120))


def _learning_rate() -> Any:
    return parameter(0.3, 1e-6, 100.0, "α₁, step of a phone", tune=dial(0.03, 2, first=True))


def _server_rate() -> Any:
    return parameter(1.0, 1e-3, 10.0, "α₃, how far the server goes along", tune=dial(0.1, 2, splits=True))


def _proximal() -> Any:
    return parameter(0.01, 0.0, 100.0, "μ, pull of a phone's weights towards the server's", tune=dial(1e-4, 1))


def _fine_tune(default: int = 5) -> Any:
    return parameter(
        default, 0, 1_000, "passes over one's own history before one's list is made", tune=among(0, 1, 5, 10, 20)
    )


def _home_rate(default: float = 0.03) -> Any:
    return parameter(default, 1e-6, 100.0, "step of these passes", tune=dial(0.003, 1))


def _size(*less: str) -> Any:
    return parameter(
        "large", None, None, "how large the network is", choices=tuple(SIZES),
        tune=among(*less, "small", "medium", "large", "paper"),
    )  # fmt: skip


def _negatives() -> Any:
    return parameter(4.0, 0.0, 100.0, "unseen items that count as zeros, for each item that was met", tune=dial(1, 20))


def networks(system: PhoneTraining, size: Volume, phones: int, each: int = 4) -> float:
    """Networks of so many phones at once, the weights of a cohort, and everybody's histories by kinds of items."""
    kinds = features = size.items
    if not system.ids:
        kinds, features = min(size.items, KINDS), FEATURES
    embedding, hidden = SIZES[system.size]
    weights = Shape((), features, embedding, hidden).weights
    at_once = held.network(kinds, weights, sum(hidden), min(phones, size.users), system.cohort, each)
    return at_once + 24.0 * size.interactions + 8.0 * held.scored(size)


# ------------------------------------------------------------------------------------------ without privacy


@dataclass(frozen=True)
class PrivRec(PhoneTraining):
    """Algorithm 1: local epochs on each phone of a cohort, then θ₀ moves towards the mean of where they end."""

    cohort: int = _cohort()
    rounds: int = _rounds()
    local_epochs: int = _local_epochs()
    learning_rate: float = _learning_rate()
    server_rate: float = _server_rate()
    proximal: float = _proximal()
    fine_tune: int = _fine_tune()
    home_rate: float = _home_rate()
    size: str = _size()
    negatives: float = _negatives()
    labels: str = parameter("met", None, None, "what a one is: any item met, or more than 3 stars",
                            choices=("met", "stars"), tune=READING)  # fmt: skip
    activation: str = parameter("relu", None, None, "φ of the hidden layers", choices=tuple(ACTIVATIONS), tune=READING)
    ids: bool = False  # fofl-self: items by their number, and nothing about people
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> FineTuned:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Steps:
        practice = Practice(self.local_epochs, self.learning_rate, self.proximal)

        def move(start: Start, theta: Array, members: Array, turn: int) -> Array:
            updates = reptile(start.network, theta, start.phones, members, practice)
            return theta + np.float32(self.server_rate) * updates.mean(axis=0)

        return rounds(self, train, rng, move)

    def holds(self, size: Volume) -> float:
        return networks(self, size, TOGETHER)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()  # raw updates leave the phones


@dataclass(frozen=True)
class Central(PhoneTraining):
    """The same network where all histories lie in one place: steps of Adam on the mean gradient of a cohort."""

    cohort: int = _cohort()
    rounds: int = _rounds()
    local_epochs: int = parameter(5, 1, 1_000, "steps of Adam on each cohort", tune=dial(1, 20))
    adam_rate: float = parameter(0.01, 1e-6, 1.0, "step of Adam", tune=dial(0.001, 0.1, first=True))
    fine_tune: int = _fine_tune(20)
    home_rate: float = _home_rate()
    size: str = _size()
    negatives: float = _negatives()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> FineTuned:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Steps:
        adam = Adam(self.adam_rate)

        def move(start: Start, theta: Array, members: Array, turn: int) -> Array:
            for _ in range(self.local_epochs):
                theta = theta + adam.step(gradients(start.network, theta, start.phones, members).mean(axis=0))
            return theta

        return rounds(self, train, rng, move)

    def holds(self, size: Volume) -> float:
        return networks(self, size, self.cohort)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class NNSelf(PhoneTraining):
    """MAML on the same network: a step learnt on half of a history has to help on the other half (eqs. 4, 5)."""

    cohort: int = _cohort()
    rounds: int = _rounds(1000)
    local_epochs: int = parameter(1, 1, 100, "steps of a phone on its support set", tune=among(1, 2, 5))
    learning_rate: float = _learning_rate()
    adam_rate: float = parameter(0.01, 1e-6, 1.0, "step of Adam along the meta-gradient, for α₂", tune=dial(0.001, 0.1))
    order: int = parameter(2, 1, 2, "of the meta-gradient; 1 leaves second derivatives out", tune=READING)
    fine_tune: int = _fine_tune(1)
    home_rate: float = _home_rate(0.3)
    size: str = _size()
    negatives: float = _negatives()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> FineTuned:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Steps:
        practice, adam = Practice(self.local_epochs, self.learning_rate, 0.0), Adam(self.adam_rate)

        def move(start: Start, theta: Array, members: Array, turn: int) -> Array:
            updates = maml(start.network, theta, start.phones, members, practice, self.order, rng)
            return theta + adam.step(updates.mean(axis=0))

        return rounds(self, train, rng, move)

    def holds(self, size: Volume) -> float:
        return networks(self, size, self.cohort, 4 * self.order)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


# --------------------------------------------------------------------------------------------- with privacy


@dataclass(frozen=True, eq=False)
class Round:
    """One round of DP-PrivRec. `norms` are known to the server alone: a model never carries them."""

    turn: int
    theta: Array  # θ₀ after the round
    bound: float  # S, by which this round clipped
    norms: Array  # of the cohort's updates, before clipping
    moved: float  # length of the mean of the clipped updates
    noise: float  # length of the noise on it


@dataclass(frozen=True)
class DPPrivRec(PhoneTraining):
    """Algorithm 2: the mean of clipped updates and the share below the bound are released with noise, together."""

    cohort: int = _cohort(120, 300)  # more phones and fewer weights shorten the noise
    rounds: int = _rounds(1000)
    noise_multiplier: float = parameter(1.0, 0.05, 1_000.0, "z, noise over the sensitivity 2S/M", tune=BUDGET)
    unclipped_quantile: float = parameter(
        0.5, 0.01, 0.99, "γ, share of the updates that should stay unclipped", tune=dial(0.05, 0.95, "linear")
    )
    balance: float = parameter(
        0.7,
        0.0,
        0.99,
        "h, share of the budget that counts for S; 0: S stays where it is",
        tune=dial(0.05, 0.95, "linear"),
    )
    clip_init: float = parameter(0.1, LEAST, MOST, "S₀, the first clipping bound", tune=dial(0.01, 40))
    clip_rate: float = parameter(0.1, 1e-4, 10.0, "α₄, how fast the bound moves", tune=dial(0.01, 1))
    rule: str = parameter("geometric", None, None, "S·e^−step, or S − step as in line 11",
                          choices=("geometric", "linear"), tune=READING)  # fmt: skip
    order: str = parameter("before", None, None, "an update is compared with S before it is clipped, or as printed",
                           choices=("before", "printed"), tune=READING)  # fmt: skip
    sampling: str = parameter(
        "fixed-size", None, None, "how a cohort is drawn", choices=("fixed-size", "poisson"), tune=PRICE
    )
    local_epochs: int = _local_epochs()
    learning_rate: float = _learning_rate()
    server_rate: float = _server_rate()
    proximal: float = _proximal()
    fine_tune: int = _fine_tune()
    home_rate: float = _home_rate()
    size: str = _size("tiny")
    negatives: float = _negatives()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> FineTuned:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Steps:
        start = Start.of(self, train, rng)
        return ((each.turn / self.rounds, start.model(each.theta)) for each in self.watched(start))

    def watched(self, start: Start) -> Iterator[Round]:
        """The rounds as the server sees them."""
        practice = Practice(self.local_epochs, self.learning_rate, self.proximal)
        theta, bound, people = start.theta, self.clip_init, len(start.phones)
        for turn in range(1, self.rounds + 1):
            event = self.event(people, bound)
            members = drawn(event, people)
            updates = _finite(reptile(start.network, theta, start.phones, members, practice))
            norms = np.linalg.norm(updates.astype(float), axis=1)
            below = (norms <= bound) if self.order == "before" else np.ones(len(norms), bool)
            sent = (updates, below.astype(float))[: len(event.parts)]
            total, *inside = released(event, sent)
            exact = event.sums(sent)[0]
            theta = sound((theta + self.server_rate / self.cohort * total).astype(np.float32), turn)
            yield Round(turn, theta, bound, norms, float(np.linalg.norm(exact)) / self.cohort,
                        float(np.linalg.norm(total - exact)) / self.cohort)  # fmt: skip
            bound = self._next(bound, float(inside[0]) / self.cohort, turn) if inside else bound

    def _next(self, bound: float, share: float, turn: int) -> float:
        """Eq. 9, or its geometric form (Andrew, Thakkar, McMahan & Ramaswamy 2021)."""
        step = self.clip_rate * (share - self.unclipped_quantile)
        bound = max(LEAST, bound * math.exp(min(-step, 50.0)) if self.rule == "geometric" else bound - step)
        if not bound <= MOST:
            raise UserError(f"training stopped in round {turn}: the clipping bound has grown to {bound:.3g}; "
                            "try a larger cohort, a smaller network or less noise")  # fmt: skip
        return bound

    def event(self, people: int, bound: float = 1.0, count: float = 1.0, sampling: str = "") -> Cohort:
        """Lines 8 to 10: noise 2Sz/√(1−h) on the sum of updates, 2z/√h on the number below S.

        `count` is the length of one phone's b_τ: 1 as the paper has it, ½ about its middle. Noise stands outside α₃.
        """
        update = VectorGaussian(2 * self.noise_multiplier / math.sqrt(1 - self.balance) / self.server_rate, clip=bound)
        parts = [update]
        if self.balance:
            parts.append(VectorGaussian(2 * self.noise_multiplier / math.sqrt(self.balance) / count, clip=count))
        return Cohort(tuple(parts), self.cohort / people, sampling or self.sampling)

    def holds(self, size: Volume) -> float:
        return networks(self, size, TOGETHER)

    def ledger(self, sizes: Sizes) -> Ledger:
        self._fits(sizes)
        hair = summed(sizes.users)

        def line(**reading: Any) -> tuple[Release]:
            event = self.event(sizes.users, **reading)
            near = {terms: replace(change, rounding=hair) for terms, change in event.neighbours.items()}
            return (Release(WHAT, event, near, self.rounds, ("model",)),)

        at = partial(claimed_epsilon, self.cohort, sizes.users, self.rounds, self.noise_multiplier)
        claim = Claim(at(1e-5), 1e-5, "user", "replace", "Section 2.3.4 with autodp, as in Tables 3 and 4", at=at)
        other = "poisson" if self.sampling == "fixed-size" else "fixed-size"
        readings = {COUNT: line(count=0.5)} if self.balance else {}
        readings[f"the same noise on {other} cohorts"] = line(sampling=other)
        return Ledger(line(), PUBLIC, ASSUMED, "the server", claim, readings, counts_public=True)

    def _fits(self, sizes: Sizes) -> None:
        if self.cohort > sizes.users:
            raise UserError(f"cohort is {self.cohort}, but there are only {sizes.users} people to draw it from")


def _finite(updates: Array) -> Array:
    """An update with a number that is none counts as zero: what a phone sends must not tell that it failed."""
    return np.where(np.isfinite(updates).all(axis=1, keepdims=True), updates, 0)


WHAT = "the sum of a cohort's clipped updates and how many of them were below the bound, both noisy"
COUNT = "the same noise, with the true reach of the count: a yes or no moves it by 1, where the paper says 2"
PUBLIC = (
    "the catalogue with its features", "what may be answered about oneself", "how many people a cohort is drawn from",
)  # fmt: skip
ASSUMED = (
    "the server sees updates as they are, draws the cohorts in secret and adds the noise",
    AT_HOME,
)

BILL: tuple[Unit, Relation] = ("user", "replace")


def _entry(system: Any, role: Any, gloss: str, terms: Any = None) -> Entry:
    return Entry(system, "ranking", role, gloss, terms=terms, protocol="user-split")


SYSTEMS: dict[str, Entry] = {
    "privrec": _entry(PrivRec(), "paper", "phones train one network of features together, and fine-tune it at home"),
    "privrec-cen": _entry(Central(), "baseline", "the same network where all histories lie in one place"),
    "fofl-self": _entry(
        PrivRec(rounds=60, learning_rate=0.6, proximal=0.0, fine_tune=10, home_rate=0.3, ids=True), "baseline",
        "the same training on items' numbers alone",
    ),
    "nn-self": _entry(NNSelf(), "baseline", "the same network, trained by MAML"),
    "dp-privrec": _entry(DPPrivRec(), "paper", "clipped updates and a learnt bound, with noise of the server", BILL),
    "dp-gram": _entry(
        DPGram(), "beyond", "popularity and what people like beside it, two noisy sums", ("user", "add-remove")
    ),
}  # fmt: skip
