"""Training in rounds over phones: users in fixed blocks, one random sub-stream a block, shards that are runs of blocks.

    told ──> block 0 │ block 1 │ … ──collect──> sums ──┐
             (4,096 users, own sub-stream)             ├─ added ──> learn ──> told ──> the next round, or model
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
from recprivlib.mechanisms.gate import seen
from recprivlib.mechanisms.noise import Root, here, rooted
from recprivlib.models.constants import Chance
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Federated, Interactions, Model, last

__all__ = ["BLOCK", "added", "block", "blocks", "capped", "crowd", "dealt", "fixed", "gather", "learnt", "loose",
           "onward", "roots", "steps"]  # fmt: skip

Sums = Mapping[str, Array]
POINT = 2.0**32  # the one of a fixed-point number: sums may reach 2³¹


def gather(
    system: Federated, train: Interactions, rng: np.random.Generator, *, shards: int = 1, run: Run = map
) -> Iterator[tuple[float, Any]]:
    """The rounds of a system: (progress, what the server tells everybody) after each; closing it cancels.

    `run` is an executor (see executors.py). A shard carries its own rows and nothing else.
    """
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        raise UserError(f"shards is {shards!r}, but must be a whole number from 1")
    number, root = _number(train), here()
    streams, server = dealt(number, rng)
    bounds = np.linspace(0, number, min(shards, number) + 1).astype(int).tolist()
    parts = [[block(train, one) for one in range(a, b)] for a, b in pairwise(bounds)]
    told = seen("told", system.start(train.sizes, server))
    for turn in range(1, system.rounds + 1):
        tasks = (
            (system, part, told, streams[a:b], roots(root, range(a, b), turn))
            for part, (a, b) in zip(parts, pairwise(bounds), strict=True)
        )
        told = seen("told", system.learn(told, seen("sums", added(run(_collect, tasks))), server))
        yield turn / system.rounds, told
        if turn < system.rounds:  # in this process, so that no executor changes what is drawn next
            streams = onward(streams)


def dealt(number: int, rng: np.random.Generator) -> tuple[list[np.random.Generator], np.random.Generator]:
    """The random numbers of a run: a stream for each of so many blocks, and the server's own."""
    *streams, server = rng.spawn(number + 1)
    return streams, server


def onward(streams: list[np.random.Generator]) -> list[np.random.Generator]:
    """The streams of the blocks in the next round."""
    return [stream.spawn(1)[0] for stream in streams]


def roots(root: Root, numbers: Iterable[int], turn: int) -> list[Root]:
    """Where the noise of these blocks comes from in round `turn`, counted from 1."""
    return [root.branch(number, turn) for number in numbers]


def steps(system: Federated, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
    """A model after every round."""
    return ((progress, system.model(told, train)) for progress, told in gather(system, train, rng))


def learnt(
    system: Federated, train: Interactions, rng: np.random.Generator, *, shards: int = 1, run: Run = map
) -> Model:
    """Play all rounds of a federated system over phones: its `fit`.

    Parameters
    ----------
    system
        What the phones send and what the server makes of it.
    train
        Everybody's history; each phone gets its own.
    rng
        Spawns one stream for each block of 4,096 phones, and the server's.
    shards
        How many parts the phones are dealt out to, from 1; the result does not depend on it.
    run
        What maps a function over the parts: `map`, or that of an executor.

    Returns
    -------
    Model
        After the last round.

    Raises
    ------
    UserError
        `shards` is no whole number from 1.

    Examples
    --------
    >>> from recprivlib import get, load, split
    >>> (held_out,) = split(load("synthetic", users=60, items=100).interactions)
    >>> model = learnt(get("dplcf-ap").system, held_out.train, np.random.default_rng(0))
    >>> model.score(np.array([[0]]), np.arange(100)[None, :]).shape
    (1, 100)
    """
    return system.model(last(gather(system, train, rng, shards=shards, run=run)), train)


def crowd(system: Federated, train: Interactions, times: int, rng: np.random.Generator) -> Model:
    """What the server learns from `times` as many phones, whose histories are drawn from those of `train`; scored
    for the people of `train`."""
    if times == 1:
        return learnt(system, train, rng)
    model: Any = learnt(system, resample(train, times, rng), rng)
    return model.fold_in(train)


def capped(train: Interactions, cap: int | None, rng: np.random.Generator) -> Interactions:
    """At most `cap` interactions of each user, drawn at random where there are more.

    Parameters
    ----------
    train
        Everybody's interactions; they stay as they are.
    cap
        How many of a user's are kept, from 1; None keeps all.
    rng
        Decides which are kept.

    Returns
    -------
    Interactions
        Of the same users and items.

    Notes
    -----
    Every pair has a number of its own and the smallest stay: one interaction more turns out one other at most, and
    what `rng` gives to whoever comes next does not depend on anybody's history.

    Examples
    --------
    >>> from recprivlib.data import load
    >>> met = load("synthetic", users=60, items=100).interactions
    >>> np.bincount(capped(met, 5, np.random.default_rng(0)).users).max()
    np.int64(5)
    """
    if cap is None:
        return train
    chance = Chance(int(rng.integers(2**63))).score(train.users, train.items)
    lengths = np.bincount(train.users, minlength=train.n_users)
    if not len(train) or lengths.max() <= cap:
        return train
    order = np.lexsort((chance, train.users))
    place = np.empty(len(train), np.int64)
    place[order] = np.arange(len(train)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return train.take(place < cap)


def _collect(task: tuple[Federated, list[Interactions], Any, list[np.random.Generator], list[Root]]) -> Sums:
    system, shard, told, streams, under = task
    return added(_asked(system, *each, told) for each in zip(shard, streams, under, strict=True))


def _asked(system: Federated, part: Interactions, stream: np.random.Generator, root: Root, told: Any) -> Sums:
    with rooted(root):
        return system.collect(part, told, stream)


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


def fixed(values: Array) -> Array:
    """Real numbers as whole numbers of 2⁻³², so that they may cross blocks."""
    if not np.isfinite(values).all() or np.abs(values).max(initial=0) >= 2**30:
        raise UserError("what the phones send has no bound any more: the model has diverged; try other parameters")
    return np.rint(values.astype(np.float64) * POINT).astype(np.int64)


def loose(values: Array) -> Array:
    """What `fixed` made whole, as doubles."""
    return values / POINT


def block(train: Interactions, number: int) -> Interactions:
    """The users of one block, numbered from 0."""
    return train.of(slice(number * BLOCK, (number + 1) * BLOCK))


def blocks(train: Interactions) -> Iterator[Interactions]:
    """All blocks in order."""
    return (block(train, number) for number in range(_number(train)))


def _number(train: Interactions) -> int:
    return max(1, -(-train.n_users // BLOCK))
