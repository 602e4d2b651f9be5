"""The reckoning: every promise of the book on one line of ε, planted, attacked, counted.

    plant ──Attack──> climb ──> counted ──> done, and then the switches

The reader plants a ring on each line where she thinks that the true price lies. The page moves marks to places that are
given here, says sentences that are written here, and counts nothing but her hits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from recprivlib.living import board, kit
from recprivlib.living.board import FALLS, LEANS, STANDS, UNIT_WORDS, Standing, listed, number
from recprivlib.living.climbs import LOOKS, looked
from recprivlib.living.finds import Beside, beside
from recprivlib.living.promises import CROWDS, PROMISES, UNITS
from recprivlib.plots.numerals import count, epsilon

SCRIPTS = ("reckoning",)
SWITCHES = (("one", "one click or rating"), ("whole", "a person")), (("town", "a town"), ("country", "a country"))
PLANT = (
    "Each flag is what a paper promises, each ring is yours: drag it to where you think the **true price** lies, ∞ "
    "allowed. Then attack."
)
GUESS = "{label}: you say **{guess}**, {word}. The flag {claims}."
CLIMB = "Up to **{tries} tries** against each promise, on the code itself. A triangle is what they prove to be lost."
COUNTED = "And what an honest accountant **counts**, over the whole run."
KEY = (  # the marks of the board, and what each is
    ('<path class="flag" d="M5 20V3M5 2h13l-3 4 3 4H5z"/>', "claimed; a fallen one lies beside its stump"),
    ('<path class="proof" d="M4 3L18 11 4 19z"/>', "attacked: at least (at the left end: it saw nothing)"),
    ('<path class="end" d="M9 2h4v18H9z"/>', "counted: at most"),
    ('<path class="mixed" d="M9 3h3v16H9z"/>', "counted behind an honest mixer (the attack hears phones by name)"),
    ('<g class="knob"><circle class="ring" cx="11" cy="11" r="7"/><circle cx="11" cy="11" r="2.4"/></g>',
     "your guess, dotted to what is counted"),
    ('<path class="flag repair" d="M5 20V3M5 2h13l-3 4 3 4H5z"/>', "green: what the book puts beside a promise"),
)  # fmt: skip
CHART = "Each list beside one that anybody could print, the same for all (what is popular, or each film's mean):"
BESIDE = "a popular list (hollow: as printed)"
SCORE = "Who came within a factor of two of what is counted: **{who}**."
YOU = "you {you} of {all}, the papers {papers}"
PAPERS = "the papers {papers} of {all}"
QUESTIONS = (
    (
        "For whom?",
        "One click, one rating, or all that a person ever did: a price for one is not a price for the other.",
    ),
    ("Over what?", "All that leaves, in every round, the means and the counts too; and who is trusted not to look."),
    (
        "Who tried?",
        "A bound that nobody attacked is one that nobody checked. And is the list better than a popular one?",
    ),
)


def picture() -> dict[str, Any]:
    """All numbers and sentences of the board."""
    return {
        "id": "lv-reckoning", "scale": board.scale(), "guesses": board.guesses(),
        "rows": [board.row(one) for one in PROMISES],
        "tries": [count(looked(at)) for at in range(LOOKS)],
        "says": {"plant": PLANT, "guess": GUESS, "climb": CLIMB, "counted": COUNTED, "beside": BESIDE,
                 "score": SCORE, "you": YOU, "papers": PAPERS},
        "closing": {f"{unit} {crowd}": closing(unit, crowd) for unit in UNITS for crowd in CROWDS},
        "notes": {f"{unit} {crowd}": note(unit, crowd) for unit in UNITS for crowd in CROWDS},
        "papers": papers(), "table": table(),
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------- what it says


def papers() -> int:
    """How many papers are within a factor of two of what is counted, at what they promise."""
    return sum(one.right for one in board.standings("one", "town"))


def score(you: int | None = None) -> str:
    """The reader's score beside the papers' own; nobody is scored who planted nothing."""
    every = len(board.standings("one", "town"))
    who = kit.fill(PAPERS if you is None else YOU, you=you, papers=papers(), all=every)
    return kit.fill(SCORE, who=who)


def closing(unit: str, crowd: str) -> str:
    """What the board says at its end, as the switches stand; the score follows where it began."""
    if crowd == "country":
        return with_more(unit)
    rows = board.standings(unit, crowd)
    return ended(rows) if unit == "one" else for_a_person(rows)


def ended(rows: list[Standing]) -> str:
    """How many flags fall, lean and stand."""
    ends = [one.end for one in rows]
    fall, lean, stand = (ends.count(end) for end in (FALLS, LEANS, STANDS))
    open_ = len(ends) - fall - lean - stand
    parts = [f"{number(fall)} of {number(len(ends))} flags fall" if fall != 1 else f"one of {number(len(ends))} falls"]
    if lean:
        parts.append(f"{number(lean)} {'leans (it counts' if lean == 1 else 'lean (they count'} something else)")
    parts.append(f"{number(stand)} {'stands' if stand == 1 else 'stand'}")
    if open_:
        parts.append(f"{number(open_)} {'is' if open_ == 1 else 'are'} not proven")
    return f"{', '.join(parts).capitalize()}."


def for_a_person(rows: list[Standing]) -> str:
    """Whose flags were planted for less than a person."""
    small = [one for one in rows if one.end == LEANS and one.climb.claimed_unit != "user"]
    return (f"For a **whole person** {number(len(small))} of {number(len(rows))} flags lean: they were planted for one "
            "click or one rating. What an answer costs, a person pays for every answer.")  # fmt: skip


def with_more(unit: str) -> str:
    """What eighty towns change: bills, and lists."""
    before, after = board.standings(unit, "town"), board.standings(unit, "country")
    cheaper = [f"{a.label} from {epsilon(a.climb.counted, 'upper')} to {epsilon(b.climb.counted, 'upper')}"
               for a, b in zip(before, after, strict=True) if b.climb.counted < a.climb.counted]  # fmt: skip
    mixed = [f"{a.label} from {epsilon(a.climb.mixed, 'upper')} to {epsilon(b.climb.mixed, 'upper')}"
             for a, b in zip(before, after, strict=True) if b.climb.mixed < a.climb.mixed]  # fmt: skip
    now = [one for one in board.standings(unit, "country", True) if _beats(one.finds) and not _beats(_in_town(one))]
    lists = f" {number(len(now)).capitalize()} lists that did not beat the chart in a town now do." if now else ""
    whose = "A person in a country" if unit == "whole" else "A country"
    return (f"{whose}: **where phones answer by name, no bill moves**. A rare draw makes one cheaper "
            f"({listed(cheaper)}), an honest mixer another ({listed(mixed)}).{lists}")  # fmt: skip


def _beats(finds: Beside | None) -> bool:
    return finds is not None and finds.verb == "beats"


def _in_town(one: Standing) -> Beside | None:
    """What the same list is worth in a town, both as printed or both tuned."""
    return beside(one.promise, one.unit, "town", one.finds is not None and one.finds.tuned)


def note(unit: str = "one", crowd: str = "town") -> str:
    """On what the column beside the chart rests, as the switches stand."""
    rows = [one for one in board.standings(unit, crowd, True) if one.finds]
    tuned = [one.label for one in rows if one.finds and one.finds.tuned]
    if len(tuned) == len(rows):
        return f"{CHART} both searched alike, in every row."
    if not tuned:
        return f"{CHART} both as printed. Nobody has searched among so many people."
    rest = [one.label for one in rows if one.finds and not one.finds.tuned]
    if len(rest) > len(tuned):
        return f"{CHART} both as printed where hollow, searched alike where filled ({listed(tuned)})."
    return f"{CHART} both searched alike where filled, as printed where hollow ({listed(rest)})."


# ------------------------------------------------------------------------------------------------------ html


def table() -> list[list[str]]:
    """The numbers, where the board begins: a line a promise."""
    return [[say(one) for say in COLUMNS.values()]
            for one in board.standings("one", "town", True)]  # fmt: skip


def _exact(value: float) -> str:
    return "∞" if math.isinf(value) else epsilon(value, "upper")


COLUMNS: dict[str, Callable[[Standing], str]] = {
    "": lambda one: one.label,
    "for": lambda one: UNIT_WORDS[one.promise.one.terms[0]],
    "claimed": lambda one: "–" if math.isnan(one.climb.claimed) else board.short(one.climb.claimed),
    "counted": lambda one: _exact(one.climb.counted),
    "attacked, at least": lambda one: epsilon(one.climb.attacked, "lower"),
    "tries": lambda one: count(one.climb.tries),
    "its flag": lambda one: one.word,
    "its list": lambda one: one.quality,
}


def numbers(rows: list[list[str]]) -> str:
    """The table as HTML."""
    head = "".join(f"<th scope=col>{name}</th>" for name in COLUMNS)
    body = "".join(
        f"<tr><th scope=row>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def key() -> str:
    """What each mark of the board is."""
    return "".join(f'<li><svg viewBox="0 0 22 22" aria-hidden="true">{mark}</svg>{escape(text)}</li>'
                   for mark, text in KEY)  # fmt: skip


def html(told: Mapping[str, Any]) -> str:
    """The board before anything is planted; without a script its end, as a table."""
    first, second = (kit.segment(name, label, options, options[0][0]) for name, label, options in zip(
        ("unit", "crowd"), ("for whom", "how many people"), SWITCHES, strict=True))  # fmt: skip
    asked = "".join(f"<li><strong>{name}</strong> {text}</li>" for name, text in QUESTIONS)
    rows = numbers(told["table"])
    return kit.section(
        "reckoning", told,
        kit.bar(kit.button("Attack", "lv-go"), f'<span class="rk-switches" hidden>{first}{second}</span>'),
        kit.sentence(f"{told['closing']['one town']} {score()}"),
        '<div class="rk-board"><svg role="group" aria-label="a line of ε for each promise and repair"></svg></div>',
        f'<ul class="rk-key">{key()}</ul>'
        f'<p class="lv-note rk-note">{escape(told["notes"]["one town"])}</p>',
        f'<ol class="rk-three">{asked}</ol>',
        f'<details class="rk-table" open><summary>The numbers</summary>{rows}</details>',
        label="The reckoning: every promise of the book, attacked",
    )  # fmt: skip
