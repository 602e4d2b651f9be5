"""What do two thousand tiny answers add up to? Live."""

from __future__ import annotations

from typing import Any

from widgets.kit import dashboard


def app() -> Any:
    """The dashboard for one visitor."""
    return dashboard("fmf_ldp")
