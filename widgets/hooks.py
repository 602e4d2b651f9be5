"""All that is private to Panel and Bokeh, in one place: a test looks for it everywhere else.

    component(part, name)   a `Part` as Panel draws it             Quick  │ Stock
    page(source)            the page that its places are in        Lean   │ pn.Template
    created(make)           what Bokeh's server is made of         public in either form
    unread(stream)          what somebody has not read yet         Tornado's, in either form

`FAST` says which form is taken. The fast one reaches into these two versions and no others; the stock one takes what
Panel documents (`JSComponent` with `_esm`, `_send_msg`, `_handle_msg`; `pn.Template.add_panel`) for any other version,
at nearly three times the work a page. What a page may ask and say is decided before either (`door`, `messages`).
`RECPRIV_PANEL=stock` asks for the stock form, which is how it is tested.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any

import bokeh
import panel as pn
import param
from bokeh.models import ImportedStyleSheet
from panel.io import hold
from tornado.httpserver import HTTPServer

from widgets.kit.part import HERE, Part

state: Any = pn.state
PINNED = {"panel": "1.9.4", "bokeh": "3.9.2"}
log = logging.getLogger(__name__)


def fast(installed: dict[str, str], asked: str = "") -> bool:
    """Whether the private names are those that are known here.

    >>> fast(PINNED), fast(PINNED, "stock"), fast(PINNED | {"panel": "1.9.5"})
    (True, False, False)
    """
    return installed == PINNED and asked != "stock"


FAST = fast({"panel": pn.__version__, "bokeh": bokeh.__version__}, os.environ.get("RECPRIV_PANEL", ""))


# -------------------------------------------------------------------------------------------- a part


class Drawn(pn.custom.JSComponent):
    """A part as Panel draws it, in either form."""

    __abstract = True

    def __init__(self, part: Part, name: str):
        room = (
            {"sizing_mode": "stretch_width", "stylesheets": [part.style]} if part.style else {"width": 0, "height": 0}
        )
        super().__init__(name=name, **room, margin=0, **part.values)
        self._part = part
        part.tie(self._follow, self._send_msg)

    def _follow(self, changed: dict[str, Any]) -> None:
        raise NotImplementedError

    def _put(self, values: dict[str, Any], doc: Any = None) -> None:
        """What the page has set. It did nothing wrong: it is not told of what goes wrong here."""
        try:
            if values.items() <= self._part.values.items():  # the session's own doing
                return
            with hold(doc):
                self._part.put(values)
        except Exception:
            log.exception("; ".join(f"{name} could not become {new!r}" for name, new in values.items()))

    def _handle_msg(self, data: Any) -> None:
        self._part.heard(data)


class Stock(Drawn):
    """As Panel documents it: a component whose parameters are the part's values."""

    __abstract = True

    def __init__(self, part: Part, name: str):
        self._ready, self._early = False, dict[str, Any]()
        super().__init__(part, name)
        self.param.watch(self._moved, list(part.shared()))

    def _moved(self, *events: Any) -> None:
        self._put({event.name: event.new for event in events})

    def _follow(self, changed: dict[str, Any]) -> None:
        if self._ready:
            self.param.update(**changed)
        else:
            self._early |= changed

    def catch_up(self) -> None:
        """The page is ready: what has changed is sent, once Panel knows that too. Earlier it would drop it."""
        state.execute(self._begin, schedule=True)

    def _begin(self) -> None:
        self._ready = True
        self.param.update(**self._early)
        self._early.clear()


FIXED: dict[tuple, tuple[dict[str, Any], list[tuple]]] = {}  # kind, theme, address of Panel's files -> properties


class Quick(Drawn):
    """Panel makes the model of each component; from then on the part and the model speak directly.

    Panel's own way waits 50 ms for a second change, keeps every value three times, and takes three times the work a
    step.
    """

    __abstract = True
    _data_model: Any

    def __init__(self, part: Part, name: str):
        self._unseen = set[str]()
        super().__init__(part, name)

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
            self._put({name: new}, doc)

        for name in self._part.shared():
            model.on_change(name, moved)

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


@cache
def kind(of: Any, form: type[Drawn]) -> type[Drawn]:
    """The component for a kind of `Part`: the same names, the same script."""
    names = {name: param.Parameter(known.default, doc=known.doc) for name, known in of.shared().items()}
    return type(of.__name__, (form,), {"__module__": of.__module__, "_esm": HERE / of.script, **names})


def component(part: Part, name: str) -> Any:
    """`part` on a page of Panel's; somebody who reads the wire knows it by its name.

    Its `catch_up` is to be called when the page is ready.
    """
    of: Any = type(part)
    return kind(of, Quick if FAST else Stock)(part, name)


# -------------------------------------------------------------------------------------------- a page


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


class Settings:
    """Panel's settings as its templates read them, with an `only` for a `set`."""

    set = staticmethod(only)

    def __getattr__(self, name: str) -> Any:
        return getattr(pn.config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(pn.config, name, value)


class Lean(pn.Template):
    """A template that is read once, and says nothing of itself: Panel describes every part anew for each that comes."""

    def __init__(self, source: str) -> None:
        super().__init__(read(source))

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
def read(source: str) -> Any:
    """A template as Panel reads it."""
    from panel.io.resources import _env

    return _env.from_string(source)


def page(source: str) -> Any:
    """An empty page: `add_panel` puts a part into its place, `add_variable` what else the template prints."""
    return Lean(source) if FAST else pn.Template(source)


if FAST:
    import panel.template.base

    panel.template.base.config = Settings()  # type: ignore[assignment]


# ------------------------------------------------------------------------------------------ a server


def created(make: Callable[[], Any]) -> tuple[Any, HTTPServer]:
    """The server that `make` makes, and Tornado's, which it keeps to itself; that knows the application.

    Without it there is no door: where it is not found, there is no server either.
    """
    made: list[HTTPServer] = []

    class Seen(HTTPServer):
        def initialize(self, *args: Any, **kwargs: Any) -> None:
            """Called by Tornado."""
            super().initialize(*args, **kwargs)
            made.append(self)

    HTTPServer.configure(Seen)
    try:
        server = make()
    finally:
        HTTPServer.configure(None)
    (http,) = made
    return server, http


def unread(stream: Any) -> int:
    """Bytes that were said and have not left. Tornado counts them for itself only."""
    return 0 if stream is None else len(stream._write_buffer or ())  # None: closed
