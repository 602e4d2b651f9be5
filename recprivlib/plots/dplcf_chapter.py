"""The figures and tables of chapter dplcf, from plain numbers and from the committed results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from recprivlib.evaluation import Difference
from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label, Trace
from recprivlib.plots.numerals import THIN, bare, count, percent, rate
from recprivlib.plots.show import Drawn

if TYPE_CHECKING:
    import pandas as pd

RATE = Axis("next film in the top 10 of 100", 0, 0.8, ticks=(0, 0.2, 0.4, 0.6, 0.8))
APPS = Axis("next app in the top 10 of 100", 0, 0.8, ticks=(0, 0.2, 0.4, 0.6, 0.8))
EPSILON = Axis("ε per reported bit", 0.1, 8, log=True, ticks=(0.1, 0.2, 0.5, 1, 2, 4, 8))
FIGURE_3 = Axis("ε per reported bit, as in Figure 3", 0.48, 1.02, ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
PEOPLE = Axis(
    "phones", 900, 80_000, log=True, ticks=(943, 3772, 15_088, 75_440),
    names=("943", f"3{THIN}772", f"15{THIN}088", f"75{THIN}440"),
)  # fmt: skip
RANK = Axis("directions, the strongest first", 0, 41, ticks=(1, 10, 20, 30, 40))
STRENGTH = Axis(
    "eigenvalue, in thousands", 2_500, 40_000, log=True, ticks=(3_000, 5_000, 10_000, 20_000, 40_000),
    names=("3", "5", "10", "20", "40"),
)  # fmt: skip
WATCHED = Axis("estimated number who watched both", -100, 180, ticks=(-100, -50, 0, 50, 100, 150))
DRAWS = Axis("share of the draws", 0, 0.2, ticks=(0, 0.05, 0.1, 0.15, 0.2))


# ------------------------------------------------------------------------------------------ from the tables


@dataclass(frozen=True)
class Line:
    """A curve of the committed results with its 95 % band."""

    label: str
    role: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    dash: str = ""


def rows(table: pd.DataFrame, metric: str, **where: Any) -> pd.DataFrame:
    """The rows of a committed table at these settings."""
    keep = table["metric"] == metric
    for name, value in where.items():
        keep &= table[name] == value
    if not keep.any():
        raise KeyError(f"no {metric} at {where}")
    return table[keep]


def line(
    table: pd.DataFrame, label: str, role: str, x: str, metric: str = "hr@10", dash: str = "", **where: Any
) -> Line:
    """A system's metric along the parameter `x`."""
    found = rows(table, metric, **where).sort_values(x)
    xs, ys, low, high = (found[name].tolist() for name in (x, "value", "low", "high"))
    return Line(label, role, xs, ys, low, high, dash)


def level(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> float:
    """A single number of a table."""
    (value,) = rows(table, metric, **where)["value"]
    return float(value)


def rated(table: pd.DataFrame, named: Mapping[str, Mapping[str, Any]], metrics: Mapping[str, str]) -> pd.DataFrame:
    """Means with their intervals, one row a name; the last column says how the first metric compares."""
    import pandas as pd

    found = {}
    for name, where in named.items():
        cells = {}
        for metric, title in metrics.items():
            (row,) = rows(table, metric, **where).to_dict("records")
            cells[title] = rate(row["value"], row["low"], row["high"])
        (row,) = rows(table, next(iter(metrics)), **where).to_dict("records")
        cells["beside popularity"] = verb(row)
        found[name] = cells
    return pd.DataFrame(found).T


def along(table: pd.DataFrame, named: Mapping[str, Mapping[str, Any]], x: str, metric: str = "hr@10") -> pd.DataFrame:
    """Means without intervals, one row a name and one column a value of the parameter `x`."""
    import pandas as pd

    found = {}
    for name, where in named.items():
        cells = rows(table, metric, **where).sort_values(x)
        found[name] = {f"{at:g}": bare(value) for at, value in zip(cells[x], cells["value"], strict=True)}
    return pd.DataFrame(found).T


def said(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> str:
    """One number with its interval."""
    (row,) = rows(table, metric, **where).to_dict("records")
    return rate(row["value"], row["low"], row["high"])


def compared(table: pd.DataFrame, metric: str = "hr@10", **where: Any) -> str:
    """The verb of one row beside the system it was held against."""
    (row,) = rows(table, metric, **where).to_dict("records")
    return verb(row)


VERDICTS = (
    ".rp-verdicts{width:100%;border-collapse:collapse;color:var(--rp-ink,#1A1A1A)}"
    ".rp-verdicts :is(th,td){padding:.5rem .6rem .5rem 0!important;vertical-align:top;text-align:left!important;"
    "font-weight:400;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}"
    ".rp-verdicts thead th{color:var(--rp-secondary,#5F6673)}.rp-verdicts td:nth-child(3){font-weight:600}"
    "@media(max-width:640px){.rp-verdicts thead{display:none}.rp-verdicts :is(th,td){display:block;border:0;"
    "padding:.1rem 0!important}.rp-verdicts tr{display:block;padding:.6rem 0;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}}"
)


def verdicts(found: Sequence[tuple[str, str, str, str]]) -> Drawn:
    """What a paper says, what we find, the verdict, and why."""
    heads = ("the paper", "our runs", "verdict", "why")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in found
    )
    table = f'<table class="rp-verdicts"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return Drawn(f"<style>{VERDICTS}</style>{table}", "\n".join(" | ".join(row) for row in found))


def verb(row: Mapping[str, Any]) -> str:
    """What may be said of a row beside the system it was held against; nothing of that system itself."""
    if not isinstance(row["against"], str):
        return ""
    return Difference(row["difference"], row["difference_low"], row["difference_high"]).verb


# -------------------------------------------------------------------------------------------------- figures


def curves(
    x: Axis, y: Axis, lines: Sequence[Line], levels: Mapping[str, tuple[float, str]], what: str, dots: bool = False
) -> dict[str, Any]:
    """Committed curves with their bands over level yardsticks (name -> height, role)."""
    chart = Chart(x, y, 380, right=128)
    traces, labels = [], []
    for name, (height, role) in levels.items():
        traces.append(chart.level(height, role, name))
        labels.append(Label(name, height, role))
    for one in lines:
        traces += [chart.band(one.x, one.low, one.high, one.role), _dashed(chart, one)]
        if dots:
            traces.append(chart.dots(zip(one.x, one.y, strict=True), one.role, one.label, filled=False, size=8))
        labels.append(Label(one.label, one.y[-1], one.role))
    said = "; ".join(f"{one.label} from {percent(one.y[0])} to {percent(one.y[-1])}" for one in lines)
    known = "; ".join(f"{name} {percent(height)}" for name, (height, _) in levels.items())
    return chart.figure(traces, labels, f"{what}. {said}. {known}.")


def _dashed(chart: Chart, one: Line) -> Trace:
    trace = chart.line(one.x, one.y, one.role, one.label)
    return {**trace, "line": {**trace["line"], **({"dash": one.dash} if one.dash else {})}}


def estimates(draws: Sequence[float], truth: float, sd: float) -> dict[str, Any]:
    """How one pair's estimate falls over many draws, with the predicted curve."""
    chart = Chart(WATCHED, DRAWS, 280, right=24)
    edges = np.linspace(WATCHED.low, WATCHED.high, 29)
    shares = np.histogram(draws, edges)[0] / len(draws)
    middle = (edges[1:] + edges[:-1]) / 2
    wide = edges[1] - edges[0]
    x = np.linspace(WATCHED.low, WATCHED.high, 113)
    bell = wide * np.exp(-((x - truth) ** 2) / (2 * sd**2)) / (sd * np.sqrt(2 * np.pi))
    traces = [
        chart.bars(middle, shares, "printed", "simulated", 0.45),
        chart.line(x, bell, "bound", "predicted"),
        chart.line([truth, truth], [0, DRAWS.high * 0.9], "bound", "the truth", strong=True),
    ]
    labels = [Label("the truth", DRAWS.high * 0.9, "bound", x=truth)]
    alt = (f"{count(len(draws))} estimates of a pair that {truth:.0f} people watched: mean {np.mean(draws):.0f}, "
           f"standard deviation {np.std(draws):.0f}, predicted {sd:.0f}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def spectrum(real: Sequence[float], noise: Sequence[float], edge: float) -> dict[str, Any]:
    """The leading eigenvalues of the de-biased Gram matrix, beside those of noise alone and their edge."""
    chart = Chart(RANK, STRENGTH, 360, right=128)
    above = [(at, value) for at, value in enumerate(real, 1) if value > edge]
    below = [(at, value) for at, value in enumerate(real, 1) if value <= edge]
    traces = [
        chart.level(edge, "bound", "edge of the noise"),
        chart.line(range(1, len(noise) + 1), noise, "random", "phones without a history"),
        chart.dots(below, "popularity", "not told from noise", size=7),
        chart.dots(above, "beyond", "kept", size=10),
    ]
    labels = [Label("edge of noise", edge, "bound"), Label("noise alone", noise[-1], "random"),
              Label("kept", above[0][1], "beyond", x=above[0][0])]  # fmt: skip
    alt = (f"Of {len(real)} leading eigenvalues, {len(above)} lie above the edge of the noise at {count(edge)}; "
           f"noise alone reaches {count(noise[0])}.")  # fmt: skip
    return chart.figure(traces, labels, alt)
