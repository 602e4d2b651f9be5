"""The figures of dashboard `dplcf`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from recprivlib.plots.axes import EPSILON, FULL, SAMPLED, Axis, rate
from recprivlib.plots.chart import Label
from recprivlib.plots.frontier import Level, Now, frontier
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bare, count, percent, setting
from recprivlib.protocols import Array

AXES: dict[str, Axis] = {
    "epsilon": EPSILON,
    "sampled": SAMPLED,
    "ndcg": rate("nDCG in the top 10 of 100", 0.8, 0.2),
    "full": FULL,
    "k": Axis("length of the list, K", 1, 10, ticks=(1, 2, 5, 10)),
    "both": Axis("people who watched both", -150, 200, ticks=(-100, 0, 100, 200)),
    "true": Axis("true similarity", 0.0, 1.0, ticks=(0, 0.25, 0.5, 0.75, 1)),
    "estimated": Axis("as the server sees it", 0.0, 1.0, ticks=(0, 0.25, 0.5, 0.75, 1)),
}

NAMES = {
    "bound": "no privacy", "popularity": "what is popular", "private-popularity": "noisy popularity",
    "random": "random",
}  # fmt: skip
SEEN = (10, 50)  # people: below the first a film is rare, from the second on well known
Levels = Mapping[str, float]  # role -> height
GROUPS = (("rare film", 0.25), ("known to some", 0.5), ("well known", 0.85))


@dataclass(frozen=True)
class Pairs:
    """Pairs of films: how alike they are, how many people met the rarer one, how alike they look to the server."""

    true: Array
    seen: Array
    estimated: Array


def rate_by_epsilon(
    look: Look, metric: tuple[str, int], at: float, rate: float, interval: tuple[float, float], levels: Levels
) -> dict[str, Any]:
    """Hit rate (or nDCG) against ε; what costs no privacy lies level across.

    `look.curve`: this server's own, noisy popularity, and this server tuned.
    """
    kind, k = metric
    y = AXES["ndcg" if kind == "ndcg" else "sampled"]
    y = replace(y, title=f"found in the top {k} of 100") if kind == "hr" else y
    chart = look.chart(AXES["epsilon"], y, 260 if look.narrow else 340, right=156)
    own, noisy, alike = look.curve or (None, None, None)
    known = []
    for role, value in levels.items():
        if role == "private-popularity" and look.ghosts:
            continue  # too much to compare
        private = role == "private-popularity"
        known.append(Level(NAMES[role], role, value, at if private else None, noisy if private else None))
    return frontier(
        chart, f"{'Hit rate' if kind == 'hr' else 'nDCG'} against epsilon", known, [one for one in (own, alike) if one],
        Now(at, rate, interval), look, at=f"At {setting(at)}", spell=percent if kind == "hr" else bare, left=True,
    )  # fmt: skip


def tries(
    look: Look, epsilon: float, true: int, here: Sequence[float], others: Mapping[float, Sequence[float]]
) -> dict[str, Any]:
    """Estimates of how many watched both of two films, each from all phones anew, at every ε."""
    chart = look.chart(AXES["epsilon"], AXES["both"], 340, right=156)
    traces = [chart.level(true, "bound", f"true: {true}"), chart.level(0.0, "random", "nobody")]
    grey = [(x, y) for at, ys in others.items() for x, y in _strewn(at, ys)]
    cloud = chart.cloud([x for x, _ in grey], [chart.y.pinned(y) for _, y in grey], "random", "elsewhere")
    now = [(x, chart.y.pinned(y)) for x, y in _strewn(epsilon, here)]
    fallen = {**chart.dots(now, look.role, "one try", False, size=6), "meta": "falls"}  # one after the other: move.js
    traces += [{**cloud, "type": "scatter"}, fallen]
    labels = [Label(f"true: {true}", true, "bound"), Label("nobody", 0.0, "random")]
    alt = (f"Estimates from {len(here)} tries at epsilon {setting(epsilon)}: between {min(here):.0f} and "
           f"{max(here):.0f}; the truth is {true}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def _strewn(x: float, heights: Sequence[float]) -> list[tuple[float, float]]:
    """Dots of one x beside one another."""
    return [(x * 1.04 ** (at % 9 - 4), y) for at, y in enumerate(heights)]


def by_length(look: Look, yours: Sequence[float], levels: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Hit rate against the length of the list, K = 1..10."""
    chart = look.chart(AXES["k"], AXES["sampled"], right=156)
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
    chart = look.chart(AXES["true"], AXES["estimated"], right=24)
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
    ".rp-tiles i.lie{border:2px solid var(--rp-ink,#1A1A1A);box-shadow:inset 0 0 0 2px var(--rp-page,#FFF)}"
    ".rp-tiles p i{width:1em;vertical-align:-.15em}"
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
    """One phone, as HTML: what it knows, and what it says. A lie is framed."""
    false = sum(a != b for a, b in zip(watched, reported, strict=True))
    are = "is a lie" if false == 1 else "are lies"
    said = f"{false} of these {len(watched)} answers {are}; of all {count(items)}, about {count(lies)}"
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
