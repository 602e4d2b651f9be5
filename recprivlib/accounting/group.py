"""What a group of records costs: from one interaction to a whole person, through a public cap only."""

from __future__ import annotations

import math

from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Unbounded


def of_user(one: Change | Unbounded, cap: int | None, times: int = 1) -> Change | Unbounded:
    """How far two people's data are apart where each interaction is noised on its own.

    `one` is the change of a single interaction, `cap` the public limit on a user's interactions. A user who comes
    or goes changes `cap` of them; one who is replaced changes `times` = 2 · cap (the old go, the new come).

    >>> of_user(Change(), 20, times=2)
    Change(inputs=40, distance=1.0)
    >>> of_user(Change(), None)
    Unbounded(reason="no public cap on one user's interactions")
    """
    if isinstance(one, Unbounded):
        return one
    if cap is None:
        return Unbounded("no public cap on one user's interactions")
    if cap < 1:
        raise UserError(f"the cap is {cap}, but must be at least 1 interaction")
    return Change(one.inputs * cap * times, one.distance)


def of_size(epsilon: float, delta: float, size: int) -> tuple[float, float]:
    """(ε, δ) for `size` records that change together, where only that of one is known (Vadhan 2017, Lemma 2.2).

    Composition of the single releases is never worse: use this only for a bill whose releases are not known.
    """
    if size < 1:
        raise UserError(f"the group has {size} records, but must have at least 1")
    if delta == 0 or math.isinf(epsilon):
        return size * epsilon, delta
    factor = size if epsilon == 0 else math.expm1(min(size * epsilon, 700.0)) / math.expm1(min(epsilon, 700.0))
    return size * epsilon, min(1.0, delta * factor)
