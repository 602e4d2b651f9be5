"""One total for a whole run: spend it better than an equal share for each epoch (chapter fmf_ldp)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from recprivlib.exercises.contract import (
    Exercise,
    Failed,
    Wrong,
    agrees,
    finite,
    generator,
    price,
    released,
    rows,
    tried,
    twice,
)
from recprivlib.mechanisms import OneBitGradient
from recprivlib.mechanisms.common import all_pairs, worst
from recprivlib.plots.numerals import count
from recprivlib.primers.privacy.own import Code
from recprivlib.protocols import Array

TOTAL, EPOCHS, SHORT = 2.0, 20, 2
PEOPLE, DRAWS, TRIES, RUNS = 2000, 20_000, 50_000, 10
SAID = (-1, 0, 1)
GRADIENTS = tuple(product((-1.0, 0.0, 1.0), repeat=SHORT))  # of a run of two epochs
ANSWERS = tuple(product(SAID, repeat=SHORT))
FEWER = 0.5  # of the error that equal shares leave

START = '''\
total = 2.0            # ε of a whole run, however many epochs it has


def chance(x, epsilon):
    """P(1 | x) of the paper's bit, for x from −1 to 1."""
    return (1 + x * np.tanh(epsilon / 2)) / 2


def release(x, rng):
    """x: people × epochs, from −1 to 1. What each phone says in each epoch: −1, 1, or 0 for nothing."""
    return np.where(rng.random(x.shape) < chance(x, total), 1, -1)


def law(x, y):
    """P(y | x): x and y are one phone's run, a number for each epoch."""
    return np.prod([chance(a * b, total) for a, b in zip(x, y)]) if all(y) else 0.0


def estimate(y):
    """The mean of x over all people in each epoch, from what they said."""
    return y.mean(axis=0) / np.tanh(total / 2)
'''
SOLUTION = '''\
total = 2.0


def chance(x, epsilon):
    return (1 + x * np.tanh(epsilon / 2)) / 2


def release(x, rng):
    """Each phone speaks in one epoch, drawn whatever it has to say, and spends all of the total there."""
    when = rng.integers(0, x.shape[1], len(x))[:, None] == np.arange(x.shape[1])
    return np.where(when, np.where(rng.random(x.shape) < chance(x, total), 1, -1), 0)


def law(x, y):
    spoken = [at for at, b in enumerate(y) if b]
    return chance(x[spoken[0]] * y[spoken[0]], total) / len(x) if len(spoken) == 1 else 0.0


def estimate(y):
    return y.mean(axis=0) * y.shape[1] / np.tanh(total / 2)
'''
EQUAL = START.replace("chance(x, total)", "chance(x, total / x.shape[1])").replace(
    "chance(a * b, total)", "chance(a * b, total / len(x))"
).replace("np.tanh(total / 2)", "np.tanh(total / y.shape[1] / 2)")  # fmt: skip
HALVES = START.replace("total = 2.0 ", "total = 1.0 ")
LOUDEST = SOLUTION.replace(
    "when = rng.integers(0, x.shape[1], len(x))[:, None]", "when = abs(x).argmax(axis=1)[:, None]"
)
BIASED = SOLUTION.replace(" * y.shape[1]", "")
SILENT = SOLUTION.replace("return np.where(when, ", "return 0 * np.where(when, ").replace(
    "    spoken =", "    return float(not any(y))\n    spoken ="
)
OTHER = SOLUTION.replace("if len(spoken) == 1 else 0.0", "if len(spoken) == 1 else 0.1")


def contract(names: Mapping[str, Any], seed: int) -> str:
    """Every answer is −1, 0 or 1, for runs of any length; an estimate for each epoch."""
    for epochs in (1, SHORT, EPOCHS):
        x = generator(seed, 1).uniform(-1, 1, (200, epochs))
        _estimate(names, twice(lambda rng, x=x: _said(names, x, rng), seed))  # type: ignore[misc]
    return f"Runs of 1, {SHORT} and {EPOCHS} epochs; every answer is −1, 0 or 1."


def lawful(names: Mapping[str, Any], seed: int) -> str:
    """What is stated is what is drawn, for each of nine runs of two epochs: within five standard errors."""
    table, rng = _law(names), generator(seed, 2)
    for x, row in zip(GRADIENTS, table, strict=True):
        y = _said(names, np.tile(x, (DRAWS, 1)), rng)
        for answer, stated in zip(ANSWERS, row, strict=True):
            seen = float(np.mean((y == answer).all(axis=1)))
            if not agrees(seen, stated, DRAWS):
                raise Failed(
                    f"law says that a phone with {_run(x)} says {_run(answer)} in {100 * stated:.1f} % of runs; "
                    f"release does it in {100 * seen:.1f} %, of {count(DRAWS)}."
                )
    return f"release draws what law says, in {count(DRAWS * len(GRADIENTS))} runs of {SHORT} epochs."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """The exact ε of a run of two epochs."""
    exact, (one, other), at = worst(_law(names), all_pairs(len(GRADIENTS)))
    where = f"{_run(ANSWERS[at])} tells {_run(GRADIENTS[one])} from {_run(GRADIENTS[other])}"
    if exact > TOTAL + 1e-9:
        raise Failed(f"A run of {SHORT} epochs costs ε = {price(exact)}, and {TOTAL:g} is the total: {where}.")
    return f"A run of {SHORT} epochs costs ε = {price(exact)}: {where}."


def attacked(names: Mapping[str, Any], seed: int) -> str:
    """A run of twenty epochs, by the sum of all that a phone says; and by the number of its words."""
    best = ""
    for what, sign in (("the sum of its answers", 1), ("how often it speaks", 0)):

        def play(x: Array, rng: np.random.Generator, sign: int = sign) -> Array:
            y = _said(names, np.repeat(x[:, None], EPOCHS, axis=1), rng)
            return (y if sign else np.abs(y)).sum(axis=1)

        for pair in ((-1.0, 1.0), (0.0, 1.0)):
            tested = Code(TOTAL, play, (np.float64(pair[0]), np.float64(pair[1])))
            found, proved = tried(tested, TRIES, seed, f" at {EPOCHS} epochs")
            proved = f"{proved} by {what}"
            if found.attacked.decisive > TOTAL:
                raise Failed(f"{proved}; {TOTAL:g} is the total of the run: broken.")
            best = best or proved
    return f"{best}; the total is {TOTAL:g}."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """How far the means of twenty epochs are off, beside the paper's bit at an equal share for each."""
    rng, coin = generator(seed, 3), OneBitGradient(TOTAL / EPOCHS)
    yours, equal = [], []
    for _ in range(RUNS):
        middle = rng.uniform(-0.8, 0.8, EPOCHS)
        x = np.clip(middle + rng.normal(0, 0.4, (PEOPLE, EPOCHS)), -1, 1)
        truth = x.mean(axis=0)
        yours.append(_estimate(names, _said(names, x, rng)) - truth)
        equal.append(coin.estimate(coin.release(x, rng)).mean(axis=0) - truth)
    mine, theirs = (float(np.sqrt(np.mean(np.square(one)))) for one in (yours, equal))
    said = f"From {count(PEOPLE)} phones an epoch's mean is off by {mine:.2f}; equal shares leave {theirs:.2f}"
    if mine > FEWER * theirs:
        raise Failed(f"{said}: half of that is wanted.")
    return f"{said}, for the same total."


def _run(values: tuple[float, ...]) -> str:
    return f"({', '.join(f'{one:g}'.replace('-', '−') for one in values)})"


def _said(names: Mapping[str, Any], x: Array, rng: np.random.Generator) -> Array:
    y = released(names, x, rng, "numbers")
    if y.shape != x.shape:
        raise Failed(
            f"release got {x.shape[0]} people × {x.shape[1]} epochs, and its answers have the shape {y.shape}."
        )
    if not np.isin(y, SAID).all():
        raise Failed(f"release said {y[~np.isin(y, SAID)][0]:.3g}; −1, 0 and 1 are allowed.")
    return y


def _estimate(names: Mapping[str, Any], y: Array) -> Array:
    epochs = y.shape[1]
    return finite(
        names["estimate"](y.copy()), epochs, f"estimate must return a finite number for each of {epochs} epochs"
    )


def _law(names: Mapping[str, Any]) -> Array:
    table = [[float(names["law"](x, y)) for y in ANSWERS] for x in GRADIENTS]
    return rows(table, len(GRADIENTS), len(ANSWERS), f"law, for runs of {SHORT} epochs,")


EXERCISE = Exercise(
    name="ration",
    title="One total for twenty epochs",
    task="In each of 20 epochs a phone may say one bit about its number, or nothing. Its author spends ε = 2 on each "
    "and calls that the bill. Make 2 the total of the whole run, say so in law, and leave the server at most half of "
    "the error that equal shares of .1 leave.",
    start=START,
    solution=SOLUTION,
    needs=("release", "law", "estimate"),
    checks=(
        ("contract", contract), ("the law", lawful), ("counted", counted), ("attacked", attacked), ("of use", useful),
    ),
    hints=(
        "A run of two epochs at ε = 2 each: how much likelier is (1, 1) from a phone with (1, 1) than from (−1, −1)?",
        "Equal shares hold, and drown: at ε = .1 a bit is nearly a coin flip. Must every phone answer every time?",
        "A phone that speaks in one epoch alone, drawn at random, may spend all of the total there. Silence tells "
        "nothing as long as the draw does not look at the number.",
    ),
    wrong=(
        Wrong(START, "counted"),
        Wrong(EQUAL, "of use"),
        Wrong(HALVES, "attacked"),
        Wrong(LOUDEST, "the law"),
        Wrong(BIASED, "of use"),
        Wrong(SILENT, "of use"),
        Wrong(OTHER, "the law"),
        Wrong(SOLUTION.replace("1, -1), 0)", "1, -1), 0.5)"), "contract"),
    ),
)  # fmt: skip
