"""The figures of dashboard `fmf_ldp`, from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recprivlib.plots.axes import EPSILON, Axis, rate
from recprivlib.plots.chart import Label, spelt
from recprivlib.plots.frontier import Level, Now, Series, curves, frontier
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bounded, percent

AXES: dict[str, Axis] = {
    "epsilon": EPSILON,
    "sampled": rate("found in the top 10", 0.8, 0.2),
    "epoch": Axis("epoch", 1, 30, ticks=(1, 5, 10, 15, 20, 25, 30)),
    "bill": Axis(
        "ε of one person",
        0.1,
        100_000,
        log=True,
        ticks=(0.1, 1, 10, 100, 1000, 10_000, 100_000),
        names=(".1", "1", "10", "100", "1k", "10k", "100k"),
    ),
    "size": Axis(
        "length, and share",
        0.001,
        100,
        log=True,
        ticks=(0.001, 0.01, 0.1, 1, 10, 100),
        names=(".001", ".01", ".1", "1", "10", "100"),
    ),
}

NAMES = {
    "bound": "no privacy", "popularity": "what is popular", "private-popularity": "chart at ε = 8",
    "random": "random",
}  # fmt: skip
CURRENCIES = {"epoch": "one epoch", "sum": "added up", "exact": "best exact sum", "mixed": "honest mixer"}
DRAWN = {"epoch": "paper", "sum": "bound", "exact": "popularity", "mixed": "repaired"}


def rate_by_epoch(
    look: Look, rates: Sequence[float], interval: tuple[float, float], levels: Mapping[str, float]
) -> dict[str, Any]:
    """Hit rate after each epoch so far; what needs no training lies level across. `look.curve`: what was committed."""
    chart = look.chart(AXES["epoch"], AXES["sampled"], 260 if look.narrow else 340, right=156)
    known = [Level(NAMES[role], role, value) for role, value in levels.items()]
    lines = [Series(look.name, look.role, range(1, len(rates) + 1), rates, of="computed now")]
    if look.curve:
        lines.append(look.curve)
    now = Now(len(rates), rates[-1], interval, named=False)
    return frontier(chart, "Hit rate by epoch", known, lines, now, look, at=f"After epoch {len(rates)}", dots=0)


def bill_by_epoch(look: Look, course: Mapping[str, Sequence[float]], at: int) -> dict[str, Any]:
    """What one person has spent after each epoch, in four currencies."""
    chart = look.chart(AXES["epoch"], AXES["bill"], right=132)
    traces, labels = [], []
    for name, values in course.items():
        line = chart.line(range(1, len(values) + 1), values, DRAWN[name], CURRENCIES[name], name == "mixed")
        traces.append(spelt(line, values, bounded))
        labels.append(Label(CURRENCIES[name], values[-1], DRAWN[name]))
    last = {CURRENCIES[name]: bounded(values[at - 1]) for name, values in course.items()}
    now = [values[at - 1] for values in course.values()]
    traces.append(spelt(chart.dots([(at, value) for value in now], "bound", "now", size=6), now, bounded))
    said = ", ".join(f"{name} {value}" for name, value in last.items())
    return chart.figure(traces, labels, f"The bill of one person after epoch {at}: {said}.")


def health(look: Look, items: Sequence[float], users: Sequence[float], clipped: Sequence[float]) -> dict[str, Any]:
    """Length of the item vectors and of the people's, and the share of gradient values that the projection cuts."""
    chart = look.chart(AXES["epoch"], AXES["size"], right=142)
    x = range(1, len(items) + 1)
    shown = {"films, ‖v‖": (items, "bound"), "people, ‖x‖": (users, look.role), "clipped": (clipped, "attack")}
    traces = [chart.line(x, values, role, name) for name, (values, role) in shown.items() if len(values)]
    labels = [Label(name, values[-1], role) for name, (values, role) in shown.items() if len(values)]
    said = ", ".join(f"{name} {values[-1]:.3g}" for name, (values, _) in shown.items() if len(values))
    return chart.figure(traces, labels, f"Medians after epoch {len(items)}: {said}.")


def pools(
    look: Look, own: Sequence[float], popular: float, whole: Sequence[float], everywhere: float
) -> dict[str, Any]:
    """The same lists held against 99 strangers and against the whole catalogue."""
    chart = look.chart(AXES["epoch"], AXES["sampled"], right=136)
    x = range(1, len(own) + 1)
    traces = [
        chart.level(popular, "popularity", "popular, of 100"), chart.level(everywhere, "popularity", "popular, of all"),
        chart.line(x, own, look.role, "of 100"), chart.line(x, whole, look.role, "of all", strong=True),
    ]  # fmt: skip
    labels = [
        Label("of 100", own[-1], look.role), Label("of all", whole[-1], look.role),
        Label("popular, of 100", popular, "popularity"), Label("popular, of all", everywhere, "popularity"),
    ]  # fmt: skip
    said = (f"The next film in the top 10: {percent(own[-1])} of 100, {percent(whole[-1])} of all; "
            f"what is popular {percent(popular)} and {percent(everywhere)}.")  # fmt: skip
    return chart.figure(traces, labels, said)


def learning(lines: Sequence[Series], popular: float) -> dict[str, Any]:
    """Committed learning curves over the level of what is popular, for the chapter."""
    levels = {NAMES["popularity"]: (popular, "popularity")}
    x, y = AXES["epoch"], AXES["sampled"]
    return curves(x, y, lines, levels, "Hit rate by epoch", dots=6)
