"""The one door out of a place of trust: whatever leaves is what a mechanism answers here.

    x ──> released(mechanism, x, rng) ──> y        in a run: mechanism.release(x, rng), nothing else
    n ──> drawn(cohort, n, rng) ──> members        a secret draw: what is released on it is one joint event
          seen(what, value) ──> value              what a server is handed or tells, used or not
                     │
                   Tape                            in an audit: what went in, what came out; or, played again,
                                                   the answers of another run, whatever goes in

A system that goes around the door gains nothing: played again on other data, its model still moves with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from recprivlib.mechanisms.secure import Secure
from recprivlib.protocols import Array

T = TypeVar("T")
_tape: ContextVar[Tape | None] = ContextVar("tape", default=None)


@dataclass(frozen=True, eq=False)
class Call:
    """One passage: who answered what with which random numbers."""

    mechanism: Any
    x: Any  # what went in: an array, or a tuple of arrays of one joint event; of a draw, how many there are
    y: Any  # the answer, in the same form
    before: Any  # the state of the generator as it came in: the answer's noise is a function of this
    after: Any  # and as it went out; both None where there was no generator (secure) or nothing was drawn (played)
    secret: bool = False  # a draw: nobody sees it


@dataclass
class Tape:
    """The passages of one run in order. With `played`, those of another run, nothing is drawn."""

    played: Sequence[Call] | None = None
    enough: int | None = None  # passages after which nobody needs the rest of the run
    calls: list[Call] = field(default_factory=list)
    shown: list[tuple[str, Any]] = field(default_factory=list)  # what servers were handed or told, in order

    def call(self, mechanism: Any, x: Any, rng: np.random.Generator | None, draw: bool = False) -> Any:
        if isinstance(mechanism, Secure):
            rng = None
        x, turn, before = _copied(x), len(self.calls), _state(rng)
        if self.played is None:
            y = _copied(_answer(mechanism, x, rng, draw))
        elif turn < len(self.played) and _form(self.played[turn]) == (draw, _shape(x)):
            y = self.played[turn].y
        else:
            raise Torn("how much is released depends on the data")
        self.calls.append(Call(mechanism, x, y, before, _state(rng), draw))
        if len(self.calls) == self.enough:
            raise Enough
        return _copied(y)


class Enough(Exception):
    """The last passage that anybody needs was heard."""


class Torn(Exception):
    """The tape does not fit the run: how much is released depends on the data."""


def released(mechanism: Any, x: Any, rng: np.random.Generator) -> Any:
    """What a mechanism answers: `mechanism.release(x, rng)`, noted by whoever audits this run.

    Parameters
    ----------
    mechanism
        What adds the noise.
    x
        What goes in, in the form that the mechanism takes; for a `Cohort` a tuple of arrays with one row a member.
    rng
        Of the noise. A mechanism that is secure takes none: its noise comes from the operating system.

    Returns
    -------
    numpy.ndarray or tuple
        The answer. It is all that may leave the place of trust.

    Examples
    --------
    >>> from recprivlib.mechanisms import RandomizedResponse
    >>> released(RandomizedResponse(epsilon=50.0), np.array([0, 1, 1]), np.random.default_rng(0)).astype(int)
    array([0, 1, 1])
    """
    tape = _tape.get()
    return _answer(mechanism, x, rng, False) if tape is None else tape.call(mechanism, x, rng)


def drawn(cohort: Any, n: int, rng: np.random.Generator) -> Array:
    """Which people take part this time: `cohort.draw(n, rng)`, noted by whoever audits this run.

    Parameters
    ----------
    cohort
        A `Cohort` or another mechanism that draws people.
    n
        How many there are to draw from.
    rng
        Of the draw.

    Returns
    -------
    numpy.ndarray
        Their numbers, rising (int32). Nobody outside the place of trust may learn them.

    Examples
    --------
    >>> from recprivlib.mechanisms import Cohort, VectorGaussian
    >>> cohort = Cohort((VectorGaussian(),), rate=0.1, sampling="fixed-size")
    >>> len(drawn(cohort, 100, np.random.default_rng(0)))
    10
    """
    tape = _tape.get()
    answer = _answer(cohort, n, rng, True) if tape is None else tape.call(cohort, n, rng, draw=True)
    return np.asarray(answer)


def seen(what: str, value: T) -> T:
    """`value` as it is, noted by whoever audits this run: a server is handed it, or tells it."""
    if tape := _tape.get():
        tape.shown.append((what, value))
    return value


@contextmanager
def taped(played: Sequence[Call] | None = None, enough: int | None = None) -> Iterator[Tape]:
    """Within this context (and thread) everything released is taped, or played from `played`; left after `enough`."""
    tape = Tape(played, enough)
    token = _tape.set(tape)
    try:
        yield tape
    except Enough:
        pass
    finally:
        _tape.reset(token)


def _answer(mechanism: Any, x: Any, rng: np.random.Generator | None, draw: bool) -> Any:
    if draw:
        return mechanism.draw(x, rng)
    return mechanism.release(x) if isinstance(mechanism, Secure) else mechanism.release(x, rng)


def _copied(x: Any) -> Any:
    return tuple(_copied(part) for part in x) if isinstance(x, tuple) else np.array(x)


def _state(rng: Any) -> Any:
    return rng.bit_generator.state if isinstance(rng, np.random.Generator) else None


def _shape(x: Any) -> Any:
    """Of a joint event that of one member's row: how many members there are is the cohort's secret."""
    return tuple(np.shape(part)[1:] for part in x) if isinstance(x, tuple) else np.shape(x)


def _form(call: Call) -> tuple[bool, Any]:
    return call.secret, _shape(call.x)
