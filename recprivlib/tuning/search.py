"""Which settings a search tries: the printed one, then spread over the whole space, then closing in on the best.

    trial 0      the printed setting
    a quarter    walks the first dial alone, all others as printed
    a quarter    is a scrambled Sobol design over all dials, its seed made of the contender's name
    half         lies in three boxes around the best so far, each half as wide as the last

The same name, space and scores give the same trials. A score is better the lower it is. Where not every setting is
allowed, as no price restores its bill, those that are not are passed over and cost no trial.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recprivlib.protocols import Array
from recprivlib.tuning.space import Setting, Space

WIDTHS = (0.25, 0.125, 0.06)  # of the boxes, as shares of each dial, to either side
KEPT = 0.75  # of the trials in a box leave a dial of a few values where it is
Score = Callable[[Sequence[Setting]], Sequence[float]]
Allowed = Callable[[Setting], bool]
OFTEN = 16  # as many points as are wanted are looked at, where not all are allowed


@dataclass
class Search:
    """Trials so far, where they lie, and what they scored."""

    name: str
    space: Space
    printed: Setting  # of the dials alone
    score: Score
    allowed: Allowed = field(default_factory=lambda: every)
    trials: list[dict[str, Any]] = field(default_factory=list)
    shares: list[dict[str, float]] = field(default_factory=list)
    found: list[float] = field(default_factory=list)

    def run(self, places: Sequence[dict[str, float]], budget: int) -> None:
        """Try what is new at these shares of the dials, up to so many trials in all."""
        fresh: list[dict[str, Any]] = []
        at: list[dict[str, float]] = []
        for place in places:
            setting = self.at(place)
            new = setting not in self.trials and setting not in fresh
            if len(self.trials) + len(fresh) < budget and new and self.allowed(setting):
                fresh.append(setting)
                at.append({name: axis.share(setting[name]) for name, axis in self.space.items()} | place)
        if fresh:
            self.found += [score if math.isfinite(score) else math.inf for score in self.score(fresh)]
            self.trials += fresh
            self.shares += at

    def at(self, place: Mapping[str, float]) -> dict[str, Any]:
        """The setting at these shares of the dials, all others as printed."""
        return dict(self.printed) | {name: self.space[name].at(share) for name, share in place.items()}

    def best(self) -> int:
        return min(range(len(self.found)), key=lambda at: (self.found[at], at))

    def spread(self, many: int, skip: int = 0) -> list[dict[str, float]]:
        """`many` points of the Sobol design, after the first `skip`."""
        rows = sobol(self.name, len(self.space), skip + OFTEN * many)[skip:]
        return self._first(many, (dict(zip(self.space, map(float, row), strict=True)) for row in rows))

    def box(self, name: str, width: float, many: int) -> list[dict[str, float]]:
        """`many` points around the best so far."""
        centre = self.shares[self.best()]

        def near(row: Array) -> dict[str, float]:
            place = {}
            for (key, axis), share in zip(self.space.items(), map(float, row), strict=True):
                if axis.dial.values:
                    place[key] = centre[key] if share < KEPT else (share - KEPT) / (1 - KEPT)
                else:
                    place[key] = min(max(centre[key] + (2 * share - 1) * width, 0.0), 1 - 1e-9)
            return place

        return self._first(many, map(near, sobol(f"{self.name}/{name}", len(self.space), OFTEN * many)))

    def _first(self, many: int, places: Iterable[dict[str, float]]) -> list[dict[str, float]]:
        """The first so many places that are allowed."""
        return list(itertools.islice((one for one in places if self.allowed(self.at(one))), many))

    def close_in(self, budget: int, round_: str = "") -> None:
        """What is left of the budget, in boxes."""
        each = math.ceil((budget - len(self.trials)) / len(WIDTHS))
        for turn, width in enumerate(WIDTHS):
            left = budget - len(self.trials)
            self.run(self.box(f"{round_}{turn}", width, left if turn + 1 == len(WIDTHS) else each), budget)


def every(setting: Setting) -> bool:
    """All settings are allowed."""
    return True


def sobol(name: str, dimensions: int, many: int) -> Array:
    """The first `many` points of a scrambled Sobol design in [0, 1)^dimensions that belongs to a name."""
    from scipy.stats import qmc

    size = 1 << max(1, math.ceil(math.log2(max(many, 2))))
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return qmc.Sobol(dimensions, scramble=True, seed=rng).random(size)[:many]


def searched(
    name: str, space: Space, printed: Setting, budget: int, score: Score, allowed: Allowed | None = None
) -> Search:
    """The whole search; without dials the printed setting is all there is to try."""
    search = Search(name, space, {key: printed[key] for key in space}, score, allowed or every)
    search.run([{}], max(budget, 1))
    if space:
        quarter, first = max(1, budget // 4), next(iter(space))
        walk = len(space[first].dial.values) or max(1, quarter - 1)
        search.run([{first: (step + 0.5) / walk} for step in range(walk)], budget)
        search.run(search.spread(quarter), budget)
        search.close_in(budget)
    return search


def doubled(search: Search, spread: int) -> None:
    """As many trials again: half of them further points of the design, after its first `spread`, half closing in."""
    if search.space:
        budget = 2 * len(search.trials)
        search.run(search.spread(budget // 4, skip=spread), budget)
        search.close_in(budget, f"{budget}/")
