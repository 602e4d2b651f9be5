"""The figures of dashboard `privrec`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.plots.axes import Axis, rate
from recprivlib.plots.chart import Chart, Label, spelt
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bounded, count, many, percent, setting
from recprivlib.protocols import Array

AXES: dict[str, Axis] = {
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
    "first": Axis(
        "first bound S₀", 0.01, 100, log=True, ticks=(0.01, 0.1, 1, 10, 100), names=(".01", ".1", "1", "10", "100")
    ),
    "found": rate("next film found", 0.15, 0.05),
}
NAMES, QUIET = {"popularity": "what is popular", "random": "random"}, "without noise"

BILLS = {"printed": ("as printed", "paper"), "Rényi": ("Rényi", "popularity"), "tight": ("", "bound"),
         "Poisson": ("Poisson", "repaired")}  # fmt: skip


@dataclass(frozen=True)
class Moves:
    """Lengths over the bound S, for every number of phones."""

    cohorts: Array
    noise: Array
    people: Array


def _chart(look: Look, x: str, y: str, height: int = 260, right: int = 150) -> Chart:
    return look.chart(AXES[x], AXES[y], height, right)


def pulls(look: Look, moves: Moves, at: int, noise: float, people: float) -> dict[str, Any]:
    """How far one round moves the model: by its people, and by its noise. Above 1 no rule for S can help."""
    chart = _chart(look, "cohort", "length", 260 if look.narrow else 340, 130)
    traces = [chart.level(1.0, "popularity", "the bound S")]
    labels = [Label("the bound S", 1.0, "popularity")]
    for ghost in look.ghosts:
        traces.append({**chart.dots([(ghost.x, ghost.y)], "paper", ghost.name, False), "opacity": 0.6})
        labels.append(Label(ghost.name, ghost.y, "paper", x=ghost.x))
    for name, y, role in (("noise", moves.noise, "paper"), ("people", moves.people, "bound")):
        traces.append(chart.line(moves.cohorts, y, role, name, strong=role == "paper"))
        labels.append(Label(name, float(y[-1]), role))
    if look.trail:
        traces.append(chart.trail(look.trail, "paper"))
    traces += [chart.dots([(at, people)], "bound", "people", look.filled),
               chart.dots([(at, noise)], "paper", "noise", look.filled)]  # fmt: skip
    alt = (f"One round of {count(at)} phones: the noise is {setting(round(noise, 2))} times the bound, the pull of the "
           f"people {setting(round(people, 2))} times.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def bill(
    look: Look, x: str, at: float, counts: Sequence[float], curves: Mapping[str, Sequence[float]],
    now: Mapping[str, float], proved: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    """ε by four accountants against rounds or δ; what is off the scale is pinned to its edge. `proved` says of which
    it is known that less would not hold."""
    chart = _chart(look, x, "bill")
    traces, labels, told = [], [], []
    for name, (kind, role) in BILLS.items():
        label = ", ".join(filter(None, (proved.get(name), kind)))
        held = [(c, y) for c, y in zip(counts, curves[name], strict=True) if chart.y.holds(y)]
        if held:
            x_, y_ = zip(*held, strict=True)
            traces.append(spelt(chart.line(x_, y_, role, label, strong=name == "tight"), y_, bounded))
        labels.append(Label(label, curves[name][-1], role))
        traces.append(spelt(chart.dots([(at, now[name])], role, label, look.filled, size=8), (now[name],), bounded))
        told.append(f"{label} {bounded(now[name])}")
    said = ", ".join(told)
    return chart.figure(traces, labels, f"The bill of one person: {said}.")


def clipping(look: Look, turns: Sequence[int], bounds: Sequence[float], wanted: Sequence[float]) -> dict[str, Any]:
    """The clipping bound round by round, beside the quantile it should find."""
    chart = _chart(look, "turn", "bound")
    traces = [chart.line(turns, wanted, "bound", "the true quantile"),
              chart.line(turns, [chart.y.pinned(y) for y in bounds], "paper", "S", strong=True)]  # fmt: skip
    traces.append(chart.dots([(turns[-1], bounds[-1])], "paper", "S", look.filled))
    labels = [Label("true quantile", wanted[-1], "bound"), Label("S", bounds[-1], "paper")]
    first, last, sought = (setting(float(f"{length:.2g}")) for length in (bounds[0], bounds[-1], wanted[-1]))
    alt = f"The bound begins at {first} and is {last} after {many(turns[-1], 'round')}; the quantile is {sought}."
    return chart.figure(traces, labels, alt)


def kept(
    look: Look, known: Mapping[float, Sequence[tuple[float, float]]], at: tuple[float, float],
    hits: float | None, levels: Mapping[str, float],
) -> dict[str, Any]:  # fmt: skip
    """Hits@10 over the first bound, a line for each γ. `at`: the reader's (S₀, γ); `hits`: what training found."""
    chart = _chart(look, "first", "found")
    (first, gamma), traces = at, [chart.level(y, role, NAMES[role]) for role, y in levels.items()]
    labels = [Label(NAMES[role], y, role) for role, y in levels.items()]
    for quantile, dots in known.items():
        own = quantile == gamma
        name = f"γ = {setting(quantile)}"
        line = chart.line(*_sides(dots), "paper", name, own)
        traces.append(line if own else {**line, "opacity": 0.35})
        if own:
            traces.append(chart.dots(dots, "paper", name, False, size=6))
            best = max(dots, key=lambda dot: dot[1])
            labels.append(Label(name, best[1], "paper", x=best[0]))
    there = dict(known.get(gamma, ())).get(first)
    now = there if hits is None else hits
    if now is not None:
        traces.append(chart.dots([(first, now)], "paper", "this draw" if hits is not None else "committed",
                                 hits is not None))  # fmt: skip
        said = f"it finds {percent(now)}"
    else:
        said = "nothing is committed there"
    alt = (
        f"With a bound that begins at {setting(first)} and γ = {setting(gamma)} {said}; popularity finds "
        f"{percent(levels['popularity'])}."
    )
    return chart.figure(traces, labels, alt)


def training(
    look: Look, seen: Sequence[tuple[int, float]], levels: Mapping[str, float],
    silent: Sequence[tuple[float, float]] = (),
) -> dict[str, Any]:  # fmt: skip
    """Hits@10 among all items for people the training never saw, while it trains; `silent`: the same without noise."""
    chart = _chart(look, "turn", "found")
    traces = [chart.level(y, role, NAMES[role]) for role, y in levels.items()]
    labels = [Label(NAMES[role], y, role) for role, y in levels.items()]
    said = ""
    if silent:
        traces += [
            chart.line(*_sides(silent), "bound", QUIET),
            chart.dots(silent, "bound", QUIET, False, size=6),
        ]
        labels.append(Label(QUIET, silent[-1][1], "bound"))
        said = f" Without noise {percent(silent[-1][1])} after {count(int(silent[-1][0]))}."
    if seen:
        turns, hits = zip(*seen, strict=True)
        traces += [chart.line(turns, hits, "paper", "with noise", strong=True),
                   chart.dots([seen[-1]], "paper", "with noise", look.filled)]  # fmt: skip
        labels.append(Label("with noise", hits[-1], "paper"))
        found, popular = percent(hits[-1]), percent(levels["popularity"])
        alt = f"After {many(turns[-1], 'round')} it finds {found}; popularity {popular}.{said}"
    else:
        alt = f"Not trained yet; popularity finds {percent(levels['popularity'])}.{said}"
    return chart.figure(traces, labels, alt)


def _sides(dots: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in dots], [y for _, y in dots]


def thinned(values: Array, most: int = 120) -> tuple[list[int], list[float]]:
    """(round, value) at most `most` times, evenly on a log scale; the last is kept."""
    at = np.unique(np.round(np.geomspace(1, len(values), most)).astype(int))
    return at.tolist(), values[at - 1].tolist()
