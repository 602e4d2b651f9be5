"""The twin in JupyterLab: the same compute, the same words, without Panel and without a page."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.widgets.small import SMALL
from widgets.notebook import Explore


@pytest.fixture
def twin():
    def twin(**settings):
        made = Explore(SMALL, **settings)
        made.refresh()
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


def test_it_needs_no_panel():
    code = "import sys; import widgets.notebook; sys.exit('panel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
