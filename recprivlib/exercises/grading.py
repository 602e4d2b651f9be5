"""Runs the reader's code and the checks of an exercise, one after the other, up to the first that fails."""

from __future__ import annotations

import builtins
import contextlib
import io
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from recprivlib.exercises.contract import Exercise, Failed, Outcome
from recprivlib.mechanisms.noise import rooted
from recprivlib.parameters import UserError

T = TypeVar("T")
NAMES = (  # a module each, in the order of the book
    "price", "cheat", "crowd", "coin", "chart", "repair", "question", "listen", "ration", "moves", "means", "save",
    "follow",
)  # fmt: skip
YOURS = "<yours>"  # of the reader's code in a traceback
LONGEST = 2000  # letters of what the reader's code prints that are shown


def exercises() -> dict[str, Exercise]:
    """All there are, by name."""
    return {name: import_module(f"recprivlib.exercises.{name}").EXERCISE for name in NAMES}


def exercise(name: str) -> Exercise:
    """The one of that name."""
    if name not in NAMES:
        raise UserError(f"there is no exercise {name!r}; choose from {', '.join(NAMES)}")
    return exercises()[name]


def graded(name: str, code: str | Mapping[str, Any], seed: int = 0) -> Iterator[Outcome]:
    """The outcome of each check, as soon as it is known. The last one says whether all is well.

    Parameters
    ----------
    name
        An exercise, one of `exercises()`.
    code
        The reader's program, or the names that it has defined already: `globals()` in a notebook.
    seed
        Of all that is drawn while it is tried, a whole number from 0.

    Examples
    --------
    >>> [(one.check, one.passed) for one in graded("coin", "price = 1")]
    [('code', False)]
    """
    asked = exercise(name)
    outcome, names = _tried("code", lambda: _names(asked, code), seed)
    if names is None:
        yield outcome
        return
    printed = outcome.printed
    for label, check in asked.checks:
        outcome, _ = _tried(label, partial(check, names, seed), seed, printed)
        yield outcome
        if not outcome.passed:
            return
        printed = ""


def check(name: str, names: Mapping[str, Any]) -> bool:
    """In a notebook: `check("repair", globals())` prints a line for each check, and says whether all passed.

    Parameters
    ----------
    name
        An exercise, one of `exercises()`.
    names
        Where your code has put its names: `globals()`.

    Examples
    --------
    >>> check("coin", {"price": lambda p, q: 0.0, "best": lambda epsilon: (0.5, 0.5)})
    FAILED  contract: best(0.5) is (0.5, 0.5): such a coin says the same of every film.
    False
    """
    passed = False
    for outcome in graded(name, names):
        if outcome.printed:
            print(outcome.printed, end="" if outcome.printed.endswith("\n") else "\n")
        print(f"{'passed' if outcome.passed else 'FAILED'}  {outcome.check}: {outcome.say}")
        passed = outcome.passed
    return passed


def _names(asked: Exercise, code: str | Mapping[str, Any]) -> Mapping[str, Any]:
    names: Mapping[str, Any] = code if not isinstance(code, str) else _ran(code)
    missing = [one for one in asked.needs if one not in names]
    if missing:
        raise Failed(f"The code must define {' and '.join(missing)}.")
    return names


def _ran(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np, "__name__": "yours", "__builtins__": builtins}
    exec(compile(text, YOURS, "exec"), names)
    return names


def _tried(label: str, act: Callable[[], T], seed: int, before: str = "") -> tuple[Outcome, T | None]:
    """What a check says, or why it ended; and what it gave."""
    heard = io.StringIO()
    try:
        with contextlib.redirect_stdout(heard), np.errstate(all="ignore"), rooted(seed):
            said = act()
    except Failed as why:
        return Outcome(label, False, str(why), why.line, _short(before, heard)), None
    except (Exception, SystemExit) as error:
        return Outcome(label, False, *_told(error), _short(before, heard)), None
    return Outcome(label, True, said if isinstance(said, str) else "", None, _short(before, heard)), said


def _short(before: str, heard: io.StringIO) -> str:
    return (before + heard.getvalue())[:LONGEST]


def _told(error: BaseException) -> tuple[str, int | None]:
    """An error in a sentence, and the line of the reader's code at which it came."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == YOURS else None
    if line is None:
        mine = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == YOURS]
        line = mine[-1] if mine else None
    text = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
    return f"{f'Line {line}: ' if line else ''}{text}"[:400], line
