"""Dashboard fmf_ldp: what it shows is what the library computes, in words that are earned."""

import math
import subprocess
import sys
from dataclasses import replace

import pytest

from recprivlib.accounting import guarantee
from recprivlib.dashboard import Appearance
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import Card, nbytes
from recprivlib.data import load
from recprivlib.evaluation import Difference, evaluate, split
from recprivlib.papers.fmf_ldp.screen import epochs
from recprivlib.papers.fmf_ldp.screen.compute import VARIANTS, compute, steps, table
from recprivlib.papers.fmf_ldp.screen.dashboard import CONTROLS, snippet
from recprivlib.papers.fmf_ldp.screen.words import reply, say
from recprivlib.papers.fmf_ldp.system import Told
from recprivlib.parameters import configured
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.training import followed, trained

EXPLORER = explorer("fmf_ldp")
QUICK = {"epochs": 3, "k": 3}


@pytest.fixture(scope="module")
def start():
    return compute()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_screen_shows_what_the_registered_system_gives(variant):
    shown = compute(variant=variant, seed=1, **QUICK)
    (fold,) = split(load("ml-100k").interactions, "loo-random", 1)
    system = configured(get(VARIANTS[variant][0]).system, {**QUICK, "epsilon": 2.5, "factors": 5})
    for point, (_, model) in zip(shown.points, followed(system, fold.train, 1), strict=True):
        metrics = evaluate(model, fold, (10,)).metrics
        assert (point.sampled, point.full) == pytest.approx((metrics["hr@10"], metrics["hr@10/full"]))


def test_of_a_city_some_are_asked_and_all_report(monkeypatch):
    """The same model as all 10,000 train, seen by 2,000 of them; their lists are their own."""
    monkeypatch.setitem(epochs.CROWDS, 10_000, ("synthetic", {"users": 2500, "items": 200}))
    shown = compute(people=10_000, variant="stable", seed=4, **QUICK)
    (fold,) = split(load("synthetic", users=2500, items=200).interactions, "loo-random", 4)
    system = configured(get("fmf-ldp-stable").system, QUICK)
    guests = epochs.guests(fold)
    assert len(guests.users) == 2000 < len(fold.users)
    model = trained(system, fold.train, 4)
    everybody = evaluate(model, fold, (10,), full=False).per_user["hr@10"]
    some = evaluate(system.model(Told(model.items), guests.train), guests, (10,), full=False)
    assert shown.points[-1].sampled == pytest.approx(some.metrics["hr@10"], abs=0.005)
    sd = math.sqrt(0.25 / 2000)  # a random 2,000 of 2,500: well within four deviations of all
    assert shown.points[-1].sampled == pytest.approx(everybody.mean(), abs=4 * sd)


def test_a_stream_grows_epoch_by_epoch_and_ends_with_compute():
    stages = list(steps(epsilon=3.5, seed=2, **QUICK))
    assert [result.done for _, result in stages] == [1, 2, 3]
    assert all(result.versus is None for _, result in stages[:-1])
    assert stages[-1][1].points == compute(epsilon=3.5, seed=2, **QUICK).points
    longer = compute(epsilon=3.5, seed=2, **QUICK | {"epochs": 5})
    assert longer.points[:3] == stages[-1][1].points


def test_the_bill_grows_in_four_currencies(start):
    """Figures of notes/fmf_ldp.md for one epoch and the whole run; 943 people hide less than 50,000."""
    course = start.course
    assert course["epoch"][-1] == course["sum"][0] == 250
    assert course["sum"][-1] == 5000
    system = get("fmf-ldp").system
    at = Sizes(943, 1682)
    for name, delta, view in (("exact", 1e-4, "server"), ("mixed", 1e-4, "shuffled")):
        spent = guarantee(replace(system, epochs=20).ledger(at), "user", "replace", delta, view).epsilon
        assert course[name][-1] == pytest.approx(spent)
        assert list(course[name]) == sorted(course[name])
    assert course["mixed"][-1] < course["exact"][-1] < course["sum"][-1]


def test_the_health_of_a_run_tells_frozen_from_thawed(start):
    thawed = compute(variant="stable")
    assert start.points[-1].items > 3 * start.points[0].items
    assert start.points[-1].users < start.points[0].users / 3
    assert thawed.points[-1].items == pytest.approx(thawed.points[0].items, rel=0.1)
    assert thawed.points[-1].sampled > start.points[-1].sampled + 0.3


def test_a_verb_is_earned(start):
    assert "12\u202f% and loses to just what is popular, 58\u202f%" in say(start)
    for gap, verb in ((Difference(0.1, 0.05, 0.15), "beats"), (Difference(0.0, -0.02, 0.02), "is level with")):
        assert f" and {verb} just what" in say(replace(start, versus=gap))
    growing = next(iter(steps(seed=7, **QUICK)))[1]
    assert "So far the list finds" in say(growing)
    for said in ("2\u202f000 reports", "ε = 5\u202f000 added up", "943 phones"):
        assert said in say(start)


def test_the_reply_computes_the_run_and_never_scolds(start):
    for answer in range(4):
        assert "5\u202f000 for the run" in reply(start, answer)


def test_every_number_on_the_screen_is_in_the_table(start):
    frame = table(start)
    curve = frame[(frame.figure == "found in the top 10 of 100") & (frame.series == "this server")]
    assert list(curve.y) == [point.sampled for point in start.points]
    assert set(frame[frame.figure == "bill"].series) == {"one epoch", "added up", "best exact sum", "honest mixer"}
    assert nbytes(start) < 20_000


@pytest.mark.parametrize("view", [Appearance(), Appearance(theme="dark", narrow=True), Appearance(large=True)])
def test_axes_are_constants(start, view):
    """Twenty states, and every figure has the ranges of the first."""
    states = [start, *(result for _, result in steps(k=1)), compute(variant="stable", k=500, epochs=2)]
    for figure in EXPLORER.figures:
        drawn = [figure.draw(state, view) for state in states]
        axes = [(d["layout"]["xaxis"]["range"], d["layout"]["yaxis"]["range"]) for d in drawn]
        assert all(one == axes[0] for one in axes)
        assert all(d["layout"]["meta"]["alt"] for d in drawn)


def test_many_reports_that_hide_in_large_sets_are_refused_with_a_cure():
    with pytest.raises(Card, match="take minutes") as refused:
        compute(variant="sign")
    assert compute(**EXPLORER.defaults | refused.value.cure).done == 5


def test_what_takes_long_waits_for_the_release():
    by_name = {control.name: control for control in CONTROLS}
    town, city = EXPLORER.defaults, EXPLORER.defaults | {"people": 50_000}
    for name in ("epsilon", "k", "epochs"):
        assert by_name[name].costs(town) == "live"
        assert by_name[name].costs(city) == "on release"


def test_the_code_prints_the_numbers_of_the_sentence():
    text = snippet(EXPLORER.defaults | {"variant": "stable", **QUICK})
    found = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout
    shown = compute(variant="stable", **QUICK)
    assert f"fmf-ldp-stable: {shown.points[-1].sampled:.3f}" in found
    assert f"popularity: {shown.levels['popularity']:.3f}" in found
    assert f"user replace shuffled 0.0001 {shown.course['mixed'][-1]:.2f}" in found
