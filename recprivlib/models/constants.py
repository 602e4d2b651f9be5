"""Scores that know no taste: chance, and one number an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.protocols import Array, Interactions


@dataclass(frozen=True, eq=False)
class PerItem:
    """The same score of an item for everybody."""

    scores: Array  # float32 (n_items,)

    def score(self, users: Array, items: Array) -> Array:
        shape = np.broadcast_shapes(np.shape(users), np.shape(items))
        return np.array(np.broadcast_to(self.scores[items], shape))

    def fold_in(self, people: Interactions) -> PerItem:
        return self


@dataclass(frozen=True)
class Chance:
    """A fixed random number in [0, 1) for every pair: a hash of seed, user and item, so no table is held."""

    seed: int

    def score(self, users: Array, items: Array) -> Array:
        pair = (np.asarray(users).astype(np.uint64) << np.uint64(32)) | np.asarray(items).astype(np.uint64)
        return (_mix(_mix(pair) + np.uint64(self.seed)) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)

    def fold_in(self, people: Interactions) -> Chance:
        return self


def _mix(x: Array) -> Array:
    """splitmix64's output function (Steele, Lea & Flood 2014): every input bit moves every output bit."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
