"""What a class is asked is what the chapters ask."""

from __future__ import annotations

import json

import pytest

from recprivlib.dashboard import explorer, stems
from widgets.classroom import questions
from widgets.classroom.sentences import COLUMNS, of_wall


@pytest.fixture(scope="module")
def known():
    return questions.fetched()  # as a server has them: from a process of its own


def test_every_question_of_a_path_can_be_put_to_the_class(known):
    wanted = {f"{stem}-sketch" for stem in stems() if explorer(stem).sketch}
    wanted |= {f"{stem}-vote" for stem in stems() if explorer(stem).predict}
    assert set(known) == wanted
    assert len(wanted) >= 9
    for name, asked in known.items():
        of_wall(json.dumps({"do": "begin", "kind": asked["kind"], "ask": name}))


def test_a_sketch_has_the_chapters_own_axis_and_measured_curve(known):
    for stem in stems():
        asked = explorer(stem).sketch
        if asked is None:
            continue
        told = known[f"{stem}-sketch"]
        assert tuple(told["x"]) == asked.x
        assert len(asked.x) <= COLUMNS
        assert len(told["truth"]) == len(told["places"]) == len(asked.x)
        assert told["places"] == sorted(told["places"])
        assert (told["places"][0], told["places"][-1]) == (0.0, 1.0)
        assert all(told["low"] <= y <= told["high"] for y in told["truth"])
    assert known["dplcf-sketch"]["places"][5] == pytest.approx(0.5255, abs=1e-3)  # ε = 1 on a logarithm from .1 to 8
