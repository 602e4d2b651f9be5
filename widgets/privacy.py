"""After one answer, how sure can I be about you? The mechanism lab, live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("privacy")
