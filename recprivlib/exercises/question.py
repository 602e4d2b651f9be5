"""The most telling question: at each ε the phone from which a server learns most about ratings (chapter ldp_svd)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, chances, price, tried
from recprivlib.exercises.repair import explained
from recprivlib.mechanisms import OptimalChannel
from recprivlib.mechanisms.common import all_pairs, worst
from recprivlib.mechanisms.optimal_channel import PRIOR
from recprivlib.plots.numerals import percent
from recprivlib.primers.privacy.own import LARGEST, Table
from recprivlib.protocols import Array

BUDGETS = (0.5, 1.0, 2.0, 3.0, 4.0)
NEAR, TRIES = 0.99, 20_000

START = f'''\
share = np.array({list(PRIOR)})   # of one to five stars among all ratings: public
stars = np.arange(1, 6)


def law(epsilon):
    """P(answer | rating): a row for each of five ratings, a column for each answer, as many as you like."""
    keep = np.exp(epsilon) / (np.exp(epsilon) + 4)   # the truth, or one of the four others
    return np.where(np.eye(5) > 0, keep, (1 - keep) / 4)
'''
SOLUTION = (
    START[: START.index("def law")]
    + '''\
def law(epsilon):
    """Every column is some multiple of one with 1 for some ratings and e^−ε for the others: which multiples?"""
    from scipy.optimize import linprog

    likes = (np.arange(1, 31) >> np.arange(5)[:, None]) & 1      # all 30 ways to choose some of five
    column = np.where(likes == 1, 1, np.exp(-epsilon))
    far = stars - share @ stars
    worth = ((share * far) @ column) ** 2 / (share @ column)     # of ratings' variance, by each column
    many = linprog(-worth, A_eq=column, b_eq=np.ones(5), bounds=(0, None)).x
    table = (column * many)[:, many > 1e-9]
    return table / table.sum(axis=1, keepdims=True)
'''
)
ONE_BIT = (
    START[: START.index("    keep")]
    + """\
    likes = np.array([0, 0, 0, 1, 1])                # four stars or more?
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))
    yes = np.where(likes, keep, 1 - keep)
    return np.stack([1 - yes, yes], axis=1)
"""
)
FIVE = (
    START[: START.index("    keep")]
    + """\
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))
    yes = np.where(stars == 5, keep, 1 - keep)
    return np.stack([1 - yes, yes], axis=1)
"""
)
ORDERED = (
    START[: START.index("    keep")]
    + """\
    near = np.exp(-epsilon * abs(stars[:, None] - stars) / 2)    # an answer near the truth is likelier
    return near / near.sum(axis=1, keepdims=True)
"""
)
SILENT = START[: START.index("    keep")] + "    return np.ones((5, 1))\n"


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A table of chances at every ε."""
    widths = {_law(names, budget).shape[1] for budget in BUDGETS}
    return f"Tables for ε = {', '.join(f'{one:g}' for one in BUDGETS)}, with {min(widths)} to {max(widths)} answers."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """The exact ε of every table."""
    said = ""
    for budget in BUDGETS:
        exact, (one, other), at = worst(_law(names, budget), all_pairs(5))
        said = f"law({budget:g}) costs ε = {price(exact)}"
        if exact > budget + 1e-9:
            raise Failed(f"{said}: answer {at + 1} tells a rating of {one + 1} from one of {other + 1}.")
    return f"{said}, and no table costs more than it may."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """Our attack on what each table draws."""
    said = ""
    for budget in BUDGETS:
        found, said = tried(Table(budget, _law(names, budget)), TRIES, seed, f" at law({budget:g})")
        if found.verdict != "holds":
            raise Failed(f"{said}, and the audit says: {found.verdict}.")
    return f"{said}; at each ε the audit says: holds."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """How much of the ratings' variance an answer explains, beside the most that any phone of this ε can."""
    said = []
    for budget in BUDGETS:
        yours, best = (explained(one) for one in (_law(names, budget), OptimalChannel(budget).channel))
        said.append(f"at ε = {budget:g} an answer explains {percent(yours)}, and {percent(best)} is the most")
        if yours < NEAR * best:
            raise Failed(f"Of how ratings differ, {said[-1]}.")
    return f"Of how ratings differ, {said[0]}; {said[-1]}."


def _law(names: Mapping[str, Any], budget: float) -> Array:
    table = np.asarray(names["law"](budget), float)
    what = f"law({budget:g})"
    if table.ndim != 2 or len(table) != 5 or not 1 <= table.shape[1] <= LARGEST:
        raise Failed(f"{what} must have 5 rows and at most {LARGEST} columns; its shape is {table.shape}.")
    return chances(table, what)


EXERCISE = Exercise(
    name="question",
    title="The most telling question",
    task="A phone has one rating and one answer to give, at ε = .5, 1, 2, 3 or 4. What should it be asked, so that the "
    "server learns most? law(ε) is P(answer | rating), with as many answers as you like. Explain at least 99 % of what "
    "the best phone of each ε explains of how ratings differ.",
    start=START,
    solution=SOLUTION,
    needs=("law",),
    checks=(("contract", contract), ("counted", counted), ("attacked", attacked), ("of use", useful)),
    hints=(
        "At a small ε the truth is rare. Is “three stars?” then the best question, or is there one with two answers?",
        "“Four stars or more?” is best up to ε = 2. Beyond it, four answers tell more than two.",
        "A column of the best table holds two numbers only, c and c·e^−ε: 30 ways to choose who gets which, and a "
        "linear programme (scipy.optimize.linprog) for the 30 values of c.",
    ),
    wrong=(
        Wrong(START, "of use"),
        Wrong(ONE_BIT, "of use"),
        Wrong(FIVE, "of use"),
        Wrong(SILENT, "of use"),
        Wrong(ORDERED, "counted"),
        Wrong(START.replace("(np.exp(epsilon) + 4)", "(np.exp(epsilon) + 3)"), "counted"),
        Wrong(START.replace("(1 - keep) / 4)", "(1 - keep) / 5)"), "contract"),
    ),
)
