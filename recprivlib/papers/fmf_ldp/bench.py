"""What a reader of chapter fmf_ldp waits for: a whole run, from a town to the paper's full size."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import apart, interactions
from recprivlib.data import load
from recprivlib.papers.fmf_ldp.system import FMFLDP
from recprivlib.protocols import Interactions

# 75,040 phones and 9,781 films, 20 million interactions: 20 epochs with 100 reports a phone. The drawing of
# the population counts for the memory, not for the seconds.
FULL = """
import time
import numpy as np
from recprivlib.data import load
from recprivlib.papers.fmf_ldp.system import FMFLDP

people = load("synthetic", users=75_040, items=9_781).interactions
start = time.perf_counter()
FMFLDP().fit(people, np.random.default_rng(0))
seconds = time.perf_counter() - start
"""


def cells() -> list[Timing]:
    run = "20 epochs, 100 reports a phone"
    return [
        Timing(f"{run}, ML-100K", 0.15, trained(lambda: interactions("ml-100k"))),
        Timing(f"{run}, ML-1M", 1.0, trained(lambda: interactions("ml-1m"))),
        Timing(f"{run}, 50 000 × 1 000", 6.0, trained(city)),
        Timing(f"{run}, 75 040 × 9 781", 0.5, lambda: lambda: full()[0] / 60, unit="min"),
        Timing(f"{run}, 75 040 × 9 781, most memory", 1500, lambda: lambda: full()[1], unit="MB"),
    ]


def trained(people: Callable[[], Interactions]) -> Setup:
    """A run from the histories to the last item vectors and everybody's own."""

    def setup() -> Callable[[], Any]:
        train = people()
        return lambda: FMFLDP().fit(train, np.random.default_rng(0))

    return setup


@cache
def city() -> Interactions:
    return load("synthetic", users=50_000, items=1000).interactions


@cache
def full() -> tuple[float, float]:
    """(seconds, MB) of the paper's full size, with one thread."""
    return apart(FULL, threads=1)
