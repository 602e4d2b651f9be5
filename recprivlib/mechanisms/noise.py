"""Where the noise of a run comes from: a root that whoever runs a system holds, and that no system is handed.

    with rooted(3): system.fit(train, rng)     the same noise again for the same seed: a simulation
                    system.fit(train, rng)     nobody has said: the operating system's, never the same twice
    with rooted(real=True): …                  the operating system's, drawn exactly where a sampler is exact

    root ── passage 0, 1, 2, …   every answer at the gate has a stream of its own, in the order in which they pass
      └──── branch (block, round)    a block of phones counts for itself: neither shards nor executors change a draw

A system's own `rng` may be public: nothing that hides anybody is drawn from it, and from it no root can be told. Of a
seeded run this is true as far as nobody knows the run's seed, which its reports print: what is meant is `real`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")
PASSAGE, BRANCH = 0, 1


@dataclass(frozen=True)
class Stream:
    """The random numbers of one passage, to be drawn as often as one likes."""

    key: int
    path: tuple[int, ...]

    def generator(self) -> np.random.Generator:
        """A generator at the beginning of the stream."""
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.key, spawn_key=self.path)))


@dataclass
class Root:
    """The noise of one run, or of one block of phones in one round; `passages` have been answered from it."""

    key: int
    path: tuple[int, ...] = ()
    real: bool = False
    passages: int = 0

    @staticmethod
    def of(seed: int, part: int = 0) -> Root:
        """The root of a seeded run. One-way: nobody tells a seed by its noise."""
        name = f"noise {seed} {part}".encode()
        return Root(int.from_bytes(hashlib.blake2b(name, digest_size=16, person=b"recprivlib").digest(), "big"))

    @staticmethod
    def fresh(real: bool = False) -> Root:
        """A root that nobody has seen or will see again."""
        return Root(secrets.randbits(128), real=real)

    def branch(self, *path: int) -> Root:
        """A root of its own for a part of the run, whatever else passes meanwhile."""
        return Root(self.key, (*self.path, BRANCH, *path), self.real)

    def stream(self) -> Stream:
        """The stream of the next passage; of a real run one that cannot be drawn again."""
        if self.real:
            return Stream(secrets.randbits(256), ())
        self.passages += 1
        return Stream(self.key, (*self.path, PASSAGE, self.passages - 1))

    def generator(self) -> np.random.Generator:
        """The random numbers of the next passage."""
        return self.stream().generator()


_root: ContextVar[Root | None] = ContextVar("root", default=None)


def here() -> Root:
    """The root of what runs here; one that is used once where nobody has opened any."""
    return _root.get() or Root.fresh()


@contextmanager
def rooted(seed: int | Root = 0, *, real: bool = False) -> Iterator[Root]:
    """Within this context (and thread) whatever is released takes its noise from this root.

    Parameters
    ----------
    seed
        A whole number from 0, which gives the same noise again; or a root, which goes on where it stands.
    real
        The operating system's random numbers instead, drawn exactly where the mechanism has an exact sampler.

    Yields
    ------
    Root
        What the noise comes from.

    Examples
    --------
    >>> from recprivlib.mechanisms import Laplace
    >>> from recprivlib.mechanisms.gate import released
    >>> def once() -> float:
    ...     with rooted(0):
    ...         return float(released(Laplace(1.0), np.zeros(1))[0])
    >>> once() == once(), float(released(Laplace(1.0), np.zeros(1))[0]) == once()
    (True, False)
    """
    root = seed if isinstance(seed, Root) else Root.fresh(True) if real else Root.of(seed)
    token = _root.set(root)
    try:
        yield root
    finally:
        _root.reset(token)


def along(root: Root, steps: Iterator[T]) -> Iterator[T]:
    """What an iterator gives, each of its steps under this root: others may run between two of them."""
    while True:
        with rooted(root):
            try:
                one = next(steps)
            except StopIteration:
                return
        yield one
