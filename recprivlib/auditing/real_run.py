"""The worlds of a real data set: as it is, and with one person's data left out, replaced or said otherwise.

The longest history, one in the middle and the shortest are changed in turn; once everything that is secret is shuffled.
Nothing here hangs on luck: the run is played under one tape, as in made-up worlds (replay.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from recprivlib.auditing.scenes import Scene
from recprivlib.protocols import Array, Interactions, Relation, Unit

ENDS = (1.0, 1.0)  # of a scale where feedback is implicit


def real_scenes(train: Interactions, unit: Unit, relation: Relation) -> Iterator[Scene]:
    """The data as they are, beside what one person of them might have been instead."""
    lengths = np.bincount(train.users, minlength=train.n_users)
    ranked = np.argsort(-lengths, kind="stable")
    ranked = ranked[lengths[ranked] > 1]
    chosen = dict.fromkeys(int(ranked[at]) for at in (0, len(ranked) // 2, len(ranked) - 1)) if len(ranked) else {}
    rng = np.random.default_rng(9)
    for turn, who in enumerate(chosen):
        others = [(f"person {who}: {what}", other, True) for what, other in _hers(train, who, unit, relation, rng)]
        if not turn:
            others.append(("everything shuffled", _shuffled(train, relation, rng), False))
        yield Scene(f"the data as they are, person {who} of {lengths[who]} rows", train, tuple(others), who)


def _hers(
    train: Interactions, who: int, unit: Unit, relation: Relation, rng: np.random.Generator
) -> Iterator[tuple[str, Interactions]]:
    rows = np.flatnonzero(train.users == who)
    counts = np.bincount(train.items, minlength=train.n_items)
    rarest = rows[[np.argmin(counts[train.items[rows]])]]
    if relation == "replace-value":
        yield "rated otherwise", _said_otherwise(train, rows if unit == "user" else rarest)
    elif relation == "add-remove":
        yield "left out", train.take(np.setdiff1d(np.arange(len(train)), rows if unit == "user" else rarest))
    else:
        touched = rows if unit == "user" else rows[:1]
        free = rng.permutation(np.setdiff1d(np.arange(train.n_items), train.items[rows]))
        touched = touched[: len(free)]
        items = train.items.copy()
        items[touched] = free[: len(touched)]
        other = _said_otherwise(train, touched) if unit == "user" else train
        yield "met others", ordered(replace(other, items=items))
        if unit == "user" and relation == "replace":
            yield "met nothing", train.take(np.setdiff1d(np.arange(len(train)), rows))


def _said_otherwise(train: Interactions, rows: Array) -> Interactions:
    """The other end of the scale at these rows."""
    low, high = (train.grid[0], train.grid[-1]) if train.grid else ENDS
    said = train.ratings.copy()
    said[rows] = np.where(said[rows] > (low + high) / 2, low, high)
    return replace(train, ratings=said)


def _shuffled(train: Interactions, relation: Relation, rng: np.random.Generator) -> Interactions:
    """All that is secret changes hands: of half the rows, or of ratings alone, or of items."""
    if relation == "replace-value":
        return replace(train, ratings=rng.permutation(train.ratings))
    names = rng.permutation(train.n_items).astype(np.int32)
    if relation == "swap":
        return ordered(replace(train, items=names[train.items]))
    half = train.take(rng.random(len(train)) < 0.5)
    said = {name: values[rng.permutation(train.n_users)] for name, values in train.user_features.items()}
    times = half.times + rng.integers(0, 10**6, len(half))
    return ordered(replace(half, items=names[half.items], user_features=said, times=times))


def ordered(data: Interactions) -> Interactions:
    """The same rows in canonical order."""
    order = np.lexsort((data.items, data.times, data.users))
    return replace(data, items=data.items[order], ratings=data.ratings[order], times=data.times[order])


def one_less(data: Interactions) -> Interactions:
    """The same people without the last one: even how many there are is another."""
    said = {name: values[:-1] for name, values in data.user_features.items()}
    return replace(data.of(slice(0, data.n_users - 1)), user_features=said)
