"""The figures of chapter ldp_svd, from plain numbers and committed results. RMSE upwards, as the paper has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recprivlib.plots import committed
from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.committed import verb
from recprivlib.plots.frontier import Series, curves
from recprivlib.plots.numerals import count, percent, stars

__all__ = ["beats_from", "bills", "errors", "told", "verb"]

EPSILON1 = Axis("ε1, as in Figures 2 and 3", 0, 3.05, ticks=(0.1, 0.5, 1, 1.5, 2, 2.5, 3))
TRUE = Axis("true ε of a report", 0.45, 8.5, log=True, ticks=(0.5, 1, 2, 4, 8))
ERROR = Axis("RMSE in stars", 0.9, 2.4, ticks=(0.9, 1.2, 1.5, 1.8, 2.1, 2.4))
BETTER = Axis("RMSE in stars, better ↑", 1.14, 0.9, ticks=(1.1, 1.05, 1.0, 0.95, 0.9))
COST = Axis("ε of everything a person rated, at ε = 1 a rating", 15, 800, log=True, ticks=(20, 50, 100, 200, 500))
PEOPLE = Axis("people", 0, 140, ticks=(0, 35, 70, 105, 140))


def errors(
    x: Axis, y: Axis, lines: Sequence[Series], levels: Mapping[str, tuple[float, str]], what: str, bands: bool = True
) -> dict[str, Any]:
    """Committed RMSE curves with their bands and hollow dots, over level yardsticks (name -> height, role)."""
    return curves(x, y, lines, levels, what, bands=bands, dots=6, height=400, spell=stars)


def beats_from(table: Any, x: str, **where: Any) -> float:
    """The least of the committed values of `x` from which on the error beats that of what it was held against."""
    return committed.beats_from(table, x, "rmse", **where)


def bills(ratings: Sequence[int], epsilon: float, marked: Mapping[str, float]) -> dict[str, Any]:
    """How many people pay how much for all they rated, at ε a rating; `marked` names a few sums."""
    chart = Chart(COST, PEOPLE, 300, right=24)
    edges = np.geomspace(COST.low, COST.high, 21)
    paid = np.histogram(epsilon * np.asarray(ratings), edges)[0]
    middle = np.sqrt(edges[1:] * edges[:-1])
    bars = chart.bars(middle, paid, "paper", "people", 0.5)
    bars |= {"width": [float(w) for w in 0.9 * np.diff(edges)], "hovertemplate": "%{y} people<extra></extra>"}
    traces = [bars, *(chart.line((at, at), (PEOPLE.low, 118), "bound", name) for name, at in marked.items())]
    labels = [Label(name, 118, "bound", x=at) for name, at in marked.items()]
    said = "; ".join(f"{name} {count(at)}" for name, at in marked.items())
    alt = f"What {count(len(ratings))} people pay for all they rated: {said}."
    return chart.figure(traces, labels, alt)


def told(names: Sequence[str], matrix: Any) -> Any:
    """A channel as a table: after so many stars, the chance of each report."""
    import pandas as pd

    index = [f"{row} star{'s' * (row > 1)}" for row in range(1, len(matrix) + 1)]
    cells = [[percent(float(p)) for p in line] for line in matrix]
    return pd.DataFrame(cells, index=index, columns=list(names)).rename_axis("report", axis=1)
