"""The board of the reckoning: where each mark stands on one line of ε, and the words beside it, as the switches stand.

    promises ─> climbs (what is committed of audits) ─┐
             ─> finds  (what is committed of tables) ─┴─> state: marks, their words, one sentence of it all

A flag falls where the attack proves more than it claims, leans where it counts something else than is asked, and stands
where no more is counted. Places are per cent of the lane of the strip (plots/strip.py): a page computes none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from recprivlib.living.climbs import Climb, committed
from recprivlib.living.finds import Beside, beside, read
from recprivlib.living.promises import PROMISES, UNITS, Promise
from recprivlib.plots.numerals import STEPS, WORDS, count, epsilon, joined, setting, times
from recprivlib.plots.numerals import word as meaning
from recprivlib.plots.strip import BAY, LANE, place

FALLS, LEANS, STANDS, OPEN = "falls", "leans", "stands", "open"
FULL = {False: 0.3, True: 0.1}  # a gap to the chart that fills its side: shares of people, or stars
MORE = 1.25  # times what is counted, above which a claim is called too careful
FACTOR = 2.0  # within which a price is called right
UNIT_WORDS = {"interaction": "one click", "rating": "one rating", "user": "a person"}
MANTISSAS = (1, 1.5, 2, 3, 5, 7)
GUESSES = (*(m * 10.0**e for e in range(-2, 4) for m in MANTISSAS if m * 10.0**e >= 0.05), 10_000.0, math.inf)
EDGES = (0.0, *(place(step) for step in STEPS), LANE)
TICKS = ((0.1, "ε = .1"), (1.0, "1"), (10.0, "10"), (100.0, "100"), (1000.0, setting(1000)), (math.inf, "∞"))


@dataclass(frozen=True)
class Standing:
    """One row as the switches stand."""

    promise: Promise
    climb: Climb
    unit: str
    finds: Beside | None
    instead: Beside | None

    @property
    def claimed(self) -> float:
        """What is claimed; a repair that claims nothing is held to its own bill."""
        return self.climb.counted if math.isnan(self.climb.claimed) else self.climb.claimed

    @property
    def other(self) -> str:
        """What the claim counts, if that is not what is asked here."""
        one = self.climb
        if math.isnan(one.claimed):
            return ""
        if one.counts != "whole run":
            return one.counts
        return UNIT_WORDS[one.claimed_unit] if self.unit == "whole" and one.claimed_unit != "user" else ""

    @property
    def end(self) -> str:
        """How its flag ends."""
        if self.other:
            return LEANS
        if self.climb.verdict == "broken":
            return FALLS
        return STANDS if self.climb.counted <= self.claimed * (1 + 1e-9) else OPEN

    @property
    def falls_at(self) -> int | None:
        """The look at which the attack has passed the flag; that after all of them where it is proved another way."""
        if self.end != FALLS:
            return None
        passed = (at for at, bound in enumerate(self.climb.bounds) if bound > self.claimed)
        return next(passed, len(self.climb.bounds))

    @property
    def unchecked(self) -> bool:
        """Whether its bill may say "holds", but no audit could move the code far enough in this crowd to say so."""
        return self.climb.verdict == "open" and not math.isnan(self.climb.claimed)

    @property
    def word(self) -> str:
        """How it ends, in a few words."""
        one = self.climb
        if self.end == FALLS:
            return f"falls: ≥ {epsilon(one.attacked, 'lower')}"
        if self.end == LEANS:
            honest = "" if math.isnan(one.mixed) else f", mixed: {epsilon(one.mixed, 'upper')}"
            return f"leans: {self.other}{honest}"
        if self.end == STANDS:
            ratio = self.claimed / one.counted
            return f"stands, {times(ratio)} too careful" if ratio > MORE else "stands"
        return "not proven"

    @property
    def right(self) -> bool:
        """Whether the claim is within a factor of two of what is counted."""
        return near(self.claimed, self.climb.counted)

    @property
    def label(self) -> str:
        """The name of the row."""
        return self.promise.whole_label if self.unit == "whole" and self.promise.whole_label else self.promise.label

    @property
    def rated(self) -> bool:
        """Whether its list is judged by its error, in stars, and not by the films that it finds."""
        known = self.finds or self.instead
        assert known is not None
        return known.rating

    @property
    def quality(self) -> str:
        """What its list is worth beside the chart; where it was never run, what is known instead."""
        if self.finds:
            return self.finds.words
        assert self.promise.instead is not None
        assert self.instead is not None
        return f"was not run there; {self.promise.instead.spoken} it {self.instead.words}"

    @property
    def beside(self) -> str:
        """The same, beside the row."""
        if self.finds:
            return self.finds.short
        assert self.promise.instead is not None
        assert self.instead is not None
        return f"{self.promise.instead.words}: {self.instead.short}"

    @property
    def brief(self) -> str:
        """How it ends and what its list is worth, in the width of a phone."""
        if self.finds:
            return f"{self.word} · {self.finds.brief}"
        assert self.promise.instead is not None
        assert self.instead is not None
        return f"{self.word} · {self.promise.instead.words}: {self.instead.brief}"

    @property
    def said(self) -> str:
        """All of it, for those who hear the board."""
        one = self.climb
        claim = f"claims {short(one.claimed)}" if not math.isnan(one.claimed) else "claims nothing of its own"
        why = f", {one.why_infinite}" if math.isinf(one.counted) and one.why_infinite else ""
        seen = "; the code was checked in a town only" if self.end == STANDS and self.unchecked else ""
        mixed = "" if math.isnan(one.mixed) else f" (behind an honest mixer {epsilon(one.mixed, 'upper')})"
        proved = f"attacked at least {epsilon(one.attacked, 'lower')}"
        counted = f"counted {epsilon(one.counted, 'upper')}{why}{mixed}"
        return f"{self.label}: {claim}, {proved}, {counted}; {self.word}{seen}. Its list {self.quality}."


def near(guess: float, truth: float) -> bool:
    """Within a factor of two; infinity is only near itself."""
    if math.isinf(guess) or math.isinf(truth):
        return guess == truth
    return max(guess / truth, truth / guess) <= FACTOR


def standing(promise: Promise, unit: str, crowd: str) -> Standing:
    """A row as the switches stand."""
    finds = beside(promise, unit, crowd)
    other = None if finds or not promise.instead else read(promise.instead.priced, promise.instead.found)
    return Standing(promise, committed()[promise.key, unit, crowd], unit, finds, other)


def standings(unit: str, crowd: str, repairs: bool = False) -> list[Standing]:
    """The promises, in order; with `repairs`, these too."""
    return [standing(one, unit, crowd) for one in PROMISES if repairs or not one.repairs]


def state(one: Standing) -> dict[str, Any]:
    """A row for the page: places, and words."""
    climb = one.climb
    claim = one.claimed
    gap = max(-1.0, min(1.0, one.finds.gap / FULL[one.finds.rating])) if one.finds else None
    return {
        "label": one.label, "claim": _at(claim), "claims": f"claims {short(claim)}",
        "bounds": [_at(bound) for bound in climb.bounds], "attacked": _at(climb.attacked),
        "counted": _at(climb.counted), "mixed": None if math.isnan(climb.mixed) else _at(climb.mixed),
        "end": one.end, "falls": one.falls_at, "word": one.word, "gap": None if gap is None else round(gap, 3),
        "stars": one.rated, "printed": one.finds is not None and not one.finds.tuned,
        "beside": one.beside, "brief": one.brief, "said": one.said,
        "near": [at for at, guess in enumerate(GUESSES) if near(guess, climb.counted)],
    }  # fmt: skip


def row(promise: Promise) -> dict[str, Any]:
    """A row with all its states."""
    states = {
        f"{unit} {crowd}": state(standing(promise, unit, crowd)) for unit in UNITS for crowd in ("town", "country")
    }
    claimed = standing(promise, "one", "town").claimed
    start = min(range(len(GUESSES) - 1), key=lambda at: abs(math.log(GUESSES[at] / claimed)))
    return {"key": promise.key, "repairs": promise.repairs, "start": start, "states": states}


def guesses() -> list[dict[str, Any]]:
    """Where a ring can be put: its place, what it says there, and how that is spoken."""
    return [
        {
            "at": _at(value),
            "text": "∞" if math.isinf(value) else f"ε = {short(value)}",
            "word": meaning(value),
            "spoken": f"{'no finite epsilon' if math.isinf(value) else f'epsilon {short(value)}'}, {meaning(value)}",
        }
        for value in GUESSES
    ]


def scale() -> dict[str, Any]:
    """The line of ε: its shades, its bay and its numbers."""
    return {"edges": [round(edge, 2) for edge in EDGES], "bay": BAY, "words": list(WORDS),
            "ticks": [[_at(value), text] for value, text in TICKS]}  # fmt: skip


def listed(names: list[str]) -> str:
    """ "a, b and c", or "none"."""
    return joined(names) if names else "none"


def number(n: int) -> str:
    """A small number as a word."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return words[n] if n < len(words) else count(n)


def _at(value: float) -> float:
    return round(place(value), 2)


def _three(value: float) -> float:
    return float(f"{value:.3g}")


def short(value: float) -> str:
    """A price that somebody sets: as short as it can be written; with more than three digits, rounded up as a bound."""
    three = _three(value)
    return setting(three) if math.isclose(three, value, rel_tol=1e-9) else epsilon(value, "upper")
