"""What does a count cost? Live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("new_paper")
