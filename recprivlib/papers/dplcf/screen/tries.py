"""Two of Ada's films: how many people watched both, as a crowd of lying phones would tell it, try after try."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.dashboard.folds import dataset, holdout
from recprivlib.dashboard.memory import MEMORY
from recprivlib.dashboard.people import history
from recprivlib.mechanisms import UnarySymmetric
from recprivlib.protocols import Array

TRIES = 60
AT = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 8.0)  # where the tries of one town are drawn


@dataclass(frozen=True)
class Tries:
    """The true count, and what sixty crowds say, reckoned per town."""

    true: int
    estimates: tuple[float, ...]


def tries(data: str, epsilon: float, people: int, seed: int) -> Tries:
    """Sixty times the same crowd, with fresh coins on every phone."""
    source = dataset(data)
    return MEMORY.get(("pair", source.checksum, epsilon, people, seed), lambda: _tries(data, epsilon, people, seed))


def _tries(data: str, epsilon: float, people: int, seed: int) -> Tries:
    source = dataset(data)
    ada, _ = history(source, ())
    watched = holdout(source, 0).train.matrix[:, ada.indices[[4, 7]]].toarray() > 0
    flip, rng = UnarySymmetric(epsilon=epsilon), np.random.default_rng([seed, people])
    crowd = np.tile(watched, (people, 1))
    found = tuple(_estimate(flip, crowd, rng) / people for _ in range(TRIES))
    return Tries(int(watched.all(axis=1).sum()), found)


def _estimate(flip: UnarySymmetric, crowd: Array, rng: np.random.Generator) -> float:
    """The number who watched both, from one report of every phone."""
    first, second = flip.estimate(flip.release(crowd, rng)).T
    return float(first @ second)
