"""The chapter's tables and figures say what the committed rows say, and earn their verbs."""

import numpy as np
import pandas as pd
import pytest

from recprivlib.plots import dplcf_chapter as figures
from recprivlib.plots.show import html


def row(system, epsilon, value, gap=(np.nan, np.nan, np.nan), against=np.nan, metric="hr@10"):
    return {
        "system": system, "epsilon": epsilon, "metric": metric, "value": value, "low": value - 0.02,
        "high": value + 0.02, "against": against, "difference": gap[0], "difference_low": gap[1],
        "difference_high": gap[2],
    }  # fmt: skip


TABLE = pd.DataFrame(
    [
        row("popularity", np.nan, 0.4),
        row("a", 2.0, 0.5, (0.1, 0.05, 0.15), "popularity"),
        row("a", 0.5, 0.3, (-0.1, -0.15, -0.05), "popularity"),
        row("a", 1.0, 0.41, (0.01, -0.01, 0.03), "popularity"),
        row("a", 1.0, 0.2, (0.0, -0.1, 0.1), "popularity", metric="ndcg@10"),
    ]
)


def test_a_line_is_in_the_order_of_its_parameter():
    line = figures.line(TABLE, "A", "printed", "epsilon", system="a")
    assert (line.x, line.y) == ([0.5, 1.0, 2.0], [0.3, 0.41, 0.5])
    assert line.low[0] == pytest.approx(0.28)


@pytest.mark.parametrize(("epsilon", "verb"), [(0.5, "loses to"), (1.0, "is level with"), (2.0, "beats")])
def test_a_verb_is_earned_by_its_interval(epsilon, verb):
    assert figures.compared(TABLE, system="a", epsilon=epsilon) == verb


def test_a_table_of_rates_compares_its_first_metric():
    named = {"popular": {"system": "popularity"}, "A": {"system": "a", "epsilon": 1.0}}
    found = figures.rated(TABLE, named, {"hr@10": "HR"})
    assert found.loc["A"].tolist() == [".410 [.390, .430]", "is level with"]
    assert found.loc["popular", "beside popularity"] == ""


def test_a_setting_that_was_not_run_is_refused():
    with pytest.raises(KeyError, match="no hr@10 at"):
        figures.rows(TABLE, "hr@10", system="b")


def test_what_is_drawn_is_also_said():
    lines = [figures.line(TABLE, "A", "printed", "epsilon", dash="dash", system="a")]
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


def test_verdicts_are_escaped_and_said_in_words():
    drawn = figures.verdicts([("a < b", "ours", "holds", "why")])
    assert "a &lt; b" in drawn.markup
    assert repr(drawn) == "a < b | ours | holds | why"
