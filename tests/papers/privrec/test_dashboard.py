"""Dashboard privrec: the ratio without S in it, the bill, the path of the bound, words, training that stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.accounting import bill
from recprivlib.dashboard import Appearance, Card
from recprivlib.dashboard.memory import MEMORY
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.screen.compute import compute, steps
from recprivlib.papers.privrec.screen.dashboard import EXPLORER, SIZES, table
from recprivlib.papers.privrec.screen.words import reply, say
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.parameters import UserError
from recprivlib.protocols import Sizes
from recprivlib.registry import get

SMALL = {"data": "synthetic", "size": "small", "rounds": 50}


@pytest.fixture(scope="module")
def start():
    return compute(**SMALL)


def test_the_bound_is_not_in_the_ratio(start):
    """(2z/M)·√(d/(1−h)) by hand, whatever S₀ is; ten times the phones make it a tenth."""
    by_hand = 2 / 30 * np.sqrt(start.weights / 0.3)
    for first in (0.01, 1.0, 100.0):
        assert compute(**SMALL, clip_init=first).ratio == pytest.approx(by_hand)
    assert compute(**SMALL, cohort=300).ratio == pytest.approx(by_hand / 10)


def test_the_bill_is_the_one_of_the_command_line():
    result = compute(**(SMALL | {"rounds": 1000}))
    entry = get("dp-privrec")
    found = bill(entry, replace(entry.system, cohort=30, rounds=1000), Sizes(4800, 1682), delta=1e-5)
    assert result.now["printed"] == pytest.approx(found["claimed"]["epsilon"])
    assert result.now["tight"] == pytest.approx(found["counted"]["epsilon"])
    assert result.now["Poisson"] == pytest.approx(found["also"][-1]["epsilon"])
    assert result.now["tight"] < result.now["Rényi"] < result.now["printed"]


def test_the_path_finds_the_quantile_from_below_and_the_printed_order_never_does():
    heard = pulls.Recorded(100, 4800, np.tile(np.linspace(0.5, 1.5, 30), (40, 1)), 0.1)
    usual = DPPrivRec(cohort=300, unclipped_quantile=0.5, noise_multiplier=0.3, rounds=400, clip_init=0.01)
    bounds, wanted = pulls.path(usual, heard, 0)
    assert bounds[-50:].mean() == pytest.approx(wanted[-1], rel=0.1)
    printed, _ = pulls.path(replace(usual, order="printed", clip_init=1.0), heard, 0)
    assert printed[-1] < 1e-4
    late, _ = pulls.path(replace(usual, rule="linear", clip_init=40.0, unclipped_quantile=0.9), heard, 0)
    assert late[-1] > 30


def test_words_tell_the_regimes_apart(start):
    assert "further than any phone may" in say(replace(start, ratio=7.6))
    assert "less far than one phone may" in say(replace(start, ratio=0.5))
    assert "about as many as by chance" in say(replace(start, hits=((50, start.levels["random"]),)))
    assert "by chance" not in say(replace(start, hits=((50, 0.3),)))
    assert all(len(say(replace(start, ratio=r))) < 260 for r in (0.01, 0.9, 7.6, 400.0))
    assert "S changes nothing" in reply(start, 0)


def test_the_picture_does_not_wait_for_the_attack_nor_for_the_last_round_of_the_recording():
    MEMORY.clear()
    seen = list(steps(**SMALL))
    shares, results = [share for share, _ in seen], [result for _, result in seen]
    assert len(seen) == pulls.LISTENED + 1
    assert shares == sorted(shares)
    assert shares[-1] == 1
    *growing, first, second = results
    assert {(result.bill.attacked, result.bill.ceiling) for result in (*growing, first)} == {(None, None)}
    assert 0 <= second.bill.attacked <= second.bill.ceiling
    assert (first.bill.claimed, first.bill.counted) == (second.bill.claimed, second.bill.counted)
    assert {result.weights for result in growing} == {first.weights}
    pictures = [result.pull for result in results]
    assert len(dict.fromkeys(pictures)) == 7, "after 1, 2, 4, 8, 16, 32 and all rounds; in between the bar moves alone"
    assert [result.bill for _, result in steps(**SMALL)] == [second.bill]


def test_a_recording_that_a_move_breaks_off_goes_on_at_the_next():
    MEMORY.clear()
    stream = steps(**SMALL)
    for _ in range(10):
        next(stream)
    stream.close()
    others = [result for _, result in steps(**SMALL, noise_multiplier=2.0)]
    assert len(others) == pulls.LISTENED - 10 + 2, "the tenth round again, the others, and the attack"
    MEMORY.clear()
    alone = compute(**SMALL, noise_multiplier=2.0)
    assert (alone.pull, alone.bounds) == (others[-1].pull, others[-1].bounds)


def test_training_streams_and_its_last_step_is_the_whole():
    compute(**(SMALL | {"rounds": 4, "train": True}))  # its bill, for those who train it, is known from here on
    seen = list(steps(**(SMALL | {"rounds": 4, "train": True})))
    assert [len(result.hits) for _, result in seen] == [1, 2, 3, 4]
    assert [share for share, _ in seen] == [0.25, 0.5, 0.75, 1.0]
    MEMORY.clear()
    shares = [share for share, _ in steps(**(SMALL | {"rounds": 4, "train": True}))]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_training_that_stops_is_a_card_and_no_score(monkeypatch):
    def stopped(self, start):
        raise UserError("training stopped in round 3: the clipping bound has grown to 2e+06")
        yield

    monkeypatch.setattr(DPPrivRec, "watched", stopped)
    with pytest.raises(Card, match="training stopped in round 3") as card:
        compute(**SMALL, train=True)
    assert card.value.cure["clip_init"] == 0.1


def test_more_phones_than_people_is_a_card():
    with pytest.raises(Card, match="fewer than"):
        compute(**SMALL, cohort=1000, people=754)


@pytest.mark.parametrize(
    "view", [Appearance(), Appearance(theme="dark", narrow=True), Appearance(large=True, filled=False)]
)
def test_every_figure_draws_in_every_look(start, view):
    shown = replace(start, hits=((1, 0.1), (2, 0.12)))
    for figure in EXPLORER.figures:
        for result in (start, shown):
            assert figure.draw(result, view)["layout"]["meta"]["alt"].endswith(".")
    assert len(table(start)) > 60


@pytest.mark.parametrize("data", ["synthetic", "ml-100k"])
def test_a_size_says_how_many_weights_it_has_on_these_people(data):
    named = dict(EXPLORER.control("size").options(EXPLORER.defaults | {"data": data}))
    weights = {size: compute(data=data, size=size).weights for size in ("tiny", "medium", "large")}
    assert named == SIZES if data == "ml-100k" else named != SIZES
    for size, d in weights.items():
        assert named[size] == (str(d) if d < 1000 else f"{d / 1000:.1f}k")


def test_where_the_people_cannot_be_had_the_sizes_are_those_of_the_book():
    assert dict(EXPLORER.control("size").options(EXPLORER.defaults | {"data": "nowhere.csv"})) == SIZES
