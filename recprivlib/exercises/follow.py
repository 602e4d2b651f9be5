"""A bound that follows the updates, under noise, and is paid for (chapter privrec)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, generator, number
from recprivlib.protocols import Array

PHONES, ROUNDS, RUNS, LAST = 30, 120, 5, 40
MEDIANS = (20.0, 0.05)  # of the updates' lengths, in the first half of a run and in the second
BEGIN, WIDE, MOST, FACTOR = 0.1, 0.6, 1.15, 1.5
PROMISED = (0.5, 1.0, 2.0)  # noise multipliers of a round

START = '''\
def vote(length, bound):
    """What a phone says, 1 or 0, whose update has this length: was it shorter? (Algorithm 2, as printed.)"""
    shortened = min(length, bound)
    return int(shortened <= bound)


def follow(bound, share):
    """The next bound, from the noisy share of phones that said 1."""
    return bound - 0.1 * (share - 0.5)


def noise(z):
    """Noise of a round that is worth z: of the sum of updates, in bounds; and of the count of votes."""
    return z, z
'''
SOLUTION = """\
def vote(length, bound):
    return int(length <= bound)


def follow(bound, share):
    return bound * np.exp(-0.3 * (share - 0.5))


def noise(z):
    update = 1.1 * z                                 # a tenth more than without the votes
    return update, (z**-2 - update**-2) ** -0.5
"""
PRINTED = SOLUTION.replace("length <= bound", "min(length, bound) <= bound")
STEPS = SOLUTION.replace("bound * np.exp(-0.3 * (share - 0.5))", "max(bound - 0.1 * (share - 0.5), 0.01)")
WILD = SOLUTION.replace("-0.3", "-6.0")
SLOW = SOLUTION.replace("-0.3", "-0.02")
UP = SOLUTION.replace("-0.3", "0.3")
DEAR = SOLUTION.replace("1.1 * z   ", "1.6 * z   ")
FREE = SOLUTION.replace("(z**-2 - update**-2) ** -0.5", "0.5")


def contract(names: Mapping[str, Any], seed: int) -> str:
    """A vote is 0 or 1, a bound a number above 0, noise two numbers above 0."""
    for length in (0.01, 1.0, 50.0):
        _vote(names, length, 1.0)
    for share in (0.0, 0.5, 1.0):
        _follow(names, 1.0, share)
    for z in PROMISED:
        _noise(names, z)
    return "A phone says 0 or 1, and the bound is a number above 0 after any share of them."


def counted(names: Mapping[str, Any], seed: int) -> str:
    """Two Gaussian releases at z₁ and z₂ are one at 1/z² = 1/z₁² + 1/z₂²; one person's vote moves the count by 1."""
    said = ""
    for z in PROMISED:
        update, votes = _noise(names, z)
        worth = (update**-2 + votes**-2) ** -0.5
        told = math.floor(1000 * worth * (1 + 1e-9)) / 1000
        said = f"With {update:.3g} on the updates and {votes:.3g} on the count a round is worth z = {told:.3f}"
        if worth < z * (1 - 1e-9):
            raise Failed(f"{said}, and {z:g} is promised: the votes are an answer too.")
    return f"{said}, and {z:g} is promised."


def follows(names: Mapping[str, Any], seed: int) -> str:
    """Updates of which half are shorter than 20, then than .05; the bound begins at .1."""
    _, votes = _noise(names, 1.0)
    far = [_played(names, votes, seed, one) for one in range(RUNS)]
    for part, median in enumerate(MEDIANS):
        off = [float(np.exp(np.abs(np.log(path[part] / median)).mean())) for path in far]
        at = float(np.median([path[part][-1] for path in far]))
        said = f"Half of the updates are shorter than {median:g}, and after {ROUNDS} rounds the bound is {at:.2g}"
        if max(off) > FACTOR:
            raise Failed(
                f"{said}: in the last {LAST} rounds it is off by a factor of {max(off):.2g} in one of {RUNS} runs."
            )
    up, down = MEDIANS[0] / BEGIN, MEDIANS[0] / MEDIANS[1]
    return f"{said}, off by a factor of {max(off):.2f} at most: up by a factor of {up:g}, and down by {down:g}."


def useful(names: Mapping[str, Any], seed: int) -> str:
    """What the votes cost the updates."""
    update, _ = _noise(names, 1.0)
    said = f"The updates have {100 * (update - 1):.0f} % more noise than without the votes"
    if update > MOST:
        raise Failed(f"{said}: {100 * (MOST - 1):.0f} % at most are wanted.")
    return f"{said}, and the bound is paid for."


def _played(names: Mapping[str, Any], votes: float, seed: int, one: int) -> list[Array]:
    """The last bounds of either half of a run."""
    rng, bound, kept = generator(seed, 10 + one), BEGIN, []
    for median in MEDIANS:
        path = []
        for _ in range(ROUNDS):
            lengths = median * np.exp(rng.normal(0, WIDE, PHONES))
            said = sum(_vote(names, float(length), bound) for length in lengths)
            bound = _follow(names, bound, (said + rng.normal(0, votes)) / PHONES)
            path.append(bound)
        kept.append(np.array(path[-LAST:]))
    return kept


def _vote(names: Mapping[str, Any], length: float, bound: float) -> int:
    said = names["vote"](length, bound)
    if said not in (0, 1):
        raise Failed(
            f"vote({length:.3g}, {bound:.3g}) is {said!r:.40}, but must be 0 or 1: noise is for more than that."
        )
    return int(said)


def _follow(names: Mapping[str, Any], bound: float, share: float) -> float:
    made = number(names["follow"](bound, share), f"follow({bound:.3g}, {share:.3g})")
    if not 0 < made < math.inf:
        raise Failed(f"follow({bound:.3g}, {share:.3g}) is {made:.3g}, but a bound is a number above 0.")
    return made


def _noise(names: Mapping[str, Any], z: float) -> tuple[float, float]:
    try:
        update, votes = (number(one, f"a part of noise({z:g})") for one in names["noise"](z))
    except (TypeError, ValueError):
        raise Failed(f"noise({z:g}) must be two numbers: of the updates, and of the count.") from None
    if not (0 < update < math.inf and 0 < votes < math.inf):
        raise Failed(f"noise({z:g}) is ({update:.3g}, {votes:.3g}): both must be numbers above 0.")
    return update, votes


EXERCISE = Exercise(
    name="follow",
    title="A bound that finds its way, and is paid for",
    task="Thirty phones a round send updates that are cut to a bound, and nobody knows how long updates are. They say "
    "whether theirs was shorter, and the noisy share moves the bound to where half of them are, up or down by a "
    "factor of hundreds. A round is worth a noise multiplier z, the votes included. Mend vote, follow and noise.",
    start=START,
    solution=SOLUTION,
    needs=("vote", "follow", "noise"),
    checks=(("contract", contract), ("counted", counted), ("follows", follows), ("of use", useful)),
    hints=(
        "Two noisy answers on the same people tell more than one: 1/z² = 1/z₁² + 1/z₂². What does an update that has "
        "been cut say of its length?",
        "A step of .05 needs 400 rounds to 20, and is as long as a bound of .05. What would change by a factor?",
        "Ask before you cut. Multiply the bound by exp(−.3 (share − .5)). A tenth more noise on the updates leaves "
        "the votes (1 − 1/1.21)^−½ z: enough for a share of thirty.",
    ),
    wrong=(
        Wrong(START, "counted"),
        Wrong(PRINTED, "follows"),
        Wrong(STEPS, "follows"),
        Wrong(WILD, "follows"),
        Wrong(SLOW, "follows"),
        Wrong(UP, "follows"),
        Wrong(FREE, "counted"),
        Wrong(DEAR, "of use"),
        Wrong(SOLUTION.replace("return int(length <= bound)", "return length / bound"), "contract"),
        Wrong(SOLUTION.replace("bound * np.exp(-0.3 * (share - 0.5))", "bound - 2 * share"), "contract"),
    ),
)
