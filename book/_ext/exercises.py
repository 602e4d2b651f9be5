"""An exercise that is graded by attack, in a chapter, in one line:

    ```{exercise} repair
    ```

Without a script the page holds the task, what one begins with, and where it is tried. exercise.js puts the editor there
where the page has a laboratory (widgets/site/exercise.mjs), since it is the reader's own Python that runs it.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

WHERE = (
    "Try it in JupyterLab (<code>make lab</code>): "
    "<code>from widgets.exercise import form; form(&quot;{name}&quot;)</code>. In this page it runs where the book was "
    "built with <code>make site</code>, also under <code>make serve</code>."
)


class Exercise(SphinxDirective):
    """The place of an exercise, and all that a page has to know of it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The task and its start, in HTML, with the rest as data."""
        from recprivlib.exercises import exercise
        from recprivlib.parameters import UserError

        try:
            asked = exercise(self.arguments[0])
        except UserError as error:
            raise self.error(str(error)) from None
        self.env.metadata[self.env.docname]["exercise"] = True
        return [nodes.raw("", html(asked), format="html")]


def html(asked: Any) -> str:
    """The task and what one begins with, and all else as data, which no markup in it ends."""
    about = {
        "name": asked.name, "title": asked.title, "start": asked.start, "solution": asked.solution,
        "hints": asked.hints, "checks": [label for label, _ in asked.checks],
    }  # fmt: skip
    task = escape(asked.task).replace(" = ", "\u00a0=\u00a0")  # no line ends inside a number
    data = json.dumps(about, ensure_ascii=False).replace("</", "<\\/").replace("<!--", "<\\!--")
    return (
        f'<section class="graded" data-exercise="{asked.name}" aria-label="{escape(asked.title)}">'
        f'<p>{task}</p><script type="application/json">{data}</script>'
        f'<div class="here"><pre>{escape(asked.start)}</pre><p>{WHERE.format(name=asked.name)}</p></div></section>'
    )


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where there is an exercise."""
    if app.env.metadata.get(page, {}).get("exercise"):
        app.add_js_file("exercise.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("exercise", Exercise)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
