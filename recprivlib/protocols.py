"""The shapes everything else is made of. Read this file first.

    data ──> Interactions ──> System.fit ──> Model ──> evaluation ──> Report
                                 │                                      ▲
                                 └─> System.ledger(sizes) ──> guarantee ┘

Systems, models, ledgers and reports are frozen dataclasses. Nothing here computes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Any, Literal, Protocol, TypeVar, get_origin, get_type_hints, runtime_checkable

import numpy as np
import scipy.sparse as sp

Task = Literal["ranking", "rating"]
Role = Literal["baseline", "paper", "repaired", "beyond"]
Unit = Literal["interaction", "rating", "user"]
Relation = Literal["add-remove", "replace-value", "swap", "replace"]
View = Literal["server", "shuffled", "model"]
Array = np.ndarray
_T = TypeVar("_T")
AtHome = Annotated[_T, "phones keep it to themselves: row u is made by person u's phone and stays there"]


# ---------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Sizes:
    """What everybody may know about a data set: it is all a ledger may depend on."""

    users: int
    items: int
    grid: tuple[float, ...] | None = None  # the ratings that can occur; None: implicit feedback


@dataclass(frozen=True)
class Volume:
    """How much data there is: all that the memory of a run may be estimated from."""

    users: int
    items: int
    interactions: int
    longest: int  # interactions of the person with the most of them


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

    @property
    def volume(self) -> Volume:
        longest = int(np.bincount(self.users, minlength=1).max())
        return Volume(self.n_users, self.n_items, len(self), longest)

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

    @staticmethod
    def from_histories(matrix: sp.csr_array) -> Interactions:
        """People of whom only is known what they met: the entries of a users × items matrix."""
        met = matrix.tocsr().sorted_indices()
        users = np.repeat(np.arange(met.shape[0], dtype=np.int32), np.diff(met.indptr))
        ones, zeros = np.ones(met.nnz, np.float32), np.zeros(met.nnz, np.int64)
        return Interactions(users, met.indices.astype(np.int32), ones, zeros, *met.shape)

    def take(self, rows: Array) -> Interactions:
        """The interactions at `rows` (indices or a mask), over the same users and items."""
        return Interactions(
            self.users[rows], self.items[rows], self.ratings[rows], self.times[rows], self.n_users, self.n_items,
            self.grid, self.user_features, self.item_features,
        )  # fmt: skip

    def of(self, users: Array | slice) -> Interactions:
        """The data of `users` alone, numbered from 0 in their order; who is named twice is there twice.

        A slice (of step 1) copies nothing but the numbers of the users.
        """
        first = np.searchsorted(self.users, np.arange(self.n_users + 1))
        lengths = np.diff(first)[users]
        if isinstance(users, slice):
            inside = range(*users.indices(self.n_users))
            rows: Any = slice(*(first[[inside.start, inside.stop]] if len(inside) else (0, 0)))
        else:
            ends = np.cumsum(lengths)
            rows = np.repeat(first[users] - (ends - lengths), lengths) + np.arange(lengths.sum())
        return Interactions(
            np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), self.items[rows], self.ratings[rows],
            self.times[rows], len(lengths), self.n_items, self.grid,
            {name: values[users] for name, values in self.user_features.items()}, self.item_features,
        )  # fmt: skip


# ------------------------------------------------------------------------------------ systems, models


class Model(Protocol):
    """A trained recommender: a frozen dataclass of arrays. No untrained state exists.

    Where it makes sense a model also has `fold_in(people: Interactions) -> Model`, whose user u is person u of
    `people`, with her ratings, times and features: somebody the training never saw.

    Fields of a type `AtHome[…]` never leave the phones: row u is person u's. The others are what the world may see.
    """

    def score(self, users: Array, items: Array) -> Array:
        """One score a (user, item) pair; `users` and `items` broadcast as in NumPy.

        Pairs: both (n,). Candidates: (n, 1) and (n, C). The whole catalogue: (n, 1) and (1, n_items).
        A ranking model's scores order items; a rating model's are in stars.
        """
        ...


def broadcast(model: Any) -> dict[str, Any]:
    """The fields of a model that leave the phones, by name: all but those of a type `AtHome[…]`."""
    kinds = get_type_hints(type(model), include_extras=True)
    return {one.name: getattr(model, one.name) for one in fields(model) if get_origin(kinds[one.name]) is not Annotated}


class System(Protocol):
    """Hyper-parameters as a frozen dataclass. Iterative systems also offer `steps`, whose last item is `fit`."""

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model: ...

    def ledger(self, sizes: Sizes) -> Ledger:
        """What a run releases about people, as data. An empty ledger means: no privacy at all is promised."""
        ...

    def holds(self, size: Volume) -> float:
        """The most bytes that `fit`, or scores of its model, hold at once beside the data: an estimate, from which
        capacity.py tells whether a run fits before it begins. models/held.py has the terms."""
        ...


@runtime_checkable
class Steps(Protocol):
    """An iterative system: (progress from 0 to 1, model so far), cancelled by closing the generator."""

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]: ...


def last(steps: Iterator[tuple[float, Any]]) -> Any:
    """What an iterative system ends with: its `fit`."""
    return deque(steps, maxlen=1)[0][1]


@runtime_checkable
class Federated(Protocol):
    """A system that learns from sums over phones, in one round or many; population.py plays the rounds.

        start ──told──> collect (each block of phones) ──sums──> learn ──told──> collect … ──told──> model (at home)

    `told` is all that the server ever knows, and tells everybody; after the last round it is what it has learnt.
    Only whole numbers (or fixed point) cross blocks, so the number of shards changes nothing.
    """

    @property
    def rounds(self) -> int:
        """How often everybody is asked."""
        ...

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        """What the server tells everybody before anybody has answered."""
        ...

    def collect(self, block: Interactions, told: Any, rng: np.random.Generator) -> Mapping[str, Array]:
        """What the phones of one block send, summed: integer arrays (exact in any order)."""
        ...

    def learn(self, told: Any, sums: Mapping[str, Array], rng: np.random.Generator) -> Any:
        """What the server knows after a round. Of people's data it gets the sums and nothing else."""
        ...

    def model(self, told: Any, train: Interactions) -> Model:
        """What the phones make of it, each with its own history."""
        ...


@dataclass(frozen=True)
class Entry:
    """A line of the registry: one named system and what a reader should know before choosing it."""

    system: Any
    task: Task
    role: Role
    gloss: str
    personalised: bool = True
    terms: tuple[Unit, Relation] | None = None  # what its bill is stated in by default; None: not private
    protocol: str | None = None  # how it is evaluated unless one says otherwise; None: as its task is


# ------------------------------------------------------------------------------------------- privacy


class Mechanism(Protocol):
    """A randomised release and its exact privacy, as data (one of the losses in mechanisms/losses.py)."""

    def release(self, x: Any, rng: np.random.Generator) -> Any: ...

    def loss(self, distance: float = 1.0) -> Any: ...


@dataclass(frozen=True)
class Change:
    """How far two neighbours are apart where a release reads them.

    `inputs` of the mechanism differ (each is noised on its own, so they compose), each by at most `distance`
    in the mechanism's own unit of sensitivity; `back` of them change the other way round, as in a swap one bit falls
    and another rises (None: nobody knows, and the dearest is counted). Of a sum over a random sample `records`
    differ, each drawn on its own, all under the one noise of that sum.
    """

    inputs: int = 1
    distance: float = 1.0
    records: int = 1
    back: int | None = None


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
    batch: int = 1  # of one person's reports that a shuffler leaves together, as one message


@dataclass(frozen=True)
class Claim:
    """What a paper says its system guarantees, at the paper's own terms."""

    epsilon: float
    delta: float
    unit: Unit
    relation: Relation
    where: str  # "eq. 3 and Theorem 3.1 of [38]"
    counts: str = "whole run"  # or "one epoch", "one report": what the claim adds up
    view: View | None = None  # whom it is made against; None: whoever sees most of what is released
    at: Callable[[float], float] | None = None  # ε at another δ, if it says that too


@dataclass(frozen=True)
class Ledger:
    """Everything a run releases, with what is taken as public and what is assumed."""

    releases: tuple[Release, ...] = ()
    public: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    trust: str = ""  # "nobody (local)", "an honest shuffler", "the server"
    claimed: Claim | None = None
    readings: Mapping[str, tuple[Release, ...]] = field(default_factory=dict)  # the same noise, accounted otherwise
    tuned: tuple[str, ...] = ()  # what was chosen by looking at data, which no bill prices

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
    users: int  # whom it learnt from, and of whom the bill speaks
    notes: tuple[str, ...] = ()
    per_user: Mapping[str, Array] = field(default_factory=dict, repr=False, compare=False)
