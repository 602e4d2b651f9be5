"""Price your own mechanism: what five answers of one phone cost, neither less nor more (chapter privacy)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import (
    Exercise,
    Failed,
    Wrong,
    drawn_from,
    law_is_drawn,
    number,
    price,
    rows,
    tried,
)
from recprivlib.mechanisms.common import all_pairs, worst
from recprivlib.plots.numerals import count
from recprivlib.primers.privacy.own import LARGEST, Code
from recprivlib.protocols import Array

MOST, NEAR = 2.0, 0.01
DRAWS, TRIES, PHONES, OFF = 50_000, 100_000, 1000, 0.05

START = '''\
from math import comb

truth = np.e / (1 + np.e)     # each answer is true with this chance: ε = 1

outputs = [0, 1, 2, 3, 4, 5]  # all that a phone may say: how often it said yes in five weeks


def release(x, rng):
    """x: 0 or 1 for each phone, has she watched it? A number of outputs for each."""
    coins = rng.random((5, len(x))) < truth
    return np.where(coins, x, 1 - x).sum(axis=0)


def law():
    """P(answer | secret): a row for 0, a row for 1, a column for each of outputs."""
    said = [comb(5, n) * truth**n * (1 - truth) ** (5 - n) for n in outputs]
    return [said[::-1], said]


epsilon = 1.0                 # what you say it costs
'''
SOLUTION = """\
from math import comb

outputs = [0, 1, 2, 3, 4, 5]
first = np.exp(1.9) / (1 + np.exp(1.9))  # a coin that is kept: from then on the phone is asked about what it says
again = 0.9                              # and each week's coin lies about that


def release(x, rng):
    kept = np.where(rng.random(len(x)) < first, x, 1 - x)
    coins = rng.random((5, len(x))) < again
    return np.where(coins, kept, 1 - kept).sum(axis=0)


def law():
    said = np.array([comb(5, n) * again**n * (1 - again) ** (5 - n) for n in outputs])
    return [first * said[::-1] + (1 - first) * said, first * said + (1 - first) * said[::-1]]


zero, one = np.array(law())
epsilon = np.abs(np.log(one / zero)).max()
"""
CONSTANT = """\
outputs = [0, 1]
epsilon = 0.0


def release(x, rng):
    return np.zeros(len(x), int)


def law():
    return [[1.0, 0.0], [1.0, 0.0]]
"""


def contract(names: Mapping[str, Any], seed: int) -> str:
    """Every answer is one of those that were named; the coins are `rng`'s."""
    outputs = _outputs(names)
    y = drawn_from(names, np.repeat([0, 1], 500), seed)
    if not np.isin(y, outputs).all():
        raise Failed(f"release said {y[~np.isin(y, outputs)][0]:g}, which is not among outputs.")
    number(names["epsilon"], "epsilon")
    return f"{count(len(y))} secrets, {count(len(y))} answers, all of them among outputs."


def lawful(names: Mapping[str, Any], seed: int) -> str:
    """What is stated is what is drawn: each rate within five standard errors."""
    return law_is_drawn(names, _law(names), np.arange(2), _outputs(names), DRAWS, "a", seed)


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """Our attack on what release draws, beside the reader's price."""
    yours = number(names["epsilon"], "epsilon")
    found, proved = tried(Code(max(yours, 0.001), names["release"]), TRIES, seed)
    if found.attacked.decisive > yours:
        raise Failed(f"{proved}; your price is {yours:.2f}: broken.")
    return f"{proved}; your price is {yours:.2f}."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """The exact ε of the law: who says less is wrong, and who says more sells the people's privacy too cheap."""
    yours, outputs, channel = number(names["epsilon"], "epsilon"), _outputs(names), _law(names)
    exact, _, at = worst(channel, all_pairs(2))
    answer = f"the answer {outputs[at]:g} comes {100 * channel[1, at]:.2f} times in a hundred from a 1, " \
             f"{100 * channel[0, at]:.2f} times from a 0"  # fmt: skip
    if yours < exact - 1e-6:
        raise Failed(f"You say {yours:.2f}, which is too little: {answer}.")
    if yours > exact + NEAR:
        raise Failed(f"You say {yours:.2f}, which is too much: at worst {answer}.")
    return f"ε = {price(exact)}: {answer}."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """What a server learns from a thousand phones, half of which hide a yes, at a price that one may ask."""
    yours, channel = number(names["epsilon"], "epsilon"), _law(names)
    if yours > MOST + 1e-9:
        raise Failed(f"Your price is {yours:.2f}; at most {MOST:g} is asked of anybody.")
    off = 2 * spread(channel) / math.sqrt(PHONES)
    said = f"From {count(PHONES)} phones a server tells how many hide a yes"
    if off > OFF:
        far = f"to ± {100 * off:.0f} points" if off < 0.5 else "no better than by guessing"
        raise Failed(f"{said} {far}; ± {100 * OFF:.0f} are wanted.")
    return f"{said} to ± {100 * off:.1f} points, for ε = {price(yours)}."


def spread(channel: Array) -> float:
    """The least standard error, from one answer, of the share of people who hide a 1, where that is a half."""
    zero, one = channel
    both = (zero + one) / 2
    told = float((((one - zero)[both > 0]) ** 2 / both[both > 0]).sum())
    return 1 / math.sqrt(told) if told > 0 else math.inf


def _outputs(names: Mapping[str, Any]) -> Array:
    outputs = np.asarray(names["outputs"])
    if outputs.ndim != 1 or outputs.dtype.kind not in "biuf" or not 2 <= len(set(outputs.tolist())) == len(outputs):
        raise Failed("outputs must list two numbers or more, each once: all that a phone may say.")
    if len(outputs) > LARGEST:
        raise Failed(f"outputs has {len(outputs)} numbers; at most {LARGEST} are looked at.")
    return outputs


def _law(names: Mapping[str, Any]) -> Array:
    return rows(names["law"](), 2, len(_outputs(names)), "law()")


EXERCISE = Exercise(
    name="price",
    title="Price your own mechanism",
    task="A phone is asked five weeks in a row whether its owner has watched a film, and its author claims ε = 1, the "
    "price of one week. Break the claim. Then build your own: any phone whose answers let a server tell, from 1 000 of "
    "them, how many have watched it to ± 5 points, for at most ε = 2; and say exactly what it costs.",
    start=START,
    solution=SOLUTION,
    needs=("release", "law", "outputs", "epsilon"),
    checks=(
        ("contract", contract), ("the law", lawful), ("attacked", attacked), ("counted", counted), ("of use", useful),
    ),
    hints=(
        "Somebody hears yes five times. How much likelier is that from who has watched it? Five answers add up.",
        "A phone that flips its coin once and keeps what it says tells the same lie for ever: no week tells more.",
        "Your price is the largest |ln(P(answer | 1) / P(answer | 0))| over all answers of law: compute it from there.",
    ),
    wrong=(
        Wrong(START, "attacked"),
        Wrong(START.replace("epsilon = 1.0", "epsilon = 5.0"), "of use"),
        Wrong(START.replace("epsilon = 1.0", "epsilon = 6.0"), "counted"),
        Wrong(SOLUTION.replace("np.abs(np.log(one / zero)).max()", "1.9 + 5 * np.log(9)"), "counted"),
        Wrong(SOLUTION.replace("len(x)) < first", "len(x)) < 0.95"), "the law"),
        Wrong(SOLUTION.replace("outputs = [0, 1, 2, 3, 4, 5]", "outputs = [1, 2, 3, 4, 5]"), "contract"),
        Wrong(CONSTANT, "of use"),
    ),
)  # fmt: skip
