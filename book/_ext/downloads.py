"""The chapters as notebooks to take along, beside the pages: `_static/handouts/student/…` and `…/teacher/…`.

A chapter that is a path says where the students' notebook is, under the line that tells its minutes. On a page for
teachers ```` ```{handouts} ```` lists both notebooks of every chapter. They are made when the pages have been written
(tools/handouts.py says how), and the same sources give the same bytes.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from drafts import draft
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from fingerprint import ROOT

PLACE = "_static/handouts"
TIMES = re.compile(r'<p class="times">.*?</p>', re.DOTALL)
CHAPTER = re.compile(r"^ *- file: (\S+)", re.MULTILINE)
CODE = "---\nfile_format: mystnb"
LINK = '<a href="{href}" download="{stem}{what}.ipynb">{words}</a>'
SAID = '<p class="times">To work through in JupyterLab: {link}.</p>'


def chapters() -> list[Path]:
    """The pages that have notebooks, in the order of reading: whole, and with code."""
    pages = [ROOT / f"{name}.md" for name in CHAPTER.findall((ROOT / "_toc.yml").read_text("utf-8"))]
    texts = [(page, page.read_text("utf-8")) for page in pages if page.is_file()]
    return [page for page, text in texts if text.startswith(CODE) and not draft(text)]


class Handouts(SphinxDirective):
    """Both notebooks of every chapter."""

    def run(self) -> list[nodes.Node]:
        root = "../" * self.env.docname.count("/")
        rows = []
        for page in chapters():
            self.env.note_dependency(str(page))
            title = next(line[2:] for line in page.read_text("utf-8").splitlines() if line.startswith("# "))
            both = (("student", "for students", ""), ("teacher", "with solutions", "-solutions"))
            links = ", ".join(
                LINK.format(href=f"{root}{PLACE}/{who}/{page.stem}.ipynb", stem=page.stem, what=what, words=words)
                for who, words, what in both
            )
            rows.append(f"<li>{title} · {links}</li>")
        return [nodes.raw("", f'<ul class="handouts">{"".join(rows)}</ul>', format="html")]


def link(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The students' notebook, on the page of its chapter."""
    stem = page.rpartition("/")[2]
    found = TIMES.search(context.get("body", ""))
    if found and stem in {one.stem for one in chapters()}:
        href = f"{'../' * page.count('/')}{PLACE}/student/{stem}.ipynb"
        words = SAID.format(link=LINK.format(href=href, stem=stem, what="", words="this chapter as a notebook"))
        context["body"] = context["body"][: found.end()] + words + context["body"][found.end() :]


def write(app: Sphinx, problem: Exception | None) -> None:
    """All of them, once the pages are there."""
    if problem or app.builder.format != "html":
        return
    target = Path(app.outdir) / PLACE
    shutil.rmtree(target, ignore_errors=True)
    if not any("path" in app.env.metadata.get(name, {}) for name in app.env.found_docs):
        return  # no chapter that could link to them
    sys.path.insert(0, str(ROOT))
    from tools.handouts import write

    write(lambda line: None, target, chapters())


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("handouts", Handouts)
    app.connect("html-page-context", link)
    app.connect("build-finished", write)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
