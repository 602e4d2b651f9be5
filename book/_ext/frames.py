"""Figures that move without a server. Their numbers are computed when the book is built, once per library.

    ```{tenseconds}
    ```

prints the figure of the first page; a dashboard's frame (`_static/frames/<stem>.js`) needs no directive of its own.
"""

from __future__ import annotations

import json
import logging
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from fingerprint import library

NAME = "tenseconds"
tell = logging.getLogger("course.progress")


def folder(app: Sphinx) -> Path:
    """Where this library's numbers are kept between builds."""
    place = Path(app.outdir).parent / "frames" / library()
    place.mkdir(parents=True, exist_ok=True)
    return place


def numbers(app: Sphinx) -> dict[str, Any]:
    """The numbers of the first page."""
    from recprivlib.live import tenseconds

    path = folder(app) / f"{NAME}.json"
    if not path.exists():
        tell.info("book: measuring the figure of the first page")
        path.write_text(json.dumps(tenseconds.measure(), ensure_ascii=False), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def add_frames(app: Sphinx, error: Exception | None) -> None:
    """The frames of the dashboards, where there are any."""
    if error or app.builder.format != "html" or not any("dashboard" in page for page in app.env.metadata.values()):
        return
    from recprivlib.live import static

    place = folder(app) / "static"
    if not place.exists():
        tell.info("book: computing the dashboards' frames")
        static.write(place.with_name("static.new"))
        place.with_name("static.new").rename(place)
    shutil.copytree(place, Path(app.outdir) / "_static" / "frames", dirs_exist_ok=True)


class TenSeconds(SphinxDirective):
    """The figure of the first page, complete without a script; the script moves it."""

    def run(self) -> list[nodes.Node]:
        """The figure as HTML."""
        from recprivlib.live import tenseconds

        self.env.metadata[self.env.docname][NAME] = library()
        return [nodes.raw("", tenseconds.html(numbers(self.env.app)), format="html")]


def outdated(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Pages whose figure another library measured."""
    return [page for page, about in env.metadata.items() if about.get(NAME, library()) != library()]


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only on the page that has the figure."""
    if app.env.metadata.get(page, {}).get(NAME):
        app.add_css_file(f"{NAME}.css")
        app.add_js_file(f"{NAME}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive(NAME, TenSeconds)
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", add_frames)
    app.connect("html-page-context", add_script)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
