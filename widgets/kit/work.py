"""A computation for a reader, wherever it runs, part by part; and the three ways in which it ends early.

    place.parts(explorer, part, values, errand) ──> (progress, result) …, the last one is all of it
                                               └──> AGAIN: elsewhere, and not before others have had a turn

`Here` is this very process: a page without a server, a notebook, a test. `helpers.Helpers` are processes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.contract import Values

Part = Literal["steps", "result", "curve"]
Told = tuple[float, Any]  # progress, and the result so far
MOST = 600.0  # seconds of a processor for one computation


class Exceeded(Exception):
    """It took more than there is: memory, time, or the process that was at it. `again`: it would the next time too."""

    def __init__(self, what: str, again: bool = True):
        super().__init__(what)
        self.again = again


class Left(Exception):
    """Whoever asked has gone; nobody is told."""


class Again:
    """In place of a part: the turn is over, and what is left takes its next one among what takes long."""


AGAIN = Again()


@dataclass
class Errand:
    """For whom something is computed: whether he has gone, and how many seconds of a processor he has left.

    `foreseen` are those that the computation under way takes about; 0 where nobody knows.
    """

    gone: Callable[[], bool] = lambda: False
    left: float = MOST
    foreseen: float = 0.0


class Place(Protocol):
    """Where computations run."""

    workers: int  # of a pool, for each that computes: others wait or draw meanwhile
    aside: int  # jobs that may go on beside the others after they were long at work

    def parts(self, explorer: Explorer, part: Part, values: Values, errand: Errand) -> Iterator[Told | Again]:
        """All of it; closing it ends it."""
        ...

    def wanted(self) -> bool:
        """Whether one of the pool's workers waits there for another."""
        ...


class Here:
    """In this process, where nothing can be ended from outside."""

    workers, aside = 1, 2

    def parts(self, explorer: Explorer, part: Part, values: Values, errand: Errand) -> Iterator[Told | Again]:
        yield from played(explorer, part, values)

    def wanted(self) -> bool:
        return False


def played(explorer: Explorer, part: Part, values: Values) -> Iterator[Told]:
    """`steps`, `compute` or the whole curve (in a tuple: there may be none) as one and the same thing."""
    if part == "curve":
        assert explorer.curve is not None
        yield 1.0, (explorer.curve(explorer.defaults | dict(values)),)
    elif part == "result" or explorer.steps is None:
        yield 1.0, explorer.compute(**values)
    else:
        yield from explorer.steps(**values)
