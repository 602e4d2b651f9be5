"""One rating moves many numbers: break the declared ε of Algorithm 1 (chapter dp_pnbm)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Wrong, generator, proven
from recprivlib.papers.dp_pnbm import DPSGD
from recprivlib.papers.dp_pnbm.pnbm import Bounds, of_person
from recprivlib.plots.numerals import count
from recprivlib.plots.numerals import epsilon as shown
from recprivlib.protocols import Array

EPSILON, GAMES, MOST = 3.0, 2000, 40
STARS = (1.0, 2.0, 3.0, 4.0, 5.0)
BOUNDS = Bounds(clamp=2.0, floor=10.0)
LARGEST = DPSGD().largest(1, STARS)  # ΔF of eq. 6

START = '''\
def gradient(stars):
    """What one person adds to the table: films × films. Everybody's average is 3, and every similarity 1."""
    x = np.asarray(stars, float) - 3
    n = len(x)
    below = max(n - 1, 10)
    guess = (x.sum() - x) / below                    # of each film, from her others
    step = np.clip(guess - x, -2, 2) / below
    part = step[:, None] * (x - (guess * (n - 1 >= 10))[:, None])
    return part * (1 - np.eye(n))


def worlds():
    """Her stars in two worlds that differ in one rating: at most 40 films."""
    return [5, 1], [1, 1]


def spy(seen, scale):
    """The table of one world with Laplace noise of this scale on each number. 1: it is the second."""
    one, other = (gradient(stars) for stars in worlds())
    return abs(seen - other)[0, 1] < abs(seen - one)[0, 1]
'''
BY_TURNS = "    many = [1, 5] * 10\n    return [1, *many], [5, *many]\n"
SOLUTION = START.replace("    return [5, 1], [1, 1]\n", BY_TURNS).replace(
    "    return abs(seen - other)[0, 1] < abs(seen - one)[0, 1]\n",
    "    return abs(seen - other).sum() < abs(seen - one).sum()\n",
)  # fmt: skip
ALONE = START.replace("[0, 1]", ".sum()")
LOVED = SOLUTION.replace("[1, 5] * 10", "[5] * 20")
ONE_NUMBER = START.replace("    return [5, 1], [1, 1]\n", BY_TURNS)
TWO_RATINGS = SOLUTION.replace("[5, *many]", "[5, *many[::-1]]")
HALVES = SOLUTION.replace("[1, *many]", "[0.5, *many]")


def contract(names: Mapping[str, Any], seed: int) -> str:
    """Two lists of stars that differ in one place."""
    one, other = _worlds(names)
    apart = int((one != other).sum())
    if apart != 1:
        raise Failed(f"The two worlds differ in {apart} ratings: the promise is about one.")
    return f"One person with {len(one)} ratings; one of them is {one[one != other][0]:g} or {other[one != other][0]:g}."


def declared(names: Mapping[str, Any], seed: int) -> str:
    """What the paper's noise was made for."""
    one, other = (part_of(stars) for stars in _worlds(names))
    moved = np.abs(one - other)
    return (
        f"Declared: ε = {EPSILON:g}, for noise that hides a change of {LARGEST:g}. Yours changes "
        f"{count(int((moved > 1e-12).sum()))} numbers, by {moved.sum():.2f} together."
    )


def proves(names: Mapping[str, Any], seed: int) -> str:
    """A fair coin a game, and a fresh table of one world; Clopper–Pearson at α = 10⁻⁶."""
    rng, parts = generator(seed, 6), [part_of(stars) for stars in _worlds(names)]
    scale, right = LARGEST / EPSILON, 0
    for truth in rng.integers(0, 2, GAMES):
        seen = parts[truth] + rng.laplace(0, scale, parts[truth].shape)
        right += int(bool(names["spy"](seen, scale)) == bool(truth))
    proved = proven(right, GAMES)
    said = f"Your spy is right in {count(right)} of {count(GAMES)} games, which proves ε ≥ {shown(proved, 'lower')}"
    if proved <= EPSILON:
        raise Failed(f"{said}: no more than the declared {EPSILON:g}.")
    return f"{said}; {EPSILON:g} is declared, and one step does not keep it."


def part_of(stars: Array) -> Array:
    """The library's own gradient of this person."""
    n = len(stars)
    return of_person(np.ones((n, n)), stars - 3, np.arange(n), BOUNDS)


def _worlds(names: Mapping[str, Any]) -> tuple[Array, Array]:
    try:
        one, other = (np.asarray(stars, float) for stars in names["worlds"]())
    except (TypeError, ValueError):
        raise Failed("worlds() must return two lists of stars.") from None
    if one.ndim != 1 or one.shape != other.shape or not 2 <= len(one) <= MOST:
        raise Failed(f"worlds() must return two lists of equal length, of 2 to {MOST} stars.")
    if not np.isin([one, other], STARS).all():
        raise Failed("Every rating must be 1, 2, 3, 4 or 5.")
    return one, other


EXERCISE = Exercise(
    name="moves",
    title="Find the rating that moves many numbers",
    task="Algorithm 1 publishes a table of films × films, with noise for the largest change of one number: ΔF = 1.6. "
    "It declares ε = 3 for one rating. Make up a person, change one of her ratings, and write a spy who tells the two "
    "tables apart more often than ε = 3 allows.",
    start=START,
    solution=SOLUTION,
    needs=("worlds", "spy"),
    checks=(("contract", contract), ("declared", declared), ("proven", proves)),
    hints=(
        "Print abs(gradient(a) - gradient(b)).sum() for your two worlds, and compare it with 1.6.",
        "A rating is compared with all others of its person. Give her twenty, and let her love and hate by turns.",
        "The likelier world is the one whose table is nearer, where nearness is the sum of abs(seen - table).",
    ),
    wrong=(
        Wrong(START, "proven"),
        Wrong(ALONE, "proven"),
        Wrong(LOVED, "proven"),
        Wrong(ONE_NUMBER, "proven"),
        Wrong(TWO_RATINGS, "contract"),
        Wrong(HALVES, "contract"),
    ),
)
