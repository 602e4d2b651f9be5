"""A claim at the δ of the bill that it stands beside: numbers at different δ are never shown together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import overload

from recprivlib.protocols import Claim


@overload
def claimed_at(claim: Claim, delta: float) -> Claim: ...
@overload
def claimed_at(claim: None, delta: float) -> None: ...
def claimed_at(claim: Claim | None, delta: float) -> Claim | None:
    """What `claim` says at `delta`: what its source computes there, if it does; what it implies, at a larger δ than its
    own; and nothing, ε = ∞, at a smaller one.

    >>> paper = Claim(1.0, 1e-5, "user", "replace", "Theorem 2")
    >>> [claimed_at(paper, delta).epsilon for delta in (0.0, 1e-6, 1e-5, 1e-4)]
    [inf, inf, 1.0, 1.0]
    """
    if claim is None or claim.delta == delta:
        return claim
    if claim.at:
        return replace(claim, epsilon=claim.at(delta) if delta else math.inf, delta=delta)
    return replace(claim, epsilon=claim.epsilon if delta > claim.delta else math.inf, delta=delta)
