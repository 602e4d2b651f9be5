"""What floating point adds to the distance of two sums over people, so that a bill can pay for it.

A sum of n numbers xᵢ, in any order, is wrong by at most γ·Σ|xᵢ|, γ = (n − 1)u/(1 − (n − 1)u), where u is half the gap
between 1 and the next number of its type (Higham 2002, eq. 4.4). Coordinate by coordinate that holds for vectors, so in
any norm the error is at most γ·n·Δ where every person's part is at most Δ long. Two worlds have a sum each, with one
person more at most, and each of her coordinates was rounded `steps` times before it was added. Hence neighbours whose
exact sums are Δ apart are at most Δ(1 + 2γ·n + 2·steps·u) apart once both are rounded: a bound for any order and any
data, far above what happens, and small where sums are made in doubles. Sums in float32 have no such bound that
one could pay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from recprivlib.parameters import UserError


def summed(terms: int, kind: Any = float, weight: int = 1, steps: int = 2) -> float:
    """`Change.rounding` of a sum over people: a share of what one of them moves it by.

    `terms`: how many are added up, in the type `kind`; `weight`: how often each is counted, at most; `steps`: how often
    a coordinate of one person's own part was rounded before.

    >>> print(f"{summed(943):.1e}, {summed(943, np.float32):.2f}")  # of doubles, and of float32
    2.0e-10, 0.11
    """
    gamma = _gap(kind) * terms / (1 - _gap(kind) * terms)
    if not 0 < gamma < 1:
        raise UserError(f"a sum of {terms:,} numbers of type {np.dtype(kind)} may be all rounding; use a wider type")
    return 2 * gamma * terms * weight + 2 * steps * _gap(kind)


def once(terms: int = 1) -> float:
    """The same of a sum that is exact, as whole numbers and halves are, and is then rounded once.

    >>> print(f"{once(943):.1e}")
    2.1e-13
    """
    return 2 * terms * _gap(float)


def _gap(kind: Any) -> float:
    """u of a floating-point type."""
    return float(np.finfo(kind).eps) / 2
