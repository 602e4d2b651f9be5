"""How the figures of a model's dashboard are to look."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How to draw: the role and name of what is on show, and the room there is."""

    role: str
    name: str
    filled: bool = True  # False: the dot was read, not computed
    narrow: bool = False
    large: bool = False

    @property
    def zoom(self) -> float:
        return 1.5 if self.large else 1.0
