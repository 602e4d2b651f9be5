"""What a reader of the first dashboard waits for, without the browser: everything the screen needs at one move."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from recprivlib.bench import Setup, Timing
from recprivlib.dashboard import Appearance
from recprivlib.dashboard.memory import MEMORY
from recprivlib.plots.show import html
from recprivlib.primers.recommenders import dashboard as recommenders

NAME = "dashboard recommenders"
SEEDS = 12  # more than the repeats of a cell


def cells() -> list[Timing]:
    return [
        Timing(f"{NAME}: K moved", 0.015, moved("k", (5, 10, 15))),
        Timing(f"{NAME}: about 10 neighbours, not seen before", 0.015, unseen(6)),
        Timing(f"{NAME}: about 50 neighbours, not seen before", 0.015, unseen(45)),
        Timing(f"{NAME}: about 400 neighbours, not seen before", 0.060, unseen(395)),
        Timing(f"{NAME}: changed to MF, trained anew", 0.600, changed("mf-als")),
        Timing(f"{NAME}: changed to EASE, trained anew", 0.600, changed("ease")),
        Timing(f"{NAME}: opened first, data on disk", 3.0, opened),
        Timing(f"{NAME}: all figures drawn, with 30 old dots", 0.050, drawn),
    ]


def moved(control: str, values: tuple[Any, ...]) -> Setup:
    """A control that trains nothing, from value to value."""

    def setup() -> Callable[[], Any]:
        recommenders.compute()
        steps = count()
        return lambda: recommenders.compute(**{control: values[next(steps) % len(values)]})

    return setup


def unseen(start: int) -> Setup:
    """Numbers of neighbours that no reader has asked for: the ranked lists are there, the scores are not."""

    def setup() -> Callable[[], Any]:
        MEMORY.clear()
        recommenders.compute(neighbors=start)
        numbers = count(start + 1)
        return lambda: recommenders.compute(neighbors=next(numbers))

    return setup


def changed(system: str) -> Setup:
    """Data, split and baselines of a seed are there; the system is trained and evaluated."""

    def setup() -> Callable[[], Any]:
        MEMORY.clear()
        for seed in range(SEEDS):
            recommenders.compute(seed=seed)
        seeds = count()
        return lambda: recommenders.compute(system=system, seed=next(seeds) % SEEDS)

    return setup


def opened() -> Callable[[], Any]:
    def first() -> Any:
        MEMORY.clear()
        return recommenders.compute()

    return first


def drawn() -> Callable[[], Any]:
    result = recommenders.compute()
    view = Appearance(trail=(recommenders.mark(result),) * 30)

    def draw() -> list[str]:
        parts = (figure.draw(result, view) for figure in recommenders.EXPLORER.figures)
        return [part if isinstance(part, str) else html(part) for part in parts]

    return draw
