"""The figures of chapter dplcf say in words what they draw."""

import numpy as np
import pytest

from recprivlib.papers.dplcf.screen import chapter as figures
from recprivlib.plots.frontier import Series
from recprivlib.plots.show import html


def test_what_is_drawn_is_also_said():
    lines = [Series("A", "paper", [0.5, 2.0], [0.3, 0.5], [0.2, 0.4], [0.4, 0.6], "dash")]
    figure = figures.curves(figures.EPSILON, figures.RATE, lines, {"popular": (0.4, "popularity")}, "Rates", dots=True)
    assert figure["layout"]["meta"]["alt"] == "Rates. A from 30\u202f% to 50\u202f%. popular 40\u202f%."
    assert "dash" in {trace.get("line", {}).get("dash") for trace in figure["data"]}
    assert html(figure)


def test_the_spectrum_tells_kept_from_noise():
    figure = figures.spectrum([30_000, 5_000, 3_000], [3_800, 3_700, 3_600], 3_900)
    names = {trace.get("name"): trace for trace in figure["data"]}
    assert names["kept"]["x"] == [1, 2]
    assert names["not told from noise"]["x"] == [3]


def test_the_predicted_curve_has_the_area_of_the_bars():
    """Both add up to one over the axis: catches a width of a bar that is forgotten."""
    draws = np.random.default_rng(0).normal(50, 20, 4000)
    figure = figures.estimates(draws, 50, 20)
    bars, curve = figure["data"][0]["y"], figure["data"][1]["y"]
    assert sum(bars) == pytest.approx(1)
    assert sum(curve) / 4 == pytest.approx(1, abs=0.01)  # four points of the curve a bar
