"""Figures that move without a server. Their numbers are computed when the book is built, once per library.

    ```{tenseconds}
    ```

prints the figure of the first page; a dashboard's frame (`_static/frames/<stem>.js`) needs no directive of its own.
The frames are computed in processes of their own, one for each core, while chapters run and pages are written.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from fingerprint import READABLE, ROOT, library

NAME = "tenseconds"
CODE = (
    "import os, sys; hasattr(os, 'nice') and os.nice(5);"  # pages come first
    "from pathlib import Path; from recprivlib.live import static;"
    "static.write(Path(sys.argv[1]), Path(sys.argv[2]))"
)
MARKS = ("{dashboard}", "{path}")
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
        path.write_text(json.dumps(tenseconds.measure(), ensure_ascii=False), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


# ----------------------------------------------------------------------------------------------- dashboards


class Frames:
    """The dashboards' frames of one build: begun as soon as a page is seen to need them, waited for at its end."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[str]] = []
        self.place: Path | None = None  # named once: whoever edits a file meanwhile has the next build compute it

    def ahead(self, app: Sphinx, env: Any, docnames: list[str]) -> None:
        """Begin, if a page about to be read has a dashboard."""
        texts = (Path(env.doc2path(name)).read_text("utf-8") for name in docnames)
        if app.builder.format == "html" and any(mark in text for text in texts for mark in MARKS):
            self.begin(app)

    def begin(self, app: Sphinx) -> None:
        """Have them computed, unless they are there or on their way."""
        if self.place is None:
            self.place = place(app)
        if self.processes or self.place.exists():
            return
        for leftover in folder(app).glob("static-*.new"):
            if not psutil.pid_exists(int(leftover.suffixes[-2][1:])):  # the build that began it
                shutil.rmtree(leftover, ignore_errors=True)
        command = [sys.executable, "-c", CODE, str(draft(self.place)), str(ROOT / "book")]
        for _ in range(min(4, os.cpu_count() or 1)):
            self.processes.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True))

    def end(self, app: Sphinx, error: Exception | None) -> None:
        """Put them beside the pages, where a page has a dashboard. A build that failed needs none."""
        wanted = app.builder.format == "html" and any(
            {"dashboard", "path"} & set(page) for page in app.env.metadata.values()
        )
        if error or not wanted:
            self.kill()
            return
        self.begin(app)
        assert self.place is not None
        if self.processes:
            tell.info(READABLE)
            self.wait()
            for mark in draft(self.place).glob(".*"):
                mark.unlink()
            draft(self.place).rename(self.place)
        shutil.copytree(self.place, Path(app.outdir) / "_static" / "frames", dirs_exist_ok=True)
        older = sorted(folder(app).parent.glob("*"), key=lambda path: path.stat().st_mtime)[:-3]
        for forgotten in older:
            shutil.rmtree(forgotten, ignore_errors=True)

    def wait(self) -> None:
        """Until all of them are done; where one fails, the others are not waited for."""
        for process in self.processes:
            _, said = process.communicate()
            if process.returncode:
                self.kill()
                raise ExtensionError(f"the dashboards' frames were not computed:\n{said}")

    def kill(self) -> None:
        """None of them goes on."""
        for process in self.processes:
            with process:  # waits for it, and closes what it was heard through
                process.kill()


def place(app: Sphinx) -> Path:
    """Where the frames are once they are whole; the steps of the chapters are part of their name."""
    from recprivlib.live import static

    return folder(app) / f"static-{sha256(static.asked(ROOT / 'book').encode()).hexdigest()[:12]}"


def draft(place: Path) -> Path:
    """Where they are being written."""
    return place.with_suffix(f".{os.getpid()}.new")


# ----------------------------------------------------------------------------------------------- first page


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
    frames = Frames()
    app.add_directive(NAME, TenSeconds)
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", frames.ahead, priority=100)  # before the chapters run (freshness.py)
    app.connect("build-finished", frames.end)
    app.connect("html-page-context", add_script)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
