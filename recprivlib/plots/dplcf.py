"""The figures of dashboard `dplcf`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from recprivlib.plots.axes import AXES
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bare, count, percent
from recprivlib.protocols import Array

NAMES = {
    "bound": "no privacy", "popularity": "what is popular", "private-popularity": "noisy popularity",
    "random": "random",
}  # fmt: skip
SEEN = (10, 50)  # people: below the first a film is rare, from the second on well known
GROUPS = (("rare film", 0.25), ("known to some", 0.5), ("well known", 0.85))


@dataclass(frozen=True)
class Pairs:
    """Pairs of films: how alike they are, how many people met the rarer one, how alike they look to the server."""

    true: Array
    seen: Array
    estimated: Array


@dataclass(frozen=True)
class Whole:
    """A committed curve over ε: mean of several seeds, its 95 % band, and popularity from the same reports."""

    x: Sequence[float]
    mean: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    private_x: Sequence[float] = ()
    private: Sequence[float] = ()

    def __bool__(self) -> bool:
        return len(self.x) > 0


def _chart(look: Look, x: str, y: str, height: int, right: int = 130) -> Chart:
    axes = AXES["dplcf"]
    return Chart(axes[x], axes[y], height, look.narrow, look.large, right)


def rate_by_epsilon(
    look: Look,
    metric: tuple[str, int],
    epsilon: float,
    yours: float,
    interval: tuple[float, float],
    levels: Mapping[str, float],
    trail: Sequence[tuple[float, float]] = (),
    whole: Whole | None = None,
) -> dict[str, Any]:
    """Hit rate (or nDCG) against ε; what costs no privacy lies level across."""
    chart = _chart(look, "epsilon", "ndcg" if metric[0] == "ndcg" else "sampled", 260 if look.narrow else 340)
    if metric[0] == "hr":
        chart = replace(chart, y=replace(chart.y, title=f"found in the top {metric[1]} of 100"))
    private = whole.private if whole else ()
    traces, labels = [], []
    for role, value in levels.items():
        if role == "private-popularity" and whole and private:
            traces.append(chart.line(whole.private_x, private, role, NAMES[role]))
            value = private[-1]
        elif role == "private-popularity":
            traces.append(chart.dots([(epsilon, value)], role, NAMES[role], size=7))
            beside = look.narrow and chart.x.place(epsilon) > 0.45  # else two names would stand on each other
            labels.append(Label(NAMES[role], value, role, x=None if beside else epsilon, below=value <= yours))
            continue
        else:
            traces.append(chart.level(value, role, NAMES[role]))
        labels.append(Label(NAMES[role], value, role, left=role != "private-popularity"))
    if whole:
        measured = list(zip(whole.x, whole.mean, strict=True))
        traces += [chart.band(whole.x, whole.low, whole.high, look.role),
                   chart.line(whole.x, whole.mean, look.role, f"{look.name}, mean of the seeds"),
                   chart.dots(measured, look.role, look.name, filled=False, size=6)]  # fmt: skip
    if trail:
        traces.append(chart.trail(trail, look.role))
    traces.append(chart.dots([(epsilon, yours)], look.role, f"{look.name}, one draw", look.filled, interval))
    noisy = levels.get("private-popularity", yours)
    if whole and not look.narrow:
        labels.append(Label(look.name, whole.mean[-1], look.role))
    elif yours < noisy:
        labels.append(Label(look.name, interval[0], look.role, x=epsilon, below=True))
    else:
        labels.append(Label(look.name, interval[1], look.role, x=epsilon))
    shown = percent if metric[0] == "hr" else bare
    told = ", ".join(f"{NAMES[role]} {shown(value)}" for role, value in levels.items())
    score = "Hit rate" if metric[0] == "hr" else "nDCG"
    alt = f"{score} against epsilon. At {epsilon:g}: {look.name} {shown(yours)}; {told}."
    return chart.figure(traces, labels, alt)


def by_length(look: Look, yours: Sequence[float], levels: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Hit rate against the length of the list, K = 1..10."""
    chart = _chart(look, "k", "sampled", 260)
    x = list(range(1, len(yours) + 1))
    traces = [chart.line(x, values, role, NAMES[role]) for role, values in levels.items()]
    traces.append(chart.line(x, yours, look.role, look.name, strong=True))
    labels = [Label(NAMES[role], values[-1], role) for role, values in levels.items()]
    labels.append(Label(look.name, yours[-1], look.role))
    alt = f"Hit rate by length of the list: at 10, {look.name} {percent(yours[-1])}, " + ", ".join(
        f"{NAMES[role]} {percent(values[-1])}" for role, values in levels.items()
    )
    return chart.figure(traces, labels, f"{alt}.")


def similarity(look: Look, pairs: Pairs) -> dict[str, Any]:
    """True against estimated similarity of the same pairs, the rarer films fainter."""
    chart = _chart(look, "true", "estimated", 260, right=24)
    traces = [chart.line((0, 1), (0, 1), "random", "as it is")]
    group = np.searchsorted(SEEN, pairs.seen, side="right")
    for number, (name, opacity) in enumerate(GROUPS):
        there = group == number
        cloud = chart.cloud(pairs.true[there], pairs.estimated[there], look.role, name)
        cloud["marker"] = {**cloud["marker"], "opacity": opacity, "size": 3 + number}
        traces.append(cloud)
    known = group == 2
    off = float(np.median(np.abs(pairs.true - pairs.estimated)[known])) if known.any() else float("nan")
    rare = float(np.median(np.abs(pairs.true - pairs.estimated)[group == 0]))
    alt = (f"True against estimated similarity of {count(len(pairs.true))} pairs of films. The estimate is off by "
           f"{bare(off, 2)} for well-known films, by {bare(rare, 2)} for rare ones (medians).")  # fmt: skip
    return chart.figure(traces, [], alt)


TILES = (
    ".rp-tiles{container-type:inline-size}"
    ".rp-tiles h4{font-size:1em;font-weight:600;line-height:1.3;margin:.5em 0 .3em}"
    ".rp-tiles p{margin:.6em 0 0}.rp-tiles div{display:grid;grid-template-columns:repeat(20,1fr);gap:3px}"
    ".rp-tiles i{display:inline-block;box-sizing:border-box;aspect-ratio:1;border-radius:3px;min-width:0;"
    "border:1px solid var(--rp-secondary,#5F6673);print-color-adjust:exact}"
    ".rp-tiles i.on{background:var(--rp-ink,#1A1A1A)}"
    ".rp-tiles i.lie{border:3px solid var(--rp-attack,#852A81)}.rp-tiles p i{width:1em;vertical-align:-.15em}"
    "@container(min-width:640px){.rp-tiles div{grid-template-columns:repeat(40,1fr);gap:4px}}"
)


def tiles(
    watched: Sequence[bool],
    reported: Sequence[bool],
    titles: Sequence[str],
    lies: float,
    items: int,
    large: bool = False,
) -> str:
    """One phone, as HTML: what it knows, and what it says. A lie is ringed in the attacker's colour."""
    false = sum(a != b for a, b in zip(watched, reported, strict=True))
    said = f"{false} of these {len(watched)} answers are lies; of all {count(items)}, about {count(lies)}"
    return (
        f'<section class="rp-tiles" aria-label="{escape(said)}" style="font-size:{13 * (1.5 if large else 1):g}px;'
        f'line-height:1.4;color:var(--rp-ink,#1A1A1A)"><style>{TILES}</style>'
        f"<h4>What Ada watched</h4>{_grid(watched, watched, titles)}"
        f"<h4>What her phone reported</h4>{_grid(reported, watched, titles)}"
        f'<p><i class="lie"></i> marks a lie. {said}.</p></section>'
    )


def _grid(shown: Sequence[bool], truth: Sequence[bool], titles: Sequence[str]) -> str:
    cells = (
        f'<i class="{"on" if on else ""}{" lie" if on != real else ""}" title="{escape(title)}"></i>'
        for on, real, title in zip(shown, truth, titles, strict=True)
    )
    return f"<div>{''.join(cells)}</div>"
