"""The figures of the chapter on recommenders without privacy, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.numerals import count, percent

RANK = Axis("films, the most rated first", 1, 2000, log=True, ticks=(1, 10, 100, 1000))
PEOPLE = Axis("people who rated it", 0, 700, ticks=(0, 200, 400, 600))
POOLS = Axis("rivals of the hidden film", -0.15, 1.15, ticks=(0, 1), names=("99 at random", "all films"))
LENGTH = Axis("length of the list, among all films", 1, 1000, log=True, ticks=(1, 10, 100, 1000))
FOUND = Axis("hidden films found", 0, 1, ticks=(0, 0.2, 0.4, 0.6, 0.8, 1))
RATE = Axis("hidden films found in the top 10", 0, 0.8, ticks=(0, 0.2, 0.4, 0.6, 0.8))
TICKS = {-0.1: "−.1", -0.05: "−.05", 0: "0", 0.05: ".05", 0.1: ".1"}
GAIN = Axis("difference in hit rate", -0.1, 0.1, ticks=tuple(TICKS), names=tuple(TICKS.values()))

Interval = tuple[float, float, float]  # value, low, high


def tail(people: Sequence[float], marked: Mapping[str, int], named: Sequence[str]) -> dict[str, Any]:
    """How many rated each film, most first. `marked` films (title: place from 0) are dots, `named` ones have names."""
    chart = Chart(RANK, PEOPLE, 300, right=24)
    places = [(place + 1, people[place]) for place in marked.values()]
    traces = [
        chart.line(range(1, len(people) + 1), people, "bound", "people", strong=True),
        chart.dots(places, "bound", "a film of Ada's"),
    ]
    labels = [Label(title, people[marked[title]], "bound", x=marked[title] + 1) for title in named]
    alt = (f"How many people rated each of {count(len(people))} films: from {count(people[0])} for the first to "
           f"{count(people[len(people) // 2])} for the one in the middle.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def ladder(systems: Mapping[str, tuple[str, Interval, Interval]]) -> dict[str, Any]:
    """Each system's hit rate against 99 rivals and against all: name -> (role, first, second), with 95 % intervals."""
    chart = Chart(POOLS, RATE, 340, right=110)
    traces, labels, said = [], [], []
    for name, (role, *pools) in systems.items():
        traces.append(chart.line((0, 1), [value for value, *_ in pools], role, name))
        for at, (value, low, high) in enumerate(pools):
            traces.append(chart.dots([(at, value)], role, name, filled=False, whisker=(low, high), size=8))
        labels.append(Label(name, pools[1][0], role))
        said.append(f"{name} {percent(pools[0][0])}, then {percent(pools[1][0])}")
    return chart.figure(traces, labels, f"Hit rate against 99 rivals, then against all films: {'; '.join(said)}.")


def crossing(lengths: Sequence[int], curves: Mapping[str, Sequence[float]], windows: Mapping[str, float]) -> Any:
    """Hit rate among all films against the length of the list; the first system is drawn strong."""
    chart = Chart(LENGTH, FOUND, 340, right=110)
    traces = [chart.line((at, at), (0, 1), "random", what) for what, at in windows.items()]
    heights = (0.9, 0.05)  # so that two names do not meet on a phone
    labels = [Label(what, y, "random", x=at) for (what, at), y in zip(windows.items(), heights, strict=True)]
    for number, (name, found) in enumerate(curves.items()):
        traces.append(chart.line(lengths, found, "bound", name, strong=not number))
        labels.append(Label(name, found[-1], "bound"))
    said = "; ".join(f"{name} {percent(found[0])} to {percent(found[-1])}" for name, found in curves.items())
    alt = f"Hit rate among all films against the length of the list, {lengths[0]} to {lengths[-1]}: {said}."
    return chart.figure(traces, labels, alt)


def forest(rows: Mapping[str, Interval], axis: Axis = GAIN) -> dict[str, Any]:
    """Differences with their 95 % intervals, one under the other; a verb is earned where 0 is left out."""
    places = Axis("", -0.7, len(rows) - 0.3)
    chart = Chart(axis, places, 60 + 52 * len(rows), right=24)
    traces = [chart.line((0, 0), (places.low, places.high), "popularity", "no difference")]
    labels = []
    for place, (name, (mean, low, high)) in zip(reversed(range(len(rows))), rows.items(), strict=True):
        traces.append(chart.line((low, high), (place, place), "bound", f"{name}, 95 %"))
        traces.append(chart.dots([(mean, place)], "bound", name, size=9))
        labels.append(Label(name, place, "bound", x=mean))
    said = "; ".join(f"{name} {mean:+.3f} ({low:+.3f} to {high:+.3f})" for name, (mean, low, high) in rows.items())
    return chart.figure(traces, labels, f"Differences in hit rate with 95 % intervals: {said}.")
