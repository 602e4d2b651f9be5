"""The figures of chapter dplcf, from plain numbers and from the committed results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recprivlib.plots import frontier
from recprivlib.plots.axes import Axis
from recprivlib.plots.chart import Chart, Label
from recprivlib.plots.frontier import Series
from recprivlib.plots.numerals import THIN, count

RATE = Axis("next film in the top 10 of 100", 0, 0.8, ticks=(0, 0.2, 0.4, 0.6, 0.8))
APPS = Axis("next app in the top 10 of 100", 0, 0.8, ticks=(0, 0.2, 0.4, 0.6, 0.8))
EPSILON = Axis("ε per reported bit", 0.1, 8, log=True, ticks=(0.1, 0.2, 0.5, 1, 2, 4, 8))
FIGURE_3 = Axis("ε per reported bit, as in Figure 3", 0.48, 1.02, ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
PEOPLE = Axis(
    "phones", 900, 80_000, log=True, ticks=(943, 3772, 15_088, 75_440),
    names=("943", f"3{THIN}772", f"15{THIN}088", f"75{THIN}440"),
)  # fmt: skip
RANK = Axis("directions, the strongest first", 0, 41, ticks=(1, 10, 20, 30, 40))
STRENGTH = Axis(
    "eigenvalue, in thousands", 2_500, 40_000, log=True, ticks=(3_000, 5_000, 10_000, 20_000, 40_000),
    names=("3", "5", "10", "20", "40"),
)  # fmt: skip
WATCHED = Axis("estimated number who watched both", -100, 180, ticks=(-100, -50, 0, 50, 100, 150))
DRAWS = Axis("share of the draws", 0, 0.2, ticks=(0, 0.05, 0.1, 0.15, 0.2))


def curves(
    x: Axis, y: Axis, lines: Sequence[Series], levels: Mapping[str, tuple[float, str]], what: str, dots: bool = False
) -> dict[str, Any]:
    """Committed hit rates with their bands over level yardsticks (name -> height, role)."""
    return frontier.curves(x, y, lines, levels, what, dots=8 if dots else 0)


def estimates(draws: Sequence[float], truth: float, sd: float) -> dict[str, Any]:
    """How one pair's estimate falls over many draws, with the predicted curve."""
    chart = Chart(WATCHED, DRAWS, 280, right=24)
    edges = np.linspace(WATCHED.low, WATCHED.high, 29)
    shares = np.histogram(draws, edges)[0] / len(draws)
    middle = (edges[1:] + edges[:-1]) / 2
    wide = edges[1] - edges[0]
    x = np.linspace(WATCHED.low, WATCHED.high, 113)
    bell = wide * np.exp(-((x - truth) ** 2) / (2 * sd**2)) / (sd * np.sqrt(2 * np.pi))
    traces = [
        chart.bars(middle, shares, "paper", "simulated", 0.45),
        chart.line(x, bell, "bound", "predicted"),
        chart.line([truth, truth], [0, DRAWS.high * 0.9], "bound", "the truth", strong=True),
    ]
    labels = [Label("the truth", DRAWS.high * 0.9, "bound", x=truth)]
    alt = (f"{count(len(draws))} estimates of a pair that {truth:.0f} people watched: mean {np.mean(draws):.0f}, "
           f"standard deviation {np.std(draws):.0f}, predicted {sd:.0f}.")  # fmt: skip
    return chart.figure(traces, labels, alt)


def spectrum(real: Sequence[float], noise: Sequence[float], edge: float) -> dict[str, Any]:
    """The leading eigenvalues of the de-biased Gram matrix, beside those of noise alone and their edge."""
    chart = Chart(RANK, STRENGTH, 360, right=128)
    above = [(at, value) for at, value in enumerate(real, 1) if value > edge]
    below = [(at, value) for at, value in enumerate(real, 1) if value <= edge]
    traces = [
        chart.level(edge, "bound", "edge of the noise"),
        chart.line(range(1, len(noise) + 1), noise, "random", "phones without a history"),
        chart.dots(below, "popularity", "not told from noise", size=7),
        chart.dots(above, "beyond", "kept", size=10),
    ]
    labels = [Label("edge of noise", edge, "bound"), Label("noise alone", noise[-1], "random"),
              Label("kept", above[0][1], "beyond", x=above[0][0])]  # fmt: skip
    alt = (f"Of {len(real)} leading eigenvalues, {len(above)} lie above the edge of the noise at {count(edge)}; "
           f"noise alone reaches {count(noise[0])}.")  # fmt: skip
    return chart.figure(traces, labels, alt)
