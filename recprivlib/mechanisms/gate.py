"""The one door out of a place of trust: whatever leaves is what a mechanism answers here, with the gate's own noise.

    x ──> released(mechanism, x) ──> y        in a run: mechanism.release(x, the next stream of the run's root)
    n ──> drawn(cohort, n) ──> members        a secret draw: what is released on it is one joint event
          seen(what, value) ──> value         what a server is handed or tells, used or not
                     │
                   Tape                       in an audit: what went in, what came out; or, played again,
                                              the answers of another run, whatever goes in

No system is handed the random numbers that hide people: they come from a root of whoever runs it (noise.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from recprivlib.mechanisms.noise import Root, Stream, here
from recprivlib.mechanisms.secure import Secure, earnest
from recprivlib.protocols import Array

T = TypeVar("T")
_tape: ContextVar[Tape | None] = ContextVar("tape", default=None)


@dataclass(frozen=True, eq=False)
class Call:
    """One passage: who answered what with which random numbers."""

    mechanism: Any
    x: Any  # what went in: an array, or a tuple of arrays of one joint event; of a draw, how many there are
    y: Any  # the answer, in the same form
    stream: Stream | None = None  # where its noise came from; None where it cannot be drawn again, or was played
    drew: bool = False  # whether anything was drawn from it
    secret: bool = False  # a draw: nobody sees it
    where: str = ""  # the file and line that asked


@dataclass
class Tape:
    """The passages of one run in order. With `played`, those of another run, nothing is drawn."""

    played: Sequence[Call] | None = None
    enough: int | None = None  # passages after which nobody needs the rest of the run
    calls: list[Call] = field(default_factory=list)
    shown: list[tuple[str, Any]] = field(default_factory=list)  # what servers were handed or told, in order

    def call(self, mechanism: Any, x: Any, root: Root, draw: bool = False) -> Any:
        x, turn = _copied(x), len(self.calls)
        stream, drew = None, False
        if self.played is None and isinstance(mechanism, Secure):
            y = _copied(mechanism.release(x))
        elif self.played is None:
            stream = root.stream()
            rng = stream.generator()
            untouched = rng.bit_generator.state
            y = _copied(answer(mechanism, x, rng, draw))
            drew = rng.bit_generator.state != untouched
        elif turn < len(self.played) and _form(self.played[turn]) == (draw, _shape(x)):
            y = self.played[turn].y
        else:
            raise Torn("how much is released depends on the data")
        self.calls.append(Call(mechanism, x, y, stream, drew, draw, _asked_at()))
        if len(self.calls) == self.enough:
            raise Enough
        return _copied(y)


class Enough(Exception):
    """The last passage that anybody needs was heard."""


class Torn(Exception):
    """The tape does not fit the run: how much is released depends on the data."""


def released(mechanism: Any, x: Any) -> Any:
    """What a mechanism answers, with noise of the run's root; noted by whoever audits this run.

    Parameters
    ----------
    mechanism
        What adds the noise.
    x
        What goes in, in the form that the mechanism takes; for a `Cohort` a tuple of arrays with one row a member.

    Returns
    -------
    numpy.ndarray or tuple
        The answer. It is all that may leave the place of trust.

    Examples
    --------
    >>> from recprivlib.mechanisms import RandomizedResponse
    >>> released(RandomizedResponse(epsilon=50.0), np.array([0, 1, 1])).astype(int)
    array([0, 1, 1])
    """
    return _passed(mechanism, x, False)


def drawn(cohort: Any, n: int) -> Array:
    """Which people take part this time, drawn anew from the run's root; noted by whoever audits this run.

    Parameters
    ----------
    cohort
        A `Cohort` or another mechanism that draws people.
    n
        How many there are to draw from.

    Returns
    -------
    numpy.ndarray
        Their numbers, rising (int32). Nobody outside the place of trust may learn them.

    Examples
    --------
    >>> from recprivlib.mechanisms import Cohort, VectorGaussian
    >>> cohort = Cohort((VectorGaussian(),), rate=0.1, sampling="fixed-size")
    >>> len(drawn(cohort, 100))
    10
    """
    return np.asarray(_passed(cohort, n, True))


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


def answer(mechanism: Any, x: Any, rng: np.random.Generator, draw: bool = False) -> Any:
    """One answer from these random numbers; what is secure takes none."""
    if draw:
        return mechanism.draw(x, rng)
    return mechanism.release(x) if isinstance(mechanism, Secure) else mechanism.release(x, rng)


def _passed(mechanism: Any, x: Any, draw: bool) -> Any:
    root, tape = here(), _tape.get()
    if root.real and not draw:
        mechanism = earnest(mechanism)
    if tape is not None:
        return tape.call(mechanism, x, root, draw)
    return answer(mechanism, x, root.generator(), draw)


def _asked_at() -> str:
    """The file and line of the nearest call from outside of this module."""
    frame: Any = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _copied(x: Any) -> Any:
    return tuple(_copied(part) for part in x) if isinstance(x, tuple) else np.array(x)


def _shape(x: Any) -> Any:
    """Of a joint event that of one member's row: how many members there are is the cohort's secret."""
    return tuple(np.shape(part)[1:] for part in x) if isinstance(x, tuple) else np.shape(x)


def _form(call: Call) -> tuple[bool, Any]:
    return call.secret, _shape(call.x)
