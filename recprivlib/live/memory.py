"""What all readers of one process share: results kept under a bound of bytes, each made once.

Everything kept is frozen data that depends on its key alone, so sharing it is never seen, only felt.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from recprivlib.live.contract import nbytes

T = TypeVar("T")


class Memory:
    """Keeps at most `limit` bytes, dropping what was not asked for longest."""

    def __init__(self, limit: int):
        self.limit = limit
        self.held = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gave for `key`. Of several who ask at once, one makes it and the others wait."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            gate = self._making.setdefault(key, threading.Lock())
        with gate:
            with self._lock:
                if key in self._kept:
                    return self._kept[key][0]
            try:
                value = make()
                self._keep(key, value)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def known(self, key: Hashable) -> Any:
        """What is kept under `key`, or None; nobody is waited for."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def _keep(self, key: Hashable, value: Any) -> None:
        size = nbytes(value)
        if size > self.limit:
            return
        with self._lock:
            self._kept[key] = (value, size)
            self.held += size
            while self.held > self.limit:
                self.held -= self._kept.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.held = 0


MEMORY = Memory(256 << 20)
