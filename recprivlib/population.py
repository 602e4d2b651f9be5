"""Large populations: users in fixed blocks, one random sub-stream a block, shards that are runs of blocks.

    train ──> block 0 │ block 1 │ … ──collect──> sums ──┐
              (4,096 users, own sub-stream)             ├─ added ──> learn ──> model
              shard = a run of blocks  ──collect──> sums┘

Only whole numbers cross blocks, so neither the number of shards nor the executor changes a result.

A larger population than there is data for is drawn from the real one (`crowd`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from recprivlib.data.synthetic import BLOCK, resample
from recprivlib.executors import Run
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Collects, Interactions, Model

__all__ = ["BLOCK", "added", "block", "blocks", "crowd", "gather"]

Sums = Mapping[str, Array]


def gather(
    system: Collects, train: Interactions, rng: np.random.Generator, *, shards: int = 1, run: Run = map
) -> Model:
    """`fit` for a system whose server needs only sums: collect over every shard, add, learn.

    `run` is an executor (see executors.py). A shard carries its own rows and nothing else.
    """
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        raise UserError(f"shards is {shards!r}, but must be a whole number from 1")
    number = _number(train)
    *streams, last = rng.spawn(number + 1)
    bounds = np.linspace(0, number, min(shards, number) + 1).astype(int).tolist()
    tasks = ((system, _users(train, a * BLOCK, b * BLOCK), streams[a:b]) for a, b in pairwise(bounds))
    return system.learn(added(run(_collect, tasks)), train, last)


def crowd(system: Collects, train: Interactions, times: int, rng: np.random.Generator) -> Model:
    """What the server learns from `times` as many phones, whose histories are drawn from those of `train`; scored
    for the people of `train`."""
    if times == 1:
        return gather(system, train, rng)
    model: Any = gather(system, resample(train, times, rng), rng)
    return model.fold_in(train.matrix)


def _collect(task: tuple[Collects, Interactions, list[np.random.Generator]]) -> Sums:
    system, shard, streams = task
    return added(system.collect(block(shard, number), stream) for number, stream in enumerate(streams))


def added(parts: Iterable[Sums]) -> Sums:
    """The sum of what blocks or shards sent; the first part is used up, so only one sum is held.

    Whole numbers only: others depend on the order.
    """
    whole: dict[str, Array] = {}
    for part in parts:
        _add(whole, part)
        del part  # else it stays until the next one is there
    return whole


def _add(whole: dict[str, Array], part: Sums) -> None:
    for name, value in part.items():
        if not np.issubdtype(np.asarray(value).dtype, np.integer):
            raise TypeError(f"the sum {name!r} is {np.asarray(value).dtype}, but only whole numbers cross blocks")
        if name in whole:
            whole[name] += value
        else:
            whole[name] = np.asarray(value)


def block(train: Interactions, number: int) -> Interactions:
    """The users of one block, numbered from 0."""
    return _users(train, number * BLOCK, (number + 1) * BLOCK)


def blocks(train: Interactions) -> Iterator[Interactions]:
    """All blocks in order."""
    return (block(train, number) for number in range(_number(train)))


def _number(train: Interactions) -> int:
    return max(1, -(-train.n_users // BLOCK))


def _users(train: Interactions, first: int, last: int) -> Interactions:
    """The users from `first` to before `last`, numbered from 0."""
    last = min(last, train.n_users)
    rows = slice(*np.searchsorted(train.users, [first, last]))
    features = {name: values[first:last] for name, values in train.user_features.items()}
    return Interactions(
        train.users[rows] - np.int32(first), train.items[rows], train.ratings[rows], train.times[rows], last - first,
        train.n_items, train.grid, features, train.item_features,
    )  # fmt: skip
