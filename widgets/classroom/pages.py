"""The pages of a class: two of them, and their few files. No script but ours runs there."""

from __future__ import annotations

from pathlib import Path

from tornado.web import RequestHandler

from widgets.answers import strict

PAGES = Path(__file__).resolve().parent / "files"
KINDS = {".html": "text/html", ".css": "text/css", ".mjs": "text/javascript"}
PHONE = ("phone.html", "phone.css", "phone.mjs", "screens.mjs", "board.mjs", "coin.mjs", "parts.mjs")
WALL = ("wall.html", "wall.css", "wall.mjs", "figures.mjs", "said.mjs", "desk.mjs")
FILES = tuple(name for name in (*PHONE, *WALL) if not name.endswith(".html"))
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}


class Page(RequestHandler):
    """One of the files."""

    def initialize(self, name: str = "") -> None:
        """Called by Tornado."""
        self.name = name

    def get(self, name: str = "") -> None:
        """The door has looked whether there is such a file."""
        path = PAGES / (self.name or name)
        strict(self.request, POLICY)
        self.set_header("Content-Type", f"{KINDS[path.suffix]}; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        self.write(path.read_bytes())

    head = get
