"""The table of `make bench-browser`: what is moved, and what is told of a side that does not answer."""

from __future__ import annotations

import numpy as np

from recprivlib.dashboard.catalogue import explorer, stems
from widgets.bench import MOST_STEPS, Found, moves, table, walks


def test_no_control_is_moved_to_where_it_stands_or_out_of_its_range():
    rng = np.random.default_rng(0)
    for stem in stems():
        for control in explorer(stem).controls:
            if control.kind in ("number", "integer"):
                values = [move["box"] for move in moves(control, rng)]
                assert values
                assert all(control.low <= value <= control.high for value in values), control.name
                assert len(set(values)) > 0.8 * len(values), control.name
            elif control.kind == "choice":
                named = [control.choices[move["at"]][0] for move in moves(control, rng)]
                assert control.default not in named
                assert len(set(named)) == len(named)


def test_a_slider_goes_to_its_stops_and_what_is_typed_lies_between_them():
    rng = np.random.default_rng(0)
    for stem in stems():
        for control in explorer(stem).controls:
            walked = {name: [move.get("box") for move in steps] for name, steps in walks(control, rng).items()}
            if control.kind not in ("number", "integer"):
                assert list(walked) == [control.name]
                continue
            stops, typed = walked[control.name], walked[f"{control.name}, typed"]
            assert set(stops) <= set(control.steps) - {control.default}
            assert len(set(stops)) == len(stops) == min(MOST_STEPS, len(set(control.steps) - {control.default}))
            assert set(stops).isdisjoint(typed)


def test_a_side_that_did_not_answer_is_told():
    server, page = Found(steps={"epsilon": [40.0, 50.0, 400.0]}), Found(missed=2, errors=["wrong"])
    told = table("dplcf", server, page)
    assert "50 / 365 ms of 3" in told
    assert "–" in told
    assert "page: 2 steps without an answer, errors: ['wrong']" in told
    assert "server:" not in told


def test_what_comes_after_the_picture_has_a_line_of_its_own():
    server = Found(steps={"epsilon": [40.0], "k": [30.0]}, wholes={"epsilon": [40.0], "k": [30.0]})
    page = Found(steps={"epsilon": [170.0], "k": [30.0]}, wholes={"epsilon": [290.0], "k": [30.0]})
    told = table("dplcf", server, page).splitlines()
    assert [line[:30].strip() for line in told[-3:]] == ["epsilon, median / p95", "and all of it", "k, median / p95"]
    assert "290 / 290 ms" in told[-2]
