"""How often something may be done: messages of a line, wrong codes of an address and of all."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Bucket:
    """`most` at once, then one more every `every` seconds.

    >>> bucket = Bucket(2, 10.0, clock=lambda: 0.0)
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    """

    most: float
    every: float
    clock: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    at: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.at = self.most, self.clock()

    def take(self) -> bool:
        """Whether there was one to take."""
        now = self.clock()
        self.left, self.at = min(self.most, self.left + (now - self.at) / self.every), now
        if self.left < 1:
            return False
        self.left -= 1
        return True

    def give(self) -> None:
        """Back: it was not one of those that are counted."""
        self.left = min(self.most, self.left + 1)


@dataclass
class Tries:
    """Wrong codes and keys. Who has tried too often is not told when it is right.

    Ten of an address at once, then one in twelve seconds; of all addresses 120, then one a second: at that pace half of
    the 6.4·10⁷ codes take a year.
    """

    clock: Callable[[], float] = time.monotonic
    each: dict[str, Bucket] = field(default_factory=dict)
    every: Bucket = field(init=False)

    def __post_init__(self) -> None:
        self.every = Bucket(120, 1.0, self.clock)

    def right(self, address: str, said: str, secret: str) -> bool | None:
        """Whether it is the secret; None where nothing is said of it."""
        mine = self.each.setdefault(address, Bucket(10, 12.0, self.clock))
        if not (mine.take() and self.every.take()):
            return None
        if not hmac.compare_digest(said.encode(), secret.encode()):
            return False
        mine.give()
        self.every.give()
        return True

    def forget(self, after: float = 600.0) -> None:
        """Of addresses that have not tried for so many seconds nothing is known."""
        now = self.clock()
        self.each = {address: bucket for address, bucket in self.each.items() if now - bucket.at <= after}
