"""Dashboards that a helper process finds by name: one that does as it should, and one for each way not to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.dashboard import Control, Explorer
from tests.widgets.small import SMALL, Area
from widgets.kit.helpers import PRELOADED

PRELOADED.append(__name__)  # a helper that is started need not read all this first

HEIGHT, PEOPLE = SMALL.control("height"), Control("people", "People", "integer", 1, 1, 1000)
HELD: list[Any] = []


def _area(values: dict[str, Any]) -> Area:
    return SMALL.compute(**{name: value for name, value in values.items() if name != "people"})


def worked(seconds: float) -> None:
    """So many seconds of a processor."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(2000))


def swells(**values: Any) -> Area:
    """Takes 20 MB for each of its people."""
    held = [np.ones(2_500_000) for _ in range(values["people"])]
    return replace(_area(values), area=float(sum(part[0] for part in held)))


def fills(**values: Any) -> Area:
    """The same, and it keeps them."""
    HELD.append([np.ones(2_500_000) for _ in range(values["people"])])
    return _area(values)


def works(**values: Any) -> Area:
    """A tenth of a second of a processor for each of its people."""
    worked(values["people"] / 10)
    return _area(values)


def sleeps(**values: Any) -> Area:
    """Never ends, and takes nothing."""
    while values["people"] > 1:
        time.sleep(0.1)
    return _area(values)


def streams(**values: Any) -> Iterator[tuple[float, Area]]:
    """Twenty blocks; the area tells which."""
    for block in range(1, 21):
        worked(values["people"] / 100)
        yield block / 20, replace(_area(values), area=float(block))


def dies(**values: Any) -> Area:
    """As the system ends who takes too much."""
    if values["people"] > 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return _area(values)


def where(**values: Any) -> Area:
    """Which process has done it."""
    return replace(_area(values), area=float(os.getpid()))


def _with(stem: str, **how: Any) -> Explorer:
    return replace(SMALL, stem=stem, controls=(*SMALL.controls, PEOPLE), **how)


HARD = {
    one.stem: one
    for one in (
        *(_with(act.__name__, compute=act) for act in (swells, fills, works, sleeps, dies, where)),
        _with("streams", compute=works, steps=streams),
        _with("train", compute=works, steps=streams, effort=lambda values: values["people"] / 5),
        _with("declared", compute=works, effort=lambda values: values["people"] / 10),
        _with(
            "curved", compute=works, curve=lambda values: works(**values), effort=lambda values: values["people"] / 10
        ),
    )
}


def find(stem: str) -> Explorer:
    """The dashboard of that name."""
    return HARD[stem]
