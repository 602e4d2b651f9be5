"""What the areas have in common: data that is loaded once, and commands run as a user would."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache

from recprivlib.data import load
from recprivlib.evaluation import RankingSplit, split
from recprivlib.protocols import Interactions


@cache
def interactions(name: str) -> Interactions:
    """A data set, read once a run."""
    return load(name).interactions


@cache
def holdout(name: str) -> RankingSplit:
    """Its leave-one-out split at seed 0."""
    found = split(interactions(name), "loo-latest", 0)[0]
    assert isinstance(found, RankingSplit)
    return found


def python(*words: str) -> Callable[[], str]:
    """Runs `python words…` in a process of its own; the result is what it wrote on stderr."""
    return lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True).stderr
