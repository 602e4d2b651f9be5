"""The twin in JupyterLab: the same compute, the same words, without Panel and without a page."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from tests.widgets.small import SMALL
from widgets.notebook import Explore


@pytest.fixture
def twin():
    def twin(**settings):
        made = Explore(SMALL, **settings)
        made.refresh()
        if made.veiled:
            made._answer(None, None)
        return made

    return twin


def calls(twin):
    """The script that redraws the plots, once."""
    (output,) = twin.pipe.outputs
    return output["data"]["text/html"]


def test_a_slider_and_its_box_move_together(twin):
    here = twin()
    slider, box = here.fields["width"].widgets
    slider.value = 10
    assert (box.value, here.values["width"]) == (10, 10)
    box.value = 2.5
    assert here.values["width"] == 2.5
    assert "The area is 25 square cm." in here.sentence.value
    assert '"y": [25.0]' in calls(here)


def test_every_kind_of_control_reaches_compute(twin):
    here = twin()
    here.fields["unit"].widgets[0].value = "m"
    here.fields["height"].widgets[0].value = 12
    here.fields["liked"].widgets[0].value = ["south", "north"]
    here.fields["seed"].widgets[0].value = 5
    assert here.values == {"width": 1.0, "height": 12, "unit": "m", "liked": (1, 0), "seed": 5}
    assert SMALL.say(SMALL.compute(**here.values)) in here.sentence.value


def test_settings_are_taken_and_checked(twin):
    assert twin(height=4).values["height"] == 4
    with pytest.raises(ValueError, match="height is 99, but must be"):
        twin(height=99)


def test_a_card_keeps_the_figures(twin):
    here = twin()
    before = calls(here)
    here.fields["height"].widgets[0].value = 13
    assert "thirteen is not drawn here" in here.sentence.value
    assert "take 12" in here.sentence.value
    assert calls(here) == before


def test_moves_leave_a_trail(twin):
    here = twin()
    box = here.fields["width"].widgets[1]
    for width in (2, 3, 4):
        box.value = width
    assert '"customdata": [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]' in calls(here)


def seen(here):
    """The figures on show."""
    return {name for name, box in here.figures.items() if box.layout.display != "none"}


def test_until_a_guess_nothing_gives_the_answer_away():
    here = Explore(SMALL)
    here.refresh()
    assert seen(here) == {SMALL.figures[0].name}
    assert '"y": [10.0]' not in calls(here)
    assert {part.layout.display for part in (here.sentence, here.strip, here.rail, here.tools)} == {"none"}
    here._answer(0, None)
    assert "said" in here.reply.value
    assert '"y": [10.0]' in calls(here)
    assert here.sentence.layout.display != "none"


def test_a_step_of_the_chapter_brings_its_figures_and_its_comparison():
    known = explorer("recommenders")
    here = Explore(known, data="synthetic")
    here.refresh()
    state = paths.state(known, "data=synthetic k=5 ghost.k=10")
    here.go(state)
    assert here.values["k"] == 5
    assert len(here.view.ghosts) == 1
    here._move("k", 6)
    assert here.view.ghosts == ()


def test_a_figure_that_only_a_step_shows_is_seen_there_alone():
    known = explorer("privacy")
    here = Explore(known)
    only = {figure.name for figure in known.figures if figure.place == "path"}
    assert only
    assert not only & seen(here)
    here.go(paths.state(known, f"view={min(only)}"))
    assert only & seen(here) == {min(only)}


def test_table_and_code_stand_at_once_and_follow_a_move(twin):
    here = twin()
    for button, _, _ in here.made.values():
        button.value = True
    table, code = (place for _, place, _ in here.made.values())
    assert "<table" in table.value
    before = code.value
    here.fields["width"].widgets[0].value = 10
    assert code.value != before


def test_it_needs_no_panel():
    code = "import sys; import widgets.notebook; sys.exit('panel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
