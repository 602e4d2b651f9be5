"""The kit draws any `Explorer` of `recprivlib.dashboard` as a live page.

    address ──> page.dashboard(stem) ──> Session: controls ──> Lane ──> Pool: turns, results of all readers
                     │                      ▲                              │  ▲
                frame.html, .css, .js       └── figures, sentence, states ─┘  └── a Place: compute (work, helpers)

`part` is a piece of a page and the wire that carries it; `controls`, `figure`, `frame` and `game` are the pieces;
`session` joins them, with `curve` (the whole curve), `waiting` (busy or not), `wishes` (the footer's buttons),
`tables`, `words` and `layout` (what the template prints). `line`, `share` and `cost` say whose turn it is; `helpers`
are the processes in which a server computes, `helper` is what one of them does, `clock` what that takes. Only `panels`,
the server's wire, and `page` know Panel, its private names only `widgets.hooks`, and only `helpers` starts processes.
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
