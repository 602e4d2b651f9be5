"""Whether a run fits into the memory there is, told before it begins.

    data ──> Volume ──> the data itself + its split + what the system holds (Holds) ──> bytes
                                                                       limits.free() ──────────┘ compared

An estimate is within a factor of 1.5 of what a process takes (tests/memory measures every system). Where a system says
nothing, or nobody knows what there is, nothing is refused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recprivlib import limits
from recprivlib.data import Dataset
from recprivlib.parameters import UserError
from recprivlib.protocols import Holds, Volume

HELD = 20.0  # bytes of an interaction in a data set
SPLIT = {"loo-latest": 55.0, "loo-random": 55.0, "kfold": 160.0, "user-split": 45.0}  # of one in what a split makes
PERSON = 1000.0  # bytes of a person in a split and in what is found for her
RESAMPLED, DRAWS = 36.0, 1000  # bytes of a resampled user; resamples
BLOCK = 1 << 21  # resampled users at once
PROCESS = 1.2e8  # bytes of a worker before it has read anything
FEWEST = 20  # people or items that are worth proposing


def needed(system: Any, size: Volume, protocol: str, *, drawn: bool = False, there: bool = False) -> float:
    """The bytes that a run takes at most, beside the interpreter's own.

    `drawn`: the synthetic population is drawn first; `there`: the data set is in memory already.
    """
    lasting, passing = (0.0 if there else HELD) * size.interactions, 0.0
    if drawn:
        from recprivlib.data.synthetic import drawing

        lasting, passing = drawing(size)
    resampling = RESAMPLED * min(BLOCK, size.users * DRAWS)
    holds = system.holds(size) if isinstance(system, Holds) else 0.0
    return lasting + SPLIT[protocol] * size.interactions + PERSON * size.users + max(passing, resampling, holds)


@dataclass(frozen=True)
class Fit:
    """Whether something fits, and if not, what would: true or false like a bool.

    `people` and `items` are the largest numbers that fit with as many of the other as asked for; None: not even few.
    """

    needed: float
    free: float | None  # None: nobody knows, so it counts as fitting
    people: int | None = None
    items: int | None = None

    def __bool__(self) -> bool:
        return self.free is None or self.needed <= self.free

    @property
    def sentence(self) -> str:
        """What it needs, what is there, and what would fit: "needs about 9.1 GB of memory, and 3.9 GB are free; …"."""
        would = [f"up to {number:,} {what}" for number, what in ((self.people, "people"), (self.items, "items"))
                 if number is not None]  # fmt: skip
        fits_ = f"{' or '.join(would)} fit" if would else "no smaller population of this form fits"
        return f"needs about {amount(self.needed)} of memory, and {amount(self.free or 0)} are free; {fits_}"


def fits(
    system: Any,
    size: Volume,
    protocol: str = "loo-latest",
    *,
    memory: float | None = None,
    there: bool = True,
    at: Callable[[int, int], Volume] | None = None,
    drawn: bool = False,
) -> Fit:
    """Whether a run of `system` over data of this `size` (`interactions.volume`) fits into `memory` bytes.

    `memory` is what this process can still take unless it is given: of the machine, of its own limits (RLIMIT_AS
    of a worker too) and of its control groups (limits.py). Ask in the process that is to run it, or pass its limit.
    `there`: the data set is in memory already and not counted again. `drawn`: it is synthetic and drawn first.
    `at(people, items)` is the size of a smaller population of the same form; by default, a share of this one.

    >>> from recprivlib.yardsticks.plain import Ease
    >>> bool(fits(Ease(), Volume(1000, 100_000, 500_000, 900), memory=4e9))
    False
    """
    at = at or (lambda people, items: share(size, people, items))

    def takes(people: int, items: int) -> float:
        return needed(system, at(people, items), protocol, drawn=drawn, there=there)

    return _fit(takes, size, limits.free() if memory is None else memory)


def _fit(takes: Callable[[int, int], float], size: Volume, free: float | None) -> Fit:
    need = takes(size.users, size.items)
    if free is None or need <= free:
        return Fit(need, free)
    return Fit(need, free, _most(size.users, lambda people: takes(people, size.items) <= free),
               _most(size.items, lambda items: takes(size.users, items) <= free))  # fmt: skip


def share(size: Volume, people: int, items: int) -> Volume:
    """As many of these people, and of these items the ones most met: which leaves nearly all interactions."""
    return replace(size, users=people, items=items, longest=min(size.longest, items),
                   interactions=math.ceil(size.interactions * people / max(size.users, 1)))  # fmt: skip


def _most(asked: int, does: Callable[[int], bool]) -> int | None:
    """The largest number below `asked` that does, with two digits of its own; None where even a few do not."""
    low, high = FEWEST, asked
    if high <= low or not does(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if does(middle) else (low, middle)
    step = 10 ** max(0, len(str(low)) - 2)
    return low // step * step


# ------------------------------------------------------------------------------------------------ refusals


def require(name: str, system: Any, protocol: str, data: Dataset) -> None:
    """Refuses a run over a data set that is in memory, if it does not fit."""
    found = fits(system, data.interactions.volume, protocol)
    if not found:
        advice = replace(found, people=None)  # who is in a data set of one's own is not ours to leave out
        raise UserError(f"{name} on the {data.interactions.n_users:,} people and {data.interactions.n_items:,} items "
                        f"of {data.name} {(found if data.name == 'synthetic' else advice).sentence}")  # fmt: skip


def fits_drawn(system: Any, protocol: str, users: int | None, items: int | None, memory: float | None = None) -> Fit:
    """Whether a run over a synthetic population fits that is still to be drawn."""
    from recprivlib.data.synthetic import expected

    return fits(system, expected(users, items), protocol, memory=memory, there=False, at=expected, drawn=True)


def require_room(users: int | None, items: int | None) -> None:
    """Refuses to draw a synthetic population that does not fit, whatever is done with it."""
    from recprivlib.data.synthetic import drawing, expected

    size = expected(users, items)
    found = _fit(lambda people, things: sum(drawing(expected(people, things))), size, limits.free())
    if not found:
        raise UserError(f"a population of {size.users:,} people and {size.items:,} items {found.sentence}")


def require_drawn(name: str, system: Any, protocol: str, users: int | None, items: int | None) -> None:
    """Refuses a run over a synthetic population before that is drawn, if it does not fit."""
    from recprivlib.data.synthetic import expected

    found, size = fits_drawn(system, protocol, users, items), expected(users, items)
    if not found:
        raise UserError(f"{name} on {size.users:,} people and {size.items:,} items {found.sentence}")


def require_together(needs: Sequence[float], workers: int) -> None:
    """Refuses more workers than can do the runs with these needs at the same time, each in a process of its own.

    A run that does not fit by itself is left out: whoever tries it is told.
    """
    free = limits.free()
    if free is None:
        return
    largest = sorted((PROCESS + need for need in needs if need <= free), reverse=True)[:workers]
    few = sum(total <= free for total in itertools.accumulate(largest))
    if few < len(largest):
        raise UserError(f"{workers} workers need about {amount(sum(largest))} of memory together, and {amount(free)} "
                        f"are free; up to {max(few, 1)} can work beside each other")  # fmt: skip


def ran_out(what: str, error: MemoryError) -> UserError:
    """A run that was let begin and found no memory all the same, in one sentence."""
    said = f" ({error})" if str(error) else ""
    return UserError(f"memory ran out: {what} needs more than there is{said}; try fewer people or fewer items")


def amount(bytes_: float) -> str:
    """Bytes as people say them.

    >>> amount(9.13e9), amount(2.04e7), amount(3.1e10)
    ('9.1 GB', '20 MB', '31 GB')
    """
    size, unit = (bytes_ / 1e9, "GB") if bytes_ >= 1e9 else (bytes_ / 1e6, "MB")
    return f"{size:.1f} {unit}" if unit == "GB" and size < 10 else f"{size:,.0f} {unit}"
