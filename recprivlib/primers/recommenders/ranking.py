"""Hit rates of the people of one data set, as every ranking dashboard needs them.

Both pools at once: the next film among 99 strangers ("sampled") and among the whole catalogue ("full").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.dashboard.folds import holdout
from recprivlib.dashboard.memory import MEMORY
from recprivlib.dashboard.people import spoken as spoken  # chapters speak of lists and titles together
from recprivlib.data import Dataset
from recprivlib.evaluation import Difference, evaluate, intervals
from recprivlib.models.constants import PerItem
from recprivlib.plots.axes import GROUPS
from recprivlib.protocols import Array, Interactions

LONGEST = 20  # the largest K
LIST = 10  # films shown in a list
POOLS = {"sampled": "", "full": "/full"}
BOUNDS = (30, 60, 120, 240)  # films: the edges of GROUPS


@dataclass(frozen=True)
class Rates:
    """One pool: hit rates at K = 1..20, and at the chosen K what is left to chance."""

    yours: tuple[float, ...]
    popular: tuple[float, ...]
    chance: tuple[float, ...]
    interval: tuple[float, float]
    versus: Difference  # yours less popular, at the chosen K, same people


@dataclass(frozen=True)
class Groups:
    """Hit rates by length of history, at the chosen K and pool; NaN: nobody was tested."""

    yours: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    popular: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Hits:
    """Every person's hit rate at K = 1..20 in both pools; NaN: not tested."""

    people: dict[str, Array]  # pool -> float32 (K, users)
    mean: dict[str, tuple[float, ...]]  # pool -> one rate a K


def hits(data: Dataset, seed: int, key: tuple, fit: Callable[[], object]) -> Hits:
    """The hit rates of the model that `fit` makes; kept under `key`."""

    def make() -> Hits:
        found = evaluate(fit(), holdout(data, seed), range(1, LONGEST + 1)).per_user  # type: ignore[arg-type]
        people = {
            pool: np.stack([found[f"hr@{k}{suffix}"] for k in range(1, LONGEST + 1)]) for pool, suffix in POOLS.items()
        }
        mean = {pool: tuple(np.nanmean(values, axis=1).tolist()) for pool, values in people.items()}
        return Hits({pool: values.astype(np.float32) for pool, values in people.items()}, mean)

    return MEMORY.get(("hits", data.checksum, seed, *key), make)


def chance(data: Dataset, seed: int) -> Hits:
    """A constant score: ties are taken in expectation, so this is chance without luck."""
    return hits(data, seed, ("chance",), lambda: PerItem(np.zeros(data.interactions.n_items, np.float32)))


def rates(data: Dataset, seed: int, k: int, rivals: str, scores: Mapping[str, Hits]) -> tuple[dict[str, Rates], Groups]:
    """Both pools, and the groups in the pool of `rivals`. `scores` has "yours", "popular" and "chance".

    All intervals come from the same resampled people; a paired one is that of the difference.
    """
    yours, popular = (
        {pool: scores[who].people[pool][k - 1].astype(np.float64) for pool in POOLS} for who in ("yours", "popular")
    )
    group = _groups(data, seed)
    wanted = {f"{pool} yours": yours[pool] for pool in POOLS}
    wanted |= {f"{pool} versus": yours[pool] - popular[pool] for pool in POOLS}
    wanted |= {str(number): np.where(group == number, yours[rivals], np.nan) for number in np.unique(group)}
    drawn = intervals(wanted, seed)
    both = {}
    for pool in POOLS:
        own, flat, listed = (scores[who].mean[pool] for who in ("yours", "chance", "popular"))
        versus = Difference(own[k - 1] - listed[k - 1], *drawn[f"{pool} versus"])
        both[pool] = Rates(own, listed, flat, drawn[f"{pool} yours"], versus)
    groups = Groups(
        _by_group(yours[rivals], group),
        tuple(drawn.get(str(number), (np.nan, np.nan)) for number in range(len(GROUPS))),
        _by_group(popular[rivals], group),
    )
    return both, groups


def _groups(data: Dataset, seed: int) -> Array:
    """Which of the groups of `BOUNDS` each person's history falls into."""

    def make() -> Array:
        train = holdout(data, seed).train
        return np.searchsorted(BOUNDS, np.bincount(train.users, minlength=train.n_users)).astype(np.int8)

    return MEMORY.get(("groups", data.checksum, seed), make)


def _by_group(values: Array, group: Array) -> tuple[float, ...]:
    there = np.isfinite(values)
    sums = np.bincount(group[there], values[there], len(GROUPS))
    people = np.bincount(group[there], minlength=len(GROUPS))
    return tuple(float(total / n) if n else float("nan") for total, n in zip(sums, people, strict=True))


def averaged(runs: list[Hits]) -> dict[str, Array]:
    """(K, 3) in each pool: the mean over several seeds' runs with its 95 % interval over people and their seeds."""
    return {pool: _banded(np.stack([run.people[pool] for run in runs]).mean(axis=0, dtype=float)) for pool in POOLS}


def _banded(people: Array) -> Array:
    drawn = intervals({str(k): values for k, values in enumerate(people)})
    return np.array([(np.nanmean(values), *drawn[str(k)]) for k, values in enumerate(people)])


# --------------------------------------------------------------------------------------- one person's list


def best(model: object, person: sp.csr_array) -> Array:
    """The ten best films for one new person, without those she named."""
    catalogue = np.arange(person.shape[1])[None, :]
    guest = model.fold_in(Interactions.from_histories(person))  # type: ignore[attr-defined]
    scores = np.array(guest.score(np.zeros((1, 1), int), catalogue)[0], np.float64)
    scores[person.indices] = -np.inf
    return np.argsort(-scores, kind="stable")[:LIST]
