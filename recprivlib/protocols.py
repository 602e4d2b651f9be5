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
import scipy

Task = Literal["ranking", "rating"]
Role = Literal["baseline", "paper", "repaired", "beyond"]
Unit = Literal["interaction", "rating", "user"]
Relation = Literal["add-remove", "replace-value", "swap", "replace"]
View = Literal["server", "shuffled", "model"]
Array = np.ndarray
_T = TypeVar("_T")
#: The type of a model's field that phones keep to themselves: `AtHome[Array]`, whose row u is person u's.
AtHome = Annotated[_T, "phones keep it to themselves: row u is made by person u's phone and stays there"]


# ---------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Sizes:
    """What everybody may know about a data set: it is all that a ledger may depend on.

    >>> Sizes(943, 1682, grid=(1.0, 2.0, 3.0, 4.0, 5.0)).users
    943
    """

    users: int  #: how many people take part
    items: int  #: how many items the catalogue has
    grid: tuple[float, ...] | None = None  #: the ratings that can occur, rising; None: implicit feedback


@dataclass(frozen=True)
class Volume:
    """How much data there is: all that the memory of a run may be estimated from."""

    users: int
    items: int
    interactions: int
    longest: int  # interactions of the person with the most of them


@dataclass(frozen=True, eq=False)
class Interactions:
    """Who met what, in canonical order: rows sorted by (user, time, item), each (user, item) pair once.

    >>> import scipy.sparse as sp
    >>> met = Interactions.from_histories(sp.csr_array([[1, 0, 1], [0, 1, 0]]))
    >>> met.users, met.items, met.sizes
    (array([0, 0, 1], dtype=int32), array([0, 2, 1], dtype=int32), Sizes(users=2, items=3, grid=None))
    """

    users: Array  #: int32 (n,), from 0 to n_users − 1
    items: Array  #: int32 (n,), from 0 to n_items − 1
    ratings: Array  #: float32 (n,), on the grid; all ones where feedback is implicit
    times: Array  #: int64 (n,), seconds; zeros where unknown
    n_users: int  #: how many people there are, also those who met nothing
    n_items: int  #: how many items there are, also those that nobody met
    grid: tuple[float, ...] | None = None  #: the ratings that can occur, rising; None: implicit feedback
    user_features: Mapping[str, Array] = field(default_factory=dict)  #: name to (n_users, …)
    item_features: Mapping[str, Array] = field(default_factory=dict)  #: name to (n_items, …)

    def __len__(self) -> int:
        return len(self.users)

    @property
    def sizes(self) -> Sizes:
        """What everybody may know of it."""
        return Sizes(self.n_users, self.n_items, grid=self.grid)

    @property
    def volume(self) -> Volume:
        longest = int(np.bincount(self.users, minlength=1).max())
        return Volume(self.n_users, self.n_items, len(self), longest)

    @cached_property
    def matrix(self) -> scipy.sparse.csr_array:
        """R: users × items, one where they met (float32, sorted indices)."""
        return self._csr(np.ones(len(self), np.float32))

    @cached_property
    def rating_matrix(self) -> scipy.sparse.csr_array:
        """The ratings as a sparse users × items matrix (float32)."""
        return self._csr(self.ratings)

    def _csr(self, data: Array) -> scipy.sparse.csr_array:
        starts = np.zeros(self.n_users + 1, np.int32)
        np.cumsum(np.bincount(self.users, minlength=self.n_users), out=starts[1:])
        order = np.lexsort((self.items, self.users))
        return scipy.sparse.csr_array((data[order], self.items[order], starts), shape=(self.n_users, self.n_items))

    @staticmethod
    def from_histories(matrix: scipy.sparse.csr_array) -> Interactions:
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

    >>> from recprivlib import get, load, stream
    >>> model = get("popularity").system.fit(load("synthetic", users=60, items=100).interactions, stream(0, "fit"))
    >>> model.score(np.array([[0], [1]]), np.arange(100)[None, :]).shape
    (2, 100)

    Where it makes sense a model also folds in people that the training never saw: `FoldsIn`.

    Fields of a type `AtHome[…]` never leave the phones: row u is person u's. The others are what the world may see.
    """

    def score(self, users: Array, items: Array) -> Array:
        """One score a (user, item) pair.

        Parameters
        ----------
        users, items
            Numbers of people and items, integer arrays that broadcast as in NumPy. Pairs: both (n,). Candidates:
            (n, 1) and (n, C). The whole catalogue: (n, 1) and (1, n_items).

        Returns
        -------
        numpy.ndarray
            Finite floats of the broadcast shape. A ranking model's order items, a rating model's are in stars.
        """
        ...


def broadcast(model: Any) -> dict[str, Any]:
    """The fields of a model that leave the phones, by name: all but those of a type `AtHome[…]`."""
    kinds = get_type_hints(type(model), include_extras=True)
    return {one.name: getattr(model, one.name) for one in fields(model) if get_origin(kinds[one.name]) is not Annotated}


@runtime_checkable
class System(Protocol):
    """Hyper-parameters as a frozen dataclass.

    >>> from recprivlib import get
    >>> isinstance(get("dplcf-ap").system, System)
    True
    """

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        """Train on people's data.

        Parameters
        ----------
        train
            Everybody's interactions; they stay as they are.
        rng
            All random numbers of the run: the same state gives the same scores.

        Returns
        -------
        Model
            Its noise is made from the fields that `ledger` reports.
        """
        ...

    def ledger(self, sizes: Sizes) -> Ledger:
        """What a run releases about people of these public sizes. Empty: no privacy at all is promised."""
        ...


@runtime_checkable
class Holds(Protocol):
    """A system that says how much memory a run takes. Every registered one does; of others the data alone count.

    >>> from recprivlib import get
    >>> isinstance(get("dplcf-ap").system, Holds)
    True
    """

    def holds(self, size: Volume) -> float:
        """The most bytes that `fit`, or scores of its model, hold at once beside the data: an estimate, from which
        capacity.py tells whether a run fits before it begins. models/held.py has the terms."""
        ...


@runtime_checkable
class FoldsIn(Protocol):
    """A model that can score people whom the training never saw."""

    def fold_in(self, people: Interactions) -> Model:
        """The model whose user u is person u of `people`, with her ratings, times and features."""
        ...


@runtime_checkable
class HasTerms(Protocol):
    """A system whose settings decide what its bill is stated in; of others the registry's entry says it.

    >>> from recprivlib import get
    >>> system = get("dp-item-means").system
    >>> isinstance(system, HasTerms) and system.terms
    ('rating', 'replace-value')
    """

    @property
    def terms(self) -> tuple[Unit, Relation]:
        """The unit and the relation."""
        ...


@runtime_checkable
class HasRelation(Protocol):
    """A system or mechanism whose noise is made for one relation.

    >>> from recprivlib.mechanisms import MECHANISMS
    >>> MECHANISMS["subsampled-gaussian"].relation is None
    True
    """

    @property
    def relation(self) -> str | None:
        """The relation; None: it is still open which."""
        ...


@runtime_checkable
class HasDelta(Protocol):
    """A system whose noise is made for a δ.

    >>> from recprivlib import get
    >>> get("dp-gram").system.delta
    1e-05
    """

    @property
    def delta(self) -> float:
        """The δ at which its bill is stated unless another is asked for."""
        ...


@runtime_checkable
class HearsRatings(Protocol):
    """A local system whose server has a report of every rating that is right on average: settings of what it makes of
    them can be validated on held-out reports, which costs nobody anything.

    >>> from recprivlib import get
    >>> isinstance(get("laplace-svd").system, HearsRatings), isinstance(get("optimal-mf").system, HearsRatings)
    (True, False)
    """

    def heard(self, ratings: Array, grid: tuple[float, ...] | None) -> Array:
        """What phones send for these ratings, in stars."""
        ...


@runtime_checkable
class Iterative(Protocol):
    """A system that can show its training on the way.

    >>> from recprivlib import get
    >>> isinstance(get("mf-als").system, Iterative), isinstance(get("popularity").system, Iterative)
    (True, False)
    """

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        """Train step by step.

        Parameters
        ----------
        train, rng
            As in `System.fit`.

        Returns
        -------
        iterator of (float, Model)
            Progress, rising to 1, and the model so far; the last is what `fit` gives. Closing it cancels.
        """
        ...


def last(steps: Iterator[tuple[float, Any]]) -> Any:
    """What an iterative system ends with: its `fit`."""
    return deque(steps, maxlen=1)[0][1]


@runtime_checkable
class Federated(Protocol):
    """A system that learns from sums over phones, in one round or many; population.py plays the rounds::

        start ──told──> collect (each block of phones) ──sums──> learn ──told──> collect … ──told──> model (at home)

    `told` is all that the server ever knows, and tells everybody; after the last round it is what it has learnt.
    Only whole numbers (or fixed point) cross blocks, so the number of shards changes nothing.

    >>> from recprivlib import get
    >>> get("dplcf-ap").system.rounds
    1
    """

    @property
    def rounds(self) -> int:
        """How often everybody is asked."""
        ...

    def start(self, sizes: Sizes, rng: np.random.Generator) -> Any:
        """What the server tells everybody before anybody has answered.

        Parameters
        ----------
        sizes
            The public sizes.
        rng
            The server's random numbers.

        Returns
        -------
        Any value
            `told` of the first round.
        """
        ...

    def collect(self, block: Interactions, told: Any, rng: np.random.Generator) -> Mapping[str, Array]:
        """What the phones of one block send, summed.

        Parameters
        ----------
        block
            The histories of these phones, users numbered from 0.
        told
            What the server told everybody.
        rng
            The block's random numbers.

        Returns
        -------
        mapping of str to numpy.ndarray
            Integer arrays, so that sums are exact in any order.
        """
        ...

    def learn(self, told: Any, sums: Mapping[str, Array], rng: np.random.Generator) -> Any:
        """What the server knows after a round.

        Parameters
        ----------
        told
            What it told everybody before.
        sums
            What all phones sent, added up: of people's data it gets nothing else.
        rng
            The server's random numbers.

        Returns
        -------
        Any value
            `told` of the next round.
        """
        ...

    def model(self, told: Any, train: Interactions) -> Model:
        """What the phones make of it.

        Parameters
        ----------
        told
            What the server tells everybody after the last round.
        train
            The histories, each on its own phone.

        Returns
        -------
        Model
        """
        ...


@dataclass(frozen=True)
class Entry:
    """A line of the registry: one named system and what a reader should know before choosing it.

    >>> from recprivlib import get
    >>> entry = get("dplcf-ap")
    >>> entry.task, entry.role, entry.terms
    ('ranking', 'paper', ('interaction', 'add-remove'))
    """

    system: Any  #: the system at its defaults
    task: Task  #: "ranking" or "rating"
    role: Role  #: "baseline", "paper" (as printed), "repaired" or "beyond" the paper
    gloss: str  #: what it is, in at most 90 characters
    personalised: bool = True  #: whether people get lists of their own
    terms: tuple[Unit, Relation] | None = None  #: what its bill is stated in by default; None: not private
    protocol: str | None = None  #: how it is evaluated unless one says otherwise; None: as its task is


# ------------------------------------------------------------------------------------------- privacy


class Mechanism(Protocol):
    """A randomised release and its exact privacy. What it may offer beside these two has a protocol below.

    >>> from recprivlib.mechanisms import Laplace
    >>> Laplace(epsilon=0.5).loss()
    LaplaceShift(epsilon=0.5)
    """

    def release(self, x: Any, rng: np.random.Generator) -> Any:
        """The noisy answer.

        Parameters
        ----------
        x
            What goes in: an array of any shape, each entry (or row, where a row is one input) noised on its own.
        rng
            Of the noise.

        Returns
        -------
        numpy.ndarray
            All that may leave the place of trust.
        """
        ...

    def loss(self, distance: float = 1.0) -> Any:
        """Its exact privacy between two inputs that far apart, one of the losses in mechanisms/losses.py.

        Distance 1 is one unit of its sensitivity.
        """
        ...


# What a mechanism may offer beside `release` and `loss`. Who reads one of these asks for its protocol first.


@runtime_checkable
class HasMode(Protocol):
    """Says how its noise is drawn: "seeded, for teaching", or securely."""

    mode: str


@runtime_checkable
class HasNeighbours(Protocol):
    """Can stand alone: at which (unit, relation) one input of it is one change."""

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]: ...


@runtime_checkable
class HasClaim(Protocol):
    """Has a source that claims an ε of one release, or says with None that there is none without a δ."""

    @property
    def claimed(self) -> Claim | None: ...


@runtime_checkable
class HasWorstPair(Protocol):
    """Knows two inputs at distance 1 that are hardest to tell apart."""

    def worst_pair(self) -> tuple[Any, Any]: ...


@runtime_checkable
class HasLogDensity(Protocol):
    """States the log-likelihood of an output `y` at an input `x`."""

    def log_density(self, y: Array, x: Array) -> Array: ...


@runtime_checkable
class HasChannel(Protocol):
    """Finite: the matrix P(y|x), one row an input and one column an output."""

    @property
    def channel(self) -> Array: ...


@runtime_checkable
class HasBitChannel(Protocol):
    """Answers rows of bits, each bit noised on its own through this 2 × 2 channel."""

    @property
    def bit_channel(self) -> Array: ...


@runtime_checkable
class HasInputs(Protocol):
    """Lists the inputs that it takes."""

    @property
    def inputs(self) -> tuple[Any, ...]: ...


@runtime_checkable
class HasOutputs(Protocol):
    """Lists the outputs that it gives."""

    @property
    def outputs(self) -> tuple[Any, ...]: ...


@runtime_checkable
class HasSensitivity(Protocol):
    """Noise that is added to numbers: how far one of them moves between neighbours at distance 1."""

    @property
    def sensitivity(self) -> float: ...


@runtime_checkable
class HasSigma(Protocol):
    """Gaussian noise of this standard deviation: what several numbers move by is measured in L2."""

    @property
    def sigma(self) -> float: ...


@runtime_checkable
class HasLogNoise(Protocol):
    """States the log-density of its noise by itself."""

    def log_noise(self, noise: Array) -> Array: ...


@runtime_checkable
class Clips(Protocol):
    """Scales each vector that goes in down to a length of at most `clip`."""

    @property
    def clip(self) -> float: ...

    def clipped(self, x: Array) -> Array: ...


@runtime_checkable
class AnswersSets(Protocol):
    """Answers a set of `d` symbols, which holds the true one with probability `p`."""

    @property
    def d(self) -> int: ...

    @property
    def p(self) -> float: ...


@runtime_checkable
class LiesAlike(Protocol):
    """Answers one symbol: the true one, or any of `lies` others, each as likely as the next, whatever the truth."""

    @property
    def lies(self) -> int: ...


@runtime_checkable
class HasLie(Protocol):
    """Answers sets: the probability of one set that does not hold the truth."""

    @property
    def lie(self) -> float: ...


@runtime_checkable
class DrawsExactly(Protocol):
    """Has an exact sampler, fed by the operating system; what has none answers in real numbers, of which doubles are
    a poor copy.
    """

    def exact(self, x: Array) -> Array: ...


@runtime_checkable
class HasDiscrete(Protocol):
    """Noise on real numbers that has a discrete form, which can be drawn exactly."""

    def discrete(self) -> Any: ...


@runtime_checkable
class ShowsItsPrecision(Protocol):
    """Answers in doubles that give away what went in: whether `y` can be reached from `x`."""

    def reachable(self, y: Array, x: Array) -> Array: ...


@runtime_checkable
class DrawsPeople(Protocol):
    """Draws whom it asks: "poisson", each person on her own, or "fixed-size"."""

    sampling: str


@runtime_checkable
class HasRate(Protocol):
    """Draws people with this share of them in each draw."""

    rate: float


@runtime_checkable
class HasCap(Protocol):
    """A system that counts at most so many of a person's interactions; None counts all."""

    cap: int | None


@runtime_checkable
class HasCohort(Protocol):
    """A system that asks so many people in each round."""

    cohort: int


@runtime_checkable
class SharesADraw(Protocol):
    """A cohort: several parts are released on one draw of people, and its name tells draws apart."""

    name: str


@runtime_checkable
class DrawsItself(Protocol):
    """True: each release draws people of its own, so no other release can share the draw."""

    draws_itself: bool


@dataclass(frozen=True)
class Change:
    """How far two neighbours are apart where a release reads them.

    `inputs` of the mechanism differ (each is noised on its own, so they compose), each by at most `distance`
    in the mechanism's own unit of sensitivity; `back` of them change the other way round, as in a swap one bit falls
    and another rises (None: nobody knows, and the dearest is counted). Of a sum over a random sample `records`
    differ, each drawn on its own, all under the one noise of that sum.

    >>> swap = Change(inputs=2, back=1)  # of a report of one bit an item, when one item is exchanged for another
    >>> swap.inputs, swap.distance
    (2, 1.0)
    """

    inputs: int = 1  #: how many inputs differ, from 0
    distance: float = 1.0  #: the most that one of them moves, in the mechanism's sensitivity
    records: int = 1  #: how many rows of a sampled sum differ
    back: int | None = None  #: how many of the inputs move the other way; None: nobody knows
    #: What floating point may put on top of the distance, as a share of it (accounting/rounding.py); it is paid for.
    rounding: float = 0.0
    #: How many releases of one `partition` such neighbours differ in, at most. None: one where something is there or
    #: not, two where it is replaced, swapped or changed, for it may leave one part and join another.
    parts: int | None = None

    @property
    def billed(self) -> float:
        """The distance with what rounding may add to it: what is paid for, and what an audit may find."""
        return self.distance * (1.0 + self.rounding)


@dataclass(frozen=True)
class Unbounded:
    """No bound on the change exists.

    >>> Unbounded("a phone that takes part is seen to take part").reason
    'a phone that takes part is seen to take part'
    """

    reason: str  #: why, in at most a dozen words


@dataclass(frozen=True)
class Release:
    """Something that leaves a place of trust, `count` times over the whole run.

    >>> from recprivlib.mechanisms import Laplace
    >>> one = Release("the mean rating", Laplace(), {("rating", "replace-value"): Change()})
    >>> one.count, one.seen_by
    (1, ('server', 'shuffled', 'model'))
    """

    what: str  #: what it is, in a few words
    mechanism: Mechanism  #: what draws it
    neighbours: Mapping[tuple[Unit, Relation], Change | Unbounded]  #: how far two neighbours are apart, at these terms
    count: int = 1  #: how often, over the whole run
    seen_by: tuple[View, ...] = ("server", "shuffled", "model")  #: who sees it, or something computed from it alone
    #: Releases that share a name here read disjoint data: neighbours differ in few of them, and the dearest so many are
    #: the bill. How many is `Change.parts`. One is sound under add-remove if the unit lies in a single part; under
    #: replace, replace-value and swap only if her part is public and stays: else she leaves one and joins another.
    partition: str = ""
    #: Why no two neighbours can come near what is stated, where that is so by construction; else nothing.
    unreached: str = ""
    #: Honest people whose reports a shuffler mixes, each of the `count` times; the same ε for any two inputs.
    crowd: int = 1
    batch: int = 1  #: how many of one person's reports a shuffler leaves together, as one message


@dataclass(frozen=True)
class Claim:
    """What a paper says its system guarantees, at the paper's own terms.

    >>> Claim(1.0, 0.0, "interaction", "add-remove", "eq. 3", counts="one report").view is None
    True
    """

    epsilon: float  #: ε
    delta: float  #: δ
    unit: Unit  #: "interaction", "rating" or "user"
    relation: Relation  #: "add-remove", "replace-value", "swap" or "replace"
    where: str  #: where it stands: "eq. 3 and Theorem 3.1 of [38]"
    counts: str = "whole run"  #: or "one epoch", "one report": what the claim adds up
    view: View | None = None  #: whom it is made against; None: whoever sees most of what is released
    at: Callable[[float], float] | None = None  #: ε at another δ, if it says that too


@dataclass(frozen=True)
class Ledger:
    """Everything a run releases, with what is taken as public and what is assumed.

    It is true (as a bool) if anything is released under noise; an empty one promises no privacy.

    >>> bool(Ledger())
    False
    """

    releases: tuple[Release, ...] = ()  #: what leaves a place of trust
    public: tuple[str, ...] = ()  #: what everybody is taken to know: "the catalogue", "who takes part"
    assumed: tuple[str, ...] = ()  #: what the bill rests on beside the proof
    trust: str = ""  #: who is trusted with data: "nobody (local)", "an honest shuffler", "the server"
    claimed: Claim | None = None  #: what the paper claims
    #: The same noise, accounted otherwise: name of the reading to its releases.
    readings: Mapping[str, tuple[Release, ...]] = field(default_factory=dict)
    tuned: tuple[str, ...] = ()  #: what was chosen by looking at data, which no bill prices
    counts_public: bool = False  #: whether everybody is taken to know how many people take part
    #: Whether everybody is taken to know who rated what. Neighbours that differ in it are then told apart for nothing,
    #: so no bill but that of a changed value is finite.
    rated_public: bool = False

    def __bool__(self) -> bool:
        return bool(self.releases)


@dataclass(frozen=True)
class Guarantee:
    """A bill: (ε, δ) at stated terms, with the way it was counted.

    >>> Guarantee(1.0, 0.0, "rating", "replace-value", "server", "nobody (local)", "pure ε added up").epsilon
    1.0
    """

    epsilon: float  #: ε, at least the true one; it may be infinite
    delta: float  #: δ
    unit: Unit  #: "interaction", "rating" or "user"
    relation: Relation  #: "add-remove", "replace-value", "swap" or "replace"
    view: View  #: "server", "shuffled" or "model"
    trust: str  #: who is trusted with data
    how: str  #: which bound gave it
    assumptions: tuple[str, ...] = ()  #: what it rests on beside the proof
    why_infinite: str = ""  #: the reason, where ε is infinite
    bound: str = ""  #: why what the ledger states may cost less than ε; nothing: it costs ε, up to rounding


# ------------------------------------------------------------------------------------------- reports


@dataclass(frozen=True)
class Report:
    """One run: one system, one data set, one protocol, one seed.

    >>> from recprivlib import run
    >>> report = run("popularity", "synthetic", users=60, items=100, ks=[10])
    >>> sorted(report.metrics) == sorted(report.intervals)
    True
    """

    system: str  #: its name
    params: Mapping[str, Any]  #: its parameters, name to value
    data: str  #: the name of the data set
    protocol: str  #: how it was evaluated
    seed: int  #: of the run
    metrics: Mapping[str, float]  #: name to value: "hr@10", "ndcg@10/full", "rmse" (stars)
    intervals: Mapping[str, tuple[float, float]]  #: name to (low, high), 95 %, bootstrap over users
    guarantee: Mapping[str, Any] | None  #: `{"claimed", "counted", "also"}` as `bill` gives; None: not private
    seconds: Mapping[str, float]  #: "fit" and "evaluate", by the clock
    users: int  #: how many people it learnt from, of whom the bill speaks
    notes: tuple[str, ...] = ()  #: what a reader of the metrics should know
    #: Metric to the values behind it, one a user: what `interval` and `paired` take.
    per_user: Mapping[str, Array] = field(default_factory=dict, repr=False, compare=False)
    real: bool = False  #: whether its noise was the operating system's
