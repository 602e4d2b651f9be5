"""Dashboard privrec: the ratio without S in it, the bill, the path of the bound, words, training that stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.accounting import bill
from recprivlib.dashboard import Appearance, Card
from recprivlib.dashboard.memory import MEMORY
from recprivlib.papers.privrec.screen import kept, pulls
from recprivlib.papers.privrec.screen.compute import compute, steps
from recprivlib.papers.privrec.screen.dashboard import EXPLORER, SIZES, table
from recprivlib.papers.privrec.screen.words import reply, say, say_kept
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.parameters import UserError
from recprivlib.protocols import Sizes
from recprivlib.registry import get
from recprivlib.tables import results

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


# ------------------------------------------------------------------------------------- what whole trainings found

ON_THE_MAP = {"size": "medium", "rounds": 100, "people": 754, "noise_multiplier": 0.1}
HOLLOW, FILLED = "square-open", "square"


def committed(**where):
    rows = results("privrec_bound")
    rows = rows[(rows["metric"] == kept.HITS) & (rows["cohort"] == 30)]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


@pytest.fixture(scope="module")
def mapped():
    return compute(**ON_THE_MAP)


def dots(figure, size):
    return [trace for trace in figure["data"] if trace["mode"] == "markers" and trace["marker"]["size"] == size]


def test_the_map_is_the_table_cell_by_cell_and_every_cell_of_the_table_is_on_it(mapped):
    asked = committed(noise_multiplier=0.1, rule="geometric")
    cells = {(row.unclipped_quantile, row.clip_init): row.value for row in asked.itertuples()}
    assert {(gamma, first): hits for gamma, each in mapped.known.items() for first, hits in each} == cells
    assert len(cells) > 6
    assert len(dict.fromkeys(cells.values())) > 3, "else nothing follows gamma and the first bound"


def test_gamma_and_the_first_bound_move_the_dot_at_once_and_it_is_hollow(mapped):
    places = []
    for gamma, first in ((0.5, 0.1), (0.9, 0.1), (0.5, 1.0)):
        shown = compute(**ON_THE_MAP, unclipped_quantile=gamma, clip_init=first)
        (now,) = dots(EXPLORER.figure("kept").draw(shown, Appearance()), 11)
        assert set(now["marker"]["symbol"]) == {HOLLOW}
        places.append((now["x"][0], now["y"][0]))
        hits = dict(shown.known[gamma])[first]
        assert now["customdata"][0][1] == pytest.approx(hits, abs=1e-5)
    assert len(set(places)) == 3
    trained = replace(mapped, hits=((100, 0.04),))
    (now,) = dots(EXPLORER.figure("kept").draw(trained, Appearance()), 11)
    assert set(now["marker"]["symbol"]) == {FILLED}


def test_the_map_is_of_the_people_of_the_bill_or_it_is_not_shown(mapped):
    assert mapped.people == 754
    assert mapped.known
    assert not compute(**ON_THE_MAP | {"people": 4800}).known
    assert not compute(**ON_THE_MAP | {"rounds": 50}).known, "of another training"


def test_a_training_that_diverged_is_named_and_what_was_never_run_too(mapped):
    """Of the paper's own gamma and first bound no number is left at the paper's noise, where S moves by a factor."""
    papers = {"noise_multiplier": 1.0, "unclipped_quantile": 0.9, "clip_init": 40.0, "rule": "geometric"}
    assert committed(**papers).empty
    assert "diverged" in say_kept(compute(**ON_THE_MAP | papers))
    assert "nothing is committed" in say_kept(compute(**ON_THE_MAP | {"clip_init": 100.0}))
    assert "% of next films after 100 rounds" in say_kept(mapped)
    assert "in this draw" in say_kept(replace(mapped, hits=((7, 0.02),)))


def test_beside_a_training_stands_the_same_network_without_noise(mapped):
    large = compute()
    hits = dict(large.silent)
    assert hits[300] > 4 * large.levels["random"]
    assert hits[300] > hits[100] > hits[5]
    drawn = EXPLORER.figure("training").draw(large, Appearance())
    assert any(trace.get("name") == "without noise" for trace in drawn["data"])
    assert not mapped.silent, "of another network"


def test_a_training_has_as_many_passes_as_what_is_committed_beside_it():
    *_, (_, last) = steps(**SMALL | {"rounds": 2, "train": True})
    assert last.system.local_epochs == kept.AT_HOME
    assert compute(**SMALL).system.local_epochs != kept.AT_HOME
