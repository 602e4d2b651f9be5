"""One rule for numbers, in every slot of every step: no bound is rounded towards comfort, no verb lacks its digits.

A result is given numbers that tell rounding up, down and to the nearest apart. Then every sentence, strip, label, table
and text under the pointer is read: a rounding that claims more than is known stands nowhere.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any

import pytest

from recprivlib.dashboard.bills import ThreeNumbers
from recprivlib.evaluation import Difference
from recprivlib.papers.ldp_svd.screen.words import rounded, say_rounded
from recprivlib.papers.privrec.screen import pulls
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.plots.numerals import THIN
from tests.dashboard.stepping import CHAPTERS, drawn, live, states, texts
from widgets.kit.tables import tables

CLAIMED, COUNTED, ATTACKED, CEILING = 3.14149, 5.44149, 2.87151, 7.87151  # ε
FALSE = ("3.1", "3.141", "5.4", "5.441", "2.9", "2.872", "7.9", "7.872")  # a bound that says less, or an attack more
BILLS = ("course", "curves", "now", "deltas", "bills")  # fields of results that hold counted ε
NUMBER = r"(?<![\d.,−])\d[\d.,]*(?<![.,])"
ODD = re.compile(
    r"(?<![\d.,\u202f])1 (?:epochs|rounds|reports|phones|people|tries|answers|times|weights|bugs)\b"
    r"|(?<![\d.,\u202f])1 of (?:these|the) [\d\u202f]+(?: \w+){0,6}? are\b|\d(?:\.\d+)?e[-+]?\d"
)


def sharpened(result: Any) -> Any:
    """The same result, each of its bounds one that no digits of a sentence can hold."""
    moved: dict[str, Any] = {}
    for part in fields(result):
        value = getattr(result, part.name)
        if isinstance(value, ThreeNumbers):
            moved[part.name] = replace(
                value, claimed=CLAIMED, counted=COUNTED, attacked=ATTACKED, ceiling=CEILING, rungs=((200, ATTACKED),),
                tries=200, why_infinite="", verdict="open", delta=0.0,
            )  # fmt: skip
        elif part.name in BILLS and isinstance(value, dict):
            moved[part.name] = {name: _sharp(each) for name, each in value.items()}
    return replace(result, **moved)


def _sharp(value: Any) -> Any:
    return (COUNTED,) * len(value) if isinstance(value, tuple) else COUNTED


def billed(stem: str) -> bool:
    return any(one.name == "bill" for one in fields(live(stem).compute(**states(stem)[0].values)))


def found(text: str) -> set[str]:
    return set(re.findall(NUMBER, text))


def misread(stem: str) -> list[str]:
    """Every slot at every state of a chapter that says of a bound what is not known."""
    wrong, said = [], set()
    for one in states(stem):
        result = sharpened(live(stem).compute(**one.values))
        slots = [*texts(drawn(live(stem), one, result))]
        slots += [("table", cell) for table in tables(live(stem).table(result)).values()
                  for cell in chain.from_iterable(table["rows"])]  # fmt: skip
        for where, text in slots:
            said |= found(text)
            wrong += [f"{where} at {live(stem).link(one.values)}: {text}"] if found(text) & set(FALSE) else []
    if billed(stem) and not wrong:
        assert {"5.5", "2.8"} <= said  # else nothing was looked at
    return wrong


@pytest.mark.parametrize("stem", CHAPTERS)
def test_no_bound_is_rounded_towards_comfort_in_any_slot(stem):
    assert not misread(stem)


def test_a_strip_that_rounds_to_the_nearest_is_seen(monkeypatch):
    from recprivlib.plots import strip
    from recprivlib.plots.numerals import epsilon

    monkeypatch.setattr(strip, "bounded", epsilon)
    assert misread("dplcf")


@pytest.mark.parametrize("stem", CHAPTERS)
def test_the_strip_of_every_step_holds_for_its_own_result(stem):
    """Claimed and counted are printed no lower than they are, attacked and its ceiling no higher."""
    for one in states(stem):
        result = live(stem).compute(**one.values)
        if not hasattr(result, "bill"):
            continue
        spoken = drawn(live(stem), one)["strip"].replace(THIN, "")
        for word, value, up in (("Claimed", result.bill.claimed, True), ("Counted:", result.bill.counted, True),
                                ("Attacked: at least", result.bill.attacked, False),
                                ("which could show", result.bill.ceiling, False)):  # fmt: skip
            told = re.search(rf"{word} ({NUMBER})", spoken)
            if told and value is not None:
                gap = (float(told[1]) - value) * (1 if up else -1)
                assert gap >= -1e-8 * abs(value), (word, told[1], value, one.values)


@pytest.mark.parametrize("stem", CHAPTERS)
def test_one_of_something_is_one_and_what_is_tiny_has_its_power_of_ten(stem):
    for one in states(stem):
        odd = [(where, text) for where, text in texts(drawn(live(stem), one)) if ODD.search(text)]
        assert not odd, one.values


def test_odd_words_are_seen():
    odd = [
        "in each of 1 epochs",
        "1 of these 40 are lies",
        "1 of these 40 answers are lies",
        "at δ = 1e-06",
        "1 phones",
    ]
    assert all(map(ODD.search, odd))
    assert not any(map(ODD.search, ["21 epochs", "1 epoch", "11 of these 40 are lies", f"1{THIN}001 phones", "the 2e"]))


# ------------------------------------------------------------------------------------------- verbs and digits

NEARLY = Difference(0.0001, 0.00005, 0.00015)
PAIR = re.compile(
    r"(?P<own>[\d.]+)(?P<unit>\s?%| stars)(?:(?!\d\s?%|\d stars)[^:])*?\b(?:beats|loses to)\b"
    r"(?:(?!\d\s?%|\d stars).)*?(?P<other>[\d.]+)(?P=unit)"
)


def close(stem: str, result: Any) -> Any:
    """The same result a hair better than its rival, and so on all the same people."""
    if stem == "dplcf":
        near = replace(result.popular, hr=tuple(rate - 0.0001 for rate in result.yours.hr))
        return replace(result, popular=near, versus=NEARLY)
    if stem == "fmf_ldp":
        return replace(
            result, versus=NEARLY, levels={**result.levels, "popularity": result.points[-1].sampled - 0.0001}
        )
    if stem == "ldp_svd":
        return replace(result, rival=result.error + 0.0001, versus=replace(NEARLY, lower_is_better=True))
    if stem == "dp_pnbm":
        floors = {**result.floors, "private-popularity": result.error + 0.0001}
        return replace(result, floors=floors, versus=replace(NEARLY, low=-0.0002, high=-0.0001, lower_is_better=True))
    if stem != "recommenders":
        pytest.fail(f"say in close() how a result of {stem} looks a hair better than its rival", pytrace=False)
    near = replace(result.sampled, popular=tuple(rate - 0.0001 for rate in result.sampled.yours), versus=NEARLY)
    return replace(result, sampled=near)


def blurred(slots: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Texts that speak of a difference which their digits do not show."""
    return [(where, text) for where, text in slots if "sentence" in where
            for pair in PAIR.finditer(text.replace(THIN, " ")) if pair["own"] == pair["other"]]  # fmt: skip


@pytest.mark.parametrize("stem", sorted(CHAPTERS.keys() - {"privacy", "privrec"}))
def test_a_difference_that_a_sentence_speaks_of_is_seen_in_its_digits(stem):
    seen = 0
    for one in states(stem):
        result = live(stem).compute(**one.values)
        for shown in (result, close(stem, result)):
            slots = [*texts(drawn(live(stem), one, shown))]
            seen += sum(bool(PAIR.search(text.replace(THIN, " "))) for _, text in slots)
            assert not blurred(slots), one.values
    assert seen > 2  # else the pattern finds nothing


def test_digits_that_hide_a_difference_are_seen():
    assert blurred([("sentence", "the error is 0.95 stars; it beats what learned nothing, 0.95 stars")])
    assert not blurred([("sentence", "it finds 11.4 % and beats just what is popular, 11.2 %")])
    assert not blurred([("sentence", "it finds 11 % and is level with just what is popular, 11 %")])


def test_dp_pnbm_prints_the_third_decimal():
    one = states("dp_pnbm")[0]
    told = drawn(live("dp_pnbm"), one)
    shown = re.findall(r"([\d.]+) stars", " ".join([told["say"], told["brief"], *(
        text for where, text in texts(told) if "told" in where)]))  # fmt: skip
    assert len(shown) > 4
    assert all(len(number.partition(".")[2]) >= 3 for number in shown), shown


# -------------------------------------------------------------------------------------------- proved, and how well


@pytest.mark.parametrize(("sampling", "word"), [("fixed-size", "best proved"), ("poisson", "tight")])
def test_tight_is_said_only_where_the_accountant_proves_it(sampling, word):
    values = live("privrec").defaults
    result = live("privrec").compute(**values)
    shown = replace(result, system=replace(result.system, sampling=sampling))
    assert result.proved == pulls.proved(DPPrivRec(rounds=result.system.rounds), result.people, 1e-5)
    for said in (live("privrec").say(shown), live("privrec").brief(shown)):
        assert word in said
        assert ("tight" in said) == (word == "tight")


@pytest.mark.parametrize("epsilon1", [0.1, 0.7, 1.0, 2.3, 3.0])
def test_the_exact_epsilon_of_a_report_is_no_less_than_it_is_printed(epsilon1):
    result = replace(live("ldp_svd").compute(mechanism="rounded"), epsilon1=epsilon1)
    told = re.search(r"a true ε of (\d*\.?\d+)", say_rounded(result))
    assert float(told[1]) >= rounded(epsilon1, 1.0)


# ------------------------------------------------------------------------------- one unit, one population


def test_a_person_and_a_report_are_never_set_against_each_other():
    result = live("ldp_svd").compute(mechanism="rounded", unit="user")
    said, one = live("ldp_svd").say(result), f"{rounded(1.0, 1.0):.1f}"
    assert f"of one report is {one}" in said
    assert f"for all {result.ratings} reports of a typical person" in said
    assert is_dataclass(result)


def test_the_exact_sum_of_the_sentence_is_what_the_strip_counts():
    result = live("fmf_ldp").compute()
    assert result.bill.counted == pytest.approx(result.course["exact"][-1])
    assert result.bill.delta == result.delta


def test_what_is_trained_is_billed_for_those_who_train_it():
    one = next(one for one in states("privrec") if one.values["train"] and one.values["people"] > 754)
    which = live("privrec")
    assert one.values["people"] == which.defaults["people"] == 4800
    result, train = which.compute(**one.values), 754
    assert result.people == train
    assert result.bill.unit == f"one of {train} people, replaced by another"
    assert f"For {train} people" in which.say(result)
    assert not which.control("people").active(one.values)
    ((_, label),) = which.control("people").options(one.values)
    assert label == f"{train} people, who train it"


def test_the_group_of_the_longest_histories_is_named():
    result = live("recommenders").compute()
    said = live("recommenders").figure("activity").say(result)
    assert "more than 240" in said
