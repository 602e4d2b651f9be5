"""The kit draws any `Explorer` of `recprivlib.live` as a live page.

    address ──> page.dashboard(stem) ──> Session: controls ──> Lane ──> Pool: compute, once for all readers
                     │                      ▲                              │
                frame.html, .css, .js       └── figures, sentence, states ─┘

`part` is a piece of a page and the wire that carries it; `controls`, `figure`, `frame` and `game` are the pieces;
`session` joins them, with `curve` (the whole curve), `waiting` (busy or not), `wishes` (the footer's buttons),
`tables`, `words` and `layout` (what the template prints). Only `panels`, the server's wire, and `page` know Panel.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widgets.kit.page import dashboard as dashboard
    from widgets.kit.page import warm as warm
    from widgets.kit.page import warm_soon as warm_soon

__all__ = ["dashboard", "warm", "warm_soon"]


def __getattr__(name: str) -> Any:
    """From the server's page: a page without a server never asks, and has no Panel."""
    if name in __all__:
        return getattr(importlib.import_module("widgets.kit.page"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
