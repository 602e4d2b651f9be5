"""A `Result` of dashboard `recommenders` in sentences."""

from __future__ import annotations

import numpy as np

from recprivlib.dashboard.contract import Predict
from recprivlib.evaluation import Difference
from recprivlib.plots.axes import GROUPS
from recprivlib.plots.numerals import apart, count, many, percent
from recprivlib.primers.recommenders.compute import Result, order
from recprivlib.primers.recommenders.ranking import BOUNDS, Rates


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    near, far = result.sampled, result.full
    k = result.k
    if result.system == "popularity":
        return (f"One list for everybody, no model at all: in a line-up of 100 films your next film is in its "
                f"top {k} {percent(near.yours[k - 1])} of the time. Among all {count(result.items)} films: "
                f"{percent(far.yours[k - 1], DIGITS['full'])}.")  # fmt: skip
    own, popular = _beside(near, k, "sampled")
    lineup = (f"In a line-up of 100 films, the top {k} of {result.name} holds your next film {own} of the time and, in "
              f"this draw, {near.versus.verb} just what is popular ({popular}).")  # fmt: skip
    own, popular = _beside(far, k, "full")
    catalogue = (
        f"Among all {count(result.items)} films it holds {own} and {far.versus.verb} what is popular ({popular})."
    )
    return f"{lineup} {catalogue}"


DIGITS = {"sampled": 0, "full": 1}  # among all films every rate is small


def _beside(rates: Rates, k: int, pool: str) -> tuple[str, str]:
    """Its rate and that of what is popular, in as many digits as the verb needs."""
    return apart(rates.yours[k - 1], rates.popular[k - 1], rates.versus.verb, percent, DIGITS[pool])


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
    own, popular = _beside(shown, k, result.rivals)
    told = f"{_field(result)} the top {k} of {result.name} holds your next film {own} of the time"
    if result.system == "popularity":
        return f"{told}. It is one list for everybody."
    return f"{told} in this draw; it {shown.versus.verb} just what is popular, {popular}."


def say_lists(result: Result) -> str:
    """Two lists, in words."""
    same = len(set(result.yours) & set(result.popular))
    return (
        f"{same} of the {many(len(result.yours), 'film')} on this list {'is' if same == 1 else 'are'} on the popular "
        "list too; the others are not for all."
    )


def say_activity(result: Result) -> str:
    """Whom it serves, in words."""
    groups = (*GROUPS[:-1], f"more than {BOUNDS[-1]}")
    known = [pair for pair in zip(result.groups.yours, groups, strict=True) if not np.isnan(pair[0])]
    best, least = max(known), min(known)
    return (f"{_field(result)}, {result.name} finds the next film of {percent(best[0])} of those with {best[1]} films, "
            f"and of {percent(least[0])} of those with {least[1]}.")  # fmt: skip


def say_order(result: Result) -> str:
    """Who is ahead in either task, in words: means of ten draws, so no verb of one."""
    sampled, full = (_ahead(order(pool)[result.k - 1]) for pool in ("sampled", "full"))
    return (f"In its top {result.k} of 100 films MF finds {sampled}; of all {count(result.items)} it finds {full}. The "
            "same models, the same people, the mean of ten draws.")  # fmt: skip


def _ahead(gap: Difference) -> str:
    """How far one is ahead of EASE, where its interval leaves 0 out."""
    low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in (gap.low, gap.high))
    points = f"{abs(100 * gap.mean):.1f} points"
    word = {"beats": f"{points} more than EASE", "loses to": f"{points} fewer than EASE"}
    return f"{word.get(gap.verb, 'about as many as EASE')} [{low}, {high}]"


PREDICT = Predict(
    "So far your next film has 99 random rivals. Let all the films compete: how much of the hit rate is left?",
    ("About the same", "About half", "A fifth or less"),
    reply,
)
