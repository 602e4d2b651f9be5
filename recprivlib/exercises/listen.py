"""Read a whole run: what the bits of twenty epochs tell of one film (chapter fmf_ldp)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, generator, number, proven
from recprivlib.mechanisms import OneBitGradient
from recprivlib.plots.numerals import count
from recprivlib.plots.numerals import epsilon as shown
from recprivlib.protocols import Array

EPSILON, EPOCHS, REPORTS, CELLS, GAMES = 1.0, 20, 50, 400, 400
TOUCHED = 0.2  # of the cells: what the film in question moves
SINGLE = 20  # reports whose odds are looked at one by one

START = '''\
def odds(bits, without, having, epsilon):
    """How much more the reports of one run speak for a phone that has watched the film, in nats.

    bits: epochs × reports, −1 or 1. without, having: as many numbers from −1 to 1, what the phone
    would have answered about if it had not watched the film, and if it had.
    """
    agrees = (bits == np.sign(having)).mean()        # the share that look like a yes
    return agrees - 0.5
'''
SOLUTION = """\
def odds(bits, without, having, epsilon):
    lean = np.tanh(epsilon / 2)
    chance = [(1 + x * bits * lean) / 2 for x in (without, having)]
    return np.log(chance[1] / chance[0]).sum()
"""
SIGNS = """\
def odds(bits, without, having, epsilon):
    differs = np.sign(having - without)
    return (bits * differs).sum()
"""
FLAT = "def odds(bits, without, having, epsilon):\n    return 0.0\n"
LAST = SOLUTION.replace(".sum()", "[-1].sum()")
HALF = SOLUTION.replace("tanh(epsilon / 2)", "tanh(epsilon / 3)")
MANY = SOLUTION.replace(".sum()", ".sum(axis=1)")


@dataclass(frozen=True)
class Run:
    """What a server knows of one phone after a run: the bits, and what either phone would have answered about."""

    bits: Array
    without: Array
    having: Array
    truth: int


def run(rng: np.random.Generator, truth: int) -> Run:
    """Most cells are about other films and say nothing of this one; those it touches it moves by little or much."""
    other = np.clip(rng.normal(0, 0.3, (EPOCHS, CELLS)), -1, 1)
    moved = rng.random((EPOCHS, CELLS)) < TOUCHED
    pushed = np.where(moved, np.clip(rng.standard_cauchy((EPOCHS, CELLS)) * 0.12, -2, 2), 0)
    asked = rng.integers(0, CELLS, (EPOCHS, REPORTS))
    without = np.take_along_axis(other, asked, axis=1)
    having = np.clip(np.take_along_axis(other + pushed, asked, axis=1), -1, 1)
    bits = OneBitGradient(EPSILON).release(having if truth else without, rng)
    return Run(bits.astype(float), without, having, truth)


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A number for a run; the reports are left as they are; the same run, the same number."""
    one = run(generator(seed, 0), 1)
    if _odds(names, one) != _odds(names, one):
        raise Failed("odds gave two numbers for the same run: what is drawn there only adds noise.")
    return (
        f"{EPOCHS} epochs, {REPORTS} reports of ε = {EPSILON:g} in each: {count(EPOCHS * REPORTS)} bits of one phone."
    )


def calibrated(names: Mapping[str, Any], seed: int) -> str:
    """What nats mean: the logarithm of how much likelier a bit is, for single reports of any two numbers."""
    coin, rng = OneBitGradient(EPSILON), generator(seed, 1)
    said = ""
    for _ in range(SINGLE):
        without, having = rng.uniform(-1, 1, (2, 1, 1))
        one = Run(coin.release(without, rng).astype(float), without, having, 0)
        exact = float((coin.log_density(one.bits, having) - coin.log_density(one.bits, without)).sum())
        told = f"For one report, {one.bits[0, 0]:+.0f} about {without[0, 0]:.2f} or {having[0, 0]:.2f}, odds says"
        said = f"{told} {_odds(names, one):.3f} nats".replace("-", "−")
        if abs(_odds(names, one) - exact) > 1e-6:
            raise Failed(f"{said}; the logarithm of how much likelier the bit is, is another number.")
    return f"{said}: as much as the bit is likelier."


def proves(names: Mapping[str, Any], seed: int) -> str:
    """A fair coin a game, and a fresh run of that phone; Clopper–Pearson at α = 10⁻⁶."""
    rng = generator(seed, 3)
    right = 0
    for truth in rng.integers(0, 2, GAMES):
        right += int((_odds(names, run(rng, int(truth))) > 0) == bool(truth))
    proved = proven(right, GAMES)
    said = (
        f"Who believes the sign of odds is right in {right} of {GAMES} runs, which proves ε ≥ {shown(proved, 'lower')}"
    )
    if proved <= EPSILON:
        raise Failed(f"{said}: no more than {EPSILON:g}, which one report alone may cost.")
    return f"{said}; one report costs {EPSILON:g}, and the run is {count(EPOCHS * REPORTS)} of them."


def _odds(names: Mapping[str, Any], one: Run) -> float:
    given = [part.copy() for part in (one.bits, one.without, one.having)]
    said = number(names["odds"](*given, EPSILON), "odds")
    if any((a != b).any() for a, b in zip(given, (one.bits, one.without, one.having), strict=True)):
        raise Failed("odds changes the reports that it is given.")
    return said


EXERCISE = Exercise(
    name="listen",
    title="Read a whole run",
    task="You are the server. A phone has sent you 50 bits in each of 20 epochs, each at ε = 1, and you know what it "
    "would have answered about if it had watched a certain film, and if it had not. Write odds, in nats: above 0 is a "
    "yes. Prove more than one report may cost, from 400 runs.",
    start=START,
    solution=SOLUTION,
    needs=("odds",),
    checks=(("contract", contract), ("proven", proves), ("in nats", calibrated)),
    hints=(
        "Most reports are about other films. In which of them do the two phones differ, and by how much?",
        "A bit b about a number x has the chance (1 + x b tanh(ε/2))/2. It is likelier for one of the two phones.",
        "The logarithm of that ratio is what one report says, in nats; independent reports add up.",
    ),
    wrong=(
        Wrong(START, "proven"),
        Wrong(SIGNS, "proven"),
        Wrong(FLAT, "proven"),
        Wrong(LAST, "proven"),
        Wrong(HALF, "in nats"),
        Wrong(MANY, "contract"),
    ),
)
