"""A dashboard as data: what a link says is read back, and what is out of range falls to its default."""

import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from recprivlib.dashboard import Appearance, Card, Control, nbytes
from recprivlib.dashboard.catalogue import explorer, stems
from recprivlib.parameters import UserError

EXPLORERS = [explorer(stem) for stem in stems()]
RECOMMENDERS = explorer("recommenders")


@pytest.mark.parametrize("which", EXPLORERS, ids=stems())
def test_every_dashboard_is_complete(which):
    assert which.figures[0].place == "main"
    names = [control.name for control in which.controls]
    assert len(set(names)) == len(names)
    figures = {figure.name for figure in which.figures}
    for control in which.controls:
        assert control.checked(control.default) == control.default
        assert all(control.checked(step) == step for step in control.steps)
        assert control.place != "axis" or control.figure in figures
        assert control.spoken(control.default)
    for attempt in which.tries:
        assert all(which.control(name).checked(value) == value for name, value in attempt.values.items())
    assert not which.predict or set(which.predict.at) <= set(names)
    assert set(which.still) <= set(names)
    assert not which.reseed or which.control(which.reseed).kind == "seed"


@pytest.mark.parametrize("which", EXPLORERS, ids=stems())
def test_what_is_computed_can_be_handed_from_process_to_process(which):
    """A server computes elsewhere: everything on the way to the result, the result, the whole curve."""
    moved = which.defaults | ({which.reseed: 1} if which.reseed else {})
    told = [result for _, result in which.steps(**moved)] if which.steps else [which.compute(**moved)]
    for one in [*told, which.curve(moved) if which.curve else None]:
        packed = pickle.dumps(one, 5)
        assert len(packed) < 1 << 20
        again = pickle.loads(packed)
        assert type(again) is type(one)
        assert nbytes(again) == nbytes(one)
    assert which.say(again := pickle.loads(pickle.dumps(told[-1], 5))) == which.say(told[-1])
    for figure in which.figures:
        assert figure.draw(again, Appearance()) == figure.draw(told[-1], Appearance())


@pytest.mark.parametrize("which", EXPLORERS, ids=stems())
def test_every_dashboard_says_what_a_step_takes_and_more_for_more_people(which):
    """A server admits by it what nobody has seen yet."""
    usual = which.effort(which.defaults)
    assert 0 < usual < 2, "the first picture waits with what is long"
    for name in ("people", "epochs", "rounds", "tries", "iterations"):
        try:
            control = which.control(name)
        except UserError:
            continue
        most = max((value for value, _ in control.choices), default=control.high)
        assert which.effort(which.defaults | {name: most, "train": True}) >= usual


def cramped(figure):
    """Names of lines that do not fit into the margin at their right, at 7.4 pixels a letter (a wide system font)."""
    right = figure["layout"]["margin"]["r"]
    names = [label["text"] for label in figure["layout"].get("annotations", ())
             if label.get("xref") == "paper" and label.get("x") == 1 and label.get("xanchor") == "left"]  # fmt: skip
    return [name for name in names if 14 + 7.4 * len(name) > right + 1]


@pytest.mark.parametrize("which", EXPLORERS, ids=stems())
def test_every_line_has_room_for_its_name(which):
    result = which.compute(**which.defaults)
    drawn = {figure.name: figure.draw(result, Appearance()) for figure in which.figures}
    assert not {name: bad for name, one in drawn.items() if isinstance(one, dict) and (bad := cramped(one))}


def test_a_name_without_room_is_seen():
    label = {"text": "a name of thirty letters or so", "xref": "paper", "x": 1, "xanchor": "left"}
    assert cramped({"layout": {"margin": {"r": 130}, "annotations": [label]}})
    assert not cramped({"layout": {"margin": {"r": 250}, "annotations": [label]}})


@pytest.mark.parametrize("which", [which for which in EXPLORERS if which.curve], ids=lambda which: which.stem)
def test_the_whole_curve_stays_as_it_is_where_it_says_so(which):
    """A server that keeps it by the other controls would show a wrong one."""
    assert set(which.curve_over) <= {control.name for control in which.controls}
    usual = which.curve(which.defaults)
    for control in map(which.control, which.curve_over):
        others = control.steps or [value for value, _ in control.choices] or [control.low, control.high]
        for other in (others[0], others[-1]):
            moved = control.checked((1,) if control.kind == "films" else other)
            found = which.curve(which.defaults | {control.name: moved})
            assert found is usual or found == usual, control.name


@given(
    k=st.integers(1, 20),
    neighbors=st.integers(5, 500),
    system=st.sampled_from(["item-knn", "ease", "mf-als", "popularity"]),
    liked=st.lists(st.integers(0, 1681), max_size=10, unique=True).map(tuple),
    seed=st.integers(0, 9999),
)
def test_a_link_restores_every_setting(**chosen):
    values = RECOMMENDERS.defaults | chosen
    assert RECOMMENDERS.read("?theme=dark&" + RECOMMENDERS.link(values)) == (values, ())


def test_the_link_of_the_defaults_is_empty():
    assert RECOMMENDERS.link(RECOMMENDERS.defaults) == ""


def test_a_bad_link_falls_back_and_names_what_was_wrong():
    values, refused = RECOMMENDERS.read("k=99&neighbors=ten&system=ease&rivals=&liked=1,x&theme=dark&nothing=1")
    assert values == RECOMMENDERS.defaults | {"system": "ease"}
    assert refused == ("k", "neighbors", "rivals", "liked")


@pytest.mark.parametrize("bad", ["7.5", "nan", "inf", "-1", "", "x", None, 21, 1e400, [3]])
def test_a_control_refuses_with_the_value_and_what_is_allowed(bad):
    with pytest.raises(UserError, match=r"k is .*, but must be a whole number from 1 to 20"):
        RECOMMENDERS.control("k").checked(bad)


def test_switches_and_numbers_travel_through_text():
    switch = Control("clip", "Clip", "switch", False)
    epsilon = Control("epsilon", "ε", "number", 1.0, 0.1, 8)
    for control, value in ((switch, True), (switch, False), (epsilon, 0.1), (epsilon, 1 / 3)):
        assert control.checked(control.text(value)) == pytest.approx(value, rel=1e-11)
    with pytest.raises(UserError, match="on or off"):
        switch.checked("maybe")


def test_a_control_may_cost_more_at_some_settings():
    people = Control("people", "People", "choice", 1, cost=lambda v: "live" if v["people"] <= 4 else "on release")
    assert people.costs({"people": 4}) == "live"
    assert people.costs({"people": 8}) == "on release"


def test_unknown_names_are_refused_kindly():
    with pytest.raises(UserError, match=r"choose from .*recommenders"):
        explorer("nothing")
    with pytest.raises(UserError, match="choose from k, system"):
        RECOMMENDERS.control("nothing")


def test_the_memory_of_a_result_counts_its_arrays():
    @dataclass(frozen=True, eq=False)
    class Held:
        dense: np.ndarray
        sparse: sp.csr_array
        parts: tuple

    held = Held(np.zeros(1000), sp.csr_array(np.eye(100)), (np.zeros(500),))
    exact = 8000 + 100 * 8 + 100 * 4 + 101 * 4 + 4000
    assert exact <= nbytes(held) <= exact + 1000


def test_a_card_carries_its_cure():
    card = Card("pick three films", cure={"liked": ()}, cure_label="take Ada's", empty=True)
    assert str(card) == "pick three films"
    assert (card.cure, card.empty) == ({"liked": ()}, True)
    assert math.isinf(Control("x", "x", "number", 1.0).high)
