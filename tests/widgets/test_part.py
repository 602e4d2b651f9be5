"""The kit without a server: its pieces share values and messages, and need nothing that a browser has not got."""

import subprocess
import sys

import pytest

from widgets.kit.controls import EpsilonSlider, Switch
from widgets.kit.frame import Frame
from widgets.kit.part import Part, Shared

WITHOUT = ("panel", "bokeh", "param", "tornado", "pandas", "jinja2", "plotly")


class Pair(Part):
    one = Shared(1)
    two = Shared("b", among=("a", "b"))


def test_a_session_runs_where_no_panel_can_be_imported():
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({WITHOUT!r}))\n"
        "from recprivlib.dashboard.catalogue import explorer\n"
        "from widgets.kit import layout, wishes\n"
        "from widgets.kit.pool import Pool\n"
        "from widgets.kit.session import Session\n"
        "class Now(Pool):\n"
        "    def submit(self, job, costly=False, curve=False, reader=None): job()\n"
        "here = Session(explorer('privacy'), Now(), 'epsilon=2')\n"
        "assert here.frame.shown == 1 and here.frame.sentence, here.frame.values\n"
        "assert layout.printed(here.explorer, here)['stem'] == 'privacy'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_change_is_told_once_and_only_where_it_is_one():
    pair, told, acts = Pair(), [], []
    pair.tie(told.append, told.append)
    pair.watch(["one", "two"], lambda: acts.append(dict(pair.values)))
    pair.update(one=2, two="a")
    pair.one = 2
    assert told == [{"one": 2, "two": "a"}]
    assert acts == [{"one": 2, "two": "a"}]


def test_a_page_cannot_say_what_makes_no_sense():
    frame = Frame(lambda message: None)
    frame.put({"theme": "pink", "large": "yes", "calm": True, "shown": True, "nothing": 1})
    assert (frame.theme, frame.large, frame.calm, frame.shown) == ("light", False, True, 0)
    with pytest.raises(AttributeError, match="shares no nothing"):
        frame.update(nothing=1)


def test_values_belong_to_one_part_and_kinds_inherit_them():
    one, other = EpsilonSlider(value=2.0), EpsilonSlider()
    assert (one.value, other.value) == (2.0, 1.0)
    assert {"label", "released", "low", "axis"} <= EpsilonSlider.shared().keys()
    assert "stops" not in Switch.shared()
