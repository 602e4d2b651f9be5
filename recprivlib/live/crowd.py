"""The phones of a population, of any size: what they report, block by block, as the real code draws it.

A population `people` times as large is drawn from the real users with replacement (data.resample). What everybody
reports depends on the seed alone, through one uniform number a bit, so that a dragged ε flips bits one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from recprivlib.data import Dataset
from recprivlib.evaluation import stream
from recprivlib.live.memory import MEMORY, Memory
from recprivlib.live.shared import holdout
from recprivlib.papers.dplcf import counted
from recprivlib.population import BLOCK, added
from recprivlib.protocols import Array

KEPT = 4  # populations up to this many times the real one keep their uniform numbers
SUMS = Memory(48 << 20)  # what some servers have just counted: another server at the same ε learns from the same


class Replay:
    """A generator that gives the same uniform numbers again: curves move smoothly, and nothing is ever released."""

    def __init__(self, uniforms: Array):
        self.uniforms = uniforms

    def random(self, shape: tuple[int, ...]) -> Array:
        return self.uniforms.reshape(shape)


def size(data: Dataset, people: int) -> int:
    """Phones in the population."""
    return data.interactions.n_users * people


def blocks(data: Dataset, people: int) -> int:
    """Blocks of phones."""
    return -(-size(data, people) // BLOCK)


def learner(data: Dataset, people: int, seed: int) -> np.random.Generator:
    """The generator that `gather` hands to `learn`."""
    return stream(seed, "fit").spawn(blocks(data, people) + 1)[-1]


def sums(data: Dataset, people: int, seed: int, flipping: Any) -> Iterator[Mapping[str, Array]]:
    """What the server knows after each block of phones has reported (the same arrays, growing)."""

    def sent(number: int) -> dict[str, Array]:
        histories = _histories(data, people, seed, number)
        return counted(flipping.release(histories, cast(np.random.Generator, _uniforms(data, people, seed, number))))

    if blocks(data, people) == 1:
        yield SUMS.get((data.checksum, people, seed, flipping), lambda: sent(0))
        return
    whole: dict[str, Array] = {}
    for number in range(blocks(data, people)):
        whole = dict(added([whole, sent(number)] if whole else [sent(number)]))
        yield whole


def _drawn(data: Dataset, people: int, seed: int) -> Array:
    """Which real user each phone of the population is, as `resample` draws them."""
    users = data.interactions.n_users
    return (
        np.arange(users) if people == 1 else np.random.default_rng([seed, people]).integers(users, size=users * people)
    )


def _histories(data: Dataset, people: int, seed: int, number: int) -> Array:
    """The bits of one block of phones."""
    rows = _drawn(data, people, seed)[number * BLOCK : (number + 1) * BLOCK]
    return cast(Array, holdout(data, seed).train.matrix[rows].toarray() > 0)


def _uniforms(data: Dataset, people: int, seed: int, number: int) -> Replay | np.random.Generator:
    """The random numbers of one block, as `gather` would draw them."""
    source = stream(seed, "fit").spawn(blocks(data, people) + 1)[number]
    if people > KEPT:
        return source
    shape = (min(BLOCK, size(data, people) - number * BLOCK), data.interactions.n_items)
    return Replay(MEMORY.get(("uniforms", data.checksum, people, seed, number), lambda: source.random(shape)))
