"""The frontier: a metric against a budget, the same in dashboards, chapters and wherever systems are compared.

levels   yardsticks: what costs no privacy, right across; what is known beside the reader's dot alone
lines    committed curves: their 95 % bands, their means, a hollow dot where something was measured
trail    where the reader was
now      where the reader is, with the interval of one draw
ghosts   other settings to compare with: a pale curve, a small hollow dot, a name
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label, Trace, number
from recprivlib.plots.look import Faint, Look
from recprivlib.plots.numerals import percent

APART = 0.05  # share of the height between the names of two comparisons, at least


@dataclass(frozen=True)
class Series:
    """A curve of the committed results with its 95 % band."""

    label: str
    role: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    dash: str = ""
    of: str = ""  # what it is: "mean of the seeds"

    def within(self, x: Sequence[float]) -> Series:
        """The part of it that was measured at `x` too."""
        there = [at for at, one in enumerate(self.x) if one in x]
        x, y, low, high = ([side[at] for at in there] for side in (self.x, self.y, self.low, self.high))
        return replace(self, x=x, y=y, low=low, high=high)


@dataclass(frozen=True)
class Level:
    """A yardstick, right across; with `x`, one that was measured there alone, or along its own `curve`."""

    name: str
    role: str
    y: float
    x: float | None = None
    curve: Series | None = None


@dataclass(frozen=True)
class Now:
    """Where the reader stands."""

    x: float
    y: float
    interval: tuple[float, float]
    of: str = "one draw"
    named: bool = True  # whether the name stands at the dot where no curve has it


def frontier(
    chart: Chart,
    what: str,
    levels: Sequence[Level] = (),
    lines: Sequence[Series] = (),
    now: Now | None = None,
    look: Look | None = None,
    *,
    at: str = "",
    spell: Callable[[float], str] = percent,
    dots: float = 6,
    left: bool = False,
) -> dict[str, Any]:
    """The figure. `spell` puts a height into words and `at` the place of the dot; `dots` is the size of the hollow
    ones (0: none); `left`: on a phone the levels have their names at the left."""
    look = look or Look()
    traces, labels = [], []
    for level in levels:
        traces.append(_yardstick(chart, level))
        labels.append(_named(chart, level, now, left))
    for one in lines:
        traces += curve(chart, one, dots)
        if now is None or not chart.narrow:
            labels.append(Label(one.label, one.y[-1], one.role))
    known = [(level.name, spell(level.y)) for level in levels]
    if now is None:
        said = [f"{one.label} from {spell(one.y[0])} to {spell(one.y[-1])}" for one in lines]
        told = "; ".join(f"{name} {value}" for name, value in known)
        return chart.figure(traces, labels, f"{what}. {'; '.join(said)}. {told}.")
    for ghost in look.ghosts:
        traces += faint(chart, ghost)
    if look.trail:
        traces.append(chart.trail([point for point in look.trail if chart.y.holds(point[1])], look.role))
    traces.append(chart.dots([(now.x, now.y)], look.role, f"{look.name}, {now.of}", look.filled, now.interval))
    if now.named and (chart.narrow or not lines):
        here, turned = chart.y.place(now.y), chart.y.low > chart.y.high  # an axis of errors has its least at the top
        below = any(level.x is not None and here < chart.y.place(level.y) for level in levels)
        labels.append(Label(look.name, now.interval[int(below == turned)], look.role, x=now.x, below=below))
    told = ", ".join(f"{name} {value}" for name, value in known)
    figure = chart.figure(traces, labels, f"{what}. {at}: {look.name} {spell(now.y)}; {told}.")
    figure["layout"]["annotations"] += beside(chart, look.ghosts, now, spell)
    return figure


def faint(chart: Chart, ghost: Faint) -> list[Trace]:
    """A comparison: a thin pale line and a small hollow dot."""
    dot = chart.dots([(ghost.x, ghost.y)], ghost.role, ghost.name, filled=False, size=8)
    whole = ghost.curve[0] if isinstance(ghost.curve, tuple) and ghost.curve else ghost.curve
    if not isinstance(whole, Series):
        return [dot]
    line = chart.line(whole.x, whole.y, ghost.role, f"{whole.label}, {whole.of}" if whole.of else whole.label)
    return [{**line, "opacity": 0.45, "line": {**line["line"], "width": 1.5}}, dot]


def beside(chart: Chart, ghosts: Sequence[Faint], now: Now, spell: Callable[[float], str]) -> list[dict[str, Any]]:
    """The names of comparisons, left of their dots and apart; of a single one that lies lower, where no line rises."""
    lower = len(ghosts) == 1 and chart.y.place(ghosts[0].y) < chart.y.place(now.y)
    side = {"xanchor": "left", "xshift": 9, "yshift": -6} if lower else {"xanchor": "right", "xshift": -9}
    names: list[dict[str, Any]] = []
    last = -1.0
    for ghost in sorted(ghosts, key=lambda one: chart.y.place(one.y)):
        if chart.y.holds(ghost.y) and chart.y.place(ghost.y) - last >= APART:
            last = chart.y.place(ghost.y)
            at = {"x": number(chart.x.at(chart.x.pinned(ghost.x))), "y": number(chart.y.at(ghost.y))}
            names.append({"text": f"{ghost.name} {spell(ghost.y)}", "showarrow": False, **at, **side})
    return names


def curves(
    x: Axis,
    y: Axis,
    lines: Sequence[Series],
    levels: Mapping[str, tuple[float, str]],
    what: str,
    *,
    bands: bool = True,
    dots: float = 0,
    height: int = 380,
    spell: Callable[[float], str] = percent,
) -> dict[str, Any]:
    """Committed curves with their bands over level yardsticks (name -> height, role): the frontier of a chapter."""
    across = [Level(name, role, at) for name, (at, role) in levels.items()]
    drawn = lines if bands else [replace(one, low=(), high=()) for one in lines]
    return frontier(Chart(x, y, height, right=128), what, across, drawn, spell=spell, dots=dots)


def _yardstick(chart: Chart, level: Level) -> Trace:
    if level.curve:
        return chart.line(level.curve.x, level.curve.y, level.role, level.name)
    if level.x is not None:
        return chart.dots([(level.x, level.y)], level.role, level.name, size=7)
    return chart.level(level.y, level.role, level.name)


def _named(chart: Chart, level: Level, now: Now | None, left: bool) -> Label:
    if level.curve:
        return Label(level.name, level.curve.y[-1], level.role)
    if level.x is None:
        return Label(level.name, level.y, level.role, left=left)
    crowded = chart.narrow and chart.x.place(level.x) > 0.45  # else two names would stand on each other
    below = now is not None and chart.y.place(level.y) <= chart.y.place(now.y)
    return Label(level.name, level.y, level.role, x=None if crowded else level.x, below=below)


def curve(chart: Chart, one: Series, dots: float = 0) -> list[Trace]:
    """A line with its band; `dots` is the size of its hollow ones."""
    traces = [chart.band(one.x, one.low, one.high, one.role)] if len(one.low) else []
    drawn = chart.line(one.x, one.y, one.role, f"{one.label}, {one.of}" if one.of else one.label)
    traces.append({**drawn, "line": {**drawn["line"], **({"dash": one.dash} if one.dash else {})}})
    if dots:
        measured = [(x, y) for x, y in zip(one.x, one.y, strict=True) if chart.y.holds(y)]
        traces.append(chart.dots(measured, one.role, one.label, filled=False, size=dots))
    return traces
