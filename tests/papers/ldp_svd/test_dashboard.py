"""Dashboard ldp_svd: what it shows is what the library computes, in words that are earned."""

import math
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from recprivlib.dashboard import Appearance, Card
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import nbytes
from recprivlib.data import load
from recprivlib.evaluation import Difference, evaluate, split
from recprivlib.mechanisms import LaplaceOrTruth, RoundedOrTruth
from recprivlib.papers.ldp_svd.answering import MECHANISMS as CHANNELS
from recprivlib.papers.ldp_svd.screen.compute import MECHANISMS, chosen, compute, curve
from recprivlib.papers.ldp_svd.screen.dashboard import snippet, table
from recprivlib.papers.ldp_svd.screen.reports import ADA, heard, tape
from recprivlib.papers.ldp_svd.screen.words import reply, say
from recprivlib.papers.ldp_svd.system import STARS
from recprivlib.parameters import configured
from recprivlib.registry import get
from recprivlib.training import trained

EXPLORER = explorer("ldp_svd")
SMALL = {"data": "synthetic", "tries": 10_000}
STATES = [(mechanism, equal) for mechanism in MECHANISMS for equal in (False, True)]


@pytest.fixture(scope="module")
def start():
    return compute(**SMALL)


@pytest.mark.parametrize(("mechanism", "equal"), STATES)
def test_the_screen_shows_what_the_registered_system_gives(mechanism, equal):
    """Catches a setting that does not reach its system, and a dashboard that trains on another fold."""
    values = EXPLORER.defaults | SMALL | {"mechanism": mechanism, "equal": equal, "epsilon1": 1.5, "seed": 1}
    shown = compute(**values)
    name, settings = chosen(values)
    fold = split(load("synthetic").interactions, "kfold", 1)[0]
    model = trained(configured(get(name).system, settings), fold.train, 1)
    assert shown.error == pytest.approx(evaluate(model, fold).metrics["rmse"])
    assert shown.floors["bound"] < shown.floors["random"]


def test_equal_means_one_true_epsilon_for_all_but_the_one_that_has_none():
    """`rounded` may be a little below: rounding is post-processing."""
    for mechanism in MECHANISMS:
        result = compute(mechanism=mechanism, equal=True, epsilon=2.0, **SMALL)
        if mechanism == "laplace-rr":
            assert math.isinf(result.at)
            assert math.isinf(result.bill.counted)
        else:
            assert 1.9 < result.bill.counted <= 2.0 + 1e-9
            assert (result.at, result.bill.verdict) == (2.0, "holds")


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 8.0])
def test_the_boxed_ratio_is_the_mechanism_s_epsilon(epsilon):
    """The pieces of a real-valued report are cut where its density jumps: catches a bin that mixes two levels."""
    for name, make in CHANNELS.items():
        mechanism = make(epsilon, STARS)
        it = heard(mechanism)
        np.testing.assert_allclose(it.matrix.sum(axis=1), 1, atol=1e-9)
        wanted = epsilon if name != "rounded" else np.ptp(np.log(mechanism.channel), axis=0).max()
        assert it.ratio == pytest.approx(wanted, abs=1e-6), name


def test_the_boxed_ratio_of_both_mixtures():
    assert math.isinf(heard(LaplaceOrTruth(1, 1)).ratio)
    assert heard(RoundedOrTruth(1, 1)).ratio == pytest.approx(3.87, abs=0.005)  # notes/ldp_svd.md


@pytest.mark.parametrize("epsilon2", [0.1, 1.0, 3.0])
def test_a_report_is_proof_when_it_is_the_rating_and_only_then(epsilon2):
    """Over 200 seeds 4,000 reports: the share of proofs is p within 5 · √(p(1−p)/4000) ≤ .04."""
    mechanism = LaplaceOrTruth(1.0, epsilon2)
    tapes = [tape(mechanism, seed) for seed in range(200)]
    assert all(np.array_equal(it.certain, it.reports == it.stars) for it in tapes)
    share = np.mean([it.proofs for it in tapes]) / len(ADA)
    assert share == pytest.approx(mechanism.p, abs=0.04)
    assert tape(RoundedOrTruth(1.0, epsilon2), 0).proofs == 0


def test_dragging_epsilon2_turns_reports_into_the_truth_one_way():
    """Fixed noise: as ε2 grows a report may become the rating and never the other way round."""
    sure = [set(np.flatnonzero(tape(LaplaceOrTruth(1.0, e), 5).certain)) for e in (0.1, 0.5, 1, 2, 3)]
    assert all(a <= b for a, b in pairwise(sure))
    assert len(sure[0]) < len(sure[-1])


@pytest.mark.parametrize(("mean", "verb"), [(-0.02, "beats"), (0.0, "is level with"), (0.02, "loses to")])
def test_a_verb_is_earned(start, mean, verb):
    versus = Difference(mean, mean - 0.01, mean + 0.01, lower_is_better=True)
    assert f"it {verb} one fixed guess for every film" in say(replace(start, versus=versus))
    other = replace(start, mechanism="piecewise", equal=True, versus=versus)
    assert f"it {verb} the most telling channel" in say(other)


@pytest.mark.parametrize(("proofs", "words"), [
    (0, "None of these 20 reports is"), (1, "1 of these 20 reports is"), (16, "16 of these 20 reports are"),
    (20, "All 20 reports are"),
])  # fmt: skip
def test_the_sentence_counts_proofs(start, proofs, words):
    certain = np.arange(len(ADA)) < proofs
    assert words in say(replace(start, tape=replace(start.tape, certain=certain)))


def test_what_was_cut_is_no_proof():
    """Clipped, a 1 or a 5 may be noise: only stars in between are proof, and the sentence says so."""
    for mechanism in ("laplace-rr", "laplace"):
        result = compute(mechanism=mechanism, clip_reports=True, epsilon1=0.3, **SMALL)
        stars = result.tape.reports[result.tape.certain]
        assert set(stars.tolist()) <= {2.0, 3.0, 4.0}
        assert result.tape.reports.min() >= 1
        assert result.tape.reports.max() <= 5
    shown = compute(clip_reports=True, **SMALL)
    assert 0 < shown.tape.proofs < compute(**SMALL).tape.proofs
    assert f"{shown.tape.proofs} of these 20 reports are the exact rating" in say(shown)
    assert "may be noise that was cut" in say(shown)


@pytest.mark.parametrize(("mechanism", "equal"), STATES)
def test_every_setting_says_a_sentence_of_at_most_three_lines(mechanism, equal):
    words = say(compute(mechanism=mechanism, equal=equal, **SMALL))
    assert len(words) < 260
    assert words.endswith("stars.")


def test_the_best_channel_at_one_is_named_as_the_bit_it_is():
    assert "one bit: 1–3 stars, or 4–5?" in say(compute(mechanism="optimal", equal=True, **SMALL))
    assert "has 4 answers" in say(compute(mechanism="optimal", equal=True, epsilon=3.0, **SMALL))


def test_the_reply_is_computed(start):
    assert f"it is {start.tape.proofs} of 20" in reply(start, 0)
    assert all(reply(start, at).startswith(f"You said {word}") for at, word in enumerate(("none", "about 5")))


def test_divergence_is_a_card_that_cures_it():
    """ML-100K: on stars at ε1 = .1 the noise is forty stars wide."""
    hot = {"mechanism": "laplace", "epsilon1": 0.1, "scale": "stars", "tries": 10_000}
    with pytest.raises(Card, match=r"At ε1 = 0\.1 the training diverged.* Clip reports") as raised:
        compute(**hot)
    assert raised.value.cure == {"clip_reports": True}
    assert compute(**hot | raised.value.cure).error < 2


def test_the_bill_of_the_mixture_is_broken_and_the_others_hold(start):
    bill = start.bill
    assert (bill.verdict, bill.claimed) == ("broken", 2.0)
    assert bill.claimed < bill.attacked <= bill.ceiling
    assert math.isinf(bill.counted)
    for mechanism in ("laplace", "rounded", "optimal"):
        other = compute(mechanism=mechanism, **SMALL).bill
        assert other.attacked <= other.counted
        assert other.verdict == "holds"


def test_all_of_yours_costs_as_many_times_as_you_rated():
    result = compute(mechanism="optimal", unit="user", **SMALL)
    assert result.bill.counted == pytest.approx(result.ratings * 2.0)
    assert result.bill.verdict == "open"
    assert f"{result.ratings} of them" in EXPLORER.strip(result, Appearance())


def test_every_figure_draws_in_every_look():
    for mechanism, equal in STATES:
        result = compute(mechanism=mechanism, equal=equal, **SMALL)
        for view in (
            Appearance(),
            Appearance(theme="dark", narrow=True),
            Appearance(large=True, trail=(EXPLORER.mark(result),)),
        ):
            for figure in EXPLORER.figures:
                assert figure.draw(result, view)["layout"]["meta"]["alt"]
            assert "rp-strip" in EXPLORER.strip(result, view)


def test_axes_of_tape_and_error_stay_where_they_are():
    ranges = set()
    for mechanism, equal in STATES:
        for epsilon1 in (0.1, 3.0):
            result = compute(mechanism=mechanism, equal=equal, epsilon1=epsilon1, **SMALL)
            layouts = [figure.draw(result, Appearance())["layout"] for figure in EXPLORER.figures[:2]]
            ranges.add(tuple((*layout["xaxis"]["range"], *layout["yaxis"]["range"]) for layout in layouts))
    assert len(ranges) == 1


def test_no_finite_epsilon_stands_at_the_edge(start):
    drawn = EXPLORER.figures[1].draw(compute(equal=True, **SMALL), Appearance())
    dot = drawn["data"][-1]
    assert (dot["x"], dot["marker"]["symbol"], dot["text"]) == ([20.0], ["triangle-right"], ["∞"])


def test_the_whole_curve_is_read_and_only_where_it_was_run():
    values = EXPLORER.defaults
    whole, _ = curve(values)
    assert list(whole.x) == sorted(set(whole.x))
    assert all(low <= mean <= high for low, mean, high in zip(whole.low, whole.y, whole.high, strict=True))
    assert len(curve(values | {"mechanism": "piecewise", "equal": True})[0].x) > 5
    assert not any(curve(values | {"equal": True}))
    assert curve(values | {"factors": 3})[0] is None
    assert not any(curve(values | {"data": "synthetic"}))


def test_the_table_has_every_number_of_the_screen(start):
    frame = table(start)
    assert frame[frame.series == "this server, one fold"].y.item() == start.error
    assert (frame.note == "proof").sum() == start.tape.proofs
    shares = frame[frame.figure == "channel"].groupby("series").y.sum()
    assert shares.to_numpy() == pytest.approx(np.ones(5))


def test_the_snippet_prints_the_same_numbers_in_a_fresh_python():
    values = EXPLORER.defaults | SMALL | {"mechanism": "rounded", "epsilon1": 0.5, "seed": 2}
    done = subprocess.run([sys.executable, "-c", snippet(values)], capture_output=True, text=True, check=True)
    shown = compute(**values)
    assert done.stdout == (
        f"discrete-rr-mf: {shown.error:.3f}\nglobal-mean: {shown.rival:.3f}\n"
        f"claimed: {shown.bill.claimed:.3f}\ncounted: {shown.bill.counted:.3f}\n"
    )


def test_a_result_is_small_and_links_are_read_back(start):
    assert nbytes(start) < 100_000
    values = EXPLORER.defaults | {"epsilon1": 0.3, "mechanism": "duchi", "equal": True, "clip_reports": True}
    assert EXPLORER.read(EXPLORER.link(values)) == (values, ())
