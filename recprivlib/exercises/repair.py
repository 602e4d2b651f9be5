"""Repair the phone of ldp_svd: a claim that holds at no ε, so that the audit says "holds" at 2 (chapter ldp_svd)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.auditing import audit
from recprivlib.exercises.contract import (
    Exercise,
    Failed,
    Wrong,
    drawn_from,
    law_is_drawn,
    price,
    rows,
    tried,
)
from recprivlib.mechanisms import OptimalChannel
from recprivlib.mechanisms.common import all_pairs, worst
from recprivlib.mechanisms.optimal_channel import PRIOR
from recprivlib.plots.numerals import count, percent
from recprivlib.primers.privacy.own import Code, Table
from recprivlib.protocols import Array

CLAIM, SHARE = 2.0, 0.5
DRAWS, TRIES = 20_000, 100_000
STARS = np.arange(1, 6)
CHANCES = "law()"

START = '''\
stars = np.arange(1, 6)
e1, e2 = 1.0, 1.0            # the paper: claimed ε = e1 + e2 = 2


def release(x, rng):
    """What phones with the ratings x send: the truth, or noise."""
    p = np.exp(e2) / (1 + np.exp(e2))
    noise = rng.laplace(0, 4 / e1, x.shape)
    return np.where(rng.random(x.shape) < p, x, x + noise)


def law():
    """P(answer | rating): a row for each rating, a column for each answer."""
    return np.eye(5)
'''
SOLUTION = """\
keep = np.exp(2) / (np.exp(2) + 4)   # k-ary randomised response


def release(x, rng):
    other = (x - 1 + rng.integers(1, 5, x.shape)) % 5 + 1
    return np.where(rng.random(x.shape) < keep, x, other)


def law():
    return np.where(np.eye(5) > 0, keep, (1 - keep) / 4)
"""
CONSTANT = """\
def release(x, rng):
    return np.full(x.shape, 3)


def law():
    return np.tile([0, 0, 1.0, 0, 0], (5, 1))
"""
ROUNDED = START.replace("return np.where(rng", "y = np.where(rng").replace(
    "x + noise)\n", "x + noise)\n    return np.clip(y.round(), 1, 5)\n"
)


def contract(names: Mapping[str, Any], seed: int) -> str:
    """Answers are stars; the coins are `rng`'s; the ratings are left as they are."""
    x = np.repeat(STARS, 200)
    y = drawn_from(names, x, seed)
    if not np.isin(y, STARS).all():
        odd = y[~np.isin(y, STARS)][0]
        share = percent(float(np.mean(~np.isin(y, STARS))))
        raise Failed(f"Of {count(len(y))} answers {share} are none of 1, 2, 3, 4, 5: {odd:.3g}, for one.")
    return f"{count(len(x))} ratings, {count(len(y))} answers from 1 to 5."


def lawful(names: Mapping[str, Any], seed: int) -> str:
    """What is stated is what is drawn: each of 25 rates within five standard errors."""
    return law_is_drawn(names, _law(names), STARS, STARS, DRAWS, "a rating of", seed)


def counted(names: Mapping[str, Any], seed: int) -> str:
    """The exact ε of the law."""
    exact, (one, other), answer = worst(_law(names), all_pairs(5))
    if exact > CLAIM + 1e-9:
        raise Failed(
            f"ε = {price(exact)}, and 2 is claimed: the answer {STARS[answer]} tells a rating of "
            f"{STARS[one]} from one of {STARS[other]}."
        )
    return f"ε = {price(exact)} of the claimed 2."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """Our attack on what release draws, at the pair that the law says is worst; that it holds, the law has to say."""
    stated = Table(CLAIM, _law(names))
    one, other = (STARS[at] for at in stated.worst_pair())
    found, proved = tried(Code(CLAIM, names["release"], (one, other)), TRIES, seed)
    if found.verdict == "broken":
        raise Failed(f"{proved}: broken.")
    verdict = audit(stated, name="yours", trials=1000, delta=0.0, seed=seed).verdict
    if verdict != "holds":
        raise Failed(f"{proved}, and of the law the audit says: {verdict}.")
    return f"{proved}, and the audit says: the claim of 2 holds."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """What is left of the ratings' variance, beside the best channel of this ε."""
    best, yours = (explained(channel) for channel in (OptimalChannel(CLAIM).channel, _law(names)))
    said = f"An answer explains {percent(yours)} of how ratings differ; the best phone at ε = 2, {percent(best)}"
    if yours < SHARE * best:
        raise Failed(f"{said}: half of that is wanted.")
    return f"{said}."


def explained(channel: Array) -> float:
    """Var E[x|y] / Var x for ratings as people give them."""
    prior = np.array(PRIOR)
    mean = prior @ STARS
    seen = prior @ channel > 0
    said = (prior @ channel)[seen]
    expected = (prior * STARS) @ channel[:, seen] / said
    return float(said @ (expected - mean) ** 2 / (prior @ (STARS - mean) ** 2))


def _law(names: Mapping[str, Any]) -> Array:
    return rows(names["law"](), 5, 5, CHANCES)


EXERCISE = Exercise(
    name="repair",
    title="Repair the phone",
    task="This is the phone of the paper's equation 4: the truth with probability p, else Laplace noise. It claims "
    "ε = 2 and holds at no ε. Repair it, so that the audit says “holds” at 2 and its answers are still of use. An "
    "answer is 1, 2, 3, 4 or 5; law() says what release draws.",
    start=START,
    solution=SOLUTION,
    needs=("release", "law"),
    checks=(
        ("contract", contract), ("the law", lawful), ("counted", counted), ("attacked", attacked), ("of use", useful),
    ),
    hints=(
        "Send 3.0 and 3.27 to yourself. Which of them can only have come from a phone that told the truth?",
        "Every answer must be possible from every rating: let the lies fall on 1, 2, 3, 4, 5 too, and say so in law.",
        "Tell the truth with probability p, else one of the four others: ε is ln(p / ((1 − p)/4)). Which p gives 2?",
    ),
    wrong=(
        Wrong(START, "contract"),
        Wrong(SOLUTION.replace("rng.random(x.shape)", "np.random.default_rng().random(x.shape)"), "contract"),
        Wrong(ROUNDED, "the law"),
        Wrong(SOLUTION.replace("rng.random(x.shape) < keep", "rng.random(x.shape) < 0.9"), "the law"),
        Wrong(SOLUTION.replace("np.exp(2)", "np.exp(3)"), "counted"),
        Wrong(CONSTANT, "of use"),
    ),
)  # fmt: skip
