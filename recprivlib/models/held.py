"""What the numerics of this folder hold at once, in bytes: the terms of a system's `holds`.

Only what grows with people, items, interactions or a parameter is counted. Each factor stands for arrays that are there
at the same time, beside each other; tests/memory holds all of it against what a process takes.
"""

from __future__ import annotations

from typing import Any

from recprivlib.protocols import Volume

BLOCK = 4096  # people whose rows are dense at once
SCORED = 1 << 21  # scores that an evaluation asks for at once
ROWS = 1 << 24  # scores of whole rows (rows.py) that are held to pick pairs from


def scored(size: Volume) -> int:
    """Scores in one request of an evaluation."""
    return min(size.users * size.items, SCORED)


def blocks(size: Volume) -> int:
    """People in the largest block."""
    return min(size.users, BLOCK)


def squares(size: Volume, each: float) -> float:
    """So many bytes for every pair of items; one array of float32 is 4."""
    return each * size.items**2


def little(self: Any, size: Volume) -> float:
    """`holds` of a system that keeps a number an item."""
    return 8.0 * scored(size) + 40.0 * size.items


def gram(size: Volume) -> float:
    """RᵀR of histories (similarity.py), with the rows of rare items that are added up apart."""
    return squares(size, 6.8) + 12.0 * scored(size)


def neighbours(size: Volume, most: int) -> float:
    """Ranked lists: keys, their sorted copies, items and similarities."""
    return 24.0 * size.items * min(most, size.items)


def half_steps(size: Volume, factors: int, *, alone: bool = False) -> float:
    """`half_step` for all people and, unless they are `alone`, for all items: what one block of rows looks up."""
    longer = size.users if alone else max(size.users, size.items)
    share = min(1.0, BLOCK / size.users) if alone else min(1.0, BLOCK / min(size.users, size.items))
    if factors <= 10:
        looked_up = 2.0 * factors**2 * (longer + 3 * size.items)
    else:
        looked_up = 4.0 * factors * share * size.interactions
    return looked_up + 6.0 * min(longer, BLOCK) * factors**2 + 8.0 * factors * (size.users + size.items)


def kept_blocks(size: Volume) -> float:
    """The blocks of a federated run (population.py): each keeps its own matrix and the numbers of its users."""
    return 12.0 * size.interactions


def crowd(size: Volume, times: int) -> Volume:
    """A population so many times as large."""
    return Volume(size.users * times, size.items, size.interactions * times, size.longest)


def drawn(size: Volume, times: int) -> float:
    """What a population that is drawn from the real one takes (`population.crowd`)."""
    return 0.0 if times == 1 else 32.0 * size.interactions * times


def answered(size: Volume, each: float) -> float:
    """So many bytes for every bit of a block of histories that are dense."""
    return each * blocks(size) * size.items


def of_people(size: Volume, longest: int | None = None) -> float:
    """The gradient of one person over the pairs of items that she rated (pnbm.py)."""
    return 28.0 * min(size.longest, longest or size.longest) ** 2


def by_neighbours(size: Volume) -> float:
    """Scores of pairs by similar items (weighted.py): similarities, weights, a partition of them, what is gathered."""
    return squares(size, 14) + 92.0 * min(SCORED, size.interactions)


def own_parts(size: Volume, factors: int = 0) -> float:
    """Scores of pairs from whole rows, with each person's own part (offsets.py)."""
    return (12.0 if factors else 8.6) * min(size.users * size.items, ROWS) + 8.0 * size.interactions


def factor_pairs(size: Volume, factors: int) -> float:
    """Scores of a fold of pairs: two vectors looked up for each."""
    return (1.6 * factors + 8) * size.interactions


def ones(size: Volume, p: float, q: float) -> float:
    """Reported ones, where a true one is reported with probability p and any other with q."""
    return p * size.interactions + q * max(0.0, float(size.users) * size.items - size.interactions)


def network(kinds: int, weights: int, layers: int, phones: int, cohort: int, each: int = 4) -> float:
    """Networks of `phones` at once over all kinds of items, and the weights of a cohort; `each` number's bytes."""
    return each * (1.8 * phones * kinds * layers + 2.5 * cohort * weights)
