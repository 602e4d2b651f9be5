"""dp_pnbm on one fold of the five, beside scikit-surprise's neighbourhoods at the same settings.

Of the peer its algorithm alone is measured, not turning our arrays into its form. Both predict the fold's test ratings;
"off by" is the difference between their RMSE.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np

from recprivlib.bench import Timing
from recprivlib.bench._shared import fitted, fold, for_surprise
from recprivlib.evaluation import evaluate
from recprivlib.papers.dp_pnbm.system import DPPS, Cos

EVERYBODY = 100_000  # neighbours: as many as there are


def cells() -> list[Timing]:
    peer = {"scikit-surprise": theirs}
    return [
        Timing("cos, ML-100K", 0.060, fitted("cos")),
        Timing("pcc, ML-100K", 0.250, fitted("pcc")),
        Timing("cosine neighbours, fit and predicted, ML-100K", None, ours, peer),
        Timing("cosine neighbours, RMSE off scikit-surprise's by, ML-100K", 0.005, off, unit="stars"),
        Timing("another number of neighbours, predicted, ML-100K", 0.060, resized),
        Timing("dpsgd-pnbm, K=1, ML-100K", 0.350, fitted("dpsgd-pnbm")),
        Timing("dpsgd-pnbm, K=5, ML-100K", 1.2, fitted("dpsgd-pnbm", iterations=5)),
        Timing("dpps-pnbm, one step, ML-100K", None, one_step),
        Timing("dp-covariance, ε=8, ML-100K", None, fitted("dp-covariance", epsilon=8)),
        Timing("dpsgd-pnbm, K=5, ML-1M", 0.5, lambda: lambda: large()[0] / 60, unit="min"),
        Timing("dpsgd-pnbm, K=5, ML-1M, most memory", 1500, lambda: lambda: large()[1], unit="MB"),
    ]


def ours() -> Callable[[], Any]:
    """The cosine over the people who rated both, every neighbour with a say: what KNNWithMeans does."""
    known, system = fold("ml-100k"), Cos(neighbors=EVERYBODY, common=True)
    return lambda: evaluate(system.fit(known.train, np.random.default_rng(0)), known)


def theirs() -> Callable[[], Any]:
    from surprise import KNNWithMeans

    known = fold("ml-100k")
    train, test = for_surprise(known), _asked()
    alike = {"name": "cosine", "user_based": False}

    def run() -> Any:
        model = KNNWithMeans(k=known.train.n_items, min_k=1, sim_options=alike, verbose=False).fit(train)
        return model.test(test)

    return run


def _asked() -> list[tuple[int, int, float]]:
    known = fold("ml-100k")
    return list(zip(known.users.tolist(), known.items.tolist(), known.ratings.tolist(), strict=True))


def off() -> Callable[[], float]:
    """|our RMSE − theirs| on the fold."""
    mine, peer = ours(), theirs()

    def apart() -> float:
        errors = np.array([said.est - said.r_ui for said in peer()])
        return abs(float(np.sqrt((errors**2).mean())) - mine().metrics["rmse"])

    return apart


def resized() -> Callable[[], Any]:
    """What a neighbours slider costs: the similarities are there, and sorted."""
    known = fold("ml-100k")
    model = fitted_cos().among(3)
    sizes = cycle((10, 30, 100, 300, 500, 900, 1400))
    return lambda: evaluate(model.among(next(sizes)), known)


def fitted_cos() -> Any:
    return Cos().fit(fold("ml-100k").train, np.random.default_rng(0))


def one_step() -> Callable[[], Any]:
    known, system = fold("ml-100k"), replace(DPPS(), iterations=1)
    return lambda: system.fit(known.train, np.random.default_rng(0))


LARGE = """
import resource, time
import numpy as np
from recprivlib.bench._shared import fold
from recprivlib.papers.dp_pnbm.system import DPSGD
train = fold("ml-1m").train
start = time.perf_counter()
DPSGD(iterations=5).fit(train, np.random.default_rng(0))
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@cache
def large() -> tuple[float, float]:
    """Seconds and megabytes of one fit on ML-1M, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", LARGE], check=True, capture_output=True, text=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak) / (1024 if sys.platform != "darwin" else 1024**2)
