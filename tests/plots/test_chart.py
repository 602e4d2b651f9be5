"""Axes stay, labels keep apart, what is off the scale stays in sight."""

import json
import math
import re
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recprivlib.dashboard.catalogue import places
from recprivlib.plots.axes import EPSILON, SAMPLED, STARS, Axis
from recprivlib.plots.chart import GAP, Chart, Label, spread
from recprivlib.plots.show import html, show, summary


@given(st.lists(st.floats(0, 280), min_size=1, max_size=12))
def test_labels_are_apart_inside_and_in_order(wanted):
    placed = spread(wanted, GAP, 0, 280)
    order = np.argsort(wanted, kind="stable")
    steps = np.diff(np.array(placed)[order])
    assert (steps >= GAP - 1e-6).all()
    assert min(placed) >= 0
    assert max(placed) <= 280 + 1e-6


def test_labels_that_do_not_meet_stay_at_their_lines():
    assert spread([200, 10, 100], GAP, 0, 280) == [200, 10, 100]


def test_crowded_labels_move_as_little_as_they_can():
    """Three at one place: the middle one stays, its neighbours move by one gap (least squares)."""
    assert spread([100, 100, 100], GAP, 0, 280) == pytest.approx([86, 100, 114])


@pytest.mark.parametrize("narrow", [False, True])
def test_labels_of_a_figure_are_at_least_a_gap_apart_in_pixels(narrow):
    chart = Chart(EPSILON, SAMPLED, 340, narrow)
    levels = [0.10, 0.40, 0.41, 0.42, 0.62]
    notes = chart.figure([], [Label(str(y), y, "random") for y in levels])["layout"]["annotations"]
    inside = 340 - chart.margin["t"] - chart.margin["b"]
    moved = [note["yshift"] - 1 if narrow else -note["ay"] for note in notes]
    pixels = sorted(inside * note["y"] / 0.8 + up for note, up in zip(notes, moved, strict=True))
    assert np.diff(pixels).min() >= GAP - 1  # whole pixels: each end may be off by half of one


@pytest.mark.parametrize(
    ("x", "y", "symbol", "text"),
    [
        (1, 0.9, "triangle-up", "90\u202f%"),
        (1, -0.123, "triangle-down", "-12\u202f%"),
        (20, 0.5, "triangle-right", "20"),
        (0.01, 0.5, "triangle-left", "0.01"),
        (1, math.inf, "triangle-up", "∞"),
    ],
)
def test_a_dot_off_the_scale_is_pinned_to_the_edge_with_an_arrow_and_its_number(x, y, symbol, text):
    dots = Chart(EPSILON, SAMPLED).dots([(x, y)], "paper", "as printed")
    assert dots["marker"]["symbol"] == [symbol]
    assert dots["text"] == [text]
    assert EPSILON.low <= dots["x"][0] <= EPSILON.high
    assert 0 <= dots["y"][0] <= 0.8
    json.dumps(dots, allow_nan=False)


def test_on_a_reversed_axis_up_is_better_and_the_arrows_know():
    chart = Chart(EPSILON, STARS)
    assert chart.dots([(1, 1.4)], "paper", "a")["marker"]["symbol"] == ["triangle-down"]
    assert chart.dots([(1, 0.8)], "paper", "a")["marker"]["symbol"] == ["triangle-up"]
    assert STARS.place(0.9) == 1
    assert STARS.place(1.1) == 0


def test_filled_is_computed_and_hollow_is_read():
    chart = Chart(EPSILON, SAMPLED)
    assert chart.dots([(1, 0.5)], "repaired", "a")["marker"]["symbol"] == ["circle"]
    assert chart.dots([(1, 0.5)], "repaired", "a", filled=False)["marker"]["symbol"] == ["circle-open"]


@pytest.mark.parametrize("home", [name.rpartition(".")[0] for name in places().values()])
def test_every_axis_is_fixed_and_has_its_ticks_on_it(home):
    for axis in import_module(f"{home}.figures").AXES.values():
        layout = axis.plotly()
        assert layout["fixedrange"]
        assert not layout["autorange"]
        assert all(axis.holds(tick) for tick in axis.ticks), axis
        assert len(layout["ticktext"]) == len(layout["tickvals"])


def test_on_touch_a_thumb_can_scroll_past():
    layout = Chart(EPSILON, SAMPLED).figure([])["layout"]
    assert layout["dragmode"] is False
    assert '"scrollZoom":false' in html(Chart(EPSILON, SAMPLED).figure([]))


def figure(y=0.5):
    chart = Chart(EPSILON, SAMPLED)
    return chart.figure([chart.line([0.1, 1, 8], [0.1, y, 0.6], "paper", "as printed </script>")], alt='At "1": half')


def test_a_shown_figure_has_no_script_of_its_own_and_an_alternative():
    text = html(figure())
    assert 'role="img"' in text
    assert 'aria-label="At &quot;1&quot;: half"' in text
    assert text.count("</script>") == 1  # a name cannot end the script
    assert "http" not in text
    assert len(text) < 20_000


def test_a_figure_may_say_the_words_that_the_script_is_filled_by():
    """Filled one after another, a DARK in a figure's own text would become a palette."""
    drawn = figure() | {"layout": figure()["layout"] | {"title": {"text": "ID FIGURE DARK CONFIG \\1"}}}
    source = re.search(r"const source = (.*), dark = ", html(drawn)).group(1)
    assert json.loads(source) == drawn


def test_the_text_of_a_figure_says_its_numbers_so_that_a_test_can_compare_them():
    bundle = show(figure())._repr_mimebundle_()
    assert bundle["text/plain"] == summary(figure()) != summary(figure(0.51))
    assert "0.1 0.5 0.6" in bundle["text/plain"]
    assert summary(figure(0.5 + 1e-9)) == summary(figure())


def test_the_same_figure_has_the_same_id_in_every_process():
    assert 'id="rp-' in html(figure())
    assert html(figure()) == html(figure())
    assert html(figure())[:30] != html(figure(0.6))[:30]


def test_a_category_axis_keeps_its_names():
    axis = Axis("who", -0.5, 1.5, ticks=(0, 1), names=("few", "many"))
    assert axis.plotly()["ticktext"] == ["few", "many"]
