"""The kit draws any `Explorer` of `recprivlib.live` as a live page.

    address ──> page.dashboard(stem) ──> Session: controls ──> Lane ──> Pool: compute, once for all readers
                     │                      ▲                              │
                frame.html, .css, .js       └── figures, sentence, states ─┘

`pool` knows no Panel; `controls`, `figure` and `frame` are the pieces on the page; `session` wires them, with
`curve` (the whole curve), `waiting` (busy or not), `wishes` (the footer's buttons), `tables` and `words`.
"""

from widgets.kit.controls import EpsilonSlider
from widgets.kit.page import dashboard, page, warm, warm_soon
from widgets.kit.pool import Lane, Pool

__all__ = ["EpsilonSlider", "Lane", "Pool", "dashboard", "page", "warm", "warm_soon"]
