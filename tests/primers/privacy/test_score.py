"""The score as a picture: every committed cell is in it, in a place that has a name, and what passes is said first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import unescape

import pytest
from bs4 import BeautifulSoup

from recprivlib.auditing.mutation import OPERATORS, committed
from recprivlib.dashboard import Appearance
from recprivlib.dashboard.catalogue import explorer
from recprivlib.primers.privacy import score


@dataclass(frozen=True)
class Cell:
    operator: str
    system: str
    outcome: str
    by: str


PLANTS = {"wait: long": "it <waits>", "model: set": 'the model holds a "set"', "gate: bare": "nothing is noised"}


def made(*outcomes):
    """Three bugs in two systems."""
    names = [(bug, system) for bug in PLANTS for system in ("one", "two")]
    return score.scored(
        [Cell(*name, outcome, f"by {outcome}") for name, outcome in zip(names, outcomes, strict=True)], PLANTS
    )


SOME = made("caught", "", "holds", "open", "caught", "caught")


def test_bugs_of_one_place_stand_side_by_side_whatever_the_order_of_the_table():
    assert [bug.name for bug in SOME.bugs] == ["model: set", "gate: bare", "wait: long"]
    assert SOME.cells[0] == (("holds", "by holds"), ("open", "by open"))
    assert SOME.places == ("model", "gate", "waits")


def test_cells_are_counted_by_outcome_and_place():
    assert SOME.count("caught") == 3
    assert SOME.count("caught", "holds", "open") == 5
    assert [SOME.count("caught", place=place) for place in SOME.places] == [0, 2, 1]


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        (("caught",) * 6, "Of 6 that apply, 6 are caught: all of them."),
        (("caught",) * 5 + ("",), "Of 5 that apply, 5 are caught: all of them."),
        (("caught",) * 5 + ("holds",), "Of 6 that apply, 5 are caught; 1 passes as holds."),
        (("open",) * 2 + ("caught",) * 3 + ("",), "Of 5 that apply, 3 are caught; 2 pass where nothing was promised."),
        (
            ("holds",) * 2 + ("open",) + ("",) * 3,
            "0 are caught; 2 pass as holds and 1 passes where nothing was promised.",
        ),
    ],
)
def test_the_sentence_says_what_passes(outcomes, words):
    assert score.say(made(*outcomes)).endswith(words)
    assert score.say(made(*outcomes)).startswith("3 bugs, planted by machinery in 2 systems. Of ")


def test_what_passes_as_holds_stands_under_its_reason_and_open_cells_do_not():
    assert score.blind(SOME) == {"by holds": [('the model holds a "set"', 1)]}
    both = made("holds", "holds", "holds", "open", "", "caught")
    assert score.blind(both) == {"by holds": [('the model holds a "set"', 1), ("it <waits>", 2)]}


def test_a_miss_without_a_reason_says_that_nobody_knows():
    cells = [Cell("model: set", "one", "holds", ""), Cell("model: set", "two", "holds", "")]
    assert score.blind(score.scored(cells, PLANTS)) == {score.UNNAMED: [(PLANTS["model: set"], 2)]}


def test_the_picture_holds_every_cell_and_no_markup_of_a_finding():
    text = score.drawn(SOME)
    place = BeautifulSoup(text, "html.parser").select_one(".rp-score")
    data = json.loads(place["data-score"])
    assert data["systems"] == ["one", "two"]
    assert [plants for _, _, plants in data["bugs"]] == [bug.plants for bug in SOME.bugs]
    assert [[tuple(data["told"][cell]) for cell in row] for row in data["cells"]] == [list(row) for row in SOME.cells]
    assert "<waits>" not in text
    assert "<waits>" in unescape(text)


def test_without_a_script_and_on_paper_the_counts_stand_there():
    lines = [line.get_text() for line in BeautifulSoup(score.drawn(SOME), "html.parser").select("li")]
    assert lines == ["in what the model holds: 0 of 2 caught", "at the gate: 2 of 2 caught",
                     "waiting for its data: 1 of 1 caught"]  # fmt: skip


def test_every_bug_that_can_be_planted_has_a_place():
    assert not {name.partition(":")[0] for name in OPERATORS} - set(score.PLACES)
    assert set(score.PLACES.values()) == set(score.WHERE)


def test_the_figure_is_the_committed_table():
    today = score.today()
    cells = {(bug.name, system): cell for bug, row in zip(today.bugs, today.cells, strict=True)
             for system, cell in zip(today.systems, row, strict=True)}  # fmt: skip
    assert cells == {(one.operator, one.system): (one.outcome, one.by) for one in committed()}
    lab = explorer("privacy")
    result = lab.compute(**lab.defaults | {"tries": 500})
    assert lab.figure("score").say(result) == score.say(today)
    assert lab.figure("score").draw(result, Appearance()) == score.drawn(today)
