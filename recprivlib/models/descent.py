"""One step down a slope, as a value: (where one stands, what the optimiser keeps) before and after.

gradient   x − γ s
adam       the same with every entry's step scaled by its own history (Kingma & Ba 2015)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recprivlib.protocols import Array

FAST, SLOW, TINY = 0.9, 0.999, 1e-8  # Adam's own constants


@dataclass(frozen=True, eq=False)
class Kept:
    """What Adam remembers of every entry's slopes."""

    mean: Array | float = 0.0
    square: Array | float = 0.0
    steps: int = 0


Step = Callable[[Array, Array, float, Kept], tuple[Array, Kept]]


def gradient(x: Array, slope: Array, rate: float, kept: Kept) -> tuple[Array, Kept]:
    return x - rate * slope, kept


def adam(x: Array, slope: Array, rate: float, kept: Kept) -> tuple[Array, Kept]:
    steps = kept.steps + 1
    mean = FAST * kept.mean + (1 - FAST) * slope
    square = SLOW * kept.square + (1 - SLOW) * slope**2
    scale = rate * np.sqrt(1 - SLOW**steps) / (1 - FAST**steps)
    return x - scale * mean / (np.sqrt(square) + TINY), Kept(mean, square, steps)


OPTIMISERS: dict[str, Step] = {"gradient": gradient, "adam": adam}
