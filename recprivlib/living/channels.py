"""What a stranger believes of a film: Bayes' rule over the very channel that the library releases through.

    posterior(x) ∝ prior(x) · Π P(y | x)      the product over weeks, if the phone answers anew in each

An answer is drawn with uniforms that a picture fixes: a reader who drags ε sees the same coins under other odds.
A belief is proof where the channel could not have given the answer of any other x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.living.films import FIVE
from recprivlib.mechanisms import Exact, Laplace, LaplaceOrTruth, UnaryOneSided, UnarySymmetric
from recprivlib.protocols import Array


@dataclass(frozen=True)
class Channel:
    """One device: what it is at ε, the values it hides among, and its answer to a value under two uniforms."""

    device: Callable[[float], Any]
    values: tuple[float, ...]
    answer: Callable[[Any, float, float, float], float]


def laplace(v: float, scale: float) -> float:
    """The number of Laplace noise at the uniform v."""
    return float(-scale * np.sign(v - 0.5) * np.log(1 - 2 * abs(v - 0.5)))


def _bit(flip: Any, x: float, u: float, v: float) -> float:
    """A watched film is a yes below p, another below q; for SP the same uniform tells the truth of either below p."""
    if isinstance(flip, UnarySymmetric):
        return x if u < flip.p else 1 - x
    return float(u < (flip.p if x else flip.q))


def _star(mixed: LaplaceOrTruth, x: float, u: float, v: float) -> float:
    return x if u < mixed.p else x + laplace(v, mixed.scale)


CHANNELS = {
    "sp": Channel(UnarySymmetric, (0.0, 1.0), _bit),
    "ap": Channel(UnaryOneSided, (0.0, 1.0), _bit),
    "ldp_svd": Channel(lambda epsilon: LaplaceOrTruth(epsilon, epsilon), FIVE, _star),
    "dp_pnbm": Channel(lambda epsilon: Exact("item means are released exactly"), FIVE, lambda _, x, u, v: x),
    # `laplace_means` adds noise of 2/ε to a sum in halves of the range, which are two stars
    "bought": Channel(lambda epsilon: Laplace(epsilon, 4.0), FIVE, lambda noise, x, u, v: x + laplace(v, noise.scale)),
}


@dataclass(frozen=True)
class Belief:
    """How likely each value is, and whether one of them is proved."""

    of: tuple[float, ...]
    sure: bool


def believed(name: str, epsilon: float, answers: Sequence[float], prior: Sequence[float]) -> Belief:
    """What the stranger makes of these answers about one film."""
    channel = CHANNELS[name]
    device, values = channel.device(epsilon), np.array(channel.values)
    weights: Array = np.log(np.asarray(prior, float))
    for y in answers:
        weights = weights + _log_density(device, y, values)
    odds = np.exp(weights - weights.max())
    of = odds / odds.sum()
    return Belief(tuple(of.tolist()), bool(np.isneginf(weights).sum() == len(values) - 1))


def _log_density(device: Any, y: float, values: Array) -> Array:
    if isinstance(device, Exact):
        return np.where(values == y, 0.0, -np.inf)
    with np.errstate(divide="ignore"):
        found: Array = device.log_density(np.full(values.shape, y), values)
    return found
