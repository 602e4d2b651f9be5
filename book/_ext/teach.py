"""What the teacher's pages say of the chapters: links to a step on the wall or to a fold, and notes for a step.

    {at}`dplcf eighty towns`      the step of that short name, as it is presented
    {at}`dplcf x-ex1`             the fold of that name
    {at}`dplcf slides`            all steps as slides

    ```{notes} dplcf eighty towns
    What to say there.
    ```

A name that a chapter does not have is refused, and a link counts the steps anew at each build. Notes stand on the page
where they are written, and go into `_static/notes/<chapter>.js`, from where
Present shows them in a second window (notes.js).
"""

from __future__ import annotations

import difflib
import json
import posixpath
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from fingerprint import ROOT

STEP = re.compile(r"^## .*\n`{3,}\{step\}.*\n:short: *(.+)$", re.MULTILINE)
FOLD = re.compile(r"^#{3,} (.*)\n`{3,}\{expert\} *(\S+)", re.MULTILINE)


def places(text: str) -> dict[str, tuple[str, str]]:
    """What of a chapter can be linked to, by its name: how the address ends, and the words of the link."""
    steps = [short.strip() for short in STEP.findall(text)]
    found = {short: (f"?step={at}&present=1", f"step {at}, {short}") for at, short in enumerate(steps, 1)}
    folds = {name: (f"#{name}", title.strip()) for title, name in FOLD.findall(text)}
    return found | folds | ({"slides": ("?slides=1", "slides")} if steps else {})


def place(asked: str, book: Path = ROOT / "book") -> tuple[str, str, str]:
    """The chapter, the end of the address, and the words for "chapter name"; a ValueError says what is not there."""
    chapter, _, name = asked.strip().partition(" ")
    page = book / f"{chapter}.md"
    if not page.is_file():
        raise ValueError(f"there is no chapter {chapter!r}")
    known = places(page.read_text("utf-8"))
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        raise ValueError(f"{chapter} has no {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
    return chapter, *known[name]


class At(SphinxRole):
    """A link to a step or a fold of a chapter."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            chapter, end, words = place(self.text)
        except ValueError as error:
            message = self.inliner.reporter.error(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        self.env.note_dependency(str(ROOT / "book" / f"{chapter}.md"))
        to = posixpath.relpath(f"book/{chapter}", posixpath.dirname(self.env.docname) or ".")
        words = chapter if words == "slides" else words
        link = f'<a class="at" href="{escape(f"{to}.html{end}", quote=True)}">{escape(words)}</a>'
        return [nodes.raw("", link, format="html")], []


class Notes(SphinxDirective):
    """What to say at a step."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            chapter, end, _ = place(self.arguments[0])
            if not end.startswith("?step="):
                raise ValueError("notes are for a step")
        except ValueError as error:
            raise self.error(str(error)) from None
        box = nodes.container(classes=["speaker-notes"])
        (link, *_), _ = self.state.inline_text(f"{{at}}`{self.arguments[0]}`", self.lineno)
        box += nodes.paragraph("", "", link, classes=["speaker-where"])
        self.state.nested_parse(self.content, self.content_offset, box)
        said = [part.astext().replace("\n", " ") for part in box.children[1:]]
        step = int(end.split("=")[1].partition("&")[0])
        about = self.env.metadata[self.env.docname].setdefault("notes", [])
        about.append({"chapter": chapter, "step": step, "said": said})
        return [box]


def write(app: Sphinx, error: Exception | None) -> None:
    """The notes of each chapter that is a path, for notes.js."""
    if error or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "notes"
    folder.mkdir(parents=True, exist_ok=True)
    all_notes = [one for page in sorted(app.env.metadata) for one in app.env.metadata[page].get("notes", [])]
    for page, about in app.env.metadata.items():
        if about.get("path"):
            chapter = page.rpartition("/")[2]
            told: dict[int, list[str]] = {}
            for one in all_notes:
                if one["chapter"] == chapter:
                    told.setdefault(one["step"], []).extend(one["said"])
            (folder / f"{chapter}.js").write_text(f"rpNotes({json.dumps(told, ensure_ascii=False)});\n", "utf-8")


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Notes and slides, where there is a path."""
    if app.env.metadata.get(page, {}).get("path"):
        app.add_css_file("slides.css")
        for name in ("notes.js", "slides.js"):
            app.add_js_file(name, loading_method="defer", priority=600)  # after the path itself


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_role("at", At())
    app.add_directive("notes", Notes)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
