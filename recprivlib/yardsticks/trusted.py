"""Yardsticks behind a trusted server: it sees every history, and publishes noisy sums over people.

    dp-popularity   one sum: how popular each item is
    dp-gram         that and a second one: what people like beside it (models/around_popular.py)

ε and δ are those of a whole person and a whole run. Histories count at length 1, however long they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from recprivlib.mechanisms import Gaussian
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.around_popular import AroundPopular, directions, leftovers, popular_sum, shares, top
from recprivlib.models.constants import PerItem
from recprivlib.parameters import BUDGET, UNIT, check, parameter
from recprivlib.protocols import Array, Change, Entry, Interactions, Ledger, Relation, Release, Sizes, Unit, Volume
from recprivlib.yardsticks.plain import AT_HOME, FOR_ALL

MOVES: dict[Relation, float] = {"add-remove": 1.0, "replace": math.sqrt(2)}  # of a sum of histories of length 1


def _epsilon() -> Any:
    return parameter(1.0, 0.05, 20.0, "ε of a person over the whole run", tune=BUDGET)


def _delta() -> Any:
    return parameter(1e-5, 1e-12, 0.01, "δ of a person over the whole run", tune=BUDGET)


def _relation() -> Any:
    gloss = "what the noise is made for: a person is there or not, or is replaced"
    return parameter("add-remove", None, None, gloss, choices=tuple(MOVES), tune=UNIT)


@lru_cache(maxsize=64)
def _mu(epsilon: float, delta: float) -> float:
    from recprivlib.accounting.calibration import gaussian_noise

    return 1 / gaussian_noise(epsilon, delta)


def noise(system: Any, share: float) -> Gaussian:
    """The noise of a release that spends `share` of the budget μ²."""
    move = MOVES[system.relation]
    return Gaussian(1 / (_mu(system.epsilon, system.delta) * math.sqrt(share)), move)


def _line(what: str, mechanism: Gaussian, sizes: Sizes) -> Release:
    from recprivlib.accounting.rounding import summed

    user: Unit = "user"
    hair = summed(sizes.users, steps=sizes.items)  # of doubles; a history's length is a sum over items
    terms = {(user, name): Change(distance=move / mechanism.sensitivity, rounding=hair) for name, move in MOVES.items()}
    return Release(what, mechanism, terms, seen_by=("model",))


PUBLIC = ("the catalogue", "how many people there are")
FIRST, SECOND = "the sum of histories of length 1", "the sum over people of what popularity does not explain"


@dataclass(frozen=True)
class DPPopularity:
    """How popular each item is, counted by a trusted server that adds noise once."""

    epsilon: float = _epsilon()
    delta: float = _delta()
    relation: Relation = _relation()

    def __post_init__(self) -> None:
        check(self)

    holds = held.little

    def fit(self, train: Interactions, rng: np.random.Generator) -> PerItem:
        return PerItem(released(noise(self, 1.0), popular_sum(train.matrix)).astype(np.float32))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger((_line(FIRST, noise(self, 1.0), sizes),), PUBLIC[:1], (FOR_ALL,), "the server")


@dataclass(frozen=True)
class DPGram:
    """Popularity, then a Gram matrix of what it leaves over, on the items that it puts first."""

    epsilon: float = _epsilon()
    delta: float = _delta()
    relation: Relation = _relation()

    def __post_init__(self) -> None:
        check(self)

    def fit(self, train: Interactions, rng: np.random.Generator) -> AroundPopular:
        first, second, items = self._plan(train.n_users)
        popular = released(first, popular_sum(train.matrix))
        chosen, direction = top(popular, items)
        half = released(second, leftovers(train.matrix, chosen, direction))
        vectors, trusted = directions(half, direction, second.sigma)
        length = max(float(np.linalg.norm(np.maximum(popular[chosen], 0))), 1e-9)
        return AroundPopular(train.matrix, _small(popular / length), chosen.astype(np.int32), _small(vectors),
                             _small(trusted))  # fmt: skip

    def holds(self, size: Volume) -> float:
        looked_at = min(size.items, self._plan(size.users)[2])
        return 64.0 * looked_at**2 + 28.0 * held.blocks(size) * looked_at + 12.0 * held.scored(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        first, second, _ = self._plan(sizes.users)
        lines = _line(FIRST, first, sizes), _line(SECOND, second, sizes)
        return Ledger(lines, PUBLIC, (AT_HOME,), "the server", counts_public=True)

    def _plan(self, people: int) -> tuple[Gaussian, Gaussian, int]:
        """The noise of either release, and how many items the second one looks at."""
        strength = people * _mu(self.epsilon, self.delta) / MOVES[self.relation]
        share, rest, items = shares(strength)
        return noise(self, share), noise(self, rest), items


def _small(x: Array) -> Array:
    return x.astype(np.float32)


BILL: tuple[Unit, Relation] = ("user", "add-remove")
SYSTEMS: dict[str, Entry] = {
    "dp-popularity": Entry(
        DPPopularity(), "ranking", "baseline", "popularity with noise of a trusted server", personalised=False,
        terms=BILL,
    ),
}  # fmt: skip
