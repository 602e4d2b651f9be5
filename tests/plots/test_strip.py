"""The strip in every regime: its verdict, its words, its drawing and its sentence."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from recprivlib.plots.key import BANDS
from recprivlib.plots.numerals import STEPS, best_guess
from recprivlib.plots.strip import BAY, LANE, Strip, place, strip

TERMS = {"unit": "one rating, changed", "trust": "nobody (local)"}
BROKEN = Strip(2.0, math.inf, 7.6, 9.1, 100_000, why_infinite="one report can be proof", **TERMS)
CASES = {
    "broken": (BROKEN, "broken", "broken"),
    "holds": (Strip(1.0, 1.0, 0.93, 9.1, 100_000, **TERMS), "holds", "holds"),
    "priced": (Strip(14.3, 1.1, 0.4, delta=1e-5, **TERMS), "holds", "holds, 13× higher than needed"),
    "open": (Strip(4.0, 11.0, 2.5, **TERMS), "open", "not broken by our attack, not proven"),
    "other": (Strip(250.0, 4505.0, 11.0, other_terms="one epoch", **TERMS), "open", "counts something else: one epoch"),
    "infinite": (Strip(1.0, math.inf, math.inf, why_infinite="a zero is proof", **TERMS), "broken", "broken"),
    "refused": (Strip(1.0, unknown="δ of SGLD", **TERMS), "open", "not proven"),
    "nothing": (Strip(nothing="the server sees every click"), "", ""),
    "unattacked": (Strip(1.0, 1.0, **TERMS), "holds", "holds"),
    "unclaimed": (Strip(None, 8.1, 7.9, **TERMS), "", ""),
    "beyond both ends": (Strip(20_000.0, 30_000.0, 0.001, **TERMS), "open", "not broken by our attack, not proven"),
}  # fmt: skip
EVERY = pytest.mark.parametrize("it", [case[0] for case in CASES.values()], ids=list(CASES))


@pytest.mark.parametrize(("it", "ruling", "words"), list(CASES.values()), ids=list(CASES))
def test_verdict(it, ruling, words):
    assert (it.ruling, it.words) == (ruling, words)


def test_a_verdict_of_the_audit_is_not_overruled_by_the_numbers_shown():
    """The audit decides at α = 10⁻⁶ and may know an exact channel; the strip shows the bound at 95 %."""
    assert replace(BROKEN, verdict="open").ruling == "open"


@pytest.mark.parametrize(("ratio", "words"), [(1.25, "holds"), (1.3, "holds, 1.3× higher than needed")])
def test_a_claim_is_called_higher_than_needed_from_a_quarter_on(ratio, words):
    assert Strip(2.0 * ratio, 2.0).words == words


def drawings(text):
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg role=.*?</svg>(?=<p>|</div>)", text)]


@EVERY
def test_both_drawings_are_well_formed_and_carry_the_sentence(it):
    found = drawings(strip(it))
    assert len(found) == 2
    assert {svg.get("aria-label") for svg in found} == {it.sentence}
    assert all(svg.get("role") == "img" for svg in found)


@EVERY
@pytest.mark.parametrize("narrow", [False, True])
def test_no_lane_is_empty_and_every_number_is_said(it, narrow):
    text = strip(it, narrow)
    for line in it.lines:
        assert line in re.sub(r"<[^>]*>", "", text) or not line
    (svg,) = drawings(text)
    drawn = [part for part in svg.iter() if part.tag in ("path", "pattern") or part.get("text-anchor")]
    assert drawn


@EVERY
def test_nothing_is_drawn_outside_the_lane(it):
    for at in re.findall(r'x="(-?[\d.]+)%"', strip(it)):
        assert 0 <= float(at) <= 100


@EVERY
def test_colours_are_variables_that_follow_the_page(it):
    assert not re.findall(r'(?:fill|stroke)="#', strip(it))


@pytest.mark.parametrize("name", ["broken", "holds", "priced", "open", "other", "infinite"])
def test_labels_under_the_lane_do_not_meet_at_the_narrowest_width(name):
    """Laid out at 600 px with 6.9 px a character; per cent at that width, or pixels."""
    (svg,) = drawings(strip(CASES[name][0], narrow=False))
    labels = [part for part in svg.iter("text") if part.get("y") == "78"]
    spans = []
    for label in labels:
        x = label.get("x")
        left = 6.0 * float(x[:-1]) if x.endswith("%") else float(x)
        spans.append((left, left + 6.9 * len("".join(label.itertext()))))
    (_, first), (second, end) = spans
    assert first < second
    assert end <= 600 + 1


def test_the_sentence_says_everything():
    said = BROKEN.sentence
    numbers = ("Claimed 2.0: broken", "at least 7.6", "95\u202f% confidence", "100\u202f000 tries", "9.1 at most")
    terms = ("no finite ε (one report can be proof)", "one rating, changed", "nobody (local)", "whole run")
    for part in numbers + terms:
        assert part in said
    assert "1\u00a0in\u00a0100\u202f000" in CASES["priced"][0].sentence
    assert CASES["nothing"][0].sentence == "Nothing promised: the server sees every click."
    assert "Not attacked yet" in CASES["unattacked"][0].sentence


def test_bounds_are_rounded_so_that_they_still_hold():
    attacked, counted = Strip(2.0, 1.01, 0.989, **TERMS).lines[1:]
    assert attacked == "attacked: at least 0.98"
    assert counted == "counted: 1.1"


def test_places_are_logarithmic_with_a_bay_for_infinity():
    assert place(0.01) == place(0.05) == 0
    assert place(10_000) == place(1e9) == LANE
    assert BAY < place(math.inf) < 100
    assert place(1) - place(0.1) == pytest.approx(place(1000) - place(100))


def test_a_broken_flag_has_a_dashed_pole_and_one_on_other_terms_is_hollow():
    dashed = 'stroke-dasharray="3 3"'
    assert dashed in strip(BROKEN)
    assert dashed not in strip(CASES["holds"][0])
    hollow = r'fill="none" stroke="var\(--rp-paper'
    assert re.search(hollow, strip(CASES["other"][0]))
    assert not re.search(hollow, strip(CASES["holds"][0]))


def test_units_are_buttons_and_the_present_one_is_pressed():
    text = strip(replace(BROKEN, units=("one rating", "all of yours: 65")))
    assert re.findall(r'data-unit="(\d)" aria-pressed="(\w+)"', text) == [("0", "true"), ("1", "false")]


def test_what_it_is_given_cannot_break_the_page():
    text = strip(replace(BROKEN, unit='<b>"x"</b>', why_infinite="<script>"))
    assert "<b>" not in text
    assert "<script>" not in text


def test_it_says_what_was_attacked():
    """Beside the bound, to the eye and in the sentence; nothing where nobody has attacked."""
    shown = replace(BROKEN, played="one release, as the ledger states it")
    assert "whole run · attacked: one release, as the ledger states it" in shown.terms
    assert "attacked: one release, as the ledger states it" in strip(shown)
    assert "attacked: one release" in shown.sentence
    assert "attacked: one release" not in replace(shown, attacked=None).terms


def told(text):
    return re.sub(r"<[^>]*>", "", text[text.index("<details") :])


@EVERY
def test_the_key_explains_the_marks_that_are_drawn_and_no_other(it):
    marks = {"⚑": it.claimed, "▶": it.attacked, "▷": it.ceiling, "▌": it.counted}
    wanted = {mark for mark, value in marks.items() if value is not None and not it.nothing}
    assert {mark for mark in marks if mark in told(strip(it))} == wanted
    assert "grey bands" in told(strip(it))


def test_the_bands_say_how_often_a_guess_can_be_right_and_never_less():
    shares = [float(share) for share in re.findall(r"([\d.]+)\u202f%", BANDS)]
    for share, step in zip(shares, STEPS, strict=True):
        assert 0 <= share - 100 * best_guess(step) < (0.1 if step < 10 else 0.001)
