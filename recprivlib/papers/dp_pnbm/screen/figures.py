"""The figures of dashboard `dp_pnbm`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from recprivlib.plots.axes import EPSILON_WIDE, STARS, Axis, thousandths
from recprivlib.plots.chart import Label
from recprivlib.plots.frontier import Level, Now, Series, frontier
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import count, setting, times
from recprivlib.plots.palette import SECONDARY, faded
from recprivlib.protocols import Array

AXES: dict[str, Axis] = {"epsilon": EPSILON_WIDE, "rmse": STARS}

NAMES = {"bound": "no privacy", "private-popularity": "learns nothing", "popularity": "film averages"}
SHELF = 0.10  # opacity of what lies below the floor
MOVED = Axis("moved by one rating, in printed bounds", 1, 100, log=True, ticks=(1, 2, 5, 10, 20, 50, 100))
PEOPLE = Axis(
    "people", 0, 0.25, ticks=(0, 0.05, 0.1, 0.15, 0.2, 0.25), names=("0", "5 %", "10 %", "15 %", "20 %", "25 %")
)
CROWD = Axis("times the people of MovieLens 100K", 1, 10_000, log=True, ticks=(1, 10, 100, 1000, 10_000))
WIDTH, ROW, TOP = 466, 21, 44  # of the neighbour lists, in pixels


def error_by_epsilon(
    look: Look,
    epsilon: float,
    error: float,
    interval: tuple[float, float],
    floors: Mapping[str, float],
    noise: float | None,
) -> dict[str, Any]:
    """RMSE, better upwards, against ε as declared. What learns nothing is a shelf: below it no data paid."""
    axes = AXES
    chart = look.chart(axes["epsilon"], axes["rmse"], 260 if look.narrow else 340, right=136)
    levels = [Level(NAMES[role], role, value) for role, value in floors.items()]
    if noise is not None and chart.y.holds(noise):
        levels.append(Level("noise alone", "random", noise, x=epsilon))
    lines = [one.within([x for x in one.x if chart.x.holds(x)]) for one in look.curve or () if one]
    figure = frontier(
        chart, "Error in stars", levels, lines,
        Now(epsilon, error, interval, "one fold"),
        look, at=f"At epsilon {setting(epsilon)}", spell=thousandths, left=True,
    )  # fmt: skip
    figure["layout"]["shapes"] = [{
        "type": "rect", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": chart.y.low,
        "y1": floors["private-popularity"], "line": {"width": 0}, "layer": "below",
        "fillcolor": faded(SECONDARY[0], SHELF),
    }]  # fmt: skip
    return figure


def people(look: Look, lines: Sequence[Series], floors: Mapping[str, float]) -> dict[str, Any]:
    """RMSE against the number of people, at ε = 1: the noise of a trusted server stays, the signal grows."""
    chart = look.chart(CROWD, AXES["rmse"], 260 if look.narrow else 340)
    levels = [Level(NAMES[role], role, value) for role, value in floors.items() if role != "popularity"]
    return frontier(chart, "Error in stars", levels, lines, look=look, spell=thousandths, left=True)


def movement(look: Look, moved: Array, crafted: float) -> dict[str, Any]:
    """How many people's changed rating moves the release how far, in units of the printed bound."""
    chart = look.chart(MOVED, PEOPLE, right=24)
    edges = np.geomspace(MOVED.low, MOVED.high, 25)
    shares = np.histogram(np.clip(moved, MOVED.low, MOVED.high), edges)[0] / max(1, len(moved))
    middle = np.sqrt(edges[1:] * edges[:-1])
    bars = chart.bars(middle, shares, look.role, "people", 0.5)
    bars |= {"width": [float(w) for w in 0.9 * np.diff(edges)], "hovertemplate": "%{y:.1%} of people<extra></extra>"}
    median, top = float(np.median(moved)), PEOPLE.high * 0.86
    marks = {"printed bound": (1.0, "paper"), f"median {times(median)}": (median, "bound"),
             f"made up {times(crafted)}": (crafted, "attack")}  # fmt: skip
    traces, labels = [bars], []
    for at, (name, (x, role)) in enumerate(marks.items()):
        height = top * (1 - 0.16 * at)
        traces.append(chart.line((x, x), (0, height), role, name))
        labels.append(Label(name, height, role, x=x))
    alt = (f"One changed rating of each of {count(len(moved))} people, in printed bounds: the median moves the release "
           f"{times(median)}, a made-up person {times(crafted)}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def neighbours(film: str, ours: Sequence[str], theirs: Sequence[str], large: bool = False) -> str:
    """The ten films most alike, with noise and without; those that both lists name are joined."""
    if not ours:
        return (
            f'<p class="rp-none">What is published here compares no films: there is nothing beside {escape(film)}.</p>'
        )
    both = [(here, theirs.index(title)) for here, title in enumerate(ours) if title in theirs]
    size, ink, faint = 13, "var(--rp-ink,#1A1A1A)", "var(--rp-secondary,#5F6673)"
    lines = "".join(
        f'<line x1="205" y1="{_y(a) - 4}" x2="261" y2="{_y(b) - 4}" stroke="{ink}" stroke-width="1.5"/>'
        for a, b in both
    )
    heads = (f'<text x="0" y="16" fill="{faint}">published</text>'
             f'<text x="{WIDTH}" y="16" text-anchor="end" fill="{faint}">no privacy</text>')  # fmt: skip
    left = "".join(_title(0, "start", n, title, n in dict(both)) for n, title in enumerate(ours))
    right = "".join(_title(WIDTH, "end", n, t, n in {b for _, b in both}) for n, t in enumerate(theirs))
    told = f"Of the ten films most like {film} as published, {len(both)} are among the ten without privacy."
    if not theirs:
        told = f"The ten films most like {film}, as published."
    height = TOP + ROW * 10
    zoom = 1.5 if large else 1
    return (
        f'<svg role="img" aria-label="{escape(told, quote=True)}" viewBox="0 0 {WIDTH} {height}" '
        f'style="width:100%;max-width:{WIDTH * zoom:g}px;font-size:{size}px;font-family:inherit">'
        f'{heads}{lines}{left}{right}</svg><p style="margin:.3rem 0 0">{escape(told)}</p>'
    )


def _y(row: int) -> int:
    return TOP + ROW * row


def _title(x: int, anchor: str, row: int, title: str, shared: bool) -> str:
    short = title if len(title) <= 28 else f"{title[:27]}…"
    ink = "var(--rp-ink,#1A1A1A)" if shared else "var(--rp-secondary,#5F6673)"
    return f'<text x="{x}" y="{_y(row)}" text-anchor="{anchor}" fill="{ink}">{escape(short)}</text>'
