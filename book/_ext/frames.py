"""Figures that move without a server. Their numbers are computed when the book is built, once per what makes them.

    ```{tenseconds}
    ```

prints the figure of the first page; a dashboard's frame (`_static/frames/<stem>.js`) needs no directive of its own.
Frames are drawn in processes of their own, one for each core, while chapters run and pages are written (states.py); the
pages are shown before the last of them is there.
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

import kept
import psutil
import states
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from fingerprint import READABLE, ROOT, drawn, first_page

NAME = "tenseconds"
WORK = [sys.executable, str(Path(states.__file__))]
MARKS = ("{dashboard}", "{path}")
SUMS = "sums.json"  # file -> its SHA-256, beside the frames
tell = logging.getLogger("course.progress")


def folder(app: Sphinx) -> Path:
    """Where frames are kept between builds."""
    return Path(app.outdir).parent / "frames"


def numbers(app: Sphinx) -> dict[str, Any]:
    """The numbers of the first page."""
    from recprivlib.primers.first_page import tenseconds

    path = folder(app) / NAME / f"{first_page()}.json"
    body = kept.read(path, folder(app))
    if body is None:
        body = json.dumps(tenseconds.measure(), ensure_ascii=False).encode()
        kept.write(path, body)
        kept.forget(path.parent)
    found: dict[str, Any] = json.loads(body)
    return found


# ----------------------------------------------------------------------------------------------- dashboards


class Frames:
    """The dashboards' frames of one build: begun as soon as a page is seen to need them, waited for at its end."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[str]] = []
        self.places: dict[str, Path] = {}  # named once: whoever edits a file meanwhile has the next build compute it
        self.fresh: dict[str, states.Task] = {}
        self.plan: Path | None = None

    def ahead(self, app: Sphinx, env: Any, docnames: list[str]) -> None:
        """Begin, if a page about to be read has a dashboard."""
        texts = (Path(env.doc2path(name)).read_text("utf-8") for name in docnames)
        if app.builder.format == "html" and any(mark in text for text in texts for mark in MARKS):
            self.begin(app)

    def begin(self, app: Sphinx) -> None:
        """Have those computed that are not there or on their way."""
        if self.places:
            return
        top = folder(app)
        top.mkdir(parents=True, exist_ok=True)
        leftovers(top)
        tasks = planned(app)
        self.places = {task.stem: place for task, place in tasks}
        self.fresh = {task.stem: task for task, place in tasks if not whole(place, top)}
        if not self.fresh:
            return
        self.plan = top / f"plan.{os.getpid()}.new"
        told = [(task.stem, str(task.results), str(task.draft), task.chapters) for task in self.fresh.values()]
        self.plan.write_text(json.dumps(told), encoding="utf-8")
        several = min(4, os.cpu_count() or 1)
        for number in range(several):
            command = [*WORK, str(number), str(several), str(os.getpid()), str(self.plan)]
            self.processes.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True))

    def end(self, app: Sphinx, error: Exception | None) -> None:
        """Put them beside the pages, where a page has a dashboard. A build that failed needs none."""
        wanted = app.builder.format == "html" and any(
            {"dashboard", "path"} & set(page) for page in app.env.metadata.values()
        )
        if error or app._warncount or not wanted:
            self.kill()
            return
        self.begin(app)
        shown = Path(app.outdir) / "_static" / "frames"
        shutil.rmtree(shown, ignore_errors=True)  # what an older library drew is not shown beside these pages
        shown.mkdir(parents=True)
        for stem in self.places.keys() - self.fresh.keys():
            self.show(stem, shown)
        if self.processes:
            tell.info(READABLE)
            self.wait()
            for stem, task in self.fresh.items():
                seal(task.draft)
                task.draft.rename(self.places[stem])
                self.show(stem, shown)
        for stem, place in self.places.items():
            kept.forget(place.parent, f"{stem}-*")
            kept.forget(place.parent.parent / "states", f"{stem}-*")

    def show(self, stem: str, where: Path) -> None:
        """Put the frames of one dashboard beside the pages."""
        os.utime(self.places[stem])
        for script in self.places[stem].glob("*.js"):
            shutil.copyfile(script, where / script.name)

    def wait(self) -> None:
        """Until all of them are done; where one fails, the others are not waited for."""
        waiting = list(self.processes)
        while waiting:
            for process in list(waiting):
                try:
                    _, said = process.communicate(timeout=0.1)
                except subprocess.TimeoutExpired:
                    continue
                waiting.remove(process)
                if process.returncode:
                    self.kill()
                    raise ExtensionError(f"the dashboards' frames were not computed:\n{said}")
        if self.plan:
            self.plan.unlink(missing_ok=True)

    def kill(self) -> None:
        """None of them goes on."""
        for process in self.processes:
            with process:  # waits for it, and closes what it was heard through
                process.kill()


def planned(app: Sphinx) -> list[tuple[states.Task, Path]]:
    """Every dashboard with a frame or a chapter, and where its frames are once they are whole."""
    from recprivlib.dashboard import steps as paths
    from recprivlib.dashboard.catalogue import explorer, stems

    top, steered, found = folder(app), states.chapters(), []
    for stem in stems():
        which, texts = explorer(stem), steered.get(stem, {})
        if not texts and not which.still:
            continue
        asked = {name: (paths.STEP.findall(text), paths.SET.findall(text)) for name, text in texts.items()}
        name = sha256(f"{drawn(stem)} {asked}".encode()).hexdigest()[:16]
        results = top.parent / "states" / f"{stem}-{states.name(which)}"
        results.mkdir(parents=True, exist_ok=True)
        os.utime(results)
        place = top / f"{stem}-{name}"
        found.append((states.Task(stem, results, place.with_name(f"{place.name}.{os.getpid()}.new"), texts), place))
    return found


def seal(place: Path) -> None:
    """Note what its files hold, so that a later build knows them again."""
    sums = {file.name: sha256(file.read_bytes()).hexdigest() for file in sorted(place.glob("*.js"))}
    kept.write(place / SUMS, json.dumps(sums).encode())


def whole(place: Path, top: Path) -> bool:
    """Whether frames are there as they were written; if not, they are put aside."""
    if not place.is_dir():
        return False
    try:
        _, _, body = (place / SUMS).read_bytes().partition(b"\n")
        sums = json.loads(body)
        if sums and all(sha256((place / name).read_bytes()).hexdigest() == known for name, known in sums.items()):
            return True
    except (OSError, ValueError, AttributeError):
        pass
    kept.put_aside(place, top)
    return False


def leftovers(top: Path) -> None:
    """Forget what a build that was ended had begun."""
    for mark in (*top.glob("*.new"), *top.parent.glob("states/*/.*")):
        number = (mark.suffixes or [""])[-2 if mark.suffix == ".new" else -1][1:]
        if not (number.isdigit() and psutil.pid_exists(int(number))):
            shutil.rmtree(mark, ignore_errors=True) if mark.is_dir() else mark.unlink(missing_ok=True)


# ----------------------------------------------------------------------------------------------- first page


class TenSeconds(SphinxDirective):
    """The figure of the first page, complete without a script; the script moves it."""

    def run(self) -> list[nodes.Node]:
        """The figure as HTML."""
        from recprivlib.primers.first_page import tenseconds

        self.env.metadata[self.env.docname][NAME] = True
        return [nodes.raw("", tenseconds.html(numbers(self.env.app)), format="html")]


def add_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only on the page that has the figure."""
    if app.env.metadata.get(page, {}).get(NAME):
        app.add_css_file(f"{NAME}.css")
        app.add_js_file(f"{NAME}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    frames = Frames()
    app.add_directive(NAME, TenSeconds)
    app.connect("env-before-read-docs", frames.ahead, priority=100)  # before the chapters run (freshness.py)
    app.connect("build-finished", frames.end)
    app.connect("html-page-context", add_script)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
