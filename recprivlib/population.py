"""Large populations: users in fixed blocks, one random sub-stream a block, shards that are runs of blocks.

    train ──> block 0 │ block 1 │ … ──collect──> sums ──┐
              (4,096 users, own sub-stream)             ├─ added ──> learn ──> model
              shard = a run of blocks  ──collect──> sums┘

Only whole numbers cross blocks, so neither the number of shards nor the executor changes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from recprivlib.protocols import Array, Collects, Interactions, Model

BLOCK = 4096

Sums = Mapping[str, Array]
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


def gather(
    system: Collects, train: Interactions, rng: np.random.Generator, *, shards: int = 1, run: Map = map
) -> Model:
    """`fit` for a system whose server needs only sums: collect over every shard, add, learn."""
    number = max(1, -(-train.n_users // BLOCK))
    *streams, last = rng.spawn(number + 1)
    bounds = np.linspace(0, number, min(shards, number) + 1).astype(int)
    tasks = [(system, train, range(a, b), streams[a:b]) for a, b in pairwise(bounds)]
    return system.learn(added(run(_collect, tasks)), train, last)


def _collect(task: tuple[Collects, Interactions, range, list[np.random.Generator]]) -> Sums:
    system, train, blocks, streams = task
    return added(system.collect(block(train, b), stream) for b, stream in zip(blocks, streams, strict=True))


def added(parts: Iterable[Sums]) -> Sums:
    """The sum of what the shards sent; the parts are used up, so that only one sum is ever held."""
    whole: dict[str, Array] = {}
    for part in parts:
        for name, value in part.items():
            if name in whole:
                whole[name] += value
            else:
                whole[name] = value
    return whole


def block(train: Interactions, number: int) -> Interactions:
    """The users of one block, numbered from 0."""
    first = number * BLOCK
    last = min(first + BLOCK, train.n_users)
    rows = slice(*np.searchsorted(train.users, [first, last]))
    features = {name: values[first:last] for name, values in train.user_features.items()}
    return Interactions(
        train.users[rows] - np.int32(first), train.items[rows], train.ratings[rows], train.times[rows], last - first,
        train.n_items, train.grid, features, train.item_features,
    )  # fmt: skip


def blocks(train: Interactions) -> Iterator[Interactions]:
    """All blocks in order."""
    return (block(train, number) for number in range(max(1, -(-train.n_users // BLOCK))))
