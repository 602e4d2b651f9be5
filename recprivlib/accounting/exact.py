"""One release, or one Gaussian for them all: ε straight from the privacy profile, without a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from recprivlib.accounting.dominating import Curve, Pair, gaussian_pair
from recprivlib.accounting.profiles import at

FARTHEST = 1e15  # no ε beyond means anything


def merged(parts: Sequence[tuple[Pair, int]]) -> list[tuple[Pair, int]]:
    """The same run with one Gaussian for all of them (their μ² add up), and equal pairs counted together."""
    mu = math.sqrt(math.fsum(count * pair.mu**2 for pair, count in parts))
    rest: dict[Pair, int] = {}
    for pair, count in parts:
        if not pair.mu:
            rest[pair] = rest.get(pair, 0) + count
    gaussian = gaussian_pair(mu)
    return ([(gaussian, 1)] if gaussian else []) + list(rest.items())


def epsilon(pair: Pair, delta: float) -> float:
    """The smallest ε of one release at `delta`, in the worse direction; rounded up by less than 10⁻¹⁰ of itself."""
    forward = _inverse(pair.profile, delta, pair.largest)
    return forward if pair.symmetric else max(forward, _inverse(pair.reverse, delta, pair.largest))


def _inverse(profile: Curve, delta: float, largest: float) -> float:
    """Where a falling profile reaches `delta`: ladders of 65 rungs, each within a step of the last."""
    if at(profile, np.zeros(1))[0] <= delta:
        return 0.0
    high = largest
    if math.isinf(high):
        high = 1.0
        while at(profile, np.array([high]))[0] > delta:
            high *= 2
            if high > FARTHEST:
                return math.inf
    elif at(profile, np.array([high]))[0] > delta:
        return math.inf
    low = 0.0
    for _ in range(7):
        ladder = np.linspace(low, high, 65)
        rung = int(np.argmax(at(profile, ladder[1:]) <= delta))
        low, high = ladder[rung], ladder[rung + 1]
    return float(high)
