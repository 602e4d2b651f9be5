"""What an exercise is, and what a check of it says."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing import audit
from recprivlib.auditing.bounds import DECIDES, lower_limit
from recprivlib.plots.numerals import count
from recprivlib.plots.numerals import epsilon as shown
from recprivlib.protocols import Array


@dataclass(frozen=True)
class Outcome:
    """What one check found: `line` of the reader's code where it stopped, `printed` by it meanwhile."""

    check: str
    passed: bool
    say: str
    line: int | None = None
    printed: str = ""


class Failed(Exception):
    """Raised by a check. The sentence says what was tried and what came of it; how to mend it is for the hints."""

    def __init__(self, say: str, line: int | None = None):
        super().__init__(say)
        self.line = line


Check = Callable[[Mapping[str, Any], int], str]  # the reader's names and a seed -> a sentence, or Failed


@dataclass(frozen=True)
class Wrong:
    """A program that must not pass, and the check at which it fails."""

    text: str
    fails: str


@dataclass(frozen=True)
class Exercise:
    """One task. `needs` are the names that the code has to define; checks are run in order."""

    name: str
    title: str
    task: str
    start: str
    solution: str
    needs: tuple[str, ...]
    checks: tuple[tuple[str, Check], ...]
    hints: tuple[str, ...]  # from a nudge to nearly the solution
    wrong: tuple[Wrong, ...]  # the start is the first


def generator(seed: int, part: int) -> np.random.Generator:
    """The random numbers of one part of a check."""
    return np.random.default_rng(np.random.SeedSequence((seed, part)))


def released(names: Mapping[str, Any], x: Array, rng: np.random.Generator, what: str = "secrets") -> Array:
    """What the reader's `release` makes of `x`, which is left as it is."""
    kept = x.copy()
    y = np.asarray(names["release"](x, rng))
    if (x != kept).any():
        raise Failed(f"release changes the {what} that it is given.")
    return y


def answers(names: Mapping[str, Any], x: Array, rng: np.random.Generator) -> Array:
    """What the reader's `release` sends for the secrets `x`: one number each."""
    y = released(names, x, rng)
    if y.shape != x.shape:
        raise Failed(f"release got {len(x)} secrets, and its answers have the shape {y.shape}: one for each is wanted.")
    if y.dtype.kind not in "biuf" or not np.isfinite(y).all():
        raise Failed("Every answer must be a finite number.")
    return y


def drawn_from(names: Mapping[str, Any], x: Array, seed: int) -> Array:
    """The same, played twice."""
    return twice(lambda rng: answers(names, x, rng), seed)


def twice(play: Callable[[np.random.Generator], Array], seed: int) -> Array:
    """Who draws from `rng` and from nothing else gives the same answers again."""
    first, second = (play(generator(seed, 0)) for _ in range(2))
    if (first != second).any():
        raise Failed("The same rng gave other answers the second time: something else is drawn from, or remembered.")
    return first


def rows(table: Any, count: int, width: int, what: str) -> Array:
    """A table of chances, a row for each secret."""
    law = np.asarray(table, float)
    if law.shape != (count, width):
        raise Failed(f"{what} must be a table of {count} rows and {width} columns; yours has the shape {law.shape}.")
    return chances(law, what)


def chances(law: Array, what: str) -> Array:
    """A table whose every row is a law."""
    if not np.isfinite(law).all() or (law < 0).any() or (abs(law.sum(axis=1) - 1) > 1e-9).any():
        raise Failed(f"Every row of {what} must hold chances that add up to 1.")
    return law


def finite(made: Any, many: int, what: str) -> Array:
    """A finite number for each of so many; `what` says who must give them, and for what."""
    found = np.asarray(made, float)
    if found.shape != (many,) or not np.isfinite(found).all():
        raise Failed(f"{what}; its shape is {found.shape}.")
    return found


def agrees(seen: float, stated: float, tries: int) -> bool:
    """Whether a share of `tries` is within five standard errors of what is stated; never is never."""
    return bool(abs(seen - stated) <= 5 * np.sqrt(stated * (1 - stated) / tries) + 1e-12)


def law_is_drawn(
    names: Mapping[str, Any], law: Array, secrets: Array, outputs: Array, tries: int, what: str, seed: int
) -> str:  # fmt: skip
    """What is stated is what is drawn: each rate of `law` within five standard errors. `what` is a secret, in words."""
    rng = generator(seed, 1)
    for secret, row in zip(secrets, law, strict=True):
        y = answers(names, np.full(tries, secret), rng)
        for answer, stated in zip(outputs, row, strict=True):
            seen = float(np.mean(y == answer))
            if not agrees(seen, stated, tries):
                raise Failed(
                    f"law says that {what} {secret} is sent as {answer:g} in {100 * stated:.1f} % of cases; release "
                    f"does it in {100 * seen:.1f} %, of {count(tries)}."
                )
    return f"release draws what law says, in {count(len(secrets) * tries)} draws."


def tried(tested: Any, tries: int, seed: int, where: str = "") -> tuple[Any, str]:
    """Our attack on what the reader wrote: all it found, and in words what it proves. `where` follows the tries."""
    found = audit(tested, name="yours", trials=tries, delta=0.0, seed=seed)
    return found, f"{count(tries)} tries{where} prove ε ≥ {shown(found.attacked.epsilon_lower, 'lower')}"


def number(value: Any, what: str) -> float:
    """A number of the reader's, ∞ included."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or np.isnan(value):
        raise Failed(f"{what} is {value!r:.60}, but must be a number.")
    return float(value)


def proven(right: int, games: int) -> float:
    """The ε that so many right guesses prove, each about a fresh fair coin: Clopper–Pearson at α = 10⁻⁶.

    >>> proven(50, 100), round(proven(100, 100), 2)
    (0.0, 1.91)
    """
    rate = lower_limit(right, games, DECIDES)
    return float(np.log(rate / (1 - rate))) if rate > 0.5 else 0.0


def price(epsilon: float) -> str:
    """An exact ε in a sentence, rounded up.

    >>> price(2.0), price(1.234), price(math.inf)
    ('2.00', '1.24', '∞')
    """
    return "∞" if math.isinf(epsilon) else f"{math.ceil(100 * epsilon - 1e-6) / 100:.2f}"
