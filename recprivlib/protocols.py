"""The shapes everything else is made of. Read this file first.

    data ──> Interactions ──> System.fit ──> Model ──> evaluation ──> Report
                                 │                                      ▲
                                 └─> System.ledger(sizes) ──> guarantee ┘

Systems, models, ledgers and reports are frozen dataclasses. Nothing here computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

Task = Literal["ranking", "rating"]
Role = Literal["baseline", "paper", "repaired", "beyond"]
Unit = Literal["interaction", "rating", "user"]
Relation = Literal["add-remove", "replace-value", "swap", "replace"]
View = Literal["server", "shuffled", "model"]
Array = np.ndarray


# ---------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Sizes:
    """What everybody may know about a data set: it is all a ledger may depend on."""

    users: int
    items: int
    cap: int | None = None  # public cap on the interactions of one user; None: there is none
    grid: tuple[float, ...] | None = None  # the ratings that can occur; None: implicit feedback


@dataclass(frozen=True, eq=False)
class Interactions:
    """Who met what, in canonical order: rows sorted by (user, time, item), each pair once."""

    users: Array  # int32 (n,)
    items: Array  # int32 (n,)
    ratings: Array  # float32 (n,); all ones where feedback is implicit
    times: Array  # int64 (n,), seconds; zeros where unknown
    n_users: int
    n_items: int
    grid: tuple[float, ...] | None = None
    user_features: Mapping[str, Array] = field(default_factory=dict)  # name -> (n_users, …)
    item_features: Mapping[str, Array] = field(default_factory=dict)  # name -> (n_items, …)

    def __len__(self) -> int:
        return len(self.users)

    @property
    def sizes(self) -> Sizes:
        return Sizes(self.n_users, self.n_items, grid=self.grid)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """R: users × items, one where they met (float32, sorted indices)."""
        return self._csr(np.ones(len(self), np.float32))

    @cached_property
    def rating_matrix(self) -> sp.csr_array:
        """The ratings as a sparse users × items matrix (float32)."""
        return self._csr(self.ratings)

    def _csr(self, data: Array) -> sp.csr_array:
        starts = np.zeros(self.n_users + 1, np.int32)
        np.cumsum(np.bincount(self.users, minlength=self.n_users), out=starts[1:])
        order = np.lexsort((self.items, self.users))
        return sp.csr_array((data[order], self.items[order], starts), shape=(self.n_users, self.n_items))

    def take(self, rows: Array) -> Interactions:
        """The interactions at `rows` (indices or a mask), over the same users and items."""
        return Interactions(
            self.users[rows], self.items[rows], self.ratings[rows], self.times[rows], self.n_users, self.n_items,
            self.grid, self.user_features, self.item_features,
        )  # fmt: skip


# ------------------------------------------------------------------------------------ systems, models


class Model(Protocol):
    """A trained recommender: a frozen dataclass of arrays. No untrained state exists.

    Where it makes sense a model also has `fold_in(histories: csr_array) -> Model`, whose user u is row u of
    `histories`: people the training never saw.
    """

    def score(self, users: Array, items: Array) -> Array:
        """One score a (user, item) pair; `users` and `items` broadcast as in NumPy.

        Pairs: both (n,). Candidates: (n, 1) and (n, C). The whole catalogue: (n, 1) and (1, n_items).
        A ranking model's scores order items; a rating model's are in stars.
        """
        ...


class System(Protocol):
    """Hyper-parameters as a frozen dataclass. Iterative systems also offer `steps`, whose last item is `fit`."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model: ...

    def ledger(self, sizes: Sizes) -> Ledger:
        """What a run releases about people, as data. An empty ledger means: no privacy at all is promised."""
        ...


@runtime_checkable
class Steps(Protocol):
    """An iterative system: (progress from 0 to 1, model so far), cancelled by closing the generator."""

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]: ...


@runtime_checkable
class Collects(Protocol):
    """A system whose server needs only sums over users: it can run in shards (see population.py).

    `fit` equals `learn` on the sum of `collect` over the blocks, so the number of shards changes nothing.
    """

    def collect(self, block: Interactions, rng: np.random.Generator) -> Mapping[str, Array]:
        """What the users of one block send, summed: integer arrays (exact in any order)."""
        ...

    def learn(self, sums: Mapping[str, Array], train: Interactions, rng: np.random.Generator) -> Model: ...


@dataclass(frozen=True)
class Entry:
    """A line of the registry: one named system and what a reader should know before choosing it."""

    system: Any
    task: Task
    role: Role
    gloss: str
    personalised: bool = True
    terms: tuple[Unit, Relation] | None = None  # what its bill is stated in by default; None: not private


# ------------------------------------------------------------------------------------------- privacy


class Mechanism(Protocol):
    """A randomised release and its exact privacy, as data (one of the losses in mechanisms/losses.py)."""

    def release(self, x: Array, rng: np.random.Generator) -> Array: ...

    def loss(self, distance: float = 1.0) -> Any: ...


@dataclass(frozen=True)
class Change:
    """How far two neighbours are apart where a release reads them.

    `inputs` of the mechanism differ (each is noised on its own, so they compose), each by at most `distance`
    in the mechanism's own unit of sensitivity.
    """

    inputs: int = 1
    distance: float = 1.0


@dataclass(frozen=True)
class Unbounded:
    """No bound on the change exists, and why (at most a dozen words)."""

    reason: str


@dataclass(frozen=True)
class Release:
    """Something that leaves a place of trust, `count` times over the whole run."""

    what: str
    mechanism: Mechanism
    neighbours: Mapping[tuple[Unit, Relation], Change | Unbounded]
    count: int = 1
    seen_by: tuple[View, ...] = ("server", "shuffled", "model")  # who sees it, or something computed from it alone
    partition: str = ""  # releases that share a name cost their maximum: any two neighbours differ in one of them alone
    crowd: int = 1  # honest people whose reports a shuffler mixes, each of the `count` times; same ε for any two inputs


@dataclass(frozen=True)
class Claim:
    """What a paper says its system guarantees, at the paper's own terms."""

    epsilon: float
    delta: float
    unit: Unit
    relation: Relation
    where: str  # "eq. 3 and Theorem 3.1 of [38]"
    counts: str = "whole run"  # or "one epoch", "one report": what the claim adds up


@dataclass(frozen=True)
class Ledger:
    """Everything a run releases, with what is taken as public and what is assumed."""

    releases: tuple[Release, ...] = ()
    public: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    trust: str = ""  # "nobody (local)", "an honest shuffler", "the server"
    claimed: Claim | None = None

    def __bool__(self) -> bool:
        return bool(self.releases)


@dataclass(frozen=True)
class Guarantee:
    """A bill: (ε, δ) at stated terms, with the way it was counted. ε may be infinite; then it says why."""

    epsilon: float
    delta: float
    unit: Unit
    relation: Relation
    view: View
    trust: str
    how: str
    assumptions: tuple[str, ...] = ()
    why_infinite: str = ""


# ------------------------------------------------------------------------------------------- reports


@dataclass(frozen=True)
class Report:
    """One run: one system, one data set, one protocol, one seed."""

    system: str
    params: Mapping[str, Any]
    data: str
    protocol: str
    seed: int
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]  # 95 %, bootstrap over users
    guarantee: Mapping[str, Any] | None  # {"claimed", "counted", "also"}, as on the command line; None: not private
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    per_user: Mapping[str, Array] = field(default_factory=dict, repr=False, compare=False)
