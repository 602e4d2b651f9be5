"""A dashboard as a page: the template filled with one session's widgets."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Sequence
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

import panel as pn

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.catalogue import IMPORTING, explorer
from recprivlib.parameters import UserError
from widgets import hooks
from widgets.kit.helpers import Helpers
from widgets.kit.layout import FRAME_WORDS, TEMPLATE, printed
from widgets.kit.panels import PanelWire
from widgets.kit.pool import Pool
from widgets.kit.session import Session
from widgets.kit.work import Left

pn.extension("plotly")
log = logging.getLogger(__name__)


@cache
def shared_pool() -> Pool:
    """The one pool of this process, with helpers that compute; they are started while the server does other things."""
    helpers = Helpers()
    atexit.register(helpers.close)  # one that hangs is not waited for
    helpers.start_soon()
    return Pool(place=helpers)


def dashboard(stem: str) -> Any:
    """The page of a dashboard, for the reader who asks for it now: what the `app()` of `widgets/<stem>.py` returns.

    An unknown stem is refused (UserError) with all there are.
    """
    return page(explorer(stem), shared_pool(), _arguments())


def warm(stem: str) -> None:
    """Computes the first picture before the first reader comes."""
    with IMPORTING:
        import pandas  # noqa: F401  (a second that the first whole curve or table would wait for)

    known = explorer(stem)
    shared_pool().result(known, known.defaults)


def warm_soon(stem: str) -> None:
    """`warm` in the background; what a reader can mend is shown to the first one."""

    def attempt() -> None:
        try:
            warm(stem)
        except (UserError, Left):
            pass
        except Exception:
            log.exception("the first picture of %s cannot be computed", stem)

    shared_pool().submit(attempt)


def page(explorer: Explorer, pool: Pool, arguments: dict[str, str]) -> Any:
    """The page of `explorer` for what the address says."""
    frame = {name: arguments[name] for name in FRAME_WORDS if name in arguments}
    doc = pn.state.curdoc
    session = Session(explorer, pool, urlencode(arguments), frame, PanelWire(doc) if doc else None)
    template = hooks.page(TEMPLATE.read_text(encoding="utf-8"))
    components = {
        place: hooks.component(part, place.removeprefix("control-")) for place, part in session.parts().items()
    }
    for place, drawn in components.items():
        template.add_panel(place, drawn)
    for name, value in printed(explorer, session).items():
        template.add_variable(name, value)
    if doc is not None:
        doc.on_event("document_ready", partial(_catch_up, list(components.values())))
        doc.on_session_destroyed(lambda _: session.close())
    return template


def _catch_up(components: Sequence[Any], _: Any) -> None:
    for drawn in components:
        drawn.catch_up()


def _arguments() -> dict[str, str]:
    """The query of the address, each name once."""
    return {name: values[-1].decode("utf-8", "replace") for name, values in pn.state.session_args.items()}
