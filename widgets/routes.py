"""What a request is for. All that this server gives stands here; what Bokeh and Panel add to it is not given.

/live.json  /scenes/<stem>  /apps/<stem>[/]  /apps/<stem>/ws  /favicon.ico  each of FILES  a page of the book
/class  /class/wall  /class/ws  /class/wall/ws  /class/<each of its files>
/lab/…  what a page of the book needs to run a reader's own Python, where the server has it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bokeh.server.views.ico_handler import IcoHandler
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.server.views.static_handler import StaticHandler
from panel.io.server import DocHandler, WSHandler

from widgets.classroom import pages as classroom

PANEL = "/static/extensions/panel/"
FILES = (  # counted in Chromium and Firefox over all dashboards: what their pages name
    "/static/js/bokeh.min.js",
    "/static/js/bokeh-gl.min.js",
    "/static/js/bokeh-tables.min.js",
    "/static/js/bokeh-widgets.min.js",
    f"{PANEL}panel.min.js",
    f"{PANEL}css/loading.css",
    f"{PANEL}images/favicon.ico",
    f"{PANEL}images/apple-touch-icon.png",
    f"{PANEL}bundled/theme/dark.css",
    f"{PANEL}bundled/theme/default.css",
    f"{PANEL}bundled/theme/native.css",
    f"{PANEL}bundled/plotlyplot/plotly-3.1.0.min.js",
    f"{PANEL}bundled/plotlyplot/maplibre-gl@4.4.1/dist/maplibre-gl.css",
    f"{PANEL}bundled/reactiveesm/es-module-shims@%5E1.10.0/dist/es-module-shims.min.js",
)
LABORATORY = r"manifest\.json|\w+\.(?:mjs|css)|kit-[0-9a-f]{8}\.zip|pyodide-[0-9a-f]{8}/[\w-][\w.-]*"  # of a built site
KINDS = {
    "live": r"/live\.json",
    "scene": r"/scenes/([\w-]+)",
    "dashboard": r"/apps/([\w-]+)",
    "folder": r"/apps/([\w-]+)/",  # a dashboard's address as people type it
    "socket": r"/apps/([\w-]+)/ws",
    "class": r"/class",
    "wall": r"/class/wall",
    "phone's line": r"/class/ws",
    "wall's line": r"/class/wall/ws",
    "class's file": f"/class/(?:{'|'.join(map(re.escape, classroom.FILES))})",
    "icon": r"/favicon\.ico",
    "file": "|".join(re.escape(file).replace("%5E", r"(?:%5E|\^)") for file in FILES),  # not every browser writes %5E
    "laboratory": f"/lab/(?:{LABORATORY})",
    "book": r"/(?!/|(?:static|components|apps|scenes|lab|class)(?:/|$)).*",
}
HANDLERS: dict[str, tuple[type, ...]] = {  # of the kinds that Bokeh and Panel answer; the others are this project's own
    "dashboard": (DocHandler,),
    "socket": (WSHandler,),
    "icon": (IcoHandler,),
    "file": (StaticHandler, MultiRootStaticHandler),
}
SOCKETS = ("socket", "phone's line", "wall's line")  # the door looks at their origin
LINKED = ("dashboard", "folder", "book", "class")  # may be opened from a page of another site, framed where wanted
FRAMES = ("iframe", "frame", "embed", "object")


@dataclass(frozen=True)
class Asked:
    """The kind of a request, "" for none that is answered, and the dashboard that it names."""

    kind: str
    stem: str = ""


def asked(request: Any) -> Asked:
    """What a request is for, by its path alone: no header makes it another.

    >>> from types import SimpleNamespace as Request
    >>> asked(Request(path="/apps/dplcf", headers={"Upgrade": "foo"}))
    Asked(kind='dashboard', stem='dplcf')
    >>> asked(Request(path="/components/os/x")).kind, asked(Request(path="/apps/dplcf/metadata")).kind
    ('', '')
    """
    for kind, pattern in KINDS.items():
        found = re.fullmatch(pattern, request.path, re.ASCII | re.DOTALL)
        if found:
            return Asked(kind, *found.groups())
    return Asked("")


def answered(what: Asked, handler: Any) -> bool:
    """Whether it is this handler that may answer it."""
    if what.kind in HANDLERS:
        return handler in HANDLERS[what.kind]
    return bool(what.kind) and getattr(handler, "__module__", "").startswith("widgets.")


def foreign(request: Any, framed: bool) -> bool:
    """Whether a page of another site asks for more than a page of ours, to open it or, if `framed`, to frame it."""
    how = request.headers
    if how.get("Sec-Fetch-Site") != "cross-site":
        return False
    kind, place = asked(request).kind, how.get("Sec-Fetch-Dest", "")
    if kind in SOCKETS:
        return False
    shown = place == "document" or (framed and place in FRAMES)
    return not (kind in LINKED and how.get("Sec-Fetch-Mode") == "navigate" and shown)
