"""Trade-off curves of the privacy chapter: a claim, its count and an attack on it; the corner of few false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recprivlib.plots.axes import Axis, rate
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.numerals import percent
from recprivlib.plots.palette import BAND, colour, faded
from recprivlib.protocols import Array

FALSE, HITS = rate("false alarms", 1.0, 0.25), rate("hits", 1.0, 0.25)
RARE = {"log": True, "ticks": (0.001, 0.01, 0.1, 1), "names": (".1 %", "1 %", "10 %", "100 %")}
FEW, SOME = Axis("false alarms", 0.001, 1, **RARE), Axis("hits", 0.001, 1, **RARE)  # type: ignore[arg-type]
POINTS = 60  # of a curve on log axes
LEAST = 1e-3
# Of the attackers' curves: how each is drawn, at which false alarms it is named, and how far above its line.
LOOKS = (("solid", 0.09, 2.0), ("dot", 0.14, 0.42), ("dash", 0.005, 1.4))

Curve = tuple[Sequence[float], Sequence[float]]  # false alarms, hits


def three(claimed: Curve, counted: Curve, attacked: Curve) -> dict[str, Any]:
    """What a claim allows, what is counted, and what an attack has certified: hits against false alarms."""
    chart = Chart(FALSE, HITS, 420, right=24)
    shade = chart.band(claimed[0], claimed[0], claimed[1], "bound")
    traces = [
        {**shade, "fillcolor": faded(colour("bound"), BAND[0])},
        chart.line((0, 1), (0, 1), "random", "guessing"),
        chart.line(*claimed, "paper", "claimed"),
        chart.line(*counted, "bound", "counted", strong=True),
        {**chart.line(*attacked, "attack", "attacked, at least", strong=True)},
    ]
    traces[-1]["line"] = {**traces[-1]["line"], "dash": "dash"}
    labels = [
        Label("claimed", 0.93, "paper", x=0.14),
        Label("counted", _at(counted, 0.48) + 0.09, "bound", x=0.48),
        Label("attacked, at least", _at(attacked, 0.66) - 0.26, "attack", x=0.66),
    ]
    at = {name: percent(_at(curve, 0.1))
          for name, curve in (("claimed", claimed), ("counted", counted), ("attacked", attacked))}  # fmt: skip
    said = ", ".join(f"{name} {hits}" for name, hits in at.items())
    return chart.figure(traces, labels, f"Hits at 10 % false alarms: {said}.")


def few_alarms(seen: Mapping[str, Curve], allowed: tuple[str, Curve]) -> dict[str, Any]:
    """Attackers' curves on log axes, down to one false alarm in a thousand. Shaded is what is allowed."""
    chart = Chart(FEW, SOME, 460, right=24)
    grid = np.geomspace(LEAST, 1, POINTS)
    name, limit = allowed
    top = np.interp(grid, *limit)
    floor = np.full(POINTS, LEAST)
    traces = [
        {
            **chart.band(grid.tolist(), floor.tolist(), top.tolist(), "bound"),
            "fillcolor": faded(colour("bound"), BAND[0]),
        },
        chart.line(grid, grid, "random", "guessing"),
        chart.line(grid, top, "bound", name),
    ]
    labels = [Label(f"shaded: {name}", 0.003, "bound", x=0.09)]
    said = []
    for (label, curve), (dash, where, above) in zip(seen.items(), LOOKS, strict=False):
        hits = np.maximum(hits_at(curve, grid), LEAST)
        line = chart.line(grid, hits, "attack", label, strong=True)
        traces.append({**line, "line": {**line["line"], "dash": dash}})
        labels.append(Label(label, above * _at((grid.tolist(), hits.tolist()), where), "attack", x=where))
        said.append(f"{label} {100 * hits[0]:.2g} %")
    return chart.figure(traces, labels, f"Hits at one false alarm in a thousand: {', '.join(said)}.")


def hits_at(curve: Curve, false: Array | float) -> Array:
    """Hits at these shares of false alarms; between two thresholds a coin decides, which is a straight line."""
    return np.asarray(np.interp(false, *curve))


def _at(curve: Curve, false: float) -> float:
    return float(hits_at(curve, false))
