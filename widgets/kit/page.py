"""A dashboard as a page: the template filled with one session's widgets."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import panel as pn

from recprivlib.live import Explorer, explorer
from recprivlib.parameters import UserError
from recprivlib.plots.palette import css_variables
from widgets.kit.pool import Pool
from widgets.kit.session import Session

pn.extension("plotly")
HERE = Path(__file__).parent
log = logging.getLogger(__name__)
FRAME_WORDS = ("theme", "size", "present", "plain")


@cache
def shared_pool() -> Pool:
    """The one pool of this process."""
    return Pool()


def dashboard(stem: str) -> Any:
    """The page of a dashboard, for the reader who asks for it now."""
    return page(explorer(stem), shared_pool(), _arguments())


def warm(stem: str) -> None:
    """Computes the first picture before the first reader comes."""
    known = explorer(stem)
    shared_pool().result(known, known.defaults)


def warm_soon(stem: str) -> None:
    """`warm` in the background; what a reader can mend is shown to the first one."""

    def attempt() -> None:
        try:
            warm(stem)
        except UserError:
            pass
        except Exception:
            log.exception("the first picture of %s cannot be computed", stem)

    shared_pool().submit(attempt)


def page(explorer: Explorer, pool: Pool, arguments: dict[str, str]) -> Any:
    """The page of `explorer` for what the address says."""
    frame = {name: arguments[name] for name in FRAME_WORDS if name in arguments}
    session = Session(explorer, pool, urlencode(arguments), frame)
    template = pn.Template((HERE / "frame.html").read_text(encoding="utf-8"))
    for name, widget in session.widgets.items():
        template.add_panel(f"control-{name}", widget)
    for name, drawing in session.drawings.items():
        template.add_panel(f"figure-{name}", drawing)
    template.add_panel("frame", session.frame)
    if session.play is not None:
        template.add_panel("game", session.play)
    for name, value in _words(explorer, session).items():
        template.add_variable(name, value)
    if session.doc is not None:
        session.doc.on_session_destroyed(lambda _: session.close())
    return template


def _words(explorer: Explorer, session: Session) -> dict[str, Any]:
    """What the template prints."""
    where = {place: [c.name for c in session.seen if c.place == place] for place in ("rail", "axis", "more", "under")}
    figures = {place: [f for f in explorer.shown if f.place == place] for place in ("beside", "band", "evidence")}
    return where | figures | {
        "labels": [c.label for c in session.seen if c.place in ("rail", "more")],
        "main": explorer.figures[0],
        "stem": explorer.stem,
        "heading": explorer.title,
        "style": css_variables() + (HERE / "frame.css").read_text(encoding="utf-8"),
        "html_attrs": f'data-theme="{session.view.theme}"',
        "size": session.frame.size,
        "question": explorer.predict.question if explorer.predict else "",
        "answers": explorer.predict.answers if explorer.predict else (),
        "game": explorer.game is not None,
        "tries": [trial.label for trial in explorer.tries],
        "has_curve": explorer.curve is not None,
        "has_strip": explorer.strip is not None,
        "reseed": explorer.control(explorer.reseed).label.lower() if explorer.reseed else "",
    }  # fmt: skip


def _arguments() -> dict[str, str]:
    """The query of the address, each name once."""
    return {name: values[-1].decode("utf-8", "replace") for name, values in pn.state.session_args.items()}
