"""One run on real data that holds many made-up people: how well can their secrets be guessed from what it released?

    data + m people ──coins──> one fit ──tape──> answers ──> a score for each of them ──> guesses ──> ε   (guesses.py)
                       │                            ▲
                       └── all in version 0, all in version 1, and by the bits of their numbers: the same answers are
                           played to each, which tells what goes in at every place, and whose place it is

Each has items of her own. A place that only she moves tells of her, by the log-ratio of the law that its mechanism
states at what goes in there in her two versions; places that several move are left out. Scores, and so the guesses,
are made of the answers and of what is public: of the coins only the count of right guesses knows. So the bound holds
however good or bad the scores are, and whether or not the mechanism draws what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.accounting import small_delta, supported
from recprivlib.accounting.bills import default_view, usual_delta
from recprivlib.auditing.bounds import DECIDES, SHOWN
from recprivlib.auditing.conformance import price, rows_of
from recprivlib.auditing.curves import epsilon_of
from recprivlib.auditing.distribution import on_doubles
from recprivlib.auditing.guesses import approximate_epsilon, gaussian_mu, pure_epsilon
from recprivlib.auditing.redraw import Passage
from recprivlib.auditing.run_attack import by_itself, unseen
from recprivlib.mechanisms.gate import Call, Torn, taped
from recprivlib.mechanisms.losses import GaussianShift
from recprivlib.mechanisms.noise import rooted
from recprivlib.parameters import UserError
from recprivlib.protocols import (
    Array,
    HasDelta,
    HasLogDensity,
    Interactions,
    Ledger,
    Relation,
    System,
    Unit,
    View,
)

MOST, FEWEST = 1000, 20  # people who are planted
TWO = ("swap", "replace")  # a secret is which of two items
SURE = 5  # where δ > 0 only every fifth is guessed of: those of whom the answers say most


@dataclass(frozen=True)
class OneRun:
    """What one run certified. `epsilon_lower` holds with 95 % confidence, `decisive` at α = 10⁻⁶.

    >>> OneRun(0.88, 0.62, 0.95, 0.0, "rating", "replace-value", "server", 1000, 1000, 731, 5.8).right
    731
    """

    epsilon_lower: float  #: ε, with 95 % confidence
    decisive: float  #: the same at α = 10⁻⁶, of counts alone
    confidence: float
    delta: float
    unit: Unit
    relation: Relation
    view: View
    planted: int  #: people who were planted
    guesses: int  #: of how many of them something was guessed
    right: int  #: how often that was right
    ceiling: float  #: the most that so many guesses could show, were all of them right
    mu: float = 0.0  #: where all that was heard has Gaussian noise: μ, with 95 % confidence
    attack: str = "guesses about planted people, in one run on these data"


def one_run(
    system: System, data: Interactions, *, unit: Unit | None = None, relation: Relation | None = None,
    view: View | None = None, delta: float | None = None, planted: int = MOST, seed: int = 0,
) -> OneRun:  # fmt: skip
    """Plant people in the data, train once, and guess what each of them did.

    Parameters
    ----------
    system
        What is trained.
    data
        Real people's data, who all take part.
    unit, relation, view, delta
        The terms, as in `audit`; the claim's unless given.
    planted
        How many people, from 20; at most one for every item, or for two where a secret is one of two items.
    seed
        Of the coins, the public random numbers and the noise.

    Returns
    -------
    OneRun
        What the guesses certify.

    Raises
    ------
    UserError
        The terms are not stated, people are drawn in secret, or nothing that is heard tells of anybody.

    Examples
    --------
    >>> from recprivlib import get, load
    >>> met = load("synthetic", users=60, items=400).interactions
    >>> found = one_run(get("laplace-svd").system, met, planted=400)
    >>> found.guesses > 100, 0 < found.epsilon_lower <= 1
    (True, True)
    """
    ledger = system.ledger(data.sizes)
    if not ledger:
        raise UserError(f"{type(system).__name__} promises no privacy: there is nothing to attack")
    view = view or default_view(ledger)
    unit, relation = _terms(ledger, view, unit, relation)
    if delta is None:
        delta = _delta(system, ledger, unit, relation, view, data)
    crowd = Crowd(data, unit, relation, min(planted, data.n_items // (2 if relation in TWO else 1)))
    if crowd.planted < FEWEST:
        raise UserError(f"planted is {crowd.planted}, but it takes {FEWEST} people or more, with items of their own")
    rng = np.random.default_rng(np.random.SeedSequence((seed, 3)))
    coins = rng.random(crowd.planted) < 0.5
    scores, gaussian = _scores(system, crowd, coins, view, seed)
    if not scores.any():
        raise UserError("nothing that is heard tells of one planted person alone; choose other terms or another view")
    order = np.argsort(-np.abs(scores) - 1e-12 * rng.random(len(scores)), kind="stable")
    number = _guesses(np.abs(scores[order])) if delta == 0 else max(1, crowd.planted // SURE)
    guessed = order[:number]
    right = int(np.count_nonzero((scores[guessed] > 0) == coins[guessed]))
    if gaussian and delta > 0:
        return _as_a_curve(right, number, crowd, view, delta)
    shown, decisive, ceiling = (
        bound(v, number, crowd.planted, delta, alpha)
        for v, alpha in ((right, SHOWN), (right, DECIDES), (number, SHOWN))
    )
    return OneRun(shown, decisive, 1 - SHOWN, delta, unit, relation, view, crowd.planted, number, right, ceiling)


def bound(right: int, guesses: int, planted: int, delta: float, alpha: float) -> float:
    """ε that these guesses certify (guesses.py)."""
    if delta == 0:
        return pure_epsilon(right, guesses, alpha)
    return approximate_epsilon(right, guesses, planted, delta, alpha)


def _as_a_curve(right: int, number: int, crowd: Crowd, view: View, delta: float) -> OneRun:
    """Of Gaussian noise alone: half of α for ε itself, half for μ."""
    mu = gaussian_mu(right, number, crowd.planted, SHOWN / 2)
    by_counts = bound(right, number, crowd.planted, delta, SHOWN / 2)
    most = epsilon_of(gaussian_mu(number, number, crowd.planted, SHOWN / 2), delta)
    return OneRun(
        max(by_counts, epsilon_of(mu, delta)), bound(right, number, crowd.planted, delta, DECIDES), 1 - SHOWN, delta,
        crowd.unit, crowd.relation, view, crowd.planted, number, right, most, mu,
    )  # fmt: skip


def _terms(ledger: Ledger, view: View, unit: Unit | None, relation: Relation | None) -> tuple[Unit, Relation]:
    """The terms asked for; else the claim's; else the first that the ledger states."""
    stated = supported(ledger, view)
    claim = ledger.claimed
    first = [(claim.unit, claim.relation)] if claim and (claim.unit, claim.relation) in stated else []
    for terms in first + stated:
        if unit in (None, terms[0]) and relation in (None, terms[1]):
            return terms
    asked = "/".join(word for word in (unit, relation) if word)
    raise UserError(f"{asked} is not stated here; choose from {', '.join('/'.join(terms) for terms in stated)}")


def _delta(system: Any, ledger: Ledger, unit: Unit, relation: Relation, view: View, data: Interactions) -> float:
    if ledger.claimed:
        return ledger.claimed.delta
    if isinstance(system, HasDelta):
        return system.delta
    return usual_delta(ledger, unit, relation, view, small_delta(data.n_users))


def _guesses(sure: Array) -> int:
    """Of how many to guess, the surest first: as many as would show most, were the law what is stated. At δ = 0 this
    may be chosen after everything was heard, for the bound holds whatever T is (guesses.py)."""
    hoped = np.cumsum(1 / (1 + np.exp(-np.minimum(sure, 50.0))))
    tried = np.unique(np.geomspace(min(10, len(sure)), len(sure), 20).astype(int))
    return int(max(tried, key=lambda number: pure_epsilon(int(hoped[number - 1]), int(number), SHOWN)))


# ------------------------------------------------------------------------------------------ who is planted


@dataclass(frozen=True, eq=False)
class Crowd:
    """Real people, and after them those who are planted; person i has item i, or items i and m + i, to herself."""

    data: Interactions
    unit: Unit
    relation: Relation
    planted: int

    def people(self, coins: Array) -> Interactions:
        """The data where each of them is in the version that her coin says."""
        one = np.arange(self.planted, dtype=np.int32)
        stars = np.ones(self.planted, np.float32)
        if self.data.grid:
            stars = np.where(coins | (self.relation != "replace-value"), max(self.data.grid), min(self.data.grid))
        item = np.where(coins, one, one + self.planted) if self.relation in TWO else one
        there = coins if self.relation == "add-remove" else np.ones(self.planted, bool)
        return self._with(one[there], item[there], stars[there])

    def _with(self, who: Array, items: Array, stars: Array) -> Interactions:
        data, moment = self.data, int(np.median(self.data.times)) if len(self.data) else 0
        twice = np.arange(data.n_users + self.planted) % data.n_users  # features: as those of somebody real
        return Interactions(
            np.concatenate([data.users, data.n_users + who]).astype(np.int32),
            np.concatenate([data.items, items]).astype(np.int32),
            np.concatenate([data.ratings, stars]).astype(np.float32),
            np.concatenate([data.times, np.full(len(who), moment)]).astype(np.int64),
            data.n_users + self.planted, data.n_items, data.grid,
            {name: values[twice] for name, values in data.user_features.items()}, data.item_features,
        )  # fmt: skip


# ------------------------------------------------------------------------------------- what the answers say


def _scores(system: Any, crowd: Crowd, coins: Array, view: View, seed: int) -> tuple[Array, bool]:
    """Of each planted person the log-ratio that the answers say of her coin; and whether all of it was Gaussian."""
    train = crowd.people(coins)
    left = unseen(system.ledger(train.sizes), view)
    if any(call.secret for call in _played(system, train, seed, enough=1)):
        raise UserError("people are drawn in secret here, and nobody can tell from whom an answer came")
    tape = _played(system, train, seed)
    try:
        low, high = (_played(system, crowd.people(np.full(crowd.planted, one)), seed, tape) for one in (False, True))
        bits = [_played(system, crowd.people(one), seed, tape) for one in _codes(crowd.planted)]
    except Torn as torn:
        raise UserError(str(torn)) from None
    scores, gaussian = np.zeros(crowd.planted), True
    for turn, call in enumerate(tape):
        if price(call.mechanism) in left or by_itself(call.mechanism) or isinstance(call.x, tuple):
            continue
        each = _of_each(Passage(call.mechanism, low[turn].x, high[turn].x), call.y, [now[turn].x for now in bits])
        if each is not None:
            scores += np.bincount(each[0], each[1], crowd.planted + 1)[1:][: crowd.planted]
            gaussian &= isinstance(call.mechanism.loss(1.0), GaussianShift) and on_doubles(call.mechanism)
    return scores, gaussian


def _played(
    system: Any, train: Interactions, seed: int, tape: list[Call] | None = None, enough: int | None = None
) -> list[Call]:
    """What passes the gate: for real, or with the answers of `tape`; the first `enough` passages."""
    with rooted(seed), taped(tape, enough) as now:
        system.fit(train, np.random.default_rng(np.random.SeedSequence((seed, 4))))
    if tape is not None and len(now.calls) != len(tape):
        raise Torn("how much is released depends on the data")
    return now.calls


def _codes(planted: int) -> Iterator[Array]:
    """Versions by each bit of a person's number, from 1: together they tell who moved a place."""
    numbers = np.arange(1, planted + 1)
    for bit in range(planted.bit_length()):
        yield (numbers >> bit) % 2 == 1


def _of_each(passage: Passage, y: Array, bits: Sequence[Array]) -> tuple[Array, Array] | None:
    """Whose each moved place is, by the number from 1, and what is said there; None where no law is stated."""
    if not isinstance(passage.real, HasLogDensity):
        return None

    def moved(x: Array) -> Array:
        return rows_of(passage.real, np.asarray(x != passage.low))

    owner = sum((moved(x).astype(np.int64) << bit for bit, x in enumerate(bits)), start=np.zeros((), np.int64))
    alone = moved(passage.high) & (owner > 0)
    for bit, x in enumerate(bits):  # where several move a place, some version of it is neither of the two
        turned = (owner >> bit) % 2 == 1
        alone &= ~turned | ~rows_of(passage.real, np.asarray(x != passage.high))
    if not alone.any():
        return None
    return owner[alone], passage.told(y)[alone]
