"""Exercises that are graded by attack: what the reader's code does is tried, not how it looks.

    text or names ──> contract ──> the law ──> counted ──> attacked ──> of use        each says one sentence
                      (the first that fails ends it: the next one would only confuse)

An exercise is data (`Exercise`), a module each. `graded` runs its checks; page, notebook and tests use the same.
The code runs where this runs, so only a reader's own Python may be told to run it (a worker of the page, a notebook),
never a server. Whoever looks can read the solutions: it is for oneself.
"""

from __future__ import annotations

from recprivlib.exercises.contract import Exercise, Failed, Outcome, Wrong
from recprivlib.exercises.grading import check, exercise, exercises, graded

__all__ = ["Exercise", "Failed", "Outcome", "Wrong", "check", "exercise", "exercises", "graded"]
