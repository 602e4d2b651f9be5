"""The search itself, on functions whose best setting is known."""

import math

import pytest

from recprivlib.parameters import among, dial
from recprivlib.tuning.search import Search, doubled, searched, sobol
from recprivlib.tuning.space import Axis

SPACE = {"step": Axis(dial(1e-6, 1e2), float), "many": Axis(dial(1, 64), int), "kind": Axis(among("a", "b"), str)}
PRINTED = {"step": 1.0, "many": 60, "kind": "a", "epsilon": 1.0}


def planted(settings):
    """Best at step = .003, many = 9, kind = b: half a unit for each decade and doubling that a setting is off."""
    return [
        0.5 * abs(math.log10(one["step"] / 0.003)) + 0.5 * abs(math.log2(one["many"] / 9)) + (one["kind"] == "a")
        for one in settings
    ]


def test_trial_0_is_the_printed_setting_and_the_budget_is_kept():
    for budget in (1, 8, 32, 64):
        search = searched("x", SPACE, PRINTED, budget, planted)
        assert search.trials[0] == {"step": 1.0, "many": 60, "kind": "a"}
        assert len(search.trials) == len(search.found) == budget
        assert len({tuple(one.items()) for one in search.trials}) == budget  # nothing is tried twice


def test_a_planted_optimum_is_found():
    search = searched("x", SPACE, PRINTED, 64, planted)
    best = search.trials[search.best()]
    assert best["kind"] == "b"
    assert 1 / 3 < best["step"] / 0.003 < 3
    assert 6 <= best["many"] <= 13
    assert search.found[0] > 3.5  # the printed setting is far away


def test_closing_in_finds_what_spreading_alone_does_not():
    """Over 20 names, half of the budget spent near the best so far gains on the design alone."""
    gains = []
    for name in map(str, range(20)):
        alone = Search(name, SPACE, PRINTED, planted)
        alone.run([{}, *alone.spread(63)], 64)
        gains.append(min(alone.found) - min(searched(name, SPACE, PRINTED, 64, planted).found))
    assert sum(gains) / 20 > 0.1
    assert sum(gain > 0 for gain in gains) >= 15


def test_the_first_quarter_walks_the_first_dial_alone():
    search = searched("x", SPACE, PRINTED, 64, planted)
    walked = search.trials[1:16]
    assert all((one["many"], one["kind"]) == (60, "a") for one in walked)
    steps = [one["step"] for one in walked]
    assert steps == sorted(steps)
    assert (min(steps) < 2e-6, max(steps) > 50) == (True, True)


def test_the_same_name_gives_the_same_trials_and_another_name_others():
    one, other, third = (searched(name, SPACE, PRINTED, 64, planted).trials for name in ("x", "x", "y"))
    assert one == other != third


def test_every_trial_lies_on_its_dials():
    for one in searched("x", SPACE, PRINTED, 64, planted).trials:
        assert 1e-6 <= one["step"] <= 1e2
        assert 1 <= one["many"] <= 64
        assert isinstance(one["many"], int)
        assert one["kind"] in ("a", "b")


def test_what_comes_to_nothing_is_never_the_best():
    def score(settings):
        return [
            math.nan if one["step"] > 0.5 else math.inf if one["many"] > 50 else planted([one])[0] for one in settings
        ]

    search = searched("x", SPACE, PRINTED, 64, score)
    assert search.found[0] == math.inf
    assert math.isfinite(search.found[search.best()])


def test_doubling_keeps_what_was_tried_and_goes_on_with_the_same_design():
    search = searched("x", SPACE, PRINTED, 32, planted)
    before = list(search.trials)
    doubled(search, spread=8)
    assert search.trials[:32] == before
    assert len(search.trials) == 64
    spread = [{name: axis.at(row[at]) for at, (name, axis) in enumerate(SPACE.items())} for row in sobol("x", 3, 24)]
    assert search.trials[8:16] == spread[:8]  # after the printed setting and a walk of 7
    assert search.trials[32:48] == spread[8:]


def test_without_dials_the_printed_setting_is_all_there_is():
    search = searched("x", {}, PRINTED, 64, lambda settings: [1.0] * len(settings))
    assert search.trials == [{}]


def test_a_small_space_ends_when_everything_was_tried():
    space = {"kind": Axis(among("a", "b", "c"), str)}
    search = searched("x", space, {"kind": "b"}, 64, lambda settings: [float(one["kind"] != "c") for one in settings])
    assert sorted(one["kind"] for one in search.trials) == ["a", "b", "c"]
    doubled(search, 16)
    assert len(search.trials) == 3


@pytest.mark.parametrize("many", [1, 2, 3, 15, 16, 17])
def test_a_design_is_as_long_as_asked_and_begins_as_every_longer_one(many):
    assert sobol("x", 3, many).shape == (many, 3)
    assert (sobol("x", 3, 64)[:many] == sobol("x", 3, many)).all()
