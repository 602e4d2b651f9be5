"""A control beside a step moves the picture of that step: the strip, or another figure, does not count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.contract import Card, Control, Explorer
from tests.dashboard.stepping import CHAPTERS, drawn, known, live, offered, steps

ASKED_FOR = {  # what must stand in a step of the chapter
    "privrec": ("path", "unclipped_quantile"), "dp_pnbm": ("error", "neighbors"), "dplcf": ("rate", "metric"),
    "recommenders": ("length", "k"),
}  # fmt: skip


def shown(which: Explorer, one: paths.State, named: list[str]) -> list[Control]:
    """The controls beside a step, as stage.js has it: those named, and the slider under the lead figure."""
    lead = which.figure(one.view[0])
    moving = which.beside(lead.name, one.values)
    sliders = [c.axis for c in (lead,) if c.axis] + [c.name for c in which.controls if c.figure == lead.name]
    sliders += [c.name for where in ("axis", "under") for c in which.controls if c.place == where]
    numbers = [name for name in (*sliders, *named) if which.control(name).kind in ("number", "integer")]
    main = next((name for name in numbers if name in moving), None)
    return [which.control(name) for name in dict.fromkeys((main, *named)) if name in moving]


def elsewhere(stem: str, one: paths.State, control: Control) -> Iterator[dict[str, Any]]:
    """Other places of a control, those first whose results are known; three at most."""
    values = [value for value, _ in control.choices] or list(control.steps) or [False, True]
    moved = [one.values | {control.name: value} for value in values if value != one.values[control.name]]
    effort = live(stem).effort or (lambda values: 0.0)
    ready = sorted(moved, key=lambda values: (not known(stem).place("", values).is_file(), effort(values)))
    return iter(ready[:3])


def picture(which: Explorer, one: paths.State) -> str:
    """The lead figure of a state, without the words that say where the slider stands."""
    lead = drawn(which, replace(one, view=one.view[:1], ghosts=()))["figures"][one.view[0]]
    if isinstance(lead, str):
        return lead
    return json.dumps([lead["data"], lead["layout"].get("shapes"), lead["layout"]["yaxis"]["title"]])


def dead(stem: str, which: Explorer, one: paths.State, named: list[str]) -> list[str]:
    """The controls beside a step that leave its picture as it is."""
    before, found = picture(which, one), []
    for control in shown(which, one, named):
        for values in elsewhere(stem, one, control):
            try:
                if picture(which, replace(one, values=values)) != before:
                    break
            except Card:
                continue
        else:
            found.append(control.name)
    return found


DEAR = {("dplcf", 4), ("dp_pnbm", 0), ("dp_pnbm", 2), ("dp_pnbm", 4), ("dp_pnbm", 5), ("privrec", 5)}  # over 5 s each
CASES = [pytest.param(stem, at, marks=[pytest.mark.slow] if (stem, at) in DEAR else [])
         for stem in CHAPTERS for at, one in enumerate(steps(stem)) if not one.guess]  # fmt: skip


@pytest.mark.parametrize(("stem", "at"), CASES)
def test_every_control_beside_a_step_moves_its_picture(stem, at):
    assert not dead(stem, live(stem), steps(stem)[at], offered(stem))


def test_a_planted_dead_control_is_seen():
    """K does not move the two lists of the first step; it once stood there, the first slider of the book."""
    which, one = live("recommenders"), steps("recommenders")[0]
    assert one.view[0] == "lists"
    whole = replace(which, figures=tuple(replace(figure, controls=None) for figure in which.figures))
    assert "k" in dead("recommenders", whole, one, offered("recommenders"))
    assert dead("recommenders", which, one, offered("recommenders")) == []


@pytest.mark.parametrize("stem", ASKED_FOR)
def test_what_the_book_was_asked_for_stands_in_a_step(stem):
    figure, name = ASKED_FOR[stem]
    beside = [shown(live(stem), one, offered(stem)) for one in steps(stem) if one.view[0] == figure and not one.guess]
    assert any(name in [control.name for control in each] for each in beside)


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_figure_names_controls_that_there_are(stem):
    which = live(stem)
    for figure in which.figures:
        wanted = figure.controls(which.defaults) if callable(figure.controls) else figure.controls
        assert wanted is not None, f"{figure.name} does not say what moves it"
        assert set(wanted) <= {control.name for control in which.controls}
