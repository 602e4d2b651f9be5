"""Where the class lies in the served book: what its server has to answer besides."""

from __future__ import annotations

from typing import Any

from widgets.classroom.group import Class
from widgets.classroom.lines import PhoneLine, WallLine
from widgets.classroom.pages import Page


def handlers(group: Class) -> tuple[tuple[Any, ...], ...]:
    """Patterns with their handlers; to stand before that of the book's pages."""
    return (
        (r"/class", Page, {"name": "phone.html"}),
        (r"/class/wall", Page, {"name": "wall.html"}),
        (r"/class/ws", PhoneLine, {"group": group}),
        (r"/class/wall/ws", WallLine, {"group": group}),
        (r"/class/([\w.]+)", Page),
    )
