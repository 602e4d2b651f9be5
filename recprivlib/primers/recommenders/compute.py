"""What a move at dashboard `recommenders` computes: settings become a `Result`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import dataset, holdout, votes
from recprivlib.dashboard.memory import MEMORY
from recprivlib.dashboard.people import history, spoken
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference
from recprivlib.plots.frontier import Series
from recprivlib.primers.recommenders import ranking
from recprivlib.primers.recommenders.ranking import LONGEST, POOLS, Groups, Rates
from recprivlib.protocols import Array
from recprivlib.tables import results
from recprivlib.training import trained
from recprivlib.yardsticks.plain import SYSTEMS

RESULTS = "recommenders_lengths"  # the committed table of the whole curves
ORDER = "recommenders_order"  # and of two settings that change places


SEEDS = tuple(range(10))  # of the whole curve


STOPS = (5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)


OF = "mean of the seeds"


NAMES = {"item-knn": "item-kNN", "mf-als": "MF", "ease": "EASE", "popularity": "popularity"}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows at one setting."""

    system: str
    neighbors: int | None  # None: the system has none
    k: int
    rivals: str
    data: str
    seed: int
    users: int
    items: int
    sampled: Rates
    full: Rates
    groups: Groups
    whose: str
    liked: tuple[str, ...]
    yours: tuple[str, ...]
    popular: tuple[str, ...]

    @property
    def shown(self) -> Rates:
        """The pool that the reader chose."""
        return self.sampled if self.rivals == "sampled" else self.full

    @property
    def name(self) -> str:
        return NAMES[self.system]


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean over ten seeds with its band, for both pools: (stops, K, 3) = mean, low, high."""

    stops: tuple[int, ...]  # one stop for a system without neighbours
    rates: dict[str, Array]

    def by_length(self, pool: str, neighbors: int | None, name: str) -> Series | None:
        """Against K, at a neighbourhood on the grid."""
        if neighbors is not None and neighbors not in self.stops:
            return None
        part = self.rates[pool][self.stops.index(neighbors) if neighbors else 0]
        mean, low, high = map(tuple, part.T)
        return Series(name, "bound", range(1, LONGEST + 1), mean, low, high, of=OF)

    def by_neighbors(self, pool: str, k: int) -> Series | None:
        """Against the neighbourhood, at a K."""
        if len(self.stops) == 1:
            return None
        mean, low, high = map(tuple, self.rates[pool][:, k - 1].T)
        return Series(NAMES["item-knn"], "bound", self.stops, mean, low, high, of=OF)


def compute(
    system: str = "item-knn",
    neighbors: int = 50,
    k: int = 10,
    rivals: str = "sampled",
    liked: tuple[int, ...] = (),
    data: str = "ml-100k",
    seed: int = 0,
) -> Result:
    """Train, rank everybody's next film, and make a list from the films you liked."""
    source = dataset(data)
    person, whose = history(source, liked)
    scores = {
        "yours": _hits(source, system, neighbors, seed),
        "popular": _hits(source, "popularity", 0, seed),
        "chance": ranking.chance(source, seed),
    }
    rates, groups = ranking.rates(source, seed, k, rivals, scores)
    lists = [_list(source, name, neighbors, seed, person) for name in (system, "popularity")]
    titles = [spoken(source, items) for items in (person.indices, *lists)]
    return Result(
        system, neighbors if system == "item-knn" else None, k, rivals, data, seed,
        source.interactions.n_users, source.interactions.n_items, rates["sampled"], rates["full"], groups,
        whose, *titles,
    )  # fmt: skip


def _model(data: Dataset, system: str, neighbors: int, seed: int) -> Any:
    """The trained model; a neighbourhood is a slice of the similarities that are already ranked."""
    if system == "item-knn":
        return votes(data, seed, neighbors)
    return MEMORY.get(
        ("model", data.checksum, seed, system),
        lambda: trained(SYSTEMS[system].system, holdout(data, seed).train, seed),
    )


def _hits(data: Dataset, system: str, neighbors: int, seed: int) -> ranking.Hits:
    return ranking.hits(data, seed, _key(system, neighbors), lambda: _model(data, system, neighbors, seed))


def _list(data: Dataset, system: str, neighbors: int, seed: int, person: sp.csr_array) -> Array:
    """The films for one person; kept, since most moves leave them as they are."""
    key = ("list", data.checksum, seed, *_key(system, neighbors), tuple(person.indices.tolist()))
    return MEMORY.get(key, lambda: ranking.best(_model(data, system, neighbors, seed), person))


def _key(system: str, neighbors: int) -> tuple[str, int | None]:
    return system, neighbors if system == "item-knn" else None


def curve(values: Values) -> Curve:
    """The whole curve: ten seeds, and for item-kNN every stop of its slider.

    The book's own data has it in the committed results; other data takes seconds the first time, then it is kept.
    """
    data, system = dataset(values["data"]), values["system"]
    stops = STOPS if system == "item-knn" else (0,)

    def make() -> Curve:
        known = _committed(data.checksum, system, stops)
        if known is not None:
            return known
        rows = [ranking.averaged([_hits(data, system, stop, seed) for seed in SEEDS]) for stop in stops]
        return Curve(stops, {pool: np.array([row[pool] for row in rows]) for pool in POOLS})

    return MEMORY.get(("curve", data.checksum, system), make)


@cache
def order(pool: str) -> tuple[Difference, ...]:
    """By how much MF is ahead of EASE at each K, mean of ten draws: one setting of each, on the same people."""
    found = results(ORDER).query("system == 'mf-als'").set_index("metric")
    rows = (found.loc[f"hr@{k}{POOLS[pool]}"] for k in range(1, LONGEST + 1))
    return tuple(Difference(row["difference"], row["difference_low"], row["difference_high"]) for row in rows)


def _committed(checksum: str, system: str, stops: tuple[int, ...]) -> Curve | None:
    """The curve as it was committed; None where these data or stops were not run."""
    frame = results(RESULTS)
    frame = frame[(frame.checksum == checksum) & (frame.system == system)].fillna({"neighbors": 0})
    frame = frame.set_index(["neighbors", "metric"])[["value", "low", "high"]]
    names = {pool: [f"hr@{k}{suffix}" for k in range(1, LONGEST + 1)] for pool, suffix in POOLS.items()}
    try:
        return Curve(stops, {
            pool: np.array([frame.loc[[(stop, metric) for metric in named]].to_numpy() for stop in stops])
            for pool, named in names.items()
        })  # fmt: skip
    except KeyError:
        return None
