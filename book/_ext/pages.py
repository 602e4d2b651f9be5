"""What every page needs beyond the theme.

A page asks no other host for anything: maths, figures and palette come with the book.
"""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from fingerprint import ROOT

PLOTLY = "plotly.min.js"
NOT_PROSE = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment)
TOGETHER = (
    (re.compile(r"(?<=\d)[ \n]%"), "\u202f%"),
    (re.compile(r"\b([εδγλ]?\d?|[A-Za-z])[ \n]=[ \n](?=\S)"), "\\1\xa0=\xa0"),
)


def drop_thebe(app: Sphinx) -> None:
    """sphinx-thebe comes with Jupyter Book's command and loads a script from elsewhere; nothing here needs it."""
    for listeners in app.events.listeners.values():
        listeners[:] = [one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")]


def load_plotly(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """5 MB of script, only where there is a figure."""
    if "rp-figure" in context.get("body", ""):
        app.add_js_file(PLOTLY, priority=100)


def mend_references(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """docutils calls the bibliography a list, but not its entries the items of one: screen readers stumble."""
    if 'class="citation-list"' in context.get("body", ""):
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def glossary() -> dict[str, str]:
    """What each term of the appendix means, by the anchor of its entry."""
    page = ROOT / "book" / "notation.md"
    text = page.read_text("utf-8") if page.exists() else ""
    entries = re.findall(
        r"^(\S.*)\n((?:  \S.*\n)+)", text.partition(":::{glossary}\n")[2].partition("\n:::")[0] + "\n", re.MULTILINE
    )
    return {name: re.sub(r"[`*$]", "", " ".join(meaning.split())) for name, meaning in entries}


def explain_terms(app: Sphinx, doctree: Any, docname: str) -> None:
    """A word that leads to the glossary says what it means where it stands, to whoever rests on it."""
    anchors = {name: anchor for name, _, kind, _, anchor, _ in app.env.domains["std"].get_objects() if kind == "term"}
    meanings = {anchors[name]: said for name, said in glossary().items() if name in anchors}
    for link in doctree.findall(nodes.reference):
        anchor = link.get("refuri", "").partition("#")[2]
        if anchor in meanings:
            link["reftitle"] = meanings[anchor]


def keep_together(app: Sphinx, doctree: Any, docname: str) -> None:
    """A line never ends between a number and its per cent, nor inside "ε = 1"."""
    if app.builder.format != "html":
        return
    for text in list(doctree.findall(nodes.Text)):
        held = str(text)
        for pattern, by in TOGETHER:
            held = pattern.sub(by, held)
        if held != text and not isinstance(text.parent, NOT_PROSE):
            parent: Any = text.parent
            parent[next(at for at, child in enumerate(parent) if child is text)] = nodes.Text(held)


def copy_assets(app: Sphinx, error: Exception | None) -> None:
    """The script of the very version that made the figures, and an address that leads to the first page."""
    if error or app.builder.format != "html":
        return
    first = f"{app.config.root_doc}.html"
    (Path(app.outdir) / "index.html").write_text(f'<meta http-equiv="Refresh" content="0; url={first}" />\n', "utf-8")
    static = Path(app.outdir) / "_static"
    package = find_spec("plotly")
    if package and package.origin:
        shutil.copyfile(Path(package.origin).parent / "package_data" / PLOTLY, static / PLOTLY)


def write_palette(app: Sphinx) -> None:
    """One palette for figures, dashboards and pages: the library's."""
    from recprivlib.plots.palette import css_variables

    folder = Path(app.outdir).parent / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "palette.css").write_text(css_variables(), encoding="utf-8")
    app.config.html_static_path.append(str(folder))


def setup(app: Sphinx) -> dict[str, Any]:
    app.setup_extension("sphinx-mathjax-offline")
    app.connect("builder-inited", drop_thebe)
    app.connect("builder-inited", write_palette)
    app.connect("html-page-context", load_plotly, priority=900)
    app.connect("html-page-context", mend_references)
    app.connect("doctree-resolved", explain_terms)
    app.connect("doctree-resolved", keep_together)
    app.connect("build-finished", copy_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
