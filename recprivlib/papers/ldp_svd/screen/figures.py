"""The figures of dashboard `ldp_svd`, from plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.plots.axes import EPSILON_WIDE, STARS_WIDE, Axis
from recprivlib.plots.chart import Chart, Label, Trace, plain, spelt
from recprivlib.plots.frontier import Level, Now, frontier
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bounded, percent, setting, stars
from recprivlib.plots.palette import PAGE, VEIL, colour, faded, inked
from recprivlib.protocols import Array

AXES: dict[str, Axis] = {
    "epsilon": EPSILON_WIDE,
    "rmse": STARS_WIDE,
    "report": Axis("report, in stars", -2, 8, ticks=(-2, 1, 2, 3, 4, 5, 8), names=("−2", *"12345", "8")),
    "both": Axis("ε1 = ε2", 0.1, 3.0, ticks=(0.1, 0.5, 1, 1.5, 2, 2.5, 3)),
    "price": Axis("true ε of a report", 0.0, 8.0, ticks=(0, 2, 4, 6, 8)),
    "star": Axis("stars given", 0.4, 5.6, ticks=(1, 2, 3, 4, 5)),
}

NAMES = {"bound": "no privacy", "popularity": "film averages", "random": "one guess for all"}
SMALL = 12  # px: the type of a film's row


def price(look: Look, x: Sequence[float], exact: Sequence[float], at: float, here: float) -> dict[str, Any]:
    """The true ε of the rounded mixture at ε1 = ε2, beside their sum: it is no sum, and not even rising."""
    chart = look.chart(AXES["both"], AXES["price"], 340)
    ends = (chart.x.low, chart.x.high)
    total = {**chart.line(ends, [2 * end for end in ends], "popularity", "ε1 + ε2"), "meta": "given"}
    traces = [total, spelt(chart.line(x, exact, look.role, "true ε", strong=True), exact, bounded),
              spelt(chart.dots([(at, here)], look.role, "true ε", look.filled), (here,), bounded)]  # fmt: skip
    labels = [Label("ε1 + ε2", 2 * chart.x.high, "popularity"), Label("true ε", exact[-1], look.role)]
    alt = (f"The true epsilon of the rounded mixture at ε1 = ε2: {bounded(here)} at {setting(at)}, where the sum is "
           f"{setting(round(2 * at, 6))}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


# ------------------------------------------------------------------------------------------ the tape


def tape(look: Look, titles: Sequence[str], given: Array, reports: Array, certain: Array) -> dict[str, Any]:
    """Every film's stars (a ring) and report, joined; a triangle where the report is proof. On a phone, upright."""
    line, rows = AXES["report"], range(1, len(titles) + 1)
    films = Axis("", len(titles) + 0.6, 0.4, ticks=tuple(rows), names=tuple(titles))
    if look.narrow:
        upright = replace(films, low=films.high, high=films.low, names=("",) * len(titles), title="20 films")
        chart = Chart(upright, line, 300, narrow=True, large=look.large)
    else:
        chart = look.chart(line, films, 400, right=28)
    places = _Places(chart, look.narrow)
    joined = [
        point
        for row, a, b in zip(rows, given, line_of(line, reports), strict=True)
        for point in ((a, row), (b, row), (math.nan, row))
    ]
    traces = [*(places.line([(star, films.low), (star, films.high)], 1.0) for star in range(1, 6)),
              places.line(joined, 1.0)]  # fmt: skip
    open_ = [(star, row) for star, row, it in zip(given, rows, certain, strict=True) if not it]
    traces.append(places.dots(open_, "bound", "the stars she gave", filled=False, size=9))
    for sure, role, name in ((False, look.role, "report"), (True, "attack", "this IS the rating")):
        points = [(at, row) for at, row, it in zip(reports, rows, certain, strict=True) if bool(it) == sure]
        traces.append(places.dots(points, role, name, size=13 if sure else 8))
    proofs = int(certain.sum())
    alt = (f"{len(titles)} reports on the line of stars. {proofs} of them are proof of the rating behind them; the "
           f"others lie {float(np.mean(np.abs(reports - given)[~certain])) if proofs < len(titles) else 0:.1f} stars "
           "away on average.")  # fmt: skip
    figure = chart.figure(traces, [], alt)
    _room(figure, look)
    figure["layout"]["annotations"] = [_key(look, proofs)]
    return figure


def _key(look: Look, proofs: int) -> dict[str, Any]:
    """What the marks mean, above the plot, each in its own colour."""
    mark = inked({"paper": "■", "repaired": "●", "beyond": "◆"}[look.role], look.role)
    proof = f" &#160; {inked('▲', 'attack')} {'' if look.narrow else 'this '}IS the rating" if proofs else ""
    text = f"{inked('○', 'bound')} her stars &#160; {mark} report{proof}"
    return {"text": text, "xref": "paper", "x": 0, "yref": "paper", "y": 1, "showarrow": False, "xanchor": "left",
            "yanchor": "bottom", "yshift": 2}  # fmt: skip


def line_of(axis: Axis, values: Array) -> list[float]:
    return [axis.pinned(float(value)) for value in values]


@dataclass(frozen=True)
class _Places:
    """Points are (stars, row); on a phone the two change places."""

    chart: Chart
    turned: bool

    def line(self, points: Sequence[tuple[float, float]], width: float) -> Trace:
        x, y = zip(*points, strict=True)
        trace = self.chart.line(*((y, x) if self.turned else (x, y)), "random", "")
        del trace["name"]
        return {**trace, "hoverinfo": "skip", "line": {**trace["line"], "width": width}}

    def dots(self, points: Sequence[tuple[float, float]], role: str, name: str, **how: Any) -> Trace:
        turned = [(y, x) for x, y in points] if self.turned else list(points)
        trace = self.chart.dots(turned, role, name, **how)
        if "text" in trace:  # a number beside an arrow stays inside the plot
            low = self.chart.y.low if self.turned else self.chart.x.low
            at = trace["y"] if self.turned else trace["x"]
            inward = ("top center", "bottom center") if self.turned else ("middle right", "middle left")
            trace["textposition"] = [inward[0] if place == low else inward[1] for place in at]
            trace["textfont"] = {"size": SMALL}
            trace["text"] = [text.replace("-", "−") for text in trace["text"]]
            if self.turned:  # neighbouring columns are closer than numbers are wide
                trace["text"], trace["mode"] = [], "markers"
        return trace


def _room(figure: dict[str, Any], look: Look) -> None:
    """The names of the films stand left of the plot, in rows as low as type allows."""
    layout = figure["layout"]
    layout["margin"] |= {"t": round(26 * look.zoom)}
    if look.narrow:
        return
    layout["margin"] |= {"l": round(118 * look.zoom)}
    layout["yaxis"] |= {"showgrid": False, "tickfont": {**layout["yaxis"]["tickfont"], "size": SMALL * look.zoom}}
    layout["xaxis"] |= {
        "showgrid": False,
        "title": {**layout["xaxis"]["title"], "text": ""},
    }  # the figure's own says it


# --------------------------------------------------------------------------------------- error, by ε


def error_by_epsilon(
    look: Look, counted: bool, at: float, error: float, interval: tuple[float, float], floors: Mapping[str, float]
) -> dict[str, Any]:
    """RMSE, better upwards, against ε: as claimed, or `counted`. No finite ε stands at the right edge."""
    axes = AXES
    x = replace(axes["epsilon"], title="true ε of a report" if counted else "ε, as claimed")
    chart = Chart(x, axes["rmse"], 300 if look.narrow else 400, narrow=True, large=look.large)
    levels = [Level(NAMES[role], role, value) for role, value in floors.items()]
    where = "No finite epsilon" if math.isinf(at) else f"At epsilon {setting(round(at, 2))}"
    return frontier(
        chart, "Error in stars", levels, [replace(one, role=look.role) for one in look.curve or () if one],
        Now(at, error, interval, "one fold", named=False), look, at=where, spell=stars,
    )  # fmt: skip


# ---------------------------------------------------------------------------------------- the channel


def channel(
    look: Look, names: Sequence[str], matrix: Array, pair: tuple[int, int], column: int, ratio: float
) -> dict[str, Any]:
    """P(report | star): a row a star, a column a report; the two cells whose ratio is largest are boxed."""
    columns = range(len(names))
    x = Axis("report", -0.6, len(names) - 0.4, ticks=tuple(columns), names=tuple(names))
    y = replace(AXES["star"])
    chart = look.chart(x, y, right=24)
    heat = chart.heat(matrix, columns, range(1, len(matrix) + 1), "chance of a report, given the stars")
    heat |= {"zmin": 0.0, "zmax": float(max(matrix.max(), 0.5)), "xgap": 1, "ygap": 1,
             "hovertemplate": "%{y} stars: %{z:.3f}<extra></extra>"}  # fmt: skip
    traces = [heat]
    for row in pair:
        traces += [_box(column, row + 1, PAGE[0], 6.0), _box(column, row + 1, colour("attack"), 3.0)]
    a, b = (float(matrix[row, column]) for row in pair)
    size = "no finite ε" if math.isinf(ratio) else f"ε = {bounded(ratio)} a report"
    first = "1 star" if pair[0] == 0 else f"{pair[0] + 1} stars"
    told = f"“{names[column]}”: {_chance(a)} after {first}, {_chance(b)} after {pair[1] + 1}: {size}"
    figure = chart.figure(traces, [], f"The chances of {len(names)} reports after each number of stars. Boxed: {told}.")
    figure["layout"]["margin"] |= {"t": round(34 * look.zoom)}
    figure["layout"]["annotations"] = [{
        "text": told, "xref": "paper", "x": 0, "yref": "paper", "y": 1, "showarrow": False, "xanchor": "left",
        "yanchor": "bottom", "yshift": 6, "bgcolor": faded(PAGE[0], VEIL), "align": "left",
    }]  # fmt: skip
    return figure


def _chance(share: float) -> str:
    return "never" if share == 0 else percent(share)


def _box(column: float, row: float, ink: str, width: float) -> Trace:
    """A frame round one cell."""
    left, right, low, high = column - 0.5, column + 0.5, row - 0.5, row + 0.5
    return {
        "type": "scatter", "mode": "lines", "x": plain((left, right, right, left, left)),
        "y": plain((low, low, high, high, low)), "line": {"color": ink, "width": width}, "hoverinfo": "skip",
        "cliponaxis": False,
    }  # fmt: skip
