"""Who has had more than a share of the last minute's work: half as much again as others on average who asked in it.

Readers have shares, and so have addresses. Who has had more goes after those who have not; where none of them waits,
nobody is held up. A share is one of what the processors did, not of what they could: they may have other work.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass

MINUTE = 60.0  # seconds that are looked back
LEAST = 2.0  # seconds of a processor that everybody may have in it
OVER = 1.5  # times as much as the others on average


@dataclass(frozen=True, eq=False)
class Reader:
    """Somebody in line, and where he sits, if that can be told. Who asks for one thing only does not stay."""

    address: str = ""
    stays: bool = True


class Shares:
    """What readers have had, and addresses; who has none is an address of his own."""

    def __init__(self) -> None:
        self._readers, self._addresses = Had(), Had()
        self._lock = threading.Lock()

    def note(self, reader: Reader | None, seconds: float = 0.0) -> None:
        """He asks, or has had so many seconds of a processor."""
        if reader is not None:
            with self._lock:
                if reader.stays:
                    self._readers.note(reader, seconds)
                if reader.stays or reader.address:
                    self._addresses.note(reader.address or reader, seconds)

    def over(self, reader: Reader | None) -> tuple[bool, bool]:
        """Whether he has had more than a share, and whether his address has."""
        if reader is None:
            return False, False
        with self._lock:
            return self._readers.over(reader), self._addresses.over(reader.address or reader)


class Had:
    """Who has asked in the last minute, and had how many seconds."""

    def __init__(self) -> None:
        self._notes: deque[tuple[float, Hashable, float]] = deque()
        self._sums: dict[Hashable, list[float]] = {}  # how many notes, and their seconds
        self._all = 0.0

    def note(self, who: Hashable, seconds: float) -> None:
        """Adds to what he has had."""
        self._notes.append((time.monotonic(), who, seconds))
        self._add(who, 1, seconds)

    def over(self, who: Hashable) -> bool:
        """Whether that is more than a share."""
        while self._notes and self._notes[0][0] < time.monotonic() - MINUTE:
            _, old, seconds = self._notes.popleft()
            self._add(old, -1, -seconds)
        had = self._sums.get(who, (0, 0.0))[1]
        return had > max(LEAST, OVER * self._all / max(1, len(self._sums)))

    def _add(self, who: Hashable, notes: int, seconds: float) -> None:
        had = self._sums.setdefault(who, [0, 0.0])
        had[0] += notes
        had[1] += seconds
        self._all += seconds
        if not had[0]:
            del self._sums[who]
