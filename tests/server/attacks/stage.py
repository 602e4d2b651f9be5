"""The server that is attacked, and what an attack is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from tests.server.talk import ask

ROOT = Path(__file__).resolve().parents[3]
MB = 1 << 20


@dataclass
class Stage:
    """A server that is attacked."""

    site: str
    process: subprocess.Popen[str]
    console: Path

    @property
    def address(self) -> tuple[str, int]:
        """Its host and port."""
        known = urlsplit(self.site)
        return str(known.hostname), int(known.port or 80)

    def memory(self) -> float:
        """Megabytes that it holds."""
        return psutil.Process(self.process.pid).memory_info().rss / MB

    def connections(self) -> int:
        """Those that it has taken and not let go of."""
        known = psutil.Process(self.process.pid).net_connections("tcp")
        return sum(each.status == psutil.CONN_ESTABLISHED for each in known)

    def answers(self) -> bool:
        """Whether it is there, and for others too."""
        return self.process.poll() is None and ask(self.site, "/live.json")[0] == 200


@dataclass(frozen=True)
class Attack:
    """One kind of attack and its tries."""

    what: str
    tries: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    run: Callable[[Stage, Any], str]
    memory: float = 40.0  # megabytes that all its tries together may take

    def each(self) -> Mapping[str, Any]:
        """The tries by name."""
        return self.tries() if callable(self.tries) else self.tries


def named(values: Iterable[Any]) -> dict[str, Any]:
    """Tries that are called what they are."""
    return {str(value): value for value in values}
