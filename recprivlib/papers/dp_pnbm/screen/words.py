"""A `Result` of dashboard `dp_pnbm` in sentences."""

from __future__ import annotations

import numpy as np

from recprivlib.dashboard.contract import Predict
from recprivlib.papers.dp_pnbm.screen.compute import Result
from recprivlib.papers.dp_pnbm.screen.publishing import SAMPLED, TAU, VARIANTS, crowds
from recprivlib.plots.axes import thousandths
from recprivlib.plots.numerals import apart, count, setting, stars, times


def say(result: Result) -> str:
    """What the screen shows, in words. A verb is earned: its paired interval leaves 0 out."""
    own, floor = _beside(result)
    it = f"In this draw it {result.versus.verb} a similarity that learned nothing, {floor} (on the real film averages)"
    return f"{_error(result, own)} {it}{_noise(result)}"


def _beside(result: Result) -> tuple[str, str]:
    """The error and that of what learns nothing: this story lives in the third decimal, and further down if need be."""
    return apart(result.error, result.floors["private-popularity"], result.versus.verb, stars, 3)


def _error(result: Result, own: str) -> str:
    declared = f"At a declared ε of {setting(result.epsilon)}"
    if result.variant in SAMPLED:
        declared = f"At a declared ε of {setting(result.epsilon)} × {TAU}"
    who = "noise with no ratings in it" if result.noise_only else {
        "paper": "the printed algorithm", "repaired": "the repaired algorithm",
    }.get(VARIANTS[result.variant][1], VARIANTS[result.variant][2])  # fmt: skip
    return f"{declared} the error of {who} is {own}."


def _noise(result: Result) -> str:
    if result.noise is None or result.noise_only:
        return "."
    return f"; the same noise with no ratings in it: {thousandths(result.noise)}."


def brief(result: Result) -> str:
    """The same on a small screen."""
    own, floor = _beside(result)
    it = f"in this draw it {result.versus.verb} what learned nothing, {floor}"
    return f"ε = {setting(result.epsilon)}: {own}; {it}."


def say_moved(result: Result) -> str:
    """How far one rating moves the release, in words."""
    return (f"One changed rating moves the published gradient {times(float(np.median(result.moved)))} as far as the "
            f"noise was sized for, for half of {count(len(result.moved))} people or more, and {times(result.crafted)} "
            "for a made-up person.")  # fmt: skip


def say_people(result: Result) -> str:
    """What more people buy, in words."""
    lines = {line.label: line for line in crowds(result.unit)}
    whole = "whole people" if result.unit == "user" else "one rating"
    ends = " and ".join(
        f"{name} from {thousandths(line.y[0])} to {thousandths(line.y[-1])}" for name, line in lines.items()
    )
    return f"At ε = 1 for {whole}, from one town to {count(lines['averages'].x[-1])}: {ends}."


def reply(result: Result, answer: int) -> str:
    """What became of the guess; computed, and never a scolding."""
    assert result.noise is not None
    worse = result.noise - result.error
    return (f"You said {PREDICT.answers[answer].lower()}. With the ratings {result.error:.3f}, without them "
            f"{result.noise:.3f}: {thousandths(abs(worse))} {'worse' if worse > 0 else 'better'}. What learns nothing "
            f"at all, and adds no noise, is off by {result.floors['private-popularity']:.3f}.")  # fmt: skip


PREDICT = Predict(
    "At a declared ε of 1 the server adds noise to what it learned from 80 000 ratings. Leave the ratings out and keep "
    "the noise. How much worse do the predictions get?",
    ("Much worse, a tenth of a star or more", "A little, a few hundredths", "About the same, a hundredth or less"),
    reply,
    hides=("noise alone",),
)
