"""A living picture in a chapter, complete without a script:

    ```{living} notebook channel=ap
    ```

The name is that of a module of `recprivlib/living`; settings follow as name=value. Its numbers are computed once per
what makes them, and kept between builds as the first page's are. Scripts and style come to pages that have one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import kept
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from fingerprint import living

PLACE = "lv-place"  # the class of what a picture stands in
STATIC = Path(__file__).parent.parent / "_static" / "living"


class Living(SphinxDirective):
    """One picture: its name, then its settings."""

    required_arguments = 1
    optional_arguments = 9
    final_argument_whitespace = False

    def run(self) -> list[nodes.Node]:
        """The picture as HTML."""
        from recprivlib.living.kit import drawn
        from recprivlib.parameters import UserError

        name, *settings = self.arguments
        try:
            module = drawn(name)
            markup = module.html(told(self.env.app, name, dict(_pair(one) for one in settings)))
        except UserError as error:
            raise self.error(str(error)) from None
        scripts = self.env.metadata[self.env.docname].setdefault("living", [])
        scripts += [one for one in module.SCRIPTS if one not in scripts]
        return [nodes.raw("", markup, format="html", classes=["full-width", PLACE])]


def told(app: Sphinx, name: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """The numbers of a picture, computed unless they are kept."""
    from recprivlib.living.kit import numbers

    top = Path(app.outdir).parent / "frames"
    asked = sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]
    path = top / "living" / f"{name}-{asked}-{living(name)}.json"
    body = kept.read(path, top)
    if body is None:
        body = json.dumps(numbers(name, settings), ensure_ascii=False, allow_nan=False).encode()
        kept.write(path, body)
        kept.forget(path.parent, f"{name}-{asked}-*")
    found: dict[str, Any] = json.loads(body)
    return found


def _pair(setting: str) -> tuple[str, str]:
    from recprivlib.parameters import UserError

    name, sign, value = setting.partition("=")
    if not (sign and value and name.isidentifier()):
        raise UserError(f"a setting is written as name=value, but one is {setting!r}")
    return name, value


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where there is a picture."""
    scripts = app.env.metadata.get(page, {}).get("living")
    if scripts:
        for name in ("living", *scripts):
            if (STATIC / f"{name}.css").exists():
                app.add_css_file(f"living/{name}.css")
            app.add_js_file(f"living/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("living", Living)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
