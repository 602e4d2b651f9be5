"""A chapter with `draft: true` between the lines at its head can be built before it is whole.

Its page says so on top. What its words ask for and is not there is said, and stops nothing; a cell may fail, or read
what it does not name, and what the chapter printed is then not kept for a later build. Rules about whole chapters
(tests/book, tests/browser) leave drafts out, and so does the page of all dashboards. `make site` names those that it
publishes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerprint import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HEAD = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
SAID = "This chapter is a draft: it is not whole yet, and nobody has checked its numbers."


def draft(text: str) -> bool:
    """Whether a page calls itself a draft."""
    head = HEAD.match(text)
    return bool(head and re.search(r"^draft: *true *$", head[0], re.MULTILINE))


def whole(pages: Iterable[Path]) -> list[Path]:
    """Those of the pages that are no drafts."""
    return [page for page in pages if not draft(page.read_text("utf-8"))]


def listed() -> list[Path]:
    """The drafts in the table of contents."""
    names = re.findall(r"^\W*(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE)
    return [
        page for page in (ROOT / f"{name}.md" for name in names) if page.is_file() and draft(page.read_text("utf-8"))
    ]


def tell(line: str) -> None:
    """Say what a draft lacks; the build driver listens."""
    logging.getLogger("course.progress").info(line)


class Spared(logging.Filter):
    """Warnings about drafts are said, and are no errors."""

    def __init__(self, app: Sphinx):
        super().__init__()
        self.app = app

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a warning is about anything else."""
        from docutils import nodes
        from sphinx.util.logging import get_node_location

        place: Any = getattr(record, "location", None)
        if isinstance(place, nodes.Node):
            place = get_node_location(place)
        elif isinstance(place, tuple):
            place = ":".join(str(part) for part in (self.app.env.doc2path(place[0]), place[1]) if part)
        file = Path(str(place or "").partition(":")[0])
        if file.suffix != ".md" or not file.is_file() or not draft(file.read_text("utf-8")):
            return True
        tell(f"  draft: {Path(str(place)).relative_to(ROOT)}: {record.getMessage()}")
        return False


def spare(app: Sphinx) -> None:
    """Hear warnings before Sphinx makes errors of them."""
    for handler in logging.getLogger("sphinx").handlers:
        if handler.level == logging.WARNING:
            handler.filters.insert(0, Spared(app))


def label(app: Sphinx, doctree: Any) -> None:
    """What stands on top of a draft."""
    from docutils import nodes

    file = Path(app.env.doc2path(app.env.docname))
    if file.suffix == ".md" and draft(file.read_text("utf-8")):
        title = next(iter(doctree.findall(nodes.title)))
        note = nodes.admonition("", nodes.title("", "Draft"), nodes.paragraph("", SAID), classes=["warning", "draft"])
        title.parent.insert(title.parent.index(title) + 1, note)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", spare)
    app.connect("doctree-read", label)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
