"""If every phone lies about every film, is the crowd still of use? Live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("dplcf")
