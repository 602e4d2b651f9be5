"""dp_pnbm's dashboard: another number of neighbours is a slice, a chain streams, words say what was computed."""

import numpy as np
import pytest

from recprivlib.dashboard import folds as shared
from recprivlib.dashboard.contract import Appearance
from recprivlib.dashboard.folds import dataset
from recprivlib.dashboard.memory import MEMORY, Memory
from recprivlib.evaluation import evaluate, split
from recprivlib.papers.dp_pnbm.screen import compute as board
from recprivlib.papers.dp_pnbm.screen import dashboard, publishing, words
from recprivlib.parameters import configured
from recprivlib.plots import committed
from recprivlib.plots.axes import EPSILON_WIDE, thousandths
from recprivlib.registry import get
from recprivlib.tables import chosen, results
from recprivlib.training import trained
from recprivlib.tuning.choices import read
from tests.dashboard.stepping import drawn, live, steps

SMALL = {"data": "synthetic", "neighbors": 300}


@pytest.fixture(scope="module")
def start():
    return board.compute(**SMALL)


def test_the_dot_is_what_the_library_gives(start):
    fold = split(dataset("synthetic").interactions, "kfold", 0)[0]
    name, settings = board.chosen(dashboard.EXPLORER.defaults | SMALL)
    model = trained(configured(get(name).system, settings), fold.train)
    assert start.error == pytest.approx(evaluate(model, fold).metrics["rmse"], abs=1e-9)
    assert start.noise > start.error


def test_the_shelf_is_the_floor_as_the_search_found_it():
    """What learns nothing has two dials as well; the figure takes the middle of what five searches found."""
    name, pulls = publishing.FLOORS["private-popularity"]
    found = [one.chosen for one in read(chosen("dp_pnbm_tuned")).values() if one.system == name]
    assert len(found) == 5
    assert pulls == {pull: round(float(np.median([one[pull] for one in found])), 1) for pull in found[0]}


def test_another_number_of_neighbours_trains_nothing(monkeypatch):
    roomy = Memory(1 << 30)  # other tests may have filled the one of this process
    for module in (board, publishing, shared):
        monkeypatch.setattr(module, "MEMORY", roomy, raising=False)
    start = board.compute(**SMALL)
    monkeypatch.setattr(type(get("dpsgd-pnbm").system), "fit", None)
    fewer = board.compute(**SMALL | {"neighbors": 30})
    assert fewer.error != start.error


def test_what_is_said_is_earned(start):
    assert "It loses to a similarity that learned nothing" in words.say(start) or start.versus.verb in words.say(start)
    assert "the same noise with no ratings in it" in words.say(start)
    assert "with no ratings in it is" in words.say(board.compute(**SMALL, noise_only=True))
    assert "× 200" in words.say(board.compute(**SMALL, variant="dpps-mf"))
    assert "better" in words.reply(start, 1) or "worse" in words.reply(start, 1)


@pytest.mark.parametrize(
    "settings, verdict, other",
    [
        ({}, "broken", ""),
        ({"unit": "user"}, "open", "one rating"),
        ({"variant": "means"}, "holds", ""),
        ({"variant": "means", "unit": "user"}, "holds", ""),
        ({"variant": "dpps-mf"}, "open", "a whole person"),
    ],
)
def test_the_strip_says_what_holds_for_whom(settings, verdict, other):
    bill = board.compute(**SMALL | settings).bill
    assert (bill.verdict, bill.other_terms) == (verdict, other)


def test_a_chain_is_seen_walking(monkeypatch):
    short = board.chosen
    monkeypatch.setattr(board, "chosen", lambda values: (short(values)[0], short(values)[1] | {"iterations": 9}))
    MEMORY.clear()
    seen = list(board.steps(**SMALL, variant="dpps"))
    assert [round(progress, 2) for progress, _ in seen] == [0.42, 0.84, 0.95, 0.95, 1]
    assert ["bound" in result.floors for _, result in seen] == [False] * 3 + [True] * 2
    assert seen[-1][1].error == board.compute(**SMALL, variant="dpps").error


def test_the_picture_does_not_wait_for_the_attack():
    MEMORY.clear()
    (first, bare), (early, picture), (late, whole) = board.steps(**SMALL)
    assert (first, early, late) == (0.5, 0.5, 1)
    assert list(whole.floors) == ["bound", *bare.floors] == list(picture.floors)
    assert (bare.alike_bound, bare.alike) == ((), whole.alike)
    assert whole.alike_bound == picture.alike_bound != ()
    for figure in dashboard.EXPLORER.figures:
        assert figure.draw(bare, Appearance())
    assert words.say(bare) == words.say(whole)
    assert (picture.bill.attacked, picture.bill.ceiling) == (None, None)
    assert 0 < whole.bill.attacked <= whole.bill.ceiling
    assert (picture.bill.claimed, picture.bill.counted) == (whole.bill.claimed, whole.bill.counted)
    assert words.say(picture) == words.say(whole)
    again = list(board.steps(**SMALL | {"neighbors": 20}))
    assert [(progress, result.bill.attacked) for progress, result in again] == [(1, whole.bill.attacked)]


def test_every_figure_is_drawn_for_every_variant():
    for variant in ("dpsgd", "dpsgd-mf", "means", "covariance"):
        result = board.compute(**SMALL, variant=variant)
        for figure in dashboard.EXPLORER.figures:
            for view in (Appearance(), Appearance(theme="dark", narrow=True)):
                assert figure.draw(result, view)
        assert len(dashboard.table(result)) > 5
        assert (len(result.alike) == 0) == (variant == "means") or variant == "covariance"


def test_the_evidence_says_how_far_one_rating_moves(start):
    assert np.median(start.moved) > 5
    assert start.crafted > np.median(start.moved)
    assert "as far as the noise was sized for" in words.say_moved(start)


def test_with_the_ratings_and_without_are_two_lines_one_on_the_other():
    """The step about the repaired algorithm: its whole curve is there, and that of its noise alone beside it."""
    (one,) = (one for one in steps("dp_pnbm") if one.values["variant"] == "repaired")
    figure = drawn(live("dp_pnbm"), one)["figures"]["error"]
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines" and "opacity" not in trace]
    own = next(trace for trace in lines if trace.get("name", "").startswith("repaired"))
    assert len(own["x"]) >= 5
    assert max(own["x"]) <= EPSILON_WIDE.high
    known = committed.rows(results("dp_pnbm"), "rmse", system="dpsgd-pnbm-repaired", noise_only=True)
    alone = dict(zip(known["epsilon"], known["value"], strict=True))
    assert all(abs(y - alone[x]) < 0.005 for x, y in zip(own["x"], own["y"], strict=True))
    said = [label["text"] for label in figure["layout"]["annotations"]]
    error = live("dp_pnbm").compute(**one.values | {"noise_only": True}).error
    assert [text for text in said if text.startswith("noise alone")] == [f"noise alone {thousandths(error)}"]
