"""The wire of a server: each part as one of Panel's components, which carry its values to the page and back."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from contextlib import AbstractContextManager
from copy import copy
from functools import cache
from typing import Any

import panel as pn
import param
from bokeh.models import ImportedStyleSheet
from panel.io import hold
from panel.io.state import state

from widgets.address import seat
from widgets.kit.part import HERE, Act, Part, Wire

log = logging.getLogger(__name__)


class PanelWire(Wire):
    """The page of one reader, which Bokeh calls a document; made on the server's own thread."""

    def __init__(self, doc: Any):
        self.doc, self.loop = doc, asyncio.get_running_loop()
        self.address = seat(getattr(doc.session_context, "request", None))

    def later(self, action: Act, milliseconds: int = 0) -> None:
        """No worker adds a callback itself: the document holds it back while it is on hold, and what comes in just as
        the hold ends is lost.
        """

        def add() -> None:
            with contextlib.suppress(AttributeError):  # the reader has left, and the document is taken apart
                if milliseconds:
                    self.doc.add_timeout_callback(action, milliseconds)
                else:
                    self.doc.add_next_tick_callback(action)

        with contextlib.suppress(RuntimeError):  # the server has stopped
            self.loop.call_soon_threadsafe(add)

    def hold(self) -> AbstractContextManager:
        return hold(self.doc)


FIXED: dict[tuple, tuple[dict[str, Any], list[tuple]]] = {}  # kind, theme, address of Panel's files -> properties


class Component(pn.custom.JSComponent):
    """A part as Panel draws it.

    Panel makes the model of each component; from then on the part and the model speak directly. Panel's own way waits
    50 ms for a second change, keeps every value three times, and takes three times the work a step.
    """

    __abstract = True
    _data_model: Any

    def __init__(self, part: Part, name: str):
        room = (
            {"sizing_mode": "stretch_width", "stylesheets": [part.style]} if part.style else {"width": 0, "height": 0}
        )
        super().__init__(name=name, **room, margin=0, **part.values)
        self._part, self._unseen = part, set[str]()
        part.tie(self._follow, self._send_msg)

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        """What Panel works out anew for each part of each page is the same for all of a kind, but for the values."""
        theme, where = type(self._design and self._design.theme), doc and doc._template_variables.get("dist_url")
        kept = FIXED.get((type(self), theme, where))
        if kept is None:
            found = super()._get_properties(doc)
            sheets = [(each, None) if isinstance(each, str) else (None, each.url) for each in found.pop("stylesheets")]
            kept = FIXED[type(self), theme, where] = found | {"_defs": []}, sheets
        fixed, sheets = kept
        known = state._stylesheets.setdefault(doc, {}) if doc else {}
        known |= {url: ImportedStyleSheet(url=url) for _, url in sheets if url and url not in known}
        return {name: copy(value) for name, value in fixed.items() if name != "data"} | {
            "data": self._data_model(name=self.name, esm_constants={}, **self._part.values),
            "stylesheets": [known[url] if url else css for css, url in sheets],
        }

    def _get_children(self, *_: Any) -> tuple[dict[str, Any], list[Any]]:
        return {}, []

    def _link_props(self, model: Any, properties: Any, doc: Any, root: Any, comm: Any = None) -> None:
        def moved(name: str, old: Any, new: Any) -> None:  # Bokeh looks at each function's signature: a plain one
            self._moved(doc, name, new)

        for name in self._part.shared():
            model.on_change(name, moved)

    def _moved(self, doc: Any, name: str, new: Any) -> None:
        try:
            if new == self._part.values[name]:  # the session's own doing
                return
            with hold(doc):
                self._part.put({name: new})
        except Exception:  # the page did nothing wrong: it is not told of a bad message
            log.exception("%s could not become %r", name, new)

    def _follow(self, changed: dict[str, Any]) -> None:
        if not self._models:  # not on a page yet
            self.param.update(**changed)
        for model, _ in self._models.values():
            model.data.update(**changed)
            if not state._connected.get(model.document):
                self._unseen |= changed.keys()

    def catch_up(self) -> None:
        """The page is ready. What has changed since it was handed its models was held back and dropped: once more."""
        for model in {model for model, _ in self._models.values()}:
            for name in sorted(self._unseen):
                model.data.trigger(name, None, getattr(model.data, name))
        self._unseen.clear()

    def _handle_msg(self, data: Any) -> None:
        self._part.heard(data)


@cache
def kind(of: Any) -> type[Component]:
    """The component for a kind of `Part`: the same names, the same script."""
    names = {name: param.Parameter(known.default, doc=known.doc) for name, known in of.shared().items()}
    return type(of.__name__, (Component,), {"__module__": of.__module__, "_esm": HERE / of.script, **names})


def component(part: Part, name: str) -> Any:
    """`part` on a page of Panel's; somebody who reads the wire knows it by its name."""
    of: Any = type(part)
    return kind(of)(part, name)
