"""Bugs planted into private systems by strangers: name to a system that leaks, or is billed wrongly.

Written as somebody would who looks for what an audit does not look at. A system without a claim of its own was given
one, so that "holds" can be said at all. One blind spot has a name: time.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import logging
import math
import pickle
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy.sparse as sp

from recprivlib import population
from recprivlib.mechanisms import Gaussian, Laplace
from recprivlib.mechanisms.gate import drawn, released
from recprivlib.models.around_popular import popular_sum
from recprivlib.models.constants import PerItem
from recprivlib.papers.dp_pnbm import beyond
from recprivlib.papers.dplcf import system as dplcf
from recprivlib.papers.fmf_ldp import system as fmf_ldp
from recprivlib.papers.ldp_svd import system as ldp_svd
from recprivlib.papers.privrec import system as privrec
from recprivlib.parameters import UserError
from recprivlib.protocols import AtHome, Change, Claim, last
from recprivlib.registry import systems
from recprivlib.yardsticks import trusted

REAL = {name: entry.system for name, entry in systems().items()}


def sub(base: Any, **methods: Any) -> Any:
    """The same system, some of whose methods are others."""
    kind = type(type(base).__name__, (type(base),), methods)
    return kind(**{one.name: getattr(base, one.name) for one in dataclasses.fields(base)})


def after(base: Any, last_word: Any) -> Any:
    """The same system; `last_word(model, train)` gives the model."""
    return sub(base, fit=lambda self, train, rng: last_word(type(base).fit(self, train, rng), train))


def before(base: Any, first: Any) -> Any:
    """The same system, after `first(train)` was called."""

    def fit(self, train, rng):
        first(train)
        return type(base).fit(self, train, rng)

    return sub(base, fit=fit)


def billed(base: Any, change: Any) -> Any:
    """The same system with another ledger."""
    return sub(base, ledger=lambda self, sizes: change(type(base).ledger(self, sizes), self, sizes))


def extra(what: Any) -> Any:
    """A model that also holds `what(train)`."""

    def last_word(model, train):
        model = copy.copy(model)
        object.__setattr__(model, "extra", what(train))
        return model

    return last_word


def counts(train):
    return np.bincount(train.items, minlength=train.n_items)


def claims(epsilon, unit, relation, delta=0.0):
    return lambda ledger, system, sizes: replace(
        ledger, claimed=Claim(epsilon, delta, unit, relation, "a claim of the bug's own")
    )


POPULAR = billed(REAL["dp-popularity"], claims(1.0, "user", "add-remove", 1e-5))
BITS, REPAIRED = REAL["dplcf-sp"], REAL["dpsgd-pnbm-repaired"]
PRIVREC, LAPLACE = REAL["dp-privrec"], REAL["laplace-svd"]
MEANS = replace(REAL["dp-item-means"], protects="user")
PLANTED: dict[str, Any] = {}

NAN = 0x7FF8000000000000

# ------------------------------------------------------------------------------------------- what a model holds

HELD = {
    "bytes": lambda t: pickle.dumps(counts(t)),
    "a partial function": lambda t: functools.partial(np.take, counts(t)),
    "a data frame": lambda t: pd.DataFrame({"u": t.users, "i": t.items}),
    "a set": lambda t: set(zip(t.users.tolist(), t.items.tolist(), strict=True)),
    "a deque": lambda t: collections.deque(counts(t).tolist()),
    "the latest times": lambda t: np.array([t.times[t.items == i].max(initial=0) for i in range(t.n_items)]),
    "a closure": lambda t: (lambda raw: lambda i: raw[i])(counts(t)),
    "a generator": lambda t: iter(counts(t).tolist()),
    "a view of more": lambda t: np.concatenate([np.zeros(3), counts(t)])[:3],
    "a number that is none, with a word in it": lambda t: np.array([NAN | len(t)], np.uint64).view(float),
}
for name, what in HELD.items():
    PLANTED[f"the model holds {name}"] = after(BITS, extra(what))


@dataclass(frozen=True, eq=False)
class MixesHomes:
    """Scores read histories of other people, which stay at home."""

    histories: AtHome[sp.csr_array]

    def score(self, users, items):
        near = (self.histories[np.ravel(users)] @ self.histories.T).toarray()
        return (near @ self.histories.toarray())[np.arange(len(np.ravel(users)))[:, None], np.atleast_2d(items)]


def mixed(model, train):
    return MixesHomes(train.matrix)


PLANTED["scores mix what others keep at home"] = after(BITS, mixed)


class OfTheClass(PerItem):
    raw: ClassVar[Any] = None


def in_the_class(model, train):
    OfTheClass.raw = counts(train)
    return OfTheClass(model.scores)


PLANTED["a class attribute of the model"] = after(POPULAR, in_the_class)
KEPT: dict[str, Any] = {}


class OfAGlobal(PerItem):
    def score(self, users, items):
        return np.broadcast_to(KEPT["raw"][items], np.broadcast_shapes(np.shape(users), np.shape(items)))


def in_a_global(model, train):
    KEPT["raw"] = counts(train)
    return OfAGlobal(model.scores)


PLANTED["scores read a global, fields are clean"] = after(POPULAR, in_a_global)
FIRST: dict[str, Any] = {}
PLANTED["the first run of a process is remembered"] = after(
    POPULAR, lambda model, train: PerItem(FIRST.setdefault("scores", model.scores))
)

# ---------------------------------------------------------------------------------- worlds that are hard to meet


def uncapped(base):
    def fit(self, train, rng):
        true = beyond.capped
        beyond.capped = lambda data, cap, public: (public.integers(2**63), data)[1]
        try:
            return type(base).fit(self, train, rng)
        finally:
            beyond.capped = true

    return sub(base, fit=fit)


def hidden(model, train):
    scores = model.scores.copy()
    scores[counts(train) < 20] = -1e9
    return PerItem(scores)


def refuses(train):
    if np.bincount(train.users, minlength=train.n_users).max() > 500:
        raise UserError("somebody has more than 500 interactions")


PLANTED["dpsgd-pnbm-repaired: the cap is not enforced"] = uncapped(REPAIRED)
PLANTED["dp-item-means of people: the cap is not enforced"] = uncapped(MEANS)
PLANTED["items that few people met are hidden"] = after(POPULAR, hidden)
PLANTED["whoever met too much is refused"] = before(POPULAR, refuses)
PLANTED["divided by how many people there are"] = after(
    POPULAR, lambda model, train: PerItem(model.scores / np.float32(train.n_users))
)

# ------------------------------------------------------------------------------------------------------- rounds


def rounds(draw=None, bound_of=None, release=None, stop=None):
    """DPPrivRec.watched, one step of which is another."""

    def watched(self, start):
        practice = privrec.Practice(self.local_epochs, self.learning_rate, self.proximal)
        theta, bound, people = start.theta, self.clip_init, len(start.phones)
        for turn in range(1, self.rounds + 1):
            event = self.event(people, bound)
            members = draw(self, event, people, turn) if draw else drawn(event, people)
            updates = privrec._finite(privrec.reptile(start.network, theta, start.phones, members, practice))
            norms = np.linalg.norm(updates.astype(float), axis=1)
            if bound_of:
                bound = bound_of(bound, norms)
                event = self.event(people, bound)
            sent = (updates, (norms <= bound).astype(float))[: len(event.parts)]
            total, *inside = release(event, sent, turn) if release else released(event, sent)
            theta = privrec.sound((theta + self.server_rate / self.cohort * total).astype(np.float32), turn)
            yield privrec.Round(turn, theta, bound, norms, 0.0, 0.0)
            if stop and stop(turn, norms):
                return
            if inside and not bound_of:
                bound = self._next(bound, float(inside[0]) / self.cohort, turn)

    return watched


def cycled(event, sent, turn):
    return released(event, sent) if turn <= 4 else event.release(sent, np.random.default_rng(turn % 4))


KEPT_DRAW: dict[int, Any] = {}


def once(self, event, people, turn):
    if turn == 1:
        KEPT_DRAW[0] = drawn(event, people)
    return KEPT_DRAW[0]


def few_rounds(claim):
    def change(ledger, system, sizes):
        short = tuple(replace(one, count=min(10, one.count)) for one in ledger.releases)
        said = replace(ledger.claimed, epsilon=claim, at=None, delta=1e-5)
        return replace(ledger, releases=short, readings={}, claimed=said)

    return billed(PRIVREC, change)


def few_epochs(ledger, system, sizes):
    ledger = fmf_ldp.bits_ledger(system.epsilon, system.k, min(system.epochs, 5), system.factors, sizes)
    return claims(system.epsilon * system.k * 5, "user", "replace")(ledger, system, sizes)


def middle(bound, norms):
    return float(np.clip(np.median(norms), 1e-6, 1e6))


PLANTED["noise of four rounds again and again"] = sub(PRIVREC, watched=rounds(release=cycled))
PLANTED["the clipping bound is the cohort's median"] = sub(PRIVREC, watched=rounds(bound_of=middle))
PLANTED["training stops on raw norms"] = sub(PRIVREC, watched=rounds(stop=lambda turn, norms: norms.sum() > 0.5))
PLANTED["one cohort for all rounds"] = sub(PRIVREC, watched=rounds(draw=once))
PLANTED["the ledger counts 10 of 1,000 rounds"] = few_rounds(1.0)
PLANTED["the ledger counts 10 of 1,000 rounds, and claims more"] = few_rounds(1.2)
PLANTED["the ledger counts 5 of 20 epochs"] = billed(REAL["fmf-ldp-stable"], few_epochs)

# ----------------------------------------------------------------------------------------------- random numbers


def noised_by(make):
    """Phones whose noise comes from a generator of the bug's own."""

    def collect(self, block, told, rng):
        rows, flipping = population.capped(block, self.cap, rng).matrix.toarray() > 0, self.flipping(self.epsilon)
        return dplcf.counted(np.concatenate([flipping.release(rows[at : at + 256], make(block))
                                             for at in range(0, max(len(rows), 1), 256)]))  # fmt: skip

    return sub(BITS, collect=collect)


PLANTED["a generator for every 256 phones"] = noised_by(lambda block: np.random.default_rng(5))
PLANTED["noise of an old generator"] = noised_by(lambda block: np.random.RandomState(0))
PLANTED["the data choose the seed"] = noised_by(lambda block: np.random.RandomState(int(block.items.sum()) % 2**31))

# ------------------------------------------------------------------------------- scales, sensitivities, ledgers


def of_the_range(self, train, rng):
    low, high = float(train.ratings.min()), float(train.ratings.max())
    reports = released(Laplace(self.epsilon1, sensitivity=max(high - low, 1e-3)), train.ratings.astype(float))
    learning = ldp_svd.Learning(ldp_svd._descent(self), self.clip_reports, self.clip_predictions, "x")
    return last(learning.steps(train, (reports - 1) / 4, 1.0, 4.0, rng))


def of_the_longest(self, train, rng):
    longest = math.sqrt(np.diff(train.matrix.indptr).max())
    mechanism = Gaussian(trusted.noise(self, 1.0).noise_multiplier, float(longest))
    return PerItem(released(mechanism, counts(train).astype(float)).astype(np.float32))


def of_an_item(self, train, rng):
    scale = 1.0 + float((train.items == 7).sum())
    mechanism = Gaussian(trusted.noise(self, 1.0).noise_multiplier, scale)
    return PerItem(released(mechanism, popular_sum(train.matrix)).astype(np.float32))


def halves(ledger, system, sizes):
    return replace(
        ledger, releases=tuple(replace(one, partition="halves") for one in ledger.releases),
        claimed=replace(ledger.claimed, epsilon=0.75),
    )  # fmt: skip


def forgets(ledger, system, sizes):
    (one,) = ledger.releases
    near = {**one.neighbours, ("interaction", "add-remove"): Change(inputs=1)}
    return replace(ledger, releases=(replace(one, neighbours=near),))


PLANTED["sensitivity is the range that occurs"] = sub(LAPLACE, fit=of_the_range)
PLANTED["noise scaled by the longest history"] = sub(POPULAR, fit=of_the_longest)
PLANTED["noise scaled by a raw count"] = sub(POPULAR, fit=of_an_item)
PLANTED["both releases read everybody, the ledger says halves"] = billed(REPAIRED, halves)
PLANTED["one more turns out another, the ledger forgets"] = billed(replace(BITS, cap=100), forgets)

# ---------------------------------------------------------------------------------------------- other ways out


def warm_start(self, train, rng):
    yield 0.01, REAL["svd"].fit(train, np.random.default_rng(0))
    yield from type(LAPLACE).steps(self, train, rng)


def warm_fit(self, train, rng):
    return last(type(LAPLACE).steps(self, train, rng))


def ties(model, train):
    return PerItem(np.round(model.scores) + 1e-3 * counts(train).astype(np.float32))


def candidates(model, train):
    scores = model.scores.copy()
    scores[counts(train) == 0] = -1e9
    return PerItem(scores)


def lowest_bit(model, train):
    bits = (model.scores.view(np.int32) & ~1) | (counts(train) & 1)
    return PerItem(bits.astype(np.int32).view(np.float32))


def logged(train):
    logging.getLogger("training").debug("popularity %s", counts(train))


PLANTED["the first model that is streamed is raw"] = sub(LAPLACE, steps=warm_start, fit=warm_fit)
PLANTED["ties broken by raw counts"] = after(POPULAR, ties)
PLANTED["only what anybody met is a candidate"] = after(POPULAR, candidates)
PLANTED["parity of raw counts in the lowest bit"] = after(POPULAR, lowest_bit)
PLANTED["raw counts go to the log"] = before(POPULAR, logged)
PLANTED["raw counts are printed"] = before(POPULAR, lambda t: print(counts(t)))
PLANTED["raw counts go to a file"] = before(
    POPULAR, lambda t: np.save(Path(tempfile.gettempdir()) / "recprivlib-side.npy", counts(t))
)
# ------------------------------------------------------------------- made when the rules stood: they had passed


def heavier(train, few, many, weight):
    met = train.matrix.astype(float).toarray()
    lengths = met.sum(axis=1)
    weights = np.where((lengths >= few) & (lengths <= many), weight, 1.0) / np.sqrt(np.maximum(lengths, 1))
    return (met * weights[:, None]).sum(axis=0)


class Quiet(Gaussian):
    """No noise on what is large."""

    def release(self, x, rng):
        return np.where(x > 3, x, super().release(x, rng))


def quiet(self, train, rng):
    mechanism = trusted.noise(self, 1.0)
    sums = popular_sum(train.matrix)
    return PerItem(released(Quiet(mechanism.noise_multiplier, mechanism.sensitivity), sums).astype(np.float32))


def named(ledger, system, sizes):
    (one,) = ledger.releases
    lie = Quiet(one.mechanism.noise_multiplier, one.mechanism.sensitivity)
    return replace(ledger, releases=(replace(one, mechanism=lie),))


def ages(model, train):
    return PerItem(model.scores + np.float32((np.asarray(train.user_features["age"]) > 40).sum()))


def crowded(model, train):
    scores = model.scores.copy()
    scores[counts(train).argmax()] += 1e9 * (train.n_users > 900)
    return PerItem(scores)


OPEN_BEFORE = tempfile.TemporaryFile("w")  # noqa: SIM115  as long as the process lives


def written(train):
    OPEN_BEFORE.write(str(counts(train)))
    OPEN_BEFORE.flush()


def medium(self, train, rng):
    return PerItem(released(trusted.noise(self, 1.0), heavier(train, 5, 9, 2.0)).astype(np.float32))


PLANTED["order in memory"] = after(
    BITS, extra(lambda t: (np.asfortranarray if len(t) % 2 else np.ascontiguousarray)(np.zeros((3, 4))))
)
PLANTED["how many bytes a number has"] = after(
    POPULAR, lambda model, t: PerItem(model.scores.astype(float) if counts(t)[3] > 5 else model.scores)
)
PLANTED["order of a dictionary"] = after(
    BITS, extra(lambda t: {str(item): 0 for item in np.argsort(-counts(t), kind="stable")})
)
PLANTED["people of five to nine items count twice"] = sub(POPULAR, fit=medium)
PLANTED["how many are older than forty"] = after(POPULAR, ages)
PLANTED["more than 900 people"] = after(POPULAR, crowded)
PLANTED["large sums have no noise"] = billed(sub(POPULAR, fit=quiet), named)
PLANTED["a file that was open before"] = before(POPULAR, written)
SLOW = before(POPULAR, lambda t: time.sleep(2e-4 * int((t.items == 7).sum())))  # the blind spot that has a name
