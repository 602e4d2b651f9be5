"""A `Result` of dashboard `recommenders` in sentences."""

from __future__ import annotations

import numpy as np

from recprivlib.dashboard.contract import Predict
from recprivlib.plots.axes import GROUPS
from recprivlib.plots.numerals import count, percent
from recprivlib.primers.recommenders.compute import Result


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    near, far = result.sampled, result.full
    k = result.k
    if result.system == "popularity":
        return (f"One list for everybody, no model at all: in a line-up of 100 films your next film is in its "
                f"top {k} {percent(near.yours[k - 1])} of the time. Among all {count(result.items)} films: "
                f"{percent(far.yours[k - 1])}.")  # fmt: skip
    lineup = (f"In a line-up of 100 films, the top {k} of {result.name} holds your next film "
              f"{percent(near.yours[k - 1])} of the time and {near.versus.verb} just what is popular "
              f"({percent(near.popular[k - 1])}).")  # fmt: skip
    catalogue = (f"Among all {count(result.items)} films it holds {percent(far.yours[k - 1])} and "
                 f"{far.versus.verb} what is popular ({percent(far.popular[k - 1])}).")  # fmt: skip
    return f"{lineup} {catalogue}"


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    near, far = result.sampled.yours[result.k - 1], result.full.yours[result.k - 1]
    said = PREDICT.answers[answer].lower()
    return (f"You said {said}. Of {percent(near)} in the line-up, {percent(far)} is left among all "
            f"{count(result.items)} films: {percent(far / near)} of the score.")  # fmt: skip


def _field(result: Result) -> str:
    return "In a line-up of 100 films" if result.rivals == "sampled" else f"Among all {count(result.items)} films"


def say_length(result: Result) -> str:
    """One of the two tasks, in words."""
    shown, k = result.shown, result.k
    told = (
        f"{_field(result)} the top {k} of {result.name} holds your next film {percent(shown.yours[k - 1])} of the time"
    )
    if result.system == "popularity":
        return f"{told}. It is one list for everybody."
    return f"{told} in this draw; it {shown.versus.verb} just what is popular, {percent(shown.popular[k - 1])}."


def say_lists(result: Result) -> str:
    """Two lists, in words."""
    same = len(set(result.yours) & set(result.popular))
    return (
        f"{same} of the {len(result.yours)} films on this list are on the popular list too; the others are not for all."
    )


def say_activity(result: Result) -> str:
    """Whom it serves, in words."""
    known = [pair for pair in zip(result.groups.yours, GROUPS, strict=True) if not np.isnan(pair[0])]
    best, least = max(known), min(known)
    return (f"{_field(result)}, {result.name} finds the next film of {percent(best[0])} of those with {best[1]} films, "
            f"and of {percent(least[0])} of those with {least[1]}.")  # fmt: skip


PREDICT = Predict(
    "So far your next film has 99 random rivals. Let all the films compete: how much of the hit rate is left?",
    ("About the same", "About half", "A fifth or less"),
    reply,
)
