"""How much of this accuracy did the ratings pay for? Live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("dp_pnbm")
