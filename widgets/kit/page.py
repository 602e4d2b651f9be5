"""A dashboard as a page: the template filled with one session's widgets."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

import panel as pn
import panel.template.base
from panel.io.resources import _env

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.catalogue import explorer
from recprivlib.parameters import UserError
from widgets.kit.helpers import Helpers
from widgets.kit.layout import FRAME_WORDS, TEMPLATE, printed
from widgets.kit.panels import PanelWire, component
from widgets.kit.pool import Pool
from widgets.kit.session import Session
from widgets.kit.work import Left

pn.extension("plotly")
log = logging.getLogger(__name__)


@contextmanager
def only(**settings: Any) -> Iterator[None]:
    """Settings of Panel for a while. Its own `config.set` reads all others too, which is a fifth of a page's work."""
    before = {name: getattr(pn.config, name) for name in settings}
    for name, value in settings.items():
        setattr(pn.config, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(pn.config, name, value)


class Lean:
    """Panel's settings as its templates read them, with an `only` for a `set`."""

    set = staticmethod(only)

    def __getattr__(self, name: str) -> Any:
        return getattr(pn.config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(pn.config, name, value)


panel.template.base.config = Lean()  # type: ignore[assignment]


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


class Page(pn.Template):
    """A template that is read once, and says nothing of itself: Panel describes every part anew for each that comes."""

    def __init__(self) -> None:
        super().__init__(_template())

    def _build_layout(self) -> Any:
        return pn.Column()

    def _init_doc(self, doc: Any = None, *args: Any, **kwargs: Any) -> Any:
        page: Any = doc or pn.state.curdoc
        with page.models.freeze():  # looked through once, not again for each part
            return super()._init_doc(doc, *args, **kwargs)

    def add_panel(self, name: str, panel: Any, tags: Sequence[str] = ()) -> None:
        """Puts a part into its place."""
        self._render_items[name] = (panel, list(tags))


@cache
def _template() -> Any:
    return _env.from_string(TEMPLATE.read_text(encoding="utf-8"))


def page(explorer: Explorer, pool: Pool, arguments: dict[str, str]) -> Any:
    """The page of `explorer` for what the address says."""
    frame = {name: arguments[name] for name in FRAME_WORDS if name in arguments}
    doc = pn.state.curdoc
    session = Session(explorer, pool, urlencode(arguments), frame, PanelWire(doc) if doc else None)
    template = Page()
    components = {place: component(part, place.removeprefix("control-")) for place, part in session.parts().items()}
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
