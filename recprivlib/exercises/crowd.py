"""The smallest crowd that shows a pair of films: how many phones, and how to read them (chapter dplcf)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, generator, number
from recprivlib.mechanisms import UnarySymmetric
from recprivlib.plots.numerals import count
from recprivlib.protocols import Array

WATCHED, TOGETHER = 0.1, 0.03  # a share of people for either film, and for both where the films are neighbours
BUDGETS = (0.5, 1.0, 2.0)
ERRORS, SURE, ROOM = 0.05, 1.645, 1.2  # of either kind; a normal's limit for it; how much larger a crowd may be
TRIES = 2000

START = '''\
together, chance = 0.03, 0.01      # people who watched both: of neighbours, and of films that are not (.1 · .1)


def near(y, epsilon):
    """y: how many phones reported (no, no), (no, yes), (yes, no), (yes, yes) of the two films. Are they neighbours?"""
    return y[3] / y.sum() > (together + chance) / 2


def phones(epsilon):
    """The smallest crowd from which near is right in 95 of 100 cases, either way."""
    wide = together * (1 - together)
    return np.ceil((2 * 1.645) ** 2 * wide / (together - chance) ** 2)
'''
SOLUTION = '''\
together, chance = 0.03, 0.01


def noise(epsilon):
    """Variance of one bit's estimate: q(1 − q)/(p − q)²."""
    q = 1 / (1 + np.exp(epsilon))
    return q * (1 - q) / (1 - 2 * q) ** 2


def near(y, epsilon):
    """Each bit is moved and stretched, so that it is right on average; then their product is too."""
    q = 1 / (1 + np.exp(epsilon))
    no, yes = -q / (1 - 2 * q), (1 - q) / (1 - 2 * q)
    both = (y[0] * no * no + (y[1] + y[2]) * no * yes + y[3] * yes * yes) / y.sum()
    return both > (together + chance) / 2


def phones(epsilon):
    v = noise(epsilon)
    wide = v * v + 2 * 0.1 * v + together      # two bits of noise multiplied, and what people add
    return np.ceil((2 * 1.645) ** 2 * wide / (together - chance) ** 2)
'''
SINGLE = SOLUTION.replace("wide = v * v + 2 * 0.1 * v + together", "wide = v + together")
FEW = SOLUTION.replace("(2 * 1.645) ** 2", "1.645 ** 2")
SAFE = SOLUTION.replace("(2 * 1.645) ** 2", "4 * (2 * 1.645) ** 2")
RAW = SOLUTION.replace("return both >", "return y[3] / y.sum() >")
HALF = SOLUTION.replace("    return np.ceil", "    return 0.5 + np.ceil")


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A whole number of phones; yes or no."""
    said = []
    for budget in BUDGETS:
        n = _phones(names, budget)
        _near(names, np.full(4, n // 4 + 1), budget)
        said.append(f"{count(n)} at ε = {budget:g}")
    return f"Phones: {', '.join(said)}."


def right(names: Mapping[str, Any], seed: int) -> str:
    """So many phones, each with two lies; neighbours and films that are none, by turns."""
    said = ""
    for budget in BUDGETS:
        n = _phones(names, budget)
        for together, what in ((TOGETHER, "neighbours"), (WATCHED**2, "films that are none")):
            reports = generator(seed, 1).multinomial(n, reported(together, budget), TRIES)
            wanted = together == TOGETHER
            share = np.mean([_near(names, y, budget) == wanted for y in reports])
            said = f"At ε = {budget:g}, {count(n)} phones and {count(TRIES)} towns, near is right of {what} in " \
                   f"{100 * share:.0f} of 100"  # fmt: skip
            if share < 1 - ERRORS - 5 * math.sqrt(ERRORS * (1 - ERRORS) / TRIES):
                raise Failed(f"{said}; 95 are wanted.")
    return f"{said}."


def smallest(names: Mapping[str, Any], seed: int) -> str:
    """Beside the crowd that the estimate of dplcf needs, with a fifth to spare."""
    said = []
    for budget in BUDGETS:
        n, least = _phones(names, budget), needed(budget)
        said.append(f"{count(n)} phones at ε = {budget:g}, {count(least)} for the chapter's server")
        if n > ROOM * least:
            raise Failed(f"You ask {said[-1]}.")
    return f"You ask {'; '.join(said)}."


def reported(together: float, budget: float) -> Array:
    """P(no no, no yes, yes no, yes yes) of what phones say of the two films."""
    truth = np.array([1 - 2 * WATCHED + together, WATCHED - together, WATCHED - together, together])
    return truth @ np.kron(*(UnarySymmetric(budget).channel,) * 2)


def needed(budget: float) -> int:
    """The crowd at which the unbiased product of both bits errs once in twenty, either way."""
    v = UnarySymmetric(budget).variance
    gap = TOGETHER - WATCHED**2
    deviations = [math.sqrt(v * v + 2 * WATCHED * v + both * (1 - both)) for both in (TOGETHER, WATCHED**2)]
    return math.ceil((SURE * sum(deviations) / gap) ** 2)


def _phones(names: Mapping[str, Any], budget: float) -> int:
    n = number(names["phones"](budget), f"phones({budget:g})")
    if not 1 <= n <= 10**9 or n != int(n):
        raise Failed(f"phones({budget:g}) is {n:g}, but must be a whole number from 1 to a thousand million.")
    return int(n)


def _near(names: Mapping[str, Any], y: Array, budget: float) -> bool:
    said = names["near"](y.copy(), budget)
    if not isinstance(said, bool | np.bool_):
        raise Failed(f"near said {said!r:.40}, but must say True or False.")
    return bool(said)


EXERCISE = Exercise(
    name="crowd",
    title="The smallest crowd",
    task="Two films have each been watched by a tenth of the people. If they are neighbours, 3 in 100 watched both; if "
    "not, 1 in 100. Phones lie about each at ε. Write near, which says from the reports whether they are neighbours, "
    "and phones(ε), the smallest crowd from which it is right in 95 of 100 towns, either way: at ε = .5, 1 and 2.",
    start=START,
    solution=SOLUTION,
    needs=("near", "phones"),
    checks=(("contract", contract), ("right", right), ("smallest", smallest)),
    hints=(
        "At ε = 1 more than 7 in 100 phones say yes to both films of which nobody watched either. What is a yes worth?",
        "Give each bit the value that is right on average, −q/(1 − 2q) or (1 − q)/(1 − 2q), and multiply the two.",
        "Of one phone the product varies by v² + .2 v + .03, where v = q(1 − q)/(1 − 2q)². The gap of .02 must be "
        "2 · 1.645 standard errors wide.",
    ),
    wrong=(
        Wrong(START, "right"),
        Wrong(SINGLE, "right"),
        Wrong(FEW, "right"),
        Wrong(RAW, "right"),
        Wrong(SAFE, "smallest"),
        Wrong(HALF, "contract"),
    ),
)
