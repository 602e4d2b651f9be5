"""Data, folds and scores that every dashboard and every reader of one process share.

Keys are the checksum of the data and the seed, so that two names of the same data meet and two seeds do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from recprivlib.dashboard.contract import Card
from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset, load
from recprivlib.evaluation import Difference, RankingSplit, Scores, evaluate, intervals, split, total
from recprivlib.models.constants import PerItem
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import Ranked, neighbourhood, rank_neighbours
from recprivlib.models.similarity import gram, jaccard
from recprivlib.parameters import UserError, configured
from recprivlib.protocols import Array
from recprivlib.registry import get
from recprivlib.training import trained

MOST = 500  # neighbours kept, nearest first: every smaller neighbourhood is a slice
COLUMNS = ("figure", "series", "x", "y", "low", "high", "note")


def dataset(name: str) -> Dataset:
    """A data set, loaded once; if it cannot be had, a card that offers the synthetic one."""
    try:
        return MEMORY.get(("data", name), lambda: load(name))
    except UserError as reason:
        if name == "synthetic":
            raise
        raise Card(str(reason), cure={"data": "synthetic"}, cure_label="use synthetic people") from None


def fold(data: Dataset, protocol: str, seed: int) -> Any:
    """The first split of a seed."""
    return MEMORY.get(("fold", protocol, data.checksum, seed), lambda: split(data.interactions, protocol, seed)[0])


def holdout(data: Dataset, seed: int) -> RankingSplit:
    """The leave-one-out split of a seed."""
    return cast(RankingSplit, fold(data, "loo-latest", seed))


def scores(
    data: Dataset, protocol: str, seed: int, key: tuple, make: Callable[[Any], Any], ks: Sequence[int] | None = None
) -> Scores:
    """How well the model does that `make` gives for the fold, in line-ups of 100 where it ranks; kept under `key`."""
    held_out = fold(data, protocol, seed)
    wanted = ("scores", protocol, data.checksum, seed, key, ks)
    return MEMORY.get(wanted, lambda: evaluate(make(held_out), held_out, ks, full=False))


def scored(
    data: Dataset, protocol: str, seed: int, name: str, settings: Mapping[str, Any] | None = None,
    ks: Sequence[int] | None = None,
) -> Scores:  # fmt: skip
    """How well a registered system does at these settings."""
    chosen = dict(settings or {})

    def make(held_out: Any) -> Any:
        return trained(configured(get(name).system, chosen), held_out.train, seed)

    return scores(data, protocol, seed, (name, tuple(sorted(chosen.items()))), make, ks)


def chance(data: Dataset, protocol: str, seed: int, ks: Sequence[int] | None = None) -> Scores:
    """A constant score: ties are taken in expectation, so this is chance without luck."""
    return scores(data, protocol, seed, ("chance",), constant, ks)


def beside(own: Array, rival: Array, seed: int) -> tuple[tuple[float, float], Difference]:
    """The interval of a metric over users, more of which is better, and how it compares; both from the same resampled
    people. Of errors, less of which is better, `evaluation.paired` says so."""
    if own.ndim > 1:
        raise ValueError("these are errors, a square and a count a fold: hold them against each other with `paired`")
    drawn = intervals({"own": own, "versus": own - rival}, seed)
    return drawn["own"], Difference(total(own) - total(rival), *drawn["versus"])


def constant(held_out: Any) -> PerItem:
    """Everything is as good as everything else."""
    return PerItem(np.zeros(held_out.train.n_items, np.float32))


def votes(data: Dataset, seed: int, neighbors: int) -> ItemWeights:
    """item-kNN with so many neighbours: a slice of similarities that are already ranked."""
    return ItemWeights(holdout(data, seed).train.matrix, neighbourhood(ranked(data, seed), neighbors))


def ranked(data: Dataset, seed: int) -> Ranked:
    """The nearest items of every item by Jaccard similarity, as ItemKNN ranks them."""

    def make() -> Ranked:
        shared = gram(holdout(data, seed).train.matrix)
        return rank_neighbours(jaccard(shared, shared.diagonal().copy(), out=shared), MOST)

    return MEMORY.get(("ranked", data.checksum, seed), make)


def tidy(rows: Sequence[tuple], last: str = "note") -> Any:
    """Rows of (figure, series, x, y[, low, high][, note]) as the table behind a screen."""
    import pandas as pd

    return pd.DataFrame([_whole(row) for row in rows], columns=[*COLUMNS[:-1], last])


def _whole(row: tuple) -> tuple:
    """A row with what it leaves out: no interval, no note."""
    head, rest = row[:4], row[4:]
    note = rest[-1] if len(rest) in (1, 3) else ""
    low, high = rest[:2] if len(rest) >= 2 else (np.nan, np.nan)
    return (*head, low, high, note)
