"""What a chapter says of the committed rows is in them, and its verbs are earned."""

import numpy as np
import pandas as pd
import pytest

from recprivlib.plots import committed


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
    line = committed.line(TABLE, "A", "paper", "epsilon", system="a")
    assert (line.x, line.y) == ([0.5, 1.0, 2.0], [0.3, 0.41, 0.5])
    assert line.low[0] == pytest.approx(0.28)


@pytest.mark.parametrize(("epsilon", "verb"), [(0.5, "loses to"), (1.0, "is level with"), (2.0, "beats")])
def test_a_verb_is_earned_by_its_interval(epsilon, verb):
    assert committed.compared(TABLE, system="a", epsilon=epsilon) == verb


def test_a_table_of_rates_compares_its_first_metric():
    named = {"popular": {"system": "popularity"}, "A": {"system": "a", "epsilon": 1.0}}
    found = committed.rated(TABLE, named, {"hr@10": "HR"})
    assert found.loc["A"].tolist() == [".410 [.390, .430]", "is level with"]
    assert found.loc["popular", "beside popularity"] == ""


def test_a_setting_that_was_not_run_is_refused():
    with pytest.raises(KeyError, match="no hr@10 at"):
        committed.rows(TABLE, "hr@10", system="b")


def test_verdicts_are_escaped_and_said_in_words():
    drawn = committed.verdicts([("a < b", "ours", "holds", "why")])
    assert "a &lt; b" in drawn.markup
    assert repr(drawn) == "a < b | ours | holds | why"


def test_bills_at_different_terms_are_never_points_of_one_line():
    terms = {"unit": "interaction", "relation": "swap", "view": "server", "delta": 0.0, "trust": "nobody (local)"}
    row = {"metric": "hr@10", "value": 0.3, "low": 0.2, "high": 0.4, "counted": 1.0} | terms
    same = pd.DataFrame([row, row | {"counted": 2.0}])
    assert list(committed.line(same, "dplcf", "paper", "counted").x) == [1.0, 2.0]
    for name, value in {"unit": "user", "relation": "replace", "view": "model", "delta": 1e-5, "trust": "x"}.items():
        mixed = pd.DataFrame([row, row | {name: value}])
        with pytest.raises(ValueError, match=f"counted ε at different terms cannot be compared; {name}"):
            committed.line(mixed, "dplcf", "paper", "counted")
