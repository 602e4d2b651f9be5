"""What dashboards are made with: their contract, controls, bills, memory, steps and frames. No widgets here.

A dashboard is `dashboard.py` in the folder of a chapter, with an `EXPLORER` (catalogue.py lists them).
"""

from __future__ import annotations

from recprivlib.dashboard.catalogue import explorer, stems
from recprivlib.dashboard.contract import (
    Appearance,
    Card,
    Control,
    Deal,
    Explorer,
    Figure,
    GuessingGame,
    Mark,
    Predict,
    Question,
    Try,
    nbytes,
)

__all__ = [
    "Appearance",
    "Card",
    "Control",
    "Deal",
    "Explorer",
    "Figure",
    "GuessingGame",
    "Mark",
    "Predict",
    "Question",
    "Try",
    "explorer",
    "nbytes",
    "stems",
]  # fmt: skip
