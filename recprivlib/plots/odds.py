"""Who sees one answer is right: how often, for every ε."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.plots.axes import EPSILON, Axis
from recprivlib.plots.chart import Label
from recprivlib.plots.look import Look
from recprivlib.plots.numerals import best_guess, percent, setting

RIGHT = Axis("right about {}", 0.4, 1.0, ticks=(0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1))


def odds(look: Look, epsilon: float, guessed: str = "one film") -> dict[str, Any]:
    """How often a server that sees one answer, and was undecided before, can be right: never more than this."""
    chart = look.chart(EPSILON, replace(RIGHT, title=RIGHT.title.format(guessed)), 340, right=156)
    x = np.geomspace(chart.x.low, chart.x.high, 60)
    here = best_guess(epsilon)
    traces = [chart.level(0.5, "random", "a coin flip"),
              chart.line(x, [best_guess(value) for value in x], "attack", "the best attacker", strong=True),
              chart.dots([(epsilon, here)], "attack", "the best attacker", look.filled)]  # fmt: skip
    labels = [Label("a coin flip", 0.5, "random"), Label("the best attacker", best_guess(chart.x.high), "attack")]
    alt = (f"Share of right guesses from one answer against epsilon: {percent(here)} at {setting(epsilon)}; a coin "
           "flip 50 %.")  # fmt: skip
    return chart.figure(traces, labels, alt)
