"""What is drawn in a run: people and noise, each from the numbers of the gate and as it says.

cohorts           drawn anew, at the gate, for each joint event, as large as their kind of draw makes them
random numbers    every answer is what its mechanism gives from the numbers of the gate, and from no others
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from recprivlib.auditing.conformance import priceless
from recprivlib.auditing.leaves import identity, same
from recprivlib.auditing.neighbours import WHO
from recprivlib.auditing.replay import where
from recprivlib.mechanisms.gate import Call, answer
from recprivlib.mechanisms.losses import GaussianShift, LaplaceShift
from recprivlib.protocols import DrawsPeople

DRAWS = 200  # of a cohort, whose sizes are looked at
SIZES = 6.0  # deviations that a size of a cohort may be off: 2e-9 of honest ones are


def turned(call: Call, people: int, drawn: bool, who: int = WHO) -> Call:
    """A draw with or without her; where the size is fixed she and another change places."""
    if not call.secret:
        return call
    others = call.y[call.y != who]
    fixed = isinstance(call.mechanism, DrawsPeople) and call.mechanism.sampling == "fixed-size"
    spare = np.setdiff1d(np.arange(people), np.append(others, who))
    if fixed and len(others) == len(call.y):
        others = others[1:]
        spare = call.y[:1]
    members = np.append(others, who) if drawn else np.append(others, spare[: int(fixed)])
    return dataclasses.replace(call, y=np.sort(members).astype(call.y.dtype))


def cohorts(calls: Sequence[Call]) -> list[str]:
    """Every joint event has a cohort of its own, drawn at the gate just before, of the size that its draw makes."""
    found = []
    for at, call in enumerate(calls):
        if isinstance(call.x, tuple):
            before = calls[max(at - 1, 0)]
            fresh = before.secret and identity(before.mechanism) == identity(call.mechanism)
            if not fresh or len(before.y) != len(call.x[0]):
                found.append(f"a cohort is not drawn anew, at the gate, for what is released on it{where(call)}")
    kinds = {identity(call.mechanism): call for call in calls if call.secret}
    return list(dict.fromkeys([*found, *(said for call in list(kinds.values())[:2] for said in _sizes_drawn(call))]))


def _sizes_drawn(call: Call) -> Iterator[str]:
    """Whether cohorts are as large as those of people drawn one by one, or all of one size, as is stated."""
    mechanism, people = call.mechanism, int(call.x)
    kind, rng = getattr(mechanism, "sampling", ""), np.random.default_rng(np.random.SeedSequence((people, DRAWS)))
    drawn = [np.asarray(mechanism.draw(people, rng)) for _ in range(DRAWS)]
    sizes, name = np.array([len(one) for one in drawn]), type(mechanism).__name__
    if any(len(np.unique(one)) < len(one) or (len(one) and not 0 <= one.min() <= one.max() < people) for one in drawn):
        yield f"{name}: somebody is drawn twice, or is nobody{where(call)}"
    rate = getattr(mechanism, "rate", None)
    if kind == "fixed-size" and np.ptp(sizes):
        yield f"{name}: its cohorts are not all of one size{where(call)}"
    elif kind == "poisson" and rate is not None and 0 < rate < 1:
        spread = math.sqrt(people * rate * (1 - rate))
        middle = abs(sizes.mean() - people * rate) * math.sqrt(DRAWS) / spread
        wide = abs(sizes.var() / spread**2 - 1) * math.sqrt(DRAWS / (2 + 1 / spread**2))
        if max(middle, wide) > SIZES:
            yield f"{name}: its cohorts are not as large as those of people who are drawn one by one{where(call)}"


# ------------------------------------------------------------------------------------------------ random numbers


def randomness(calls: Iterable[Call]) -> list[str]:
    """Every answer is made of the numbers that the gate gave it, and of no others."""
    return list(dict.fromkeys(_drawn(calls)))


def _drawn(calls: Iterable[Call]) -> Iterator[str]:
    for call in calls:
        if call.stream is None or not _noisy(call):
            continue
        if not call.drew:
            yield f"{call.mechanism} draws no random numbers{where(call)}"
        if _bare(call):
            yield f"some answers of {call.mechanism} have no noise{where(call)}"
        again = answer(call.mechanism, call.x, call.stream.generator(), call.secret)
        if not all(same(a, b) for a, b in zip(_parts(again), _parts(call.y), strict=True)):
            yield f"{call.mechanism} does not answer twice alike from the same random numbers{where(call)}"


def _bare(call: Call) -> bool:
    """Whether real numbers to which noise is added come out the same from other random numbers."""
    if call.stream is None or not isinstance(call.mechanism.loss(1.0), LaplaceShift | GaussianShift):
        return False
    other = dataclasses.replace(call.stream, path=(*call.stream.path, 1)).generator()
    y, again = np.ravel(call.y), np.ravel(answer(call.mechanism, call.x, other, call.secret))
    if y.dtype.kind != "f" or len(y) != len(again) or np.array_equal(y, np.rint(y)):
        return False
    inside = (y > y.min(initial=np.inf)) & (y < y.max(initial=-np.inf))  # where answers are cut, many are alike
    return bool(((y == again) & inside).any())


def _parts(y: Any) -> tuple:
    return y if isinstance(y, tuple) else (np.asarray(y),)


def _noisy(call: Call) -> bool:
    size = sum(np.size(part) for part in _parts(call.x))
    return bool(size) and (call.secret or not priceless(call.mechanism) or call.drew)
