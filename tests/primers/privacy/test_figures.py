"""Figures of the mechanism lab: fixed axes, words in ink, nothing that only colour tells."""

import itertools
import json

import pytest

from recprivlib.dashboard import Appearance
from recprivlib.dashboard.catalogue import explorer
from recprivlib.plots.palette import INK, ROLES, SECONDARY, swaps
from recprivlib.plots.promise import Mixed, after, odds, strips, trust
from recprivlib.plots.strip import Strip
from recprivlib.primers.privacy.lab import SUBJECTS

LAB = explorer("privacy")
STATES = [{"mechanism": name, "epsilon": epsilon, "releases": releases}
          for (name, epsilon), releases in zip(
              itertools.product(("laplace", "unary-one-sided", "half-noise"), (0.1, 1.0, 8.0)),
              itertools.cycle((1, 20, 1000)))]  # fmt: skip


def drawn(name, view=None, **chosen):
    (figure,) = (figure for figure in LAB.figures if figure.name == name)
    return figure.draw(LAB.compute(**LAB.defaults | {"tries": 500} | chosen), view or Appearance())


@pytest.mark.parametrize("name", ["roc", "bill", "bound"])
def test_axes_are_constants(name):
    ranges = {json.dumps([drawn(name, **state)["layout"][axis]["range"] for axis in ("xaxis", "yaxis")])
              for state in STATES}  # fmt: skip
    assert len(ranges) == 1


@pytest.mark.parametrize("name", ["roc", "outputs", "bill", "bound"])
@pytest.mark.parametrize("mechanism", SUBJECTS)
def test_every_figure_speaks_and_is_plain_json(name, mechanism):
    figure = drawn(name, mechanism=mechanism)
    json.dumps(figure, allow_nan=False)
    assert len(figure["layout"]["meta"]["alt"]) > 40
    text = json.dumps(drawn(name, Appearance(theme="dark"), mechanism=mechanism))
    assert not [light for light, dark in swaps().items() if light != dark and light in text]


@pytest.mark.parametrize("name", ["roc", "outputs", "bill", "bound"])
def test_text_is_never_coloured(name):
    figure = drawn(name)
    colours = {trace["textfont"]["color"] for trace in figure["data"] if "textfont" in trace}
    colours |= {note.get("font", {}).get("color", INK[0]) for note in figure["layout"]["annotations"]}
    colours |= {figure["layout"]["font"]["color"], figure["layout"]["xaxis"]["tickfont"]["color"]}
    assert colours <= {INK[0], SECONDARY[0]}


def test_the_region_is_its_own_mirror_image():
    shade = drawn("roc")["data"][0]
    points = {(round(x, 5), round(y, 5)) for x, y in zip(shade["x"], shade["y"], strict=True)}
    assert {(round(1 - x, 5), round(1 - y, 5)) for x, y in points} == points


def test_what_never_happens_is_said():
    texts = [text for trace in drawn("outputs", mechanism="unary-one-sided")["data"] for text in trace["text"]]
    assert "yes: never" in texts


def test_no_finite_bill_is_words_and_no_line():
    figure = drawn("bill", mechanism="float-laplace")
    assert any("no finite ε" in note["text"] for note in figure["layout"]["annotations"])
    assert "exact" not in [trace["name"] for trace in figure["data"]]


def test_odds_grow_by_e_to_the_epsilon_and_no_more():
    before = 0.2
    found = after(before, 1.0)
    assert found / (1 - found) == pytest.approx(before / (1 - before) * 2.718281828)
    assert [after(end, 1.0) for end in (0, 1)] == pytest.approx([0, 1])
    assert "73" in odds((0.2, 1, 3), 1)["layout"]["meta"]["alt"]


def test_mixed_bits_have_no_owner():
    columns = {"Local": {"server sees": (1, 0, 1)}, "Shuffled": {"server sees": Mixed((1, 1, 0))}}
    table = trust(columns)
    local, shuffled = table.markup.split('aria-label="')[1:]
    assert ' you"' in local
    assert ' you"' not in shuffled
    assert table.words == "Local: server sees: 1 0 1\nShuffled: server sees: 1 1 0"


def test_strips_in_a_chapter_say_themselves():
    both = strips(Strip(claimed=1.0, counted=1.0), Strip(nothing="all is seen"))
    assert repr(both).splitlines() == ["Claimed 1.0: holds. Not attacked yet. Counted: 1.0. Whole run.",
                                       "Nothing promised: all is seen."]  # fmt: skip
    assert both.markup.count("<svg") >= 2
    assert ROLES["attack"].light in both.markup
