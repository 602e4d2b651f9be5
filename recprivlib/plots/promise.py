"""The figures of the chapter on claimed, counted and attacked ε, from plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.numerals import best_guess, percent, setting
from recprivlib.plots.palette import BAND, colour, faded
from recprivlib.plots.show import Drawn
from recprivlib.plots.strip import Strip, strip

HALVES = (0, 0.25, 0.5, 0.75, 1)
BEFORE = Axis("how sure before the answer", 0, 1, ticks=HALVES, names=("0 %", "25 %", "50 %", "75 %", "100 %"))
AFTER = Axis("how sure after it", 0, 1, ticks=HALVES, names=BEFORE.names)


def after(before: Any, epsilon: float) -> Any:
    """The most that somebody `before` sure can become through an answer of ε: the odds grow by e^ε at most."""
    before = np.asarray(before, float)
    return before / (before + (1 - before) * math.exp(-epsilon))


def odds(epsilons: Sequence[float], strong: float) -> dict[str, Any]:
    """How sure an attacker can become, against how sure it was; between the curves of ε lies all that may happen."""
    chart = Chart(BEFORE, AFTER, 380, right=24)
    x = np.linspace(0, 1, 101).tolist()
    low, high = after(x, -strong).tolist(), after(x, strong).tolist()
    band = chart.band(x, low, high, "bound")
    traces = [{**band, "fillcolor": faded(colour("bound"), BAND[0])}, chart.line((0, 1), (0, 1), "random", "no answer")]
    labels = []
    for epsilon in epsilons:
        name = f"ε = {setting(epsilon)}"
        traces.append(chart.line(x, after(x, epsilon), "bound", name, strong=epsilon == strong))
        corner = best_guess(-epsilon / 2)  # where the curve is farthest from the diagonal
        labels.append(Label(name, best_guess(epsilon / 2), "bound", x=corner))
    traces.append(chart.dots([(0.5, best_guess(strong))], "attack", f"from a coin flip, ε = {setting(strong)}"))
    said = ", ".join(f"{percent(best_guess(e))} at ε = {setting(e)}" for e in epsilons)
    return chart.figure(traces, labels, f"How sure an attacker can become. From a coin flip at most: {said}.")


TRUST = (
    ".rp-trust{width:100%;border-collapse:collapse;font-size:.9rem;table-layout:fixed}"
    ".rp-trust :is(th,td){padding:.45rem .5rem!important;vertical-align:top;text-align:left!important;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent);overflow-wrap:anywhere}"
    ".rp-trust tr>:first-child{width:6.4em;font-weight:400;color:var(--rp-secondary,#5F6673)}"
    ".rp-trust .tiles{display:flex;flex-wrap:wrap;gap:3px;max-width:9.5em}"
    ".rp-trust i{width:15px;height:15px;border-radius:3px;border:1px solid var(--rp-secondary,#5F6673)}"
    ".rp-trust i.on{background:var(--rp-ink,#1A1A1A)}"
    ".rp-trust i.you{outline:2px solid var(--rp-repaired,#228BE3);outline-offset:1px}"
    ".rp-trust .noise{font-weight:600}"
)


def trust(columns: Mapping[str, Mapping[str, Sequence[int] | str]], you: int = 0) -> Drawn:
    """Who sees what under each kind of trust: column -> row -> bits, drawn as tiles, or words.

    The tile of `you` is outlined in the rows in which it can still be told that it is yours: all but the mixed ones.
    """
    rows = list(next(iter(columns.values())))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>{"".join(_cell(cells[row], you) for cells in columns.values())}</tr>'
        for row in rows
    )
    words = "\n".join(
        f"{name}: " + "; ".join(f"{row}: {_spoken(cells[row])}" for row in rows) for name, cells in columns.items()
    )
    table = f'<table class="rp-trust"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>'
    return Drawn(f"<style>{TRUST}</style>{table}", words)


def _cell(what: Sequence[int] | str, you: int) -> str:
    if isinstance(what, str):
        look = ' class="noise"' if what.startswith("+") else ""
        return f"<td><span{look}>{escape(what)}</span></td>"
    named = not isinstance(what, Mixed)
    tiles = "".join(
        f'<i class="{"on" if bit else ""}{" you" if named and at == you else ""}"></i>' for at, bit in enumerate(what)
    )
    return f'<td><div class="tiles" role="img" aria-label="{_spoken(what)}">{tiles}</div></td>'


def _spoken(what: Sequence[int] | str) -> str:
    return what if isinstance(what, str) else " ".join(map(str, what))


class Mixed(tuple[int, ...]):
    """Bits without names."""


def strips(*those: Strip) -> Drawn:
    """One strip under the other."""
    markup = "".join(f'<div style="margin:0 0 1.4rem">{strip(one)}</div>' for one in those)
    return Drawn(markup, "\n".join(one.sentence for one in those))
