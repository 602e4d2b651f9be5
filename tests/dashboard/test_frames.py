"""Frames without a server: small scripts, measured numbers, and the same words as the live ones."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recprivlib.dashboard import Appearance
from recprivlib.dashboard import frames as static
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.frames import changes, frame

STATIC = Path(__file__).parents[2] / "book" / "_static"
EXPLORER = explorer("recommenders")
SMALL = replace(
    EXPLORER,
    controls=tuple(replace(c, default="synthetic") if c.name == "data" else c for c in EXPLORER.controls),
    curve=None,
    still={"k": (1, 10), "neighbors": (5, 50), "system": ("item-knn", "popularity")},
)


@pytest.fixture(scope="module")
def small():
    return json.loads(json.dumps(frame(SMALL), allow_nan=False))


def written(base, patch):
    """What static-frame.js does."""
    out = copy.deepcopy(base)
    for path, value in patch:
        at = out
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
    return out


@pytest.mark.parametrize(("places", "move"), [("0.0.0", {"k": 1, "neighbors": 5}), ("1.1.1", {"system": "popularity"})])
def test_every_state_is_the_live_frame_with_hollow_dots(small, places, move):
    result = SMALL.compute(**(SMALL.defaults | move))
    words, *parts = (small["pieces"][at] for at in small["states"][places])
    assert words == SMALL.say(result)
    figures = [figure for figure in SMALL.figures if figure.place != "path"]  # a frame has no others
    for figure, base, part in zip(figures, small["base"], parts, strict=True):
        drawn = figure.draw(result, Appearance(filled=False))
        assert (part if base is None else written(base, part)) == drawn


def test_a_control_that_changes_nothing_is_computed_once(small):
    """Popularity has no neighbours."""
    assert small["states"]["0.0.1"] == small["states"]["0.1.1"]
    assert small["states"]["0.0.0"] != small["states"]["0.1.0"]
    assert len(small["states"]) == 8


def test_the_axis_slider_stands_where_the_axis_has_its_values(small):
    """K runs from 1 to 20 on the axis, so 10 lies at 9/19."""
    axis = next(control for control in small["controls"] if control["name"] == "k")
    assert axis["at"] == pytest.approx([0, 9 / 19], abs=1e-3)
    assert next(control for control in small["controls"] if control["name"] == "neighbors")["at"] == [0, 1]


trees = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


@given(start=st.fixed_dictionaries({"a": trees, "b": trees}), end=st.fixed_dictionaries({"a": trees, "b": trees}))
def test_changes_rebuild_the_end(start, end):
    assert written(start, changes(start, end)) == end


def test_the_grid_of_every_frame_holds_the_defaults():
    """Otherwise there is no state to begin with."""
    for name, grid in EXPLORER.still.items():
        assert EXPLORER.control(name).default in grid
        assert all(EXPLORER.control(name).checked(value) == value for value in grid)


@pytest.mark.parametrize("name", ["static-frame.js", "tenseconds.js"])
def test_the_scripts_are_small_and_ask_nobody(name):
    text = (STATIC / name).read_text("utf-8")
    assert len(text.encode()) <= 6 * 1024
    assert not re.search(r"https?:|fetch\(|localStorage|sendBeacon|cookie", text)


def test_the_files_of_a_dashboard_are_scripts_that_hand_over_its_frame_and_its_paths(tmp_path):
    which = replace(SMALL, stem="one", still={"k": (10,)})
    files = static.write(tmp_path, which, {"chapter": "```{path} one\n```\n## A\n```{step} k=10\n```\n"})
    assert files == [tmp_path / "one.js", tmp_path / "chapter.path.js"]
    assert files[0].read_text("utf-8").startswith('staticFrame.data("one",{')
    assert files[1].read_text("utf-8").startswith("rpPath.data({")
