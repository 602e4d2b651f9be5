"""How a figure is to look: what is on show, the room there is, and what the reader has seen before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart


@dataclass(frozen=True)
class Faint:
    """Another setting to compare with: its role and name, its dot, and its committed curve if it has one."""

    role: str
    name: str
    x: float
    y: float
    curve: Any = None


@dataclass(frozen=True)
class Look:
    """What every figure of a dashboard is drawn with; see `dashboard/draw.py`."""

    role: str = "bound"  # of what is on show
    name: str = ""
    filled: bool = True  # False: the dot was read, not computed
    narrow: bool = False
    large: bool = False
    trail: Sequence[tuple[float, float]] = ()  # earlier dots that belong on these axes
    curve: Any = None  # what was committed, once the whole curve has been asked for
    ghosts: Sequence[Faint] = ()  # other settings to compare with

    @property
    def zoom(self) -> float:
        return 1.5 if self.large else 1.0

    def chart(self, x: Axis, y: Axis, height: int = 260, right: int = 120) -> Chart:
        """An empty chart in this look."""
        return Chart(x, y, height, self.narrow, self.large, right)
