"""The figures of dashboard `recommenders`, from plain numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from recprivlib.evaluation import Difference
from recprivlib.plots.axes import ACTIVITY, FULL, GROUPS, LONG_LIST, NEIGHBORS, TOP_K, Axis
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.frontier import Series, curve
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import percent

AXES: dict[str, Axis] = {
    "k": TOP_K,
    "sampled": LONG_LIST,
    "full": FULL,
    "neighbors": NEIGHBORS,
    "activity": ACTIVITY,
}

POPULAR = "what is popular"
AHEAD = Axis("points that MF is ahead", -10, 10, ticks=(-10, -5, 0, 5, 10), names=("−10", "−5", "level", "+5", "+10"))
TASKS = {"sampled": ("among 100 films", ""), "full": ("among all films", "dash")}


def _chart(look: Look, pool: str, x: str, height: int = 260, right: int = 128) -> Chart:
    return look.chart(AXES[x], AXES[pool], height, right)


def list_length(
    look: Look,
    pool: str,
    k: int,
    yours: Sequence[float],
    popular: Sequence[float],
    chance: Sequence[float],
    interval: tuple[float, float],
) -> dict[str, Any]:
    """Hit rate against the length of the list. Your curve appears with the reader's first move."""
    name, whole = look.name, look.curve
    chart = _chart(look, pool, "k", 260 if look.narrow else 340)
    x = list(range(1, len(yours) + 1))
    traces = [chart.line(x, chance, "random", "random"), chart.line(x, popular, "popularity", POPULAR)]
    labels = [Label("random", chance[-1], "random"), Label(POPULAR, popular[-1], "popularity")]
    if whole:
        traces += curve(chart, whole)
    elif look.trail:
        traces.append(chart.line(x, yours, "bound", name, strong=True))
    if whole or look.trail:
        labels.append(Label(name, (whole.y if whole else yours)[-1], "bound"))
    else:
        labels.append(Label(name, interval[1], "bound", x=k))
    if look.trail:
        traces.append(chart.trail(look.trail, "bound"))
    traces.append(chart.dots([(k, yours[k - 1])], "bound", f"{name}, one draw", look.filled, interval))
    alt = (f"Hit rate against the length of the list, up to {len(yours)}. At {k}: {name} {percent(yours[k - 1])}, "
           f"{POPULAR} {percent(popular[k - 1])}, random {percent(chance[k - 1])}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def by_neighbors(
    look: Look,
    pool: str,
    neighbors: int | None,
    yours: float,
    popular: float,
    chance: float,
    interval: tuple[float, float],
) -> dict[str, Any]:
    """Hit rate against the number of neighbours; a system that has none is a level line."""
    name, whole = look.name, look.curve
    chart = _chart(look, pool, "neighbors")
    traces = [chart.level(chance, "random", "random"), chart.level(popular, "popularity", POPULAR)]
    labels = [Label("random", chance, "random"), Label(POPULAR, popular, "popularity")]
    if whole:
        traces += curve(chart, whole)
    if look.trail:
        traces.append(chart.trail(look.trail, "bound"))
    if neighbors is None:
        traces.append(chart.level(yours, "bound", name))
    else:
        traces.append(chart.dots([(neighbors, yours)], "bound", f"{name}, one draw", look.filled, interval))
    labels.append(
        Label(name, whole.y[-1], "bound")
        if whole
        else Label(name, interval[1] if neighbors else yours, "bound", x=neighbors)
    )
    where = f"With {neighbors} neighbours" if neighbors else "Without neighbours"
    alt = f"Hit rate against the number of neighbours. {where}: {name} {percent(yours)}, {POPULAR} {percent(popular)}."
    return chart.figure(traces, labels, alt)


def order(look: Look, k: int, gaps: Mapping[str, Sequence[Difference]]) -> dict[str, Any]:
    """By how many points MF finds more than EASE, against K, in both tasks: one line lies above 0 and one below."""
    chart = look.chart(TOP_K, AHEAD, 260 if look.narrow else 340, 136)
    lines, said = [], []
    for pool, (name, dash) in TASKS.items():
        means, lows, highs = ([100 * getattr(gap, part) for gap in gaps[pool]] for part in ("mean", "low", "high"))
        lines.append(Series(name, "bound", range(1, len(means) + 1), means, lows, highs, dash, "mean of ten draws"))
        said.append(f"{name} {means[k - 1]:+.1f} points".replace("-", "−"))
    traces = [chart.level(0, "random", "level"), *(trace for one in lines for trace in curve(chart, one))]
    for one in lines:
        at = k - 1
        traces.append(chart.dots([(k, one.y[at])], "bound", one.label, False, (one.low[at], one.high[at])))
    labels = [Label(one.label, one.y[-1], "bound") for one in lines]
    figure = chart.figure(traces, labels, f"How far MF is ahead of EASE with a list of {k}: {', '.join(said)}.")
    figure["layout"]["annotations"] += [_side("MF finds more ↑", 1), _side("EASE finds more ↓", 0)]
    return figure


def _side(text: str, top: int) -> dict[str, Any]:
    """What it means to lie on this side of 0."""
    ends = {"yanchor": "top", "yshift": -4} if top else {"yanchor": "bottom", "yshift": 4}
    return {"text": text, "xref": "paper", "x": 0.02, "yref": "paper", "y": top, "showarrow": False, "xanchor": "left",
            **ends}  # fmt: skip


def by_activity(
    look: Look, pool: str, yours: Sequence[float], intervals: Sequence[tuple[float, float]], popular: Sequence[float]
) -> dict[str, Any]:
    """Hit rate of people with short and long histories."""
    name, chart = look.name, _chart(look, pool, "activity", right=24)
    there = [at for at, value in enumerate(yours) if value == value]
    traces = [chart.line(there, [popular[at] for at in there], "popularity", POPULAR)]
    traces += [chart.dots([(at, yours[at])], "bound", f"{name}, {GROUPS[at]} films", look.filled, intervals[at])
               for at in there]  # fmt: skip
    first, last = there[0], there[-1]
    labels = [Label(POPULAR, popular[first], "popularity", x=first), Label(name, intervals[first][1], "bound", x=first)]
    alt = (f"Hit rate by length of history. {GROUPS[first]} films: {name} {percent(yours[first])}; "
           f"{GROUPS[last]}: {percent(yours[last])}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def lists(whose: str, liked: Sequence[str], yours: Sequence[str], popular: Sequence[str], large: bool = False) -> str:
    """The two lists side by side, as HTML; what stands in both is marked."""
    both = set(yours) & set(popular)
    columns = "".join(
        f'<div style="flex:1 1 0;min-width:0"><p style="font-weight:600;margin:0 0 .3em">{escape(head)}</p>'
        f'<ol style="margin:0;padding-left:2em">{_entries(titles, both)}</ol></div>'
        for head, titles in ((f"{whose} list", yours), ("Popular list", popular))
    )
    size = "19.5px" if large else "13px"
    said = f"{len(both)} of {len(yours)} on both lists"
    return (
        f'<section class="rp-lists" aria-label="{escape(said)}" style="font-size:{size};line-height:1.45;'
        'color:var(--rp-ink,#1A1A1A);font-variant-numeric:tabular-nums">'
        f'<p style="margin:0 0 .5em;color:var(--rp-secondary,#5F6673)">from {", ".join(map(_short, liked))}</p>'
        f'<div style="display:flex;gap:1em">{columns}</div>'
        f'<p style="margin:.5em 0 0"><strong>{said}</strong></p></section>'
    )


def _entries(titles: Sequence[str], both: set[str]) -> str:
    mark = '\u00a0<span title="on both lists">●</span>'
    look = 'style="overflow-wrap:anywhere"'
    return "".join(
        f'<li {look} title="{escape(title)}">{_short(title)}{mark if title in both else ""}</li>' for title in titles
    )


def _short(title: str) -> str:
    """Without the year, which the tooltip and the table keep."""
    return escape(re.sub(r" \(\d{4}\)$", "", title))
