"""One module a dashboard: `compute`, `say`, controls, figures. No widgets here.

Dashboards are found by listing (`catalogue`): a module that holds an `EXPLORER` is one.
"""

from __future__ import annotations

from recprivlib.dashboard.catalogue import explorer, stems
from recprivlib.dashboard.contract import (
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

__all__ = [
    "Card", "Control", "Deal", "Explorer", "Figure", "Game", "Mark", "Predict", "Round", "Try", "View", "explorer",
    "nbytes", "stems",
]  # fmt: skip
