"""What a move at dashboard `dplcf` computes: settings become a `Result`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.dashboard import bills
from recprivlib.dashboard import people as films
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import beside, chance, dataset, holdout, scored, scores, votes
from recprivlib.dashboard.memory import MEMORY, Memory
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, Scores, evaluate
from recprivlib.models.constants import PerItem
from recprivlib.models.neighbours import nearest
from recprivlib.papers.dplcf import system as dplcf
from recprivlib.papers.dplcf.screen import crowd
from recprivlib.papers.dplcf.screen import figures as plots
from recprivlib.parameters import configured, parameters
from recprivlib.plots import committed
from recprivlib.plots.frontier import Series
from recprivlib.protocols import Array

LENGTHS = tuple(range(1, 11))


MOST = 500  # neighbours kept in the ranked lists, where somebody asks for more than are usual
USUAL = 200


TILES = 40


PROTOCOL = "loo-latest"


RESULTS = "dplcf"  # the committed table


LEARNED = Memory(80 << 20)  # where each of thirty readers stands now; beside what all their moves go on needing


# server -> (system, settings, role of its line, name)
SERVERS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "sp": ("dplcf-sp", {}, "paper", "SP"),
    "ap": ("dplcf-ap", {}, "paper", "AP"),
    "ap-printed": ("dplcf-ap", {"inverse": "printed"}, "paper", "AP, printed inverse"),
    "blind": ("lcf-sp", {}, "paper", "LCF-SP, blind"),
    "feasible": ("dplcf-sp", {"cut": "feasible"}, "repaired", "SP, feasible"),
    "spectral": ("dplcf-spectral", {}, "beyond", "spectral"),
}


VOTES: Callable[[Values], bool] = lambda values: values["server"] != "spectral"  # noqa: E731


METRICS = {"hr@10": ("hr", 10), "hr@5": ("hr", 5), "hr@2": ("hr", 2), "ndcg@10": ("ndcg", 10)}


UNITS = {
    "click": BillLabel("interaction", "add-remove", "one click, there or not"),
    "swap": BillLabel("interaction", "swap", "one click, exchanged for another", other="one click"),
    "history": BillLabel("user", "replace", "your whole history, exchanged", other="one click", tries=2000),
}


# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epsilon": 1.0,
    "server": "sp",
    "people": 1,
    "neighbors": 20,
    "metric": "hr@10",
    "unit": "click",
    "data": "ml-100k",
    "seed": 0,
}


@dataclass(frozen=True)
class Rates:
    """One list maker: hit rates and nDCG at K = 1..10."""

    hr: tuple[float, ...]
    ndcg: tuple[float, ...]

    def at(self, metric: str) -> float:
        kind, k = METRICS[metric]
        return float((self.hr if kind == "hr" else self.ndcg)[k - 1])


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    epsilon: float
    server: str
    people: int
    users: int  # phones that have reported (fewer than all while a crowd is still reporting)
    items: int
    neighbors: int
    metric: str
    unit: str
    data: str
    seed: int
    truth: float  # P(a watched film is reported as watched)
    honest: float  # P(an unwatched film is reported as unwatched)
    lies: float  # false statements one phone is expected to make
    yours: Rates
    interval: tuple[float, float]  # of `yours` at the metric, over users
    versus: Difference  # yours less popular, same people
    bound: Rates
    popular: Rates
    private_popular: Rates
    chance: Rates
    pairs: plots.Pairs
    watched: tuple[bool, ...]
    reported: tuple[bool, ...]
    titles: tuple[str, ...]
    bill: ThreeNumbers


def compute(**moved: Any) -> Result:
    """Flip every bit of every phone, let the server learn, and rank everybody's next film at home."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same, after every block of phones that has reported: the crowd grows before your eyes. The attack is last."""
    values = DEFAULTS | moved
    source, system = dataset(values["data"]), _system(values)
    key = (
        "dplcf",
        source.checksum,
        _width(system),
        *(values[name] for name in ("people", "seed", "server", "epsilon")),
    )
    learned, share = LEARNED.known(key), 1.0
    turns = bills.in_turn(system, SERVERS[values["server"]][0], source.interactions.sizes, UNITS[values["unit"]])
    bill = next(turns)
    if learned is None:
        for done, sums, own in crowd.heard(system, source, values["people"], values["seed"]):
            share = min(share, done)
            learned = _learn(source, system, sums, own, values["seed"])
            if done < 1:
                yield done / (1 + share), _result(source, system, learned, values, bill)
        LEARNED.get(key, lambda: learned)
    result = _result(source, system, learned, values, bill, key)
    if bill.attacked is None:
        yield 1 / (1 + share), result
        result = replace(result, bill=next(turns))
    yield 1.0, result


def settings_of(values: Values) -> tuple[str, dict[str, Any]]:
    """The system behind these settings, and its parameters."""
    name, extra, *_ = SERVERS[values["server"]]
    votes = {"neighbors": values["neighbors"]} if VOTES(values) else {}
    return name, {"epsilon": values["epsilon"], **extra, **votes}


def _system(values: Values) -> Any:
    name, settings = settings_of(values)
    return configured(dplcf.SYSTEMS[name].system, settings)


@dataclass(frozen=True, eq=False)
class Learned:
    """What a server tells everybody, from so many reports; neighbourhoods are as wide as any slider asks for."""

    users: int
    told: Any
    private: Rates  # of the noisy popularity from the same reports
    estimated: Array  # similarity of the pairs in the scatter


def _learn(source: Dataset, system: Any, sums: Mapping[str, Array], own: np.random.Generator, seed: int) -> Learned:
    wide = replace(system, neighbors=width) if (width := _width(system)) else system
    told, flipping = wide.learn(None, sums, own), _flipping(source, system)
    popular = PerItem(dplcf.popularity(sums, flipping.p, flipping.q).astype(np.float32))
    private = _rates(evaluate(popular, holdout(source, seed), LENGTHS, full=False))
    return Learned(int(sums["users"]), told, private, system.alike(told, sums, *films.pairs(source, seed)))


def _width(system: Any) -> int:
    """How many neighbours of a film are ranked: a move of the slider is a slice of them. 0: nobody votes."""
    if "neighbors" not in parameters(system):
        return 0
    return USUAL if system.neighbors <= USUAL else MOST


def _flipping(source: Dataset, system: Any) -> Any:
    return system.ledger(source.interactions.sizes).releases[0].mechanism


def _result(
    source: Dataset, system: Any, learned: Learned, values: Values, bill: ThreeNumbers, key: tuple | None = None
) -> Result:
    """All of the screen; what everybody reported in the end is kept under `key`."""
    seed, metric, flipping = values["seed"], values["metric"], _flipping(source, system)

    def ranked(held_out: Any) -> Any:
        told = nearest(learned.told, system.neighbors) if "neighbors" in parameters(system) else learned.told
        return system.model(told, held_out.train)

    if key is None:
        yours = evaluate(ranked(holdout(source, seed)), holdout(source, seed), LENGTHS, full=False)
    else:
        yours = scores(source, PROTOCOL, seed, (*key, values["neighbors"]), ranked, LENGTHS)
    popular = scored(source, PROTOCOL, seed, "popularity", ks=LENGTHS)
    bound = scores(source, PROTOCOL, seed, ("votes", values["neighbors"]),
                   lambda _: votes(source, seed, values["neighbors"]), LENGTHS)  # fmt: skip
    name, sizes = "{}@{}".format(*METRICS[metric]), source.interactions.sizes
    interval, versus = beside(yours.per_user[name], popular.per_user[name], seed)
    watched, reported, titles = _tiles(source, flipping, seed)
    return Result(
        **values, users=learned.users, items=sizes.items, truth=flipping.p, honest=1 - flipping.q,
        lies=_lies(source, flipping), yours=_rates(yours), interval=interval, versus=versus, bound=_rates(bound),
        popular=_rates(popular), private_popular=learned.private,
        chance=_rates(chance(source, PROTOCOL, seed, LENGTHS)),
        pairs=plots.Pairs(*films.alike(source, seed), learned.estimated), watched=watched, reported=reported,
        titles=titles, bill=bill,
    )  # fmt: skip


def _rates(scores: Scores) -> Rates:
    metrics = scores.metrics
    return Rates(tuple(metrics[f"hr@{k}"] for k in LENGTHS), tuple(metrics[f"ndcg@{k}"] for k in LENGTHS))


def _lies(source: Dataset, flipping: Any) -> float:
    """Statements of a phone with a median history that are expected to be false."""
    length = float(np.median(np.bincount(source.interactions.users)))
    return length * (1 - flipping.p) + (source.interactions.n_items - length) * flipping.q


def _tiles(source: Dataset, flipping: Any, seed: int) -> tuple[tuple[bool, ...], tuple[bool, ...], tuple[str, ...]]:
    """Ada's films among others, what her phone reports of them, and their titles."""
    shown, watched, rng = films.shown(source, seed, TILES)
    return tuple(watched.tolist()), tuple(flipping.release(watched, rng).tolist()), films.spoken(source, shown)


def curve(values: Values) -> tuple[Series | None, Series | None, Series | None]:
    """The committed curves over ε: this server's, noisy popularity from the same reports, and this server tuned."""
    name, settings = settings_of(values)
    about = {"metric": values["metric"], "data": values["data"], "protocol": PROTOCOL}

    def read() -> tuple[Series | None, Series | None, Series | None]:
        role, label = SERVERS[values["server"]][2:]
        many = settings | {"population": values["people"]}
        own = committed.curve(RESULTS, about | {"system": name}, many, "epsilon", label, role, "mean of the seeds")
        if values["people"] > 1:
            return own, None, None
        read_as = {part: value for part, value in settings.items() if part == "inverse"}  # a reading, never searched
        alike = committed.tuned(RESULTS, about | {"system": name} | read_as, "epsilon", role)
        noisy = about | {"system": "ldp-popularity"}
        private = committed.curve(RESULTS, noisy, {"reports": "bits"}, "epsilon", "", "private-popularity")
        return own, private.within(own.x) if own and private else None, alike

    kept = {part: value for part, value in settings.items() if part != "epsilon"}
    return MEMORY.get(("dplcf curve", name, values["people"], *about.values(), *kept.items()), read)


def role(result: Result) -> tuple[str, str]:
    """Role and name of the server on show."""
    return SERVERS[result.server][2:]
