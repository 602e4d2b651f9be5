"""One module a dashboard: `compute`, `say`, controls, figures. No widgets here.

Dashboards are found by listing this folder: a module that holds an `EXPLORER` is one.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from recprivlib.live.contract import (
    Card,
    Control,
    Deal,
    Explorer,
    Figure,
    Game,
    Mark,
    Predict,
    Round,
    Try,
    View,
    nbytes,
)
from recprivlib.parameters import UserError

__all__ = [
    "Card", "Control", "Deal", "Explorer", "Figure", "Game", "Mark", "Predict", "Round", "Try", "View", "explorer",
    "nbytes", "stems",
]  # fmt: skip


def stems() -> tuple[str, ...]:
    """The dashboards there are, by name."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple(path.stem for path in files if "\nEXPLORER = " in path.read_text(encoding="utf-8"))


def explorer(stem: str) -> Explorer:
    """The dashboard of that name; an unknown one is refused (UserError) with all there are.

    >>> explorer("recommenders").stem
    'recommenders'
    """
    if stem not in stems():
        raise UserError(f"there is no dashboard {stem!r}; choose from {', '.join(stems())}")
    return import_module(f"recprivlib.live.{stem}").EXPLORER
