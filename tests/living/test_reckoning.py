"""The numbers and words of the reckoning: what is committed is computed, and what is said follows from it."""

import math
from dataclasses import replace

import pandas as pd
import pytest

from recprivlib.living import board, climbs, fall, finds, kit, reckoning
from recprivlib.living.promises import BY_KEY, CROWDS, PROMISES, UNITS
from recprivlib.plots.numerals import epsilon
from recprivlib.tables import results
from recprivlib.tuning.compared import PRINTED, TUNED

EVERY = [(one, unit, crowd) for one in PROMISES for unit in UNITS for crowd in CROWDS]


def test_a_fresh_audit_climbs_as_the_committed_one_does():
    now, known = climbs.climb(BY_KEY["ldp_svd"], "one", "town"), climbs.committed()["ldp_svd", "one", "town"]
    assert climbs.differ(now, known) == []
    other = replace(now, counted=9.0, attacked=8.0, bounds=now.bounds[:-1])
    assert len(climbs.differ(other, known)) == 3


@pytest.mark.slow
def test_all_audits_climb_as_the_committed_ones_do():
    assert climbs.main(["--check"]) == 0


def test_no_triangle_is_ever_above_what_is_counted():
    for one in climbs.committed().values():
        assert list(one.bounds) == sorted(one.bounds), one.key
        assert max(*one.bounds, one.attacked) <= one.counted, (one.key, one.unit, one.crowd)


def test_flags_fall_stand_and_lean_as_the_verdicts_say():
    ends = {one.promise.key: one.end for one in board.standings("one", "town")}
    assert ends == {"dplcf": "stands", "dplcf-ap": "falls", "ldp_svd": "falls", "fmf_ldp": "leans",
                    "dp_pnbm": "falls", "privrec": "stands"}  # fmt: skip
    person = {one.promise.key: one.other for one in board.standings("whole", "town") if one.end == "leans"}
    assert person == {"dplcf": "one click", "dplcf-ap": "one click", "ldp_svd": "one rating", "fmf_ldp": "one epoch",
                      "dp_pnbm": "one rating"}  # fmt: skip
    assert {one.end for one in board.standings("one", "town", True) if one.promise.repairs} == {"stands"}


def test_a_claim_is_never_written_smaller_than_it_is():
    assert [board.short(value) for value in (1.0, 250.0, 0.05, math.inf)] == ["1", "250", "0.05", "∞"]
    assert [board.short(value) for value in (110.3, 0.9503)] == ["111", "0.96"]


def test_a_flag_falls_at_the_first_look_at_which_the_attack_has_passed_it():
    for one in board.standings("one", "town"):
        if one.end == "falls":
            at = one.falls_at
            assert one.climb.bounds[at] > one.claimed >= one.climb.bounds[at - 1]
        else:
            assert one.falls_at is None


def test_every_row_says_what_its_list_is_worth_in_every_crowd():
    for one, unit, crowd in EVERY:
        standing = board.standing(one, unit, crowd)
        assert any(verb in standing.beside for verb in ("beats", "loses", "level")), (one.key, unit, crowd)
        assert (standing.finds is None) == ("was not run there; " in standing.quality)


def test_more_people_move_the_bills_of_rare_draws_and_mixers_alone():
    for unit in UNITS:
        for a, b in zip(*(board.standings(unit, crowd, True) for crowd in CROWDS), strict=True):
            local = a.promise.one.value.ledger(CROWDS["town"]).trust == "nobody (local)"
            assert (a.climb.counted == b.climb.counted) or not local, a.promise.key
        said = reckoning.closing(unit, "country")
        assert "privrec from" in said
        assert "fmf_ldp from" in said


def test_the_score_counts_who_is_within_a_factor_of_two():
    truth = {one.promise.key: one.climb.counted for one in board.standings("one", "town")}
    near = {row["key"]: row["states"]["one town"]["near"] for row in reckoning.picture()["rows"]}
    for key, value in truth.items():
        told = [board.GUESSES[at] for at in near[key]]
        assert told
        assert all(board.near(guess, value) for guess in told)
        assert (math.inf in told) == math.isinf(value)
    assert reckoning.papers() == sum(one.claimed / 2 <= truth[one.promise.key] <= 2 * one.claimed
                                     for one in board.standings("one", "town"))  # fmt: skip
    assert "you 3 of 6" in reckoning.score(3)
    assert "you" not in reckoning.score()


def test_the_first_page_says_what_the_audit_says():
    one = climbs.committed()["ldp_svd", "one", "town"]
    said = fall.picture()["closing"]["one town"]
    assert f"**ε\xa0=\xa0{epsilon(one.attacked, 'lower')}**, nearly sure." in said
    assert "Some 15 of 20 are" in said  # 20 e/(1 + e): how often a report is the rating itself
    assert "%" not in said, "a per cent of the first page is that of the coins below"
    assert kit.plain(fall.picture()["says"]["plant"]).endswith("ε\xa0=\xa02.")


# ---------------------------------------------------------------------------------------------- tuned alike


@pytest.fixture
def tuned(monkeypatch):
    """A table as `[[tuned]]` writes it: the chart, and one system as printed and tuned, one of its dials turned."""
    common = {
        "splits": "0-4",
        "seeds": "0-4",
        "populations": "0",
        "data": "ml-100k",
        "protocol": "loo-latest",
        "metric": "hr@10",
        "users": 943,
    }
    free = {"epsilon": float("nan"), "neighbors": float("nan"), "against": None, "verb": None}
    mine = common | {"system": "dplcf-sp", "epsilon": 1.0, "against": "popularity"}
    rows = [
        common | free | {"system": "popularity", "setting": TUNED, "value": 0.4, "low": 0.38, "high": 0.42},
        common | free | {"system": "popularity", "setting": TUNED, "value": 0.9, "splits": "0-2"},  # of another search
        mine | {"setting": PRINTED, "neighbors": 20.0, "value": 0.29, "difference": -0.11, "verb": "loses to"},
        mine | {"setting": TUNED, "neighbors": float("nan"), "value": 0.45, "difference": 0.05, "verb": "beats"},
        mine | {"setting": TUNED, "epsilon": 2.0, "neighbors": float("nan"), "value": 0.6, "difference": 0.2},
    ]
    table = pd.DataFrame(rows).assign(difference_low=0.03, difference_high=0.07)
    real = finds.results
    monkeypatch.setattr(finds, "results", lambda name: table if name == "dplcf_tuned" else real(name))


@pytest.mark.usefixtures("tuned")
def test_a_list_is_read_tuned_alike_where_that_is_committed_and_as_printed_where_not():
    found = finds.beside(BY_KEY["dplcf"], "one", "town")
    assert (found.tuned, found.value, found.gap, found.short) == (True, 0.45, 0.05, "beats, 5 points")
    other = finds.beside(BY_KEY["dplcf-ap"], "one", "town")  # not in the table of that search
    assert not other.tuned
    note = reckoning.note()
    assert note.startswith(f"{reckoning.CHART} both searched alike where filled, as printed where hollow (")
    assert "one-sided" in note
    assert "honest coin" not in note
    hollow = {row["key"]: row["states"]["one town"]["printed"] for row in reckoning.picture()["rows"]}
    assert (hollow["dplcf"], hollow["dplcf-ap"]) == (False, True)
    assert "both as printed where hollow, searched alike where filled (two noisy sums)" in reckoning.note(
        "whole", "country"
    )


def test_every_row_of_a_town_is_tuned_alike_at_its_own_bill():
    """In a country few were searched: the note says who."""
    for unit in UNITS:
        rows = board.standings(unit, "town", True)
        assert [one.label for one in rows if not (one.finds and one.finds.tuned)] == []
        assert reckoning.note(unit, "town").endswith("both searched alike, in every row.")
    large = results("privrec_large")
    assert set(large[large["system"] == "dp-gram"]["relation"]) == {"replace"}
    assert BY_KEY["privrec-gram"].one.terms == BY_KEY["privrec"].one.terms, "one person, replaced, in both rows"


def test_a_row_whose_table_is_gone_is_refused_and_not_read_from_another(monkeypatch):
    monkeypatch.setattr(finds, "names", list)
    with pytest.raises(finds.UserError, match="privrec_tuned has no tuned row of dp-privrec"):
        finds.beside(BY_KEY["privrec"], "one", "town")


def test_a_point_is_one_and_points_are_more():
    found = finds.beside(BY_KEY["privrec-gram"], "one", "town")
    assert finds.points(found.gap) == "1"
    assert found.short == "beats, 1 point"
    assert replace(found, gap=0.05).short == "beats, 5 points"


def test_films_found_and_errors_in_stars_are_never_lengths_of_one_axis():
    rated = {"ldp_svd", "ldp_svd-optimal", "dp_pnbm", "dp_pnbm-means"}
    for one, unit, crowd in EVERY:
        told = board.state(board.standing(one, unit, crowd))
        assert told["stars"] == (one.key in rated), (one.key, unit, crowd)
        assert told["stars"] or "★" not in told["beside"]


@pytest.mark.usefixtures("tuned")
def test_a_table_that_holds_two_answers_is_refused(monkeypatch):
    table = finds.results("dplcf_tuned")
    table.loc[4, "epsilon"] = 1.0
    monkeypatch.setattr(finds, "results", lambda name: table)
    with pytest.raises(finds.UserError, match="2 rows of dplcf-sp"):
        finds.beside(BY_KEY["dplcf"], "one", "town")
