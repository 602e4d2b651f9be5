"""The library's names on one page, from their own docstrings; a system's parameters from the registry:

```{systems}
```
"""

from __future__ import annotations

import inspect
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Systems(SphinxDirective):
    """Every system of the registry: what it is, what its bill is stated in, and its parameters."""

    def run(self) -> list[nodes.Node]:
        """One paragraph a system, read again when the file of its class changes."""
        from recprivlib.registry import systems

        self.env.metadata[self.env.docname]["systems"] = True
        lines: list[str] = []
        for name, entry in systems().items():
            self.env.note_dependency(inspect.getfile(type(entry.system)))
            lines += described(name, entry)
        found = nodes.container(classes=["systems"])
        self.state.nested_parse(StringList(lines, source="the registry"), self.content_offset, found)
        return found.children


def described(name: str, entry: Any) -> list[str]:
    """A system in Markdown: what it is, and its parameters with default, range and meaning."""
    from recprivlib.parameters import parameters

    terms = f"bill: {entry.terms[0]}, {entry.terms[1]}" if entry.terms else "no privacy is promised"
    lines = [f"**`{name}`**: {entry.gloss} ({entry.role}; {entry.task}; {terms}).", ""]
    for key, meta in parameters(entry.system).items():
        lines.append(f"- `{key}` = {getattr(entry.system, key)}: {meta.gloss} ({meta.allowed})")
    return [*lines, ""]


def without_init(app: Sphinx, what: str, name: str, thing: Any, options: Any, said: str | None, returned: Any) -> Any:
    """A protocol is never made, so nothing stands in brackets behind its name."""
    return ("", None) if what == "class" and getattr(thing, "_is_protocol", False) else (said, returned)


def add_styles(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where the library is named."""
    if app.env.metadata.get(page, {}).get("systems"):
        app.add_css_file("api.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.add_directive("systems", Systems)
    app.connect("autodoc-process-signature", without_init)
    app.connect("html-page-context", add_styles)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
