"""A mechanism that the reader typed: what is counted of a table, and what is proved of code that states nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from recprivlib.parameters import UserError
from recprivlib.primers.privacy.own import tried

TABLE = "0.80, 0.15, 0.05\n0.10, 0.20, 0.70"
LAPLACE = "def release(x, rng):\n    return x + rng.laplace(scale={}, size=len(x))"


def test_a_table_is_counted_exactly_and_its_claim_is_judged():
    exact = math.log(0.70 / 0.05)
    low, high = tried(TABLE, 2.0), tried(TABLE, 3.0)
    for found in (low, high):
        assert found["counted"] == pytest.approx(exact)
        assert found["attacked"] <= exact
        assert found["attacked"] > 0.95 * exact
    assert (low["verdict"], high["verdict"]) == ("broken", "holds")
    assert "the table says 2.7" in low["say"]
    assert tried("1 0\n0 1", 5.0)["counted"] == math.inf
    assert tried(".5 .5\n.5 .5", 1.0)["attacked"] == 0


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_code_that_states_no_law_is_attacked_and_never_proven(scale):
    found = tried(LAPLACE.format(scale), 1.1)
    assert found["counted"] is None
    assert 0.8 / scale < found["attacked"] <= 1 / scale, "noise on real numbers, of which no two are alike"
    assert found["verdict"] == ("open" if scale == 1.0 else "broken")


def test_a_secret_that_comes_through_now_and_then_is_found_among_real_numbers():
    found = tried(
        "pair = 1, 5\ndef release(x, rng):\n"
        "    return np.where(rng.random(len(x)) < .3, x, 3 + rng.laplace(scale=8, size=len(x)))",
        1.0,
    )
    assert found["verdict"] == "broken"
    assert found["attacked"] > 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "type a table of chances"),
        ("1 2 3", "a row for each secret"),
        (".5 .4\n.5 .5", "row 1 adds up to 0.9"),
        ("-1 2\n.5 .5", "every entry of the table is a chance"),
        ("nan 1\n.5 .5", "every entry of the table is a chance"),
        ("x = 1", r"must define a function release\(x, rng\)"),
        ("def release(x:", "line 1 of your code"),
        ("def release(x, rng):\n    return 1 / 0", "line 2 of your code: ZeroDivisionError"),
        ("raise SystemExit", "line 1 of your code: SystemExit"),
        ("def release(x, rng):\n    return x[:3]", "one answer for each of the"),
        ("def release(x, rng):\n    return np.full(len(x), np.nan)", "must be numbers"),
        ("pair = 1\ndef release(x, rng):\n    return x", "pair must hold two numbers"),
    ],
)
def test_what_cannot_be_tried_is_said_in_a_sentence(text, words):
    with pytest.raises(UserError, match=words):
        tried(text, 1.0)


@pytest.mark.parametrize("claimed", [0, -1, np.nan, math.inf])
def test_a_claim_is_a_number(claimed):
    with pytest.raises(UserError, match="claimed ε must be a number"):
        tried(TABLE, claimed)
