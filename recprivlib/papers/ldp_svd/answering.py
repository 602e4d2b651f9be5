"""What a phone of ldp_svd may send of a rating, and each of these mechanisms as the server uses it.

Whatever a mechanism takes (symbols, numbers from −1 to 1, stars) and sends (symbols, real numbers), the server sees
finitely many answers and knows how likely each is for every star.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import Duchi, KRandomizedResponse, Laplace, LaplaceRounded, OptimalChannel, Piecewise
from recprivlib.mechanisms.common import positions
from recprivlib.mechanisms.gate import released
from recprivlib.mechanisms.optimal_channel import PRIOR
from recprivlib.protocols import Array, HasLogDensity, HasOutputs

BINS, FINE = 200, 20  # bins of a real-valued answer, and points at which the density of each is summed


@dataclass(frozen=True, eq=False)
class Answers:
    """A mechanism as the server uses it: finitely many answers, and P(answer | star)."""

    mechanism: Any
    grid: tuple[float, ...]
    edges: Array  # where the answers meet, on the line of reports
    matrix: Array  # stars × answers

    def release(self, ratings: Array) -> Array:
        """The number of each rating's answer, int32."""
        reports = released(self.mechanism, inputs(self.mechanism, ratings, self.grid))
        return np.searchsorted(self.edges, reports).astype(np.int32)


def answers(mechanism: Any, grid: tuple[float, ...]) -> Answers:
    """`mechanism` on ratings of `grid`. Real-valued reports are sorted into bins, which is post-processing."""
    stars = inputs(mechanism, np.asarray(grid), grid)[:, None]
    if isinstance(mechanism, HasOutputs) and isinstance(mechanism, HasLogDensity):
        outputs = np.asarray(mechanism.outputs, float)
        kind = np.int32 if isinstance(mechanism, OptimalChannel | KRandomizedResponse) else float
        matrix = np.exp(mechanism.log_density(outputs[None, :].astype(kind), stars))
        return Answers(mechanism, grid, (outputs[1:] + outputs[:-1]) / 2, matrix)
    far = mechanism.scale if isinstance(mechanism, Piecewise) else grid[-1] + 12 * mechanism.scale
    low, high = (-far, far) if isinstance(mechanism, Piecewise) else (grid[0] + grid[-1] - far, far)
    points = np.linspace(low, high, BINS * FINE + 1)[:-1] + (high - low) / (2 * BINS * FINE)
    masses = np.exp(mechanism.log_density(points[None, :], stars)).reshape(len(grid), BINS, FINE).sum(axis=2)
    edges = np.linspace(low, high, BINS + 1)[1:-1]
    return Answers(mechanism, grid, edges, masses / masses.sum(axis=1, keepdims=True))


def inputs(mechanism: Any, ratings: Array, grid: tuple[float, ...]) -> Array:
    """Ratings as the mechanism takes them: symbols, numbers from −1 to 1, or stars; off the grid they are refused."""
    if isinstance(mechanism, KRandomizedResponse):
        return positions(ratings, grid, "rating")
    if isinstance(mechanism, Duchi | Piecewise):
        middle, half = (grid[0] + grid[-1]) / 2, (grid[-1] - grid[0]) / 2
        return (np.asarray(grid)[positions(ratings, grid, "rating")] - middle) / half
    return np.asarray(grid)[positions(ratings, grid, "rating")]


MECHANISMS: dict[str, Callable[[float, tuple[float, ...]], Any]] = {
    "optimal": lambda epsilon, grid: OptimalChannel(epsilon, grid, prior_of(grid)),
    "k-rr": lambda epsilon, grid: KRandomizedResponse(epsilon, len(grid)),
    "rounded": lambda epsilon, grid: LaplaceRounded(epsilon, grid),
    "laplace": lambda epsilon, grid: Laplace(epsilon, sensitivity=grid[-1] - grid[0]),
    "piecewise": lambda epsilon, grid: Piecewise(epsilon),
    "duchi": lambda epsilon, grid: Duchi(epsilon),
}


def prior_of(grid: tuple[float, ...]) -> tuple[float, ...]:
    """Public shares of the ratings: MovieLens' for five stars, else all alike."""
    return PRIOR if len(grid) == len(PRIOR) else (1 / len(grid),) * len(grid)
