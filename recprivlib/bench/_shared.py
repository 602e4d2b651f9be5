"""What the areas have in common: data that is loaded once, and commands run as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache

from recprivlib.bench import THREADS
from recprivlib.data import load
from recprivlib.evaluation import RankingSplit, split
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

PEAK = """
with open("/proc/self/status") as status:
    print(seconds, next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


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


def apart(script: str, threads: int) -> tuple[float, float]:
    """(what the script leaves in `seconds`, the most memory of its process in MB), run in a process of its own."""
    if sys.platform != "linux":
        raise UserError("the high-water mark of a process is read from /proc, which only Linux has")
    env = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
    command = [sys.executable, "-c", script + PEAK]
    run = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
    seconds, peak = run.stdout.split()
    return float(seconds), int(peak) * 1024 / 1e6
