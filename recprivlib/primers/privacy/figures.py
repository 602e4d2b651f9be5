"""The figures of dashboard `privacy`, the mechanism lab, from plain numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from recprivlib.plots.axes import Axis, rate
from recprivlib.plots.chart import Chart, Label, Trace, plain, spelt
from recprivlib.plots.climb import roomy
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bounded, certified, count, many, percent, times
from recprivlib.plots.palette import BAND, INK, PAGE, VEIL, colour, faded

AXES: dict[str, Axis] = {
    "false": rate("false alarms", 1.0, 0.25),
    "hits": rate("hits", 1.0, 0.25),
    "share": rate("share of the answers", 1.0, 0.25),
    "right": Axis("right about a fair coin", 0.5, 1.0, ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1)),
    "ratio": Axis("times the exact bill", 0.0, 8.0, ticks=(1, 2, 4, 6, 8)),
    "releases": Axis(
        "answers about the same secret", 1, 1000, log=True, ticks=(1, 10, 100, 1000), names=("1", "10", "100", "1k")
    ),
    "bill": Axis(
        "ε of all answers",
        0.01,
        10_000,
        log=True,
        ticks=(0.01, 0.1, 1, 10, 100, 1000, 10_000),
        names=(".01", ".1", "1", "10", "100", "1k", "10k"),
    ),
}

FEW = 4  # outcomes whose names stand above their bars
METHODS = {  # accountant -> (label, role, width of the line)
    "basic": ("claims added", "paper", 2.0),
    "advanced": ("advanced", "random", 2.0),
    "RDP": ("Rényi", "popularity", 2.0),
    "tightest": ("exact", "bound", 3.0),
}


@dataclass(frozen=True)
class Region:
    """Where the claim allows an attacker to be: under `hits` and above its mirror image."""

    claim: str  # "ε = 1"
    false: Sequence[float]
    hits: Sequence[float]


@dataclass(frozen=True)
class Seen:
    """An attacker's curve, and the one event that is certified: its rates and the corner that they prove."""

    false: Sequence[float]
    hits: Sequence[float]
    event: tuple[float, float]
    corner: tuple[float, float]  # false alarms at most, hits at least


def _chart(look: Look, x: str, y: str, height: int = 260, right: int = 24) -> Chart:
    return look.chart(AXES[x], AXES[y], height, right)


def roc(look: Look, region: Region, seen: Seen) -> dict[str, Any]:
    """Hits against false alarms: the shaded region is what the claim allows, the triangles are the attacker."""
    chart = _chart(look, "false", "hits", 340 if look.narrow else 420)
    traces = [_shade(region), chart.line((0, 1), (0, 1), "random", "guessing"),
              chart.line(seen.false, seen.hits, "attack", "the attacker", strong=True)]  # fmt: skip
    if look.trail:
        traces.append(chart.trail(look.trail, "attack"))
    event = chart.dots([seen.event], "attack", "the certified event", look.filled, size=12)
    traces.append({**event, **_corner(seen)})
    alt = (f"Hits against false alarms. The attacker hits {percent(seen.event[1])} at "
           f"{percent(seen.event[0])} false alarms; shaded is what {region.claim} allows.")  # fmt: skip
    figure = chart.figure(traces, [], alt)
    layout = figure["layout"]
    layout["xaxis"] |= {"scaleanchor": "y", "constrain": "domain"}
    layout["yaxis"] |= {"constrain": "domain"}
    layout["annotations"] = [
        _note("attacker", *seen.event, xanchor="left", yanchor="top", xshift=9, yshift=-2),
        _note(
            f"shaded: what<br>{region.claim}<br>allows", 0.98, 0.02, align="right", xanchor="right", yanchor="bottom"
        ),
    ]
    return figure


def _note(text: str, x: float, y: float, **where: Any) -> dict[str, Any]:
    """Words inside the figure, on a veil of the page's colour."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "bgcolor": faded(PAGE[0], VEIL), "borderpad": 1, **where}


def _shade(region: Region) -> Trace:
    """The region and its border, from (0, 0) up to (1, 1) and back along the mirror image."""
    up = list(zip(region.false, region.hits, strict=True))
    down = [(1 - x, 1 - y) for x, y in up]
    x, y = zip(*up, *down, strict=True)
    return {
        "type": "scatter", "mode": "lines", "x": plain(x), "y": plain(y), "fill": "toself", "name": "allowed",
        "fillcolor": faded(colour("bound"), BAND[0]), "line": {"color": colour("bound"), "width": 1},
        "hoverinfo": "skip",
    }  # fmt: skip


def _corner(seen: Seen) -> dict[str, Any]:
    """Whiskers to the corner that is certified: fewer hits, more false alarms."""
    (false, hits), (most, least) = seen.event, seen.corner
    look = {"type": "data", "symmetric": False, "color": colour("attack"), "thickness": 1.5, "width": 4}
    return {
        "error_x": {**look, "array": plain([most - false]), "arrayminus": [0]},
        "error_y": {**look, "array": [0], "arrayminus": plain([hits - least])},
    }


def outputs(
    look: Look, worlds: tuple[str, str], outcomes: Sequence[str], zero: Sequence[float], one: Sequence[float]
) -> dict[str, Any]:
    """How often each answer comes in either world: two bars an answer, its name above them or, of many, beside."""
    rows, few = range(len(outcomes)), len(outcomes) <= FEW
    names = Axis(
        "", len(outcomes) - 0.5, -0.5, ticks=tuple(rows), names=("",) * len(outcomes) if few else tuple(outcomes)
    )
    share = replace(AXES["share"], ticks=(0, 0.5, 1), names=("0", "½", "1"))
    chart = look.chart(share, names, 360 if look.narrow else 420)
    width, middle = (0.26, 0.1) if few else (0.42, 0.0)
    traces = [
        _bars(world, shares, role, [row + middle + side * (width + 0.02) / 2 for row in rows], width, look.large)
        for world, shares, role, side in ((worlds[0], zero, "popularity", -1), (worlds[1], one, "bound", 1))
    ]
    told = "; ".join(f"{name}: {_said(a)} if {worlds[0]}, {_said(b)} if {worlds[1]}"
                     for name, a, b in zip(outcomes, zero, one, strict=True))  # fmt: skip
    figure = chart.figure(traces, [], f"One answer in either world. {told}.")
    layout, scale = figure["layout"], look.zoom
    layout["margin"] |= {"l": round((8 if few else 78) * scale), "r": round(82 * scale)}
    layout["yaxis"] |= {"showgrid": False}
    if few:
        layout["annotations"] = [
            {"text": name, "x": 0, "y": row - 0.32, "showarrow": False, "xanchor": "left", "yanchor": "middle"}
            for row, name in enumerate(outcomes)
        ]
    return figure


def _bars(world: str, shares: Sequence[float], role: str, rows: Sequence[float], width: float, large: bool) -> Trace:
    return {
        "type": "bar", "orientation": "h", "name": f"secret {world}", "x": plain(shares), "y": plain(rows),
        "width": width, "marker": {"color": colour(role), "line": {"width": 0}}, "cliponaxis": False,
        "text": [f"{world}: {_said(value)}" for value in shares], "textposition": "outside", "textangle": 0,
        "constraintext": "none", "textfont": {"size": 18 if large else 12, "color": INK[0]},
        "hovertemplate": f"secret {world}: %{{x:.3f}}<extra></extra>",
    }  # fmt: skip


def _said(share: float) -> str:
    return "never" if share == 0 else percent(share).replace("less than ", "<").replace("more than ", ">")


def bill(
    look: Look,
    counts: Sequence[int],
    bills: Mapping[str, Sequence[float]],
    releases: int,
    counted: float,
    attacked: float,
) -> dict[str, Any]:  # fmt: skip
    """ε of all answers by four accountants, against their number. What has no finite ε is no line but words."""
    chart = _chart(look, "releases", "bill", right=120)
    traces, labels = [], []
    for name, (label, role, width) in METHODS.items():
        values = bills[name]
        if all(map(math.isfinite, values)):
            line = spelt(chart.line(counts, values, role, label), values, bounded)
            traces.append({**line, "line": {**line["line"], "width": width}})
            labels.append(Label(label, values[-1], role))
    if look.trail:
        traces.append(chart.trail(look.trail, "bound"))
    if math.isfinite(counted):
        dot = chart.dots([(releases, counted)], "bound", "counted", look.filled)
        traces.append(spelt(dot, (counted,), bounded))
    if attacked > 0:
        dot = chart.dots([(releases, attacked)], "attack", "attacked, at least", look.filled)
        traces.append(spelt(dot, (attacked,), certified))
    last = ", ".join(f"{METHODS[name][0]} {bounded(values[-1])}" for name, values in bills.items())
    figure = roomy(look, chart.figure(traces, labels, f"The bill of {many(counts[-1], 'answer')}: {last}."))
    if math.isinf(bills["tightest"][-1]):
        figure["layout"]["annotations"].append({
            "text": "counted: no finite ε", "xref": "paper", "x": 0.03, "yref": "paper", "y": 0.97,
            "showarrow": False, "xanchor": "left", "yanchor": "top",
        })  # fmt: skip
    return figure


def asked(look: Look, counts: Sequence[int], share: Sequence[float], releases: int, here: float) -> dict[str, Any]:
    """How often anybody can be right about a fair coin, against the answers that were given about it."""
    chart = _chart(look, "releases", "right", 340, right=120)
    traces = [chart.level(0.5, "random", "a coin flip"), chart.level(1.0, "bound", "always"),
              chart.line(counts, share, "attack", "the best attacker", strong=True),
              chart.dots([(releases, here)], "attack", "the best attacker", look.filled)]  # fmt: skip
    labels = [Label("a coin flip", 0.5, "random"), Label("always", 1.0, "bound")]
    alt = f"Right guesses against the number of answers: {percent(here)} after {count(releases)}."
    return roomy(look, chart.figure(traces, labels, alt))


def ratio(look: Look, counts: Sequence[int], bills: Mapping[str, Sequence[float]], releases: int) -> dict[str, Any]:
    """Each accountant's bill as a multiple of the exact one: 1 is as kind as a proof can be."""
    chart = _chart(look, "releases", "ratio", 340, right=120)
    exact = bills["tightest"]
    traces, labels, said = [], [], []
    for name, (label, role, width) in METHODS.items():
        known = [(n, bill / true) for n, bill, true in zip(counts, bills[name], exact, strict=True)
                 if math.isfinite(bill) and math.isfinite(true) and true > 0]  # fmt: skip
        if not known:
            continue
        x, y = zip(*known, strict=True)
        line = chart.line(x, [chart.y.pinned(value) for value in y], role, label)
        traces.append({**line, "line": {**line["line"], "width": width}})
        labels.append(Label(label, chart.y.pinned(y[-1]), role))
        here = dict(known).get(releases)
        if here is not None:
            traces.append(chart.dots([(releases, here)], role, label, look.filled, size=9))
            said.append(f"{label} {times(here)[:-1]}")
    told = ", ".join(said) or "no finite bill"
    return roomy(look, chart.figure(traces, labels, f"Times the exact bill of {many(releases, 'answer')}: {told}."))


def play(question: str, answers: tuple[str, str], rounds: Sequence[tuple[str, int, int]], ceiling: str) -> str:
    """The attacker's seat, as HTML. The page deals these rounds (what is seen, the truth, what the best attacker says)
    in an order of its own; before it does, and on paper, the first ten stand there unanswered."""
    deal = {"question": question, "answers": answers, "rounds": rounds, "ceiling": ceiling}
    seen = "".join(f"<li>{escape(shown)}</li>" for shown, _, _ in rounds[:10])
    return (f'<section class="rp-game" aria-label="You are the attacker" '
            f'data-deal="{escape(json.dumps(deal, ensure_ascii=False))}"><p>{escape(question)}:</p>'
            f"<ol>{seen}</ol><p>Which is it, each time?</p></section>")  # fmt: skip
