"""What the areas have in common: data that is loaded once, and commands run as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import count
from typing import Any

import numpy as np

from recprivlib.bench import THREADS, Setup
from recprivlib.data import load
from recprivlib.evaluation import RankingSplit, RatingSplit, split
from recprivlib.parameters import UserError, configured
from recprivlib.protocols import Interactions
from recprivlib.registry import get

PEAK = """
with open("/proc/self/status") as status:
    print(seconds, next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@cache
def interactions(name: str) -> Interactions:
    """A data set, read once a run."""
    return load(name).interactions


@cache
def holdout(name: str) -> RankingSplit:
    """Its leave-one-out split at seed 0."""
    found = split(interactions(name), "loo-latest", 0)[0]
    assert isinstance(found, RankingSplit)
    return found


def python(*words: str) -> Callable[[], str]:
    """Runs `python words…` in a process of its own; the result is what it wrote on stderr."""
    return lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True).stderr


def apart(script: str, threads: int) -> tuple[float, float]:
    """(what the script leaves in `seconds`, the most memory of its process in MB), run in a process of its own."""
    if sys.platform != "linux":
        raise UserError("the high-water mark of a process is read from /proc, which only Linux has")
    env = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    command = [sys.executable, "-c", script + PEAK]
    run = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    seconds, peak = run.stdout.split()
    return float(seconds), int(peak) * 1024 / 1e6


def fold(data: str) -> RatingSplit:
    """The first of five."""
    found = split(interactions(data), "kfold", 0)[0]
    assert isinstance(found, RatingSplit)
    return found


def fitted(system: str, data: str = "ml-100k", **settings: Any) -> Setup:
    """Release and fit at the defaults; other noise each time, as a slider would."""

    def setup() -> Callable[[], Any]:
        known, trainer, seeds = fold(data), configured(get(system).system, settings), count()
        return lambda: trainer.fit(known.train, np.random.default_rng(next(seeds)))

    return setup


def for_surprise(known: RatingSplit) -> Any:
    """The training ratings as scikit-surprise keeps them."""
    from surprise import Dataset, Reader

    train = known.train
    rows = zip(train.users.tolist(), train.items.tolist(), train.ratings.tolist(), strict=True)
    ratings = [(u, i, r, None) for u, i, r in rows]
    data = Dataset(Reader(rating_scale=(1, 5)))
    data.raw_ratings = ratings
    return data.construct_trainset(ratings)
