"""What the systems of dp_pnbm share: their terms, who sees what, and the lines of their ledgers."""

from __future__ import annotations

from typing import Any

import numpy as np

from recprivlib.mechanisms import Exact, Laplace, Sampled
from recprivlib.mechanisms.gate import released
from recprivlib.models.stars import stars_of
from recprivlib.parameters import dial, parameter
from recprivlib.protocols import Array, Change, Claim, Relation, Release, Unbounded, Unit, View

Terms = tuple[Unit, Relation]
Near = dict[Terms, Change | Unbounded]  # how far neighbours are apart, at each terms
RATING: Terms = ("rating", "replace-value")
PERSON: Terms = ("user", "add-remove")
REPLACED: Terms = ("user", "replace")
WORLD: tuple[View, ...] = ("model",)  # the server has the ratings; what leaves it, everybody sees
TRUST = "the server, which holds every rating; what it publishes, everybody sees"
HOME = (
    "a prediction is made from what is published and a person's own ratings, for that person alone; "
    "a click that somebody sees is a further, unpriced release"
)
CAPPED = "ratings beyond the cap are left out at random"
GRID = ("the rating scale",)
PUBLIC = ("which films each person rated", *GRID)
CAP = "the cap on a person's ratings"
LEAK = "item means are released exactly"
SGLD = "δ of SGLD unknown"
NO_CAP = Unbounded("no public cap on how many films a person rates")


def neighbors(default: int) -> Any:
    return parameter(default, 1, 100_000, "N_k, how many similar items vote", tune=dial(10, 100_000, items=True))


def width(grid: tuple[float, ...] | None) -> float:
    """φ, the range of the ratings."""
    low, high = stars_of(grid)
    return high - low


def laplace(epsilon: float, sensitivity: float) -> tuple[Laplace, float]:
    """Laplace noise of scale sensitivity/ε for any ε > 0, and what a change of `sensitivity` is in the mechanism's own.

    A mechanism's own ε ends at 50; beyond, the same scale is written with a smaller ε and a smaller sensitivity.
    """
    kept = min(max(epsilon, 0.001), 50.0)
    return Laplace(kept, sensitivity * kept / epsilon), epsilon / kept


def means_release() -> Release:
    """r̄ as it is."""
    return Release("every item's mean", Exact(LEAK), dict.fromkeys((RATING, PERSON, REPLACED), Change()), seen_by=WORLD)


def sample_release(what: str, steps: int) -> Release:
    """A walk to one sample of a scaled posterior; every state of it may be seen (`steps` shows it)."""
    near = dict.fromkeys((REPLACED, PERSON, RATING), Change())
    return Release(what, Sampled(SGLD), near, steps, seen_by=WORLD)


def shaken(state: Array, scale: float) -> Array:
    """The state of a walk after Gaussian noise of this standard deviation, as it leaves."""
    return released(Sampled(SGLD), state / np.float32(scale)) * np.float32(scale)


def sampling_claim(epsilon: float) -> Claim:
    return Claim(epsilon, 0.0, *REPLACED, "Theorem 2, with δ taken as 0 (Section 5.2)")
