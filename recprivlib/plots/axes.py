"""Axes are constants: a figure that rescales under the reader's hand cannot be compared with itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from recprivlib.plots.numerals import percent, setting, stars


@dataclass(frozen=True)
class Axis:
    """One fixed axis. `low` stands at the left or bottom: RMSE axes run downwards, so that up is better."""

    title: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()  # what stands at the ticks, where it is not their numbers
    spell: Callable[[float], str] | None = None  # how a number that is off the scale is written

    def place(self, value: float) -> float:
        """Where `value` lies, 0 at the left or bottom and 1 at the other end, inside the frame."""
        share = (self.at(value) - self.at(self.low)) / (self.at(self.high) - self.at(self.low))
        return min(1.0, max(0.0, share))

    def at(self, value: float) -> float:
        """`value` in the coordinates Plotly uses for ranges and annotations."""
        if not self.log:
            return value
        return math.log10(value) if value > 0 else -math.inf

    def holds(self, value: float) -> bool:
        """Whether `value` lies on the axis."""
        return min(self.low, self.high) <= value <= max(self.low, self.high)

    def pinned(self, value: float) -> float:
        """`value`, or the end of the axis it lies beyond."""
        return min(max(value, min(self.low, self.high)), max(self.low, self.high))

    def plotly(self) -> dict:
        """The layout of this axis without its colours."""
        return {
            "title": {"text": self.title},
            "type": "log" if self.log else "linear",
            "range": [self.at(self.low), self.at(self.high)],
            "tickmode": "array",
            "tickvals": list(self.ticks),
            "ticktext": list(self.names) or [_tick(tick) for tick in self.ticks],
            "autorange": False,
            "fixedrange": True,
            "zeroline": False,
        }


def _tick(value: float) -> str:
    return setting(value).removeprefix("0") if 0 < value < 1 else setting(value)


def rate(title: str, high: float, step: float) -> Axis:
    ticks = tuple(round(step * at, 6) for at in range(round(high / step) + 1))
    return Axis(title, 0.0, high, ticks=ticks, spell=percent)


def thousandths(error: float) -> str:
    """An RMSE where the story lives in the third decimal."""
    return stars(error, 3)


TOP_K = Axis("length of the list, K", 1, 20, ticks=(1, 5, 10, 15, 20))
NEIGHBORS = Axis("neighbours who vote", 5, 500, log=True, ticks=(5, 10, 20, 50, 100, 200, 500))
SAMPLED = rate("found in the top K of 100", 0.8, 0.2)
FULL = rate("found in the top K of all", 0.4, 0.1)
COLD = rate("next film found, cold users", 0.3, 0.1)
EPSILON = Axis("ε per report", 0.1, 8, log=True, ticks=(0.1, 0.2, 0.5, 1, 2, 5, 8))
EPSILON_WIDE = Axis("ε", 0.05, 20, log=True, ticks=(0.05, 0.1, 0.5, 1, 5, 20))
LONG_LIST = rate("found in the top K of 100", 1.0, 0.2)  # K to 20 passes .8
GROUPS = ("up to 30", "31–60", "61–120", "121–240", "more")
ACTIVITY = Axis("films in the history", -0.5, 4.5, ticks=(0, 1, 2, 3, 4), names=GROUPS)
STARS_WIDE = Axis("RMSE in stars, better ↑", 1.6, 0.9, ticks=(1.6, 1.4, 1.2, 1.0, 0.9), spell=stars)
STARS = Axis("RMSE in stars, better ↑", 1.1, 0.9, ticks=(1.1, 1.05, 1.0, 0.95, 0.9), spell=thousandths)
