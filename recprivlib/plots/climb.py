"""How the bound of an attack climbs with its tries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Label, spelt
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import bounded, certified, many

TRIES = Axis(
    "tries in either world",
    100,
    1_000_000,
    log=True,
    ticks=(100, 1000, 10_000, 100_000, 1_000_000),
    names=("10²", "10³", "10⁴", "10⁵", "10⁶"),
)
BOUND = Axis("ε", 0.0, 14.0, ticks=(0, 2, 4, 6, 8, 10, 12, 14))


def climb(
    look: Look, tries: int, attacked: float, ceiling: float, rungs: Sequence[tuple[int, float]], claimed: float,
    counted: float,
) -> dict[str, Any]:  # fmt: skip
    """The lower bound against the tries it took, with the claim, the bill, and the most so many tries could show."""
    chart = look.chart(TRIES, BOUND, right=120)
    x, y = zip(*rungs, strict=True) if rungs else ((), ())
    traces = (
        [spelt(chart.level(claimed, "paper", "claimed"), (claimed,) * 2, bounded)] if chart.y.holds(claimed) else []
    )
    labels = [Label("claimed", claimed, "paper")]
    if math.isfinite(counted):
        if chart.y.holds(counted):
            line = spelt(chart.level(counted, "bound", "counted"), (counted,) * 2, bounded)
            traces.append({**line, "line": {**line["line"], "width": 3.0, "dash": "dash"}})
        labels.append(Label("counted", counted, "bound"))
    traces.append(spelt(chart.line(x, y, "attack", "attacked, as it climbs"), y, certified))
    if look.trail:
        traces.append(chart.trail(look.trail, "attack"))
    most = chart.dots([(tries, ceiling)], "attack", "the most that so many tries could show", False)
    now = chart.dots([(tries, attacked)], "attack", "attacked, at least", look.filled)
    traces += [{**spelt(most, (ceiling,), certified), "opacity": 0.5}, spelt(now, (attacked,), certified)]
    alt = (f"With {many(tries, 'try', 'tries')} the attack proves at least {certified(attacked)}, and could prove "
           f"{certified(ceiling)} at most. Claimed {bounded(claimed)}, counted {bounded(counted)}.")  # fmt: skip
    return roomy(look, chart.figure(traces, labels, alt))


def roomy(look: Look, figure: dict[str, Any]) -> dict[str, Any]:
    """On a phone the last tick needs more room than a slider would."""
    if look.narrow:
        figure["layout"]["margin"] |= {"r": 20}
    return figure
