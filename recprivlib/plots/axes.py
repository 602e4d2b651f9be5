"""Axes are constants: a figure that rescales under the reader's hand cannot be compared with itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

from recprivlib.plots.numerals import setting


@dataclass(frozen=True)
class Axis:
    """One fixed axis. `low` stands at the left or bottom: RMSE axes run downwards, so that up is better."""

    title: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()
    names: tuple[str, ...] = ()  # what stands at the ticks, where it is not their numbers

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


def _rate(title: str, high: float, step: float) -> Axis:
    ticks = tuple(round(step * at, 6) for at in range(round(high / step) + 1))
    return Axis(title, 0.0, high, ticks=ticks)


TOP_K = Axis("length of the list, K", 1, 20, ticks=(1, 5, 10, 15, 20))
NEIGHBORS = Axis("neighbours who vote", 5, 500, log=True, ticks=(5, 10, 20, 50, 100, 200, 500))
SAMPLED = _rate("found in the top K of 100", 0.8, 0.2)
FULL = _rate("found in the top K of all", 0.4, 0.1)
COLD = _rate("next film found, cold users", 0.3, 0.1)
EPSILON = Axis("ε per report", 0.1, 8, log=True, ticks=(0.1, 0.2, 0.5, 1, 2, 5, 8))
EPSILON_WIDE = Axis("ε", 0.05, 20, log=True, ticks=(0.05, 0.1, 0.5, 1, 5, 20))
LONG_LIST = _rate("found in the top K of 100", 1.0, 0.2)  # K to 20 passes .8
GROUPS = ("up to 30", "31–60", "61–120", "121–240", "more")
ACTIVITY = Axis("films in the history", -0.5, 4.5, ticks=(0, 1, 2, 3, 4), names=GROUPS)
STARS_WIDE = Axis("RMSE in stars, better ↑", 1.6, 0.9, ticks=(1.6, 1.4, 1.2, 1.0, 0.9))
STARS = Axis("RMSE in stars, better ↑", 1.1, 0.9, ticks=(1.1, 1.05, 1.0, 0.95, 0.9))

AXES: dict[str, dict[str, Axis]] = {
    "recommenders": {
        "k": TOP_K,
        "sampled": LONG_LIST,
        "full": FULL,
        "neighbors": NEIGHBORS,
        "activity": ACTIVITY,
    },
    "dplcf": {
        "epsilon": EPSILON,
        "sampled": SAMPLED,
        "ndcg": _rate("nDCG in the top 10 of 100", 0.8, 0.2),
        "full": FULL,
        "k": Axis("length of the list, K", 1, 10, ticks=(1, 2, 5, 10)),
        "right": Axis("right about one film", 0.4, 1.0, ticks=(0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        "both": Axis("people who watched both", -150, 200, ticks=(-100, 0, 100, 200)),
        "true": Axis("true similarity", 0.0, 1.0, ticks=(0, 0.25, 0.5, 0.75, 1)),
        "estimated": Axis("as the server sees it", 0.0, 1.0, ticks=(0, 0.25, 0.5, 0.75, 1)),
    },
    "privacy": {
        "false": _rate("false alarms", 1.0, 0.25),
        "hits": _rate("hits", 1.0, 0.25),
        "share": _rate("share of the answers", 1.0, 0.25),
        "right": Axis("right about a fair coin", 0.5, 1.0, ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        "ratio": Axis("times the exact bill", 0.0, 8.0, ticks=(1, 2, 4, 6, 8)),
        "releases": Axis(
            "answers about the same secret", 1, 1000, log=True, ticks=(1, 10, 100, 1000), names=("1", "10", "100", "1k")
        ),
        "bill": Axis(
            "ε of all answers",
            0.01,
            10_000,
            log=True,
            ticks=(0.01, 0.1, 1, 10, 100, 1000, 10_000),
            names=(".01", ".1", "1", "10", "100", "1k", "10k"),
        ),
        "tries": Axis(
            "tries in either world",
            100,
            1_000_000,
            log=True,
            ticks=(100, 1000, 10_000, 100_000, 1_000_000),
            names=("10²", "10³", "10⁴", "10⁵", "10⁶"),
        ),
        "bound": Axis("ε", 0.0, 14.0, ticks=(0, 2, 4, 6, 8, 10, 12, 14)),
    },
    "ldp_svd": {
        "epsilon": EPSILON_WIDE,
        "rmse": STARS_WIDE,
        "report": Axis("report, in stars", -2, 8, ticks=(-2, 1, 2, 3, 4, 5, 8), names=("−2", *"12345", "8")),
        "both": Axis("ε1 = ε2", 0.1, 3.0, ticks=(0.1, 0.5, 1, 1.5, 2, 2.5, 3)),
        "price": Axis("true ε of a report", 0.0, 8.0, ticks=(0, 2, 4, 6, 8)),
        "star": Axis("stars given", 0.4, 5.6, ticks=(1, 2, 3, 4, 5)),
    },
    "fmf_ldp": {
        "epsilon": EPSILON,
        "sampled": _rate("found in the top 10", 0.8, 0.2),
        "epoch": Axis("epoch", 1, 30, ticks=(1, 5, 10, 15, 20, 25, 30)),
        "bill": Axis(
            "ε of one person",
            0.1,
            100_000,
            log=True,
            ticks=(0.1, 1, 10, 100, 1000, 10_000, 100_000),
            names=(".1", "1", "10", "100", "1k", "10k", "100k"),
        ),
        "size": Axis(
            "length, and share",
            0.001,
            100,
            log=True,
            ticks=(0.001, 0.01, 0.1, 1, 10, 100),
            names=(".001", ".01", ".1", "1", "10", "100"),
        ),
    },
    "dp_pnbm": {"epsilon": EPSILON_WIDE, "rmse": STARS},
    "privrec": {
        "cohort": Axis("phones in one round, M", 10, 1000, log=True, ticks=(10, 30, 100, 300, 1000)),
        "length": Axis("length, over the bound S", 0.01, 100, log=True, ticks=(0.01, 0.1, 1, 10, 100)),
        "rounds": Axis("rounds", 10, 5000, log=True, ticks=(10, 100, 1000, 5000), names=("10", "100", "1k", "5k")),
        "turn": Axis("round", 1, 5000, log=True, ticks=(1, 10, 100, 1000, 5000), names=("1", "10", "100", "1k", "5k")),
        "bill": Axis(
            "ε for a person, replaced",
            0.01,
            1000,
            log=True,
            ticks=(0.01, 0.1, 1, 10, 100, 1000),
            names=(".01", ".1", "1", "10", "100", "1k"),
        ),
        "delta": Axis("δ", 1e-8, 1e-3, log=True, ticks=(1e-8, 1e-6, 1e-4), names=("10⁻⁸", "10⁻⁶", "10⁻⁴")),
        "bound": Axis(
            "length of an update", 0.001, 1000, log=True, ticks=(0.001, 0.1, 10, 1000), names=(".001", ".1", "10", "1k")
        ),
        "hits": COLD,
    },
}
