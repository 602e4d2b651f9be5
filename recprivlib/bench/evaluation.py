"""Scoring everybody and turning scores into metrics; splitting; intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import holdout, interactions
from recprivlib.evaluation import evaluate, split
from recprivlib.yardsticks.plain import SYSTEMS


def cells() -> list[Timing]:
    return [
        *(Timing(f"{name}, everybody × 100 candidates, ML-100K", 0.010, evaluated(name, "ml-100k", full=False))
          for name in ("item-knn", "mf-als", "ease")),
        *(Timing(f"{name}, full catalogue, ML-100K", 0.060, evaluated(name, "ml-100k", full=True))
          for name in ("item-knn", "mf-als", "ease")),
        Timing("item-knn, full catalogue, ML-1M", None, evaluated("item-knn", "ml-1m", full=True)),
        Timing("split, loo-latest, ML-100K", None, divided),
        Timing("intervals of all metrics, 1,000 draws, ML-100K", None, resampled),
    ]  # fmt: skip


def evaluated(system: str, data: str, full: bool) -> Setup:
    """Evaluation of a trained model; with the whole catalogue both pools are scored."""

    def setup() -> Callable[[], Any]:
        known = holdout(data)
        model = SYSTEMS[system].system.fit(known.train, np.random.default_rng(0))
        return lambda: evaluate(model, known, full=full)

    return setup


def divided() -> Callable[[], Any]:
    known = interactions("ml-100k")
    return lambda: split(known, "loo-latest", 0)


def resampled() -> Callable[[], Any]:
    known = holdout("ml-100k")
    scores = evaluate(SYSTEMS["popularity"].system.fit(known.train, np.random.default_rng(0)), known)
    return lambda: scores.intervals()
