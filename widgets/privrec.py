"""Who moves the model, the people or the noise? Live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("privrec")
