"""What is committed of whole trainings: Hits@10 over γ and the first bound, and over rounds without any noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from recprivlib.dashboard.memory import MEMORY
from recprivlib.data import Dataset
from recprivlib.papers.privrec.system import DPPrivRec, PrivRec
from recprivlib.parameters import values
from recprivlib.plots import committed

HITS = "hr@10/full"
AT_HOME = 20  # local epochs of a training, as in Section 4
GAMMAS, BOUNDS = (0.1, 0.5, 0.9), (0.1, 1.0, 10.0, 40.0)  # of table privrec_bound
TURNS = (5, 20, 40, 60, 80, 100, 300)  # of table privrec_training
Dots = tuple[tuple[float, float], ...]


def bounds(source: Dataset, system: DPPrivRec) -> Mapping[float, Dots]:
    """By γ the (first bound, Hits@10) of every run that came to an end; nothing where none was made."""
    one = replace(system, local_epochs=AT_HOME, unclipped_quantile=0.5, clip_init=0.1)

    def make() -> Mapping[float, Dots]:
        cells = {gamma: {first: replace(one, unclipped_quantile=gamma, clip_init=first) for first in BOUNDS}
                 for gamma in GAMMAS}  # fmt: skip
        found = {gamma: _dots("privrec_bound", "dp-privrec", source, each) for gamma, each in cells.items()}
        return {gamma: dots for gamma, dots in found.items() if dots}

    return MEMORY.get(("privrec bounds", source.checksum, one), make)


def without_noise(source: Dataset, system: DPPrivRec) -> Dots:
    """(rounds, Hits@10) of PrivRec with as many phones; nothing where none was made."""
    one = PrivRec(cohort=system.cohort, size=system.size, local_epochs=AT_HOME)
    cells = {turns: replace(one, rounds=turns) for turns in TURNS}
    key = ("privrec without noise", source.checksum, one)
    return MEMORY.get(key, lambda: _dots("privrec_training", "privrec", source, cells))


def _dots(table: str, name: str, source: Dataset, cells: Mapping[Any, Any]) -> Dots:
    about = {"system": name, "checksum": source.checksum, "protocol": "user-split", "metric": HITS}
    found = {float(at): committed.known(table, about | values(cell)) for at, cell in cells.items()}
    return tuple((at, hits) for at, hits in found.items() if hits is not None)
