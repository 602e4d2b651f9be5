"""A dashboard in a chapter, in one line:

    ```{dashboard} recommenders
    ```

With a server the page shows it live; without one the same frame is drawn in the page from committed results
(`_static/frames/<stem>.js`). dash.js decides which; both scripts are loaded only where there is a dashboard.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

FRAMES = "_static/frames"
STATIC = Path(__file__).parent.parent / "_static"
SCRIPTS = ("move.js", "static-frame.js", "dash.js")
STYLES = ("static-frame.css", "dash.css")


class Dashboard(SphinxDirective):
    """Reserves the place of a dashboard; its heights (at a desk, on a phone) keep the text from jumping."""

    required_arguments = 1
    final_argument_whitespace = False
    option_spec = {  # noqa: RUF012
        "title": directives.unchanged,
        "height": directives.nonnegative_int,
        "phone": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """The empty place, in HTML."""
        stem = self.arguments[0]
        self.env.metadata[self.env.docname]["dashboard"] = True
        about = {
            "stem": stem,
            "title": self.options.get("title", f"Dashboard: {stem}"),
            "height": self.options.get("height", 1150),
            "phone": self.options.get("phone", 1580),
            "json": f"{FRAMES}/{stem}.js",
        }
        data = " ".join(f'data-{name}="{escape(str(value))}"' for name, value in about.items())
        html = (
            f'<div class="full-width dash" {data}>'
            "<noscript><p>This figure moves: it needs JavaScript and <code>make serve</code>.</p></noscript>"
            "</div>"
        )
        return [nodes.raw("", html, format="html")]


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where there is a dashboard."""
    if not app.env.metadata.get(page, {}).get("dashboard"):
        return
    for name in SCRIPTS:
        if (STATIC / name).exists():
            app.add_js_file(name, loading_method="defer")
    for name in STYLES:
        if (STATIC / name).exists():
            app.add_css_file(name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("dashboard", Dashboard)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
