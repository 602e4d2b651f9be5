"""The path of a chapter: which settings of one dashboard its steps and its prose ask for.

    ```{path} dplcf                                  the dashboard that the steps steer
    ```
    ```{step} epsilon=1 view=tiles,odds              what a step sets
    ```
    {set}`eighty towns <people=80 ghost.people=1>`   words in the prose that set it, on top of their step

A word of the settings is `control=value`, `view=figure,…` (what is on show), `ghost.control=value,…` (one faint
comparison a value), `guess` (the answer stays hidden until the reader has given one), `play=control` (a word that
moves this control from stop to stop up to its value, while the reader looks on), `verb=beats` (or `level`, `loses`:
what the prose beside it says; the sentence of the figure has to say the same), or `number=29%[26,32]`: what the prose
says and the interval that it has over people and draws, in which the figure's one draw has to lie; without an interval
(`number=73%`) it is no draw, and the figure says the very same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from recprivlib.dashboard.contract import Explorer
from recprivlib.parameters import UserError
from recprivlib.plots.numerals import THIN

PATH = re.compile(r"^`{3,}\{path\} +([\w-]+)", re.MULTILINE)
STEP = re.compile(r"^`{3,}\{step\} *(.*)$", re.MULTILINE)
SHORT = re.compile(r"^:short: *(.+)$", re.MULTILINE)
SET = re.compile(r"\{set\}`([^`<]*?)\s*<([^`>]*)>`")


VERBS = {"beats": "beats", "level": "is level with", "loses": "loses to"}
NUMBER = re.compile(r"(\d*\.?\d+)(%?)(?:\[(\d*\.?\d+),(\d*\.?\d+)\])?")


@dataclass(frozen=True)
class Number:
    """What the prose says of a state, as it is written there: ".929" or "29 %", with its interval if it has one."""

    written: str
    percent: bool = False
    interval: tuple[str, str] | None = None

    def __str__(self) -> str:
        """As a reader reads it.

        >>> str(number("29%[26,32]")), str(number(".929[.914,.944]")), str(number("43"))
        ('29\u202f% [26, 32]', '.929 [.914, .944]', '43')
        """
        unit = f"{THIN}%" if self.percent else ""
        return f"{self.written}{unit}{' [{}, {}]'.format(*self.interval) if self.interval else ''}"

    def holds(self, written: str) -> bool:
        """Whether a number that a figure says is this one, or lies in its interval.

        >>> number("29%[26,32]").holds("31.4"), number("73%").holds("73"), number(".929[.914,.944]").holds("0.95")
        (True, True, False)
        """
        low, high = self.interval or (self.written, self.written)
        return float(low) <= float(written) <= float(high)


@dataclass(frozen=True)
class State:
    """What a step or a word in the prose puts on show."""

    values: dict[str, Any]  # of every control
    view: tuple[str, ...]  # figures, the main one first
    ghosts: tuple[dict[str, Any], ...] = ()  # changes to `values`
    guess: bool = False
    play: str = ""  # the control that is moved up to its value, stop by stop
    verb: str = ""  # what the prose says of it beside its rival; nothing: it says nothing
    number: Number | None = None  # what the prose says was measured there


def state(which: Explorer, text: str, base: State | None = None) -> State:
    """The state that `text` asks for, on top of `base` (else of the defaults)."""
    values = dict(base.values if base else which.defaults)
    view = base.view if base else (which.figures[0].name,)
    ghosts = base.ghosts if base else ()
    guess, play, verb, said = False, "", "", None
    compared: dict[str, list[Any]] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if word == "guess":
            guess = _guessable(which)
        elif not equals:
            raise UserError(f"{word!r} is no setting of {which.stem}; write control=value, view=… or guess")
        elif name == "play":
            play = which.control(value).name
        elif name == "verb":
            verb = _verb(value)
        elif name == "number":
            said = number(value)
        elif name == "view":
            view = tuple(which.figure(part).name for part in value.split(","))
        elif name.startswith("ghost."):
            control = which.control(name.removeprefix("ghost."))
            compared[control.name] = [control.checked(part) for part in value.split(",") if part]
        else:
            values[name] = which.control(name).checked(value)
    if compared:
        ghosts = tuple(dict(zip(compared, chosen, strict=True)) for chosen in product(*compared.values()))
    return State(values, view, ghosts, guess, play, verb, said)


def stops(which: Explorer, known: State) -> list[Any]:
    """The values that a played control passes, its last one included; none where nothing is played."""
    if not known.play:
        return []
    control, last = which.control(known.play), known.values[known.play]
    values = [value for value, _ in control.choices] or list(control.steps)
    return [*values[: values.index(last)], last] if last in values else [last]


def _verb(word: str) -> str:
    if word not in VERBS:
        raise UserError(f"verb is {word!r}, but must be one of {', '.join(VERBS)}")
    return VERBS[word]


def number(word: str) -> Number:
    """A number as a setting holds it."""
    found = NUMBER.fullmatch(word)
    if not found:
        raise UserError(f"number is {word!r}, but must be like 29%[26,32] or .929, with an interval or without")
    value, unit, low, high = found.groups()
    if low is not None and not float(low) <= float(value) <= float(high):
        raise UserError(f"number is {word!r}, which lies outside its own interval")
    return Number(value, unit == "%", None if low is None else (low, high))


def _guessable(which: Explorer) -> bool:
    if which.sketch is None and which.predict is None:
        raise UserError(f"{which.stem} has no question to guess at: give it a Sketch or a Predict")
    return True


def key(which: Explorer, known: State) -> str:
    """The name of what is drawn for a state; the figures on show do not matter to it."""
    ghosts = (which.key(known.values | ghost) for ghost in known.ghosts)
    return "|".join((which.key(known.values), *ghosts))


def told(which: Explorer, known: State) -> dict[str, Any]:
    """A state as a page holds it: plain texts."""
    text = {name: which.control(name).text(value) for name, value in known.values.items()}
    ghosts = [{n: which.control(n).text(v) for n, v in ghost.items()} for ghost in known.ghosts]
    return {"values": text, "view": list(known.view), "ghosts": ghosts, "guess": known.guess} | (
        {"play": known.play, "stops": [which.control(known.play).text(stop) for stop in stops(which, known)]}
        if known.play
        else {}
    )


def stem(chapter: str) -> str:
    """The dashboard that a chapter's path steers, "" if it has none."""
    found = PATH.search(chapter)
    return found[1] if found else ""


def states(which: Explorer, chapter: str) -> Iterator[State]:
    """Every state that the steps of a chapter and the words in its prose ask for."""
    marks = [*STEP.finditer(chapter)]
    ends = [mark.start() for mark in marks[1:]] + [len(chapter)]
    for mark, end in zip(marks, ends, strict=True):
        step = state(which, mark[1])
        yield step
        for words in SET.finditer(chapter, mark.end(), end):
            word = state(which, words[2], step)
            yield word
            for stop in stops(which, word)[:-1]:
                yield replace(word, values=word.values | {word.play: stop}, verb="", number=None)
