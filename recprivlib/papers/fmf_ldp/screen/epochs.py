"""What the phones of a crowd report epoch by epoch, what a server makes of it, and what it has cost by then.

crowd ──told, reports──> a model after each epoch ──guests──> Point      the course of the bill beside it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee
from recprivlib.accounting.bills import small_delta
from recprivlib.dashboard.contract import Card
from recprivlib.dashboard.folds import constant
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import load
from recprivlib.evaluation import RankingSplit, Scores, evaluate, split, stream, total
from recprivlib.mechanisms.noise import Root, along
from recprivlib.papers.fmf_ldp import system as fmf_ldp
from recprivlib.parameters import UserError, configured
from recprivlib.plots import committed
from recprivlib.plots.numerals import count, setting
from recprivlib.population import gather
from recprivlib.protocols import AnswersSets, Sizes
from recprivlib.registry import get
from recprivlib.training import trained

PROTOCOL = "loo-random"  # as the paper splits; by time every list finds less
GUESTS = 2000  # of a larger crowd, so many are asked how good their list is
LOW = 8.0  # the total ε of the private chart
HIT = "hr@10"
MOST = 20_000_000  # reports times films of item-sign that are drawn while a reader waits
# people -> (data, size of an invented population)
CROWDS: dict[int, tuple[str, dict[str, Any]]] = {
    943: ("ml-100k", {}), 1000: ("synthetic", {}), 6040: ("ml-1m", {}),
    10_000: ("synthetic", {"users": 10_000, "items": 1000}), 50_000: ("synthetic", {"users": 50_000, "items": 1000}),
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One epoch: hit rates in both pools, lengths of vectors, and what the projection to [−1, 1] cuts."""

    sampled: float
    full: float
    items: float
    users: float
    clipped: float  # NaN where nothing is projected


def epoch_by_epoch(system: Any, people: int, seed: int) -> Iterator[tuple[float, tuple[Point, ...], Scores]]:
    """(progress, a point for each epoch so far, what the last one scored); a run that is known comes whole."""
    fold = held_out(people, seed)
    _affordable(system, fold.train.sizes)
    key = ("fmf_ldp", people, seed, repr(system))
    known = MEMORY.known(key)
    if known is not None:
        yield 1.0, *known
        return
    asked, points = guests(fold), []
    for progress, told in along(Root.of(seed), gather(system, fold.train, stream(seed, "fit"))):
        model = system.model(told, asked.train)
        found = evaluate(model, asked, (10,))
        points.append(_point(system, model, asked, found))
        if progress == 1:
            MEMORY.get(key, lambda made=(tuple(points), found): made)
        yield progress, tuple(points), found


def _affordable(system: Any, sizes: Sizes) -> None:
    """A report of item-sign is a set of symbols, and at a small ε a large one: so many take minutes to draw."""
    mechanism = system.ledger(sizes).releases[0].mechanism
    size = mechanism.d if isinstance(mechanism, AnswersSets) else 1
    if size**2 > 2 * sizes.items and sizes.users * system.k * sizes.items > MOST:
        what = (f"At ε = {setting(system.epsilon)} a report hides among {count(size)} others, and {count(system.k)} of "
                "them from everybody take minutes to draw. This server is for few reports that say more.")  # fmt: skip
        cure = {"variant": "sign", "k": 1, "epochs": 5, "epsilon": 10.0}
        raise Card(what, cure, "five reports at ε = 10")


def held_out(people: int, seed: int) -> RankingSplit:
    """A random interaction of each person held out."""
    name, sizes = CROWDS[people]

    def make() -> Any:
        return split(load(name, **sizes).interactions, PROTOCOL, seed)[0]

    try:
        return MEMORY.get(("fmf_ldp fold", people, seed), make)
    except UserError as reason:
        raise Card(str(reason), cure={"people": 1000}, cure_label="ask invented people") from None


def guests(fold: RankingSplit) -> RankingSplit:
    """Those of a crowd who are asked: everybody of a town, some of a city."""
    if len(fold.users) <= GUESTS:
        return fold
    some = np.sort(np.random.default_rng(0).permutation(len(fold.users))[:GUESTS])
    train, users = fold.train.of(fold.users[some]), np.arange(GUESTS, dtype=np.int32)
    return RankingSplit(train, users, fold.held_out[some], fold.negatives[some])


def _point(system: Any, model: Any, asked: RankingSplit, found: Scores) -> Point:
    items, users = (float(np.median(np.linalg.norm(part, axis=1))) for part in (model.items, model.users))
    cut = fmf_ldp.clipped(system, model, asked.train, np.random.default_rng(0))
    return Point(found.metrics[HIT], found.metrics[f"{HIT}/full"], items, users, cut)


def levels(people: int, seed: int) -> dict[str, float]:
    """What the lists are held against; what takes longest was computed before."""
    name, sizes = CROWDS[people]
    bound = committed.known(
        "fmf_ldp_bounds", {"system": "mf-als", "data": name, "users": sizes.get("users", people), "metric": HIT}
    )
    found = {"popularity": "popularity", "private-popularity": "private", "random": "chance"}
    own = {role: total(yardstick(people, seed, what).per_user[HIT]) for role, what in found.items()}
    return ({} if bound is None else {"bound": bound}) | own


def yardstick(people: int, seed: int, what: str) -> Scores:
    """Popularity, the chart from one report a person at a total ε of 8, or chance; scored for the guests."""

    def make() -> Scores:
        fold = held_out(people, seed)
        model: Any
        if what == "chance":
            model = constant(fold)
        elif what == "private":
            chart = configured(get("ldp-popularity").system, {"reports": "one", "epsilon": LOW})
            model = trained(chart, fold.train, seed)
        else:
            model = trained(get(what).system, fold.train, seed)
        return evaluate(model, guests(fold), (10,))

    return MEMORY.get(("fmf_ldp", what, people, seed), make)


def course(system: Any, sizes: Sizes) -> Mapping[str, tuple[float, ...]]:
    """The bill after each epoch: what the paper counts, the sum, the best exact sum, and behind an honest mixer."""
    delta = small_delta(sizes.users)

    def spent(epochs: int, delta: float, view: Any) -> float:
        return guarantee(replace(system, epochs=epochs).ledger(sizes), "user", "replace", delta, view).epsilon

    def make() -> Mapping[str, tuple[float, ...]]:
        epochs = range(1, system.epochs + 1)
        return {
            "epoch": tuple(system.k * system.epsilon for _ in epochs),
            "sum": tuple(spent(t, 0.0, "server") for t in epochs),
            "exact": tuple(spent(t, delta, "server") for t in epochs),
            "mixed": tuple(spent(t, delta, "shuffled") for t in epochs),
        }

    return MEMORY.get(("fmf_ldp course", repr(system.ledger(sizes)), system.epochs), make)
