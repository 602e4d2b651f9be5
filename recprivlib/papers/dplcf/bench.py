"""What a reader of chapter dplcf waits for: another ε, another number of neighbours, and a country of phones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import apart, holdout
from recprivlib.evaluation import evaluate
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.papers.dplcf.system import SYSTEMS, counted, reports
from recprivlib.training import trained

# 75,000 phones that report on 9,953 films, in shards whose sums are added: seconds from the histories to the
# similarities, and the most memory of the process (the histories themselves are in it).
COUNTRY = """
import time
import numpy as np
from recprivlib.data import load
from recprivlib.papers.dplcf.system import DPLCF
from recprivlib.population import learnt

class Server(DPLCF):
    def learn(self, told, sums, rng):
        return self.similarities(sums)

    def model(self, told, train):
        return told

people = load("synthetic", users=75_000, items=9_953).interactions
start = time.perf_counter()
learnt(Server(), people, np.random.default_rng(0), shards=19)
seconds = time.perf_counter() - start
"""


def cells() -> list[Timing]:
    what = "75 000 phones × 9 953 films to similarities"
    return [
        Timing("dplcf-sp, another ε: reports to hit rates, ML-100K", 0.100, another("dplcf-sp", "ml-100k")),
        Timing("dplcf-spectral, another ε, ML-100K", 0.130, another("dplcf-spectral", "ml-100k")),
        Timing("another number of neighbours, ML-100K", 0.015, resliced),
        Timing("dplcf-sp, another ε, ML-1M", 2.5, another("dplcf-sp", "ml-1m")),
        Timing("dplcf-spectral, another ε, ML-1M", 2.5, another("dplcf-spectral", "ml-1m")),
        Timing(f"{what}, two cores", 3, lambda: lambda: country()[0] / 60, unit="min"),
        Timing(f"{what}, most memory", 2000, lambda: lambda: country()[1], unit="MB"),
    ]


def another(name: str, data: str) -> Setup:
    """Every phone flips anew at an ε not seen before, the server learns, everybody's list is checked."""

    def setup() -> Callable[[], Any]:
        known, system, moves = holdout(data), SYSTEMS[name].system, count()
        known.train.matrix  # noqa: B018  (made once, as on a screen)

        def move() -> Any:
            model = trained(replace(system, epsilon=1 + next(moves) / 100), known.train)
            return evaluate(model, known, range(1, 11), full=False)

        return move

    return setup


def resliced() -> Callable[[], Any]:
    """The neighbours slider: another cut of lists that are ranked already."""
    known, system, sizes = holdout("ml-100k"), SYSTEMS["dplcf-sp"].system, count(20)
    flipping = system.ledger(known.train.sizes).releases[0].mechanism
    sums = counted(reports(known.train, flipping))
    ranked = rank_neighbours(system.similarities(sums), 200, np.random.default_rng(0))

    def move() -> Any:
        weights = neighbourhood(ranked, 5 + next(sizes) % 195)
        return evaluate(ItemWeights(known.train.matrix, weights), known, range(1, 11), full=False)

    return move


@cache
def country() -> tuple[float, float]:
    """(seconds, MB) of the large run, made once in a process of its own with two threads of linear algebra."""
    return apart(COUNTRY, threads=2)
