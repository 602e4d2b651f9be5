"""The page of each dashboard for a static host: the kit's own template, with a first picture computed beforehand.

`write(folder)` leaves <stem>.html and the kit's scripts in `folder`, the `lab/` of a site (see tools/site.py).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.catalogue import explorer, stems
from widgets.kit.controls import SEGMENTS, Choice, Films
from widgets.kit.layout import TEMPLATE, printed
from widgets.kit.part import HERE as KIT
from widgets.kit.part import Part
from widgets.kit.pool import Pool
from widgets.kit.session import Session

BASE = """<!doctype html><html lang="en" {{ html_attrs }}><head><meta charset="utf-8">
<title>{% block title %}{% endblock %}</title>{% block postamble %}{% endblock %}
<link rel="icon" href="../_static/favicon.svg"><link rel="stylesheet" href="dash.css"></head>
<body>{% block contents %}{% endblock %}
<script type="application/json" id="still">{{ still }}</script>
<script src="../_static/plotly.min.js"></script><script type="module" src="dash.mjs"></script></body></html>
"""


class Now(Pool):
    """Whatever is asked for is computed at once."""

    def __init__(self) -> None:
        self._share()

    def submit(self, job: Callable[[], None], seconds: float = 0.0, curve: bool = False, reader: Any = None) -> None:
        job()


class Places(dict[str, str]):
    """The template asks for each part by the name of its place."""

    def __missing__(self, name: str) -> str:
        return name

    __getattr__ = __missing__


def page(which: Explorer) -> str:
    """The page, with its first picture: hollow dots, since nobody has computed it in front of the reader."""
    from jinja2 import DictLoader, Environment

    session = Session(which, Now())
    session.view = replace(session.view, filled=False)
    session._redraw()
    parts = {
        place: {"script": part.script, "style": part.style, "values": _shown(part)}
        for place, part in session.parts().items()
    }
    still = {"stem": which.stem, "parts": parts, "people": people(which)}
    loader = DictLoader(
        {"base": BASE, "frame": TEMPLATE.read_text(encoding="utf-8").replace("extends base", "extends 'base'")}
    )
    return Environment(loader=loader).get_template("frame").render(
        roots=Places(), embed=lambda name: f'<div data-place="{name}"></div>', still=_inside(still),
        **printed(which, session),
    )  # fmt: skip


def people(which: Explorer) -> list[str]:
    """The controls that choose whose data are computed on."""
    return [control.name for control in which.controls if control.needs]


def _shown(part: Part) -> dict[str, Any]:
    """What the first picture shows; of a long list of titles those that are chosen: the list is not ours to publish."""
    if not isinstance(part, Films | Choice) or len(part.options) <= SEGMENTS:
        return part.values
    chosen = part.value if isinstance(part.value, list) else [part.value]
    return {**part.values, "options": [pair for pair in part.options if pair[0] in chosen]}


def _inside(value: Any) -> str:
    """JSON as it may stand inside a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def write(folder: Path) -> list[Path]:
    """All pages, and the kit's scripts beside them."""
    (folder / "kit").mkdir(parents=True, exist_ok=True)
    for script in sorted(KIT.glob("*.js")):
        shutil.copyfile(script, folder / "kit" / script.name)
    files = []
    for stem in stems():
        files.append(folder / f"{stem}.html")
        files[-1].write_text(page(explorer(stem)), encoding="utf-8")
    return files
