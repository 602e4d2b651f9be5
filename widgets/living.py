"""A living picture of the book in JupyterLab: its markup, scripts and sentences, in a frame of its own.

from widgets.living import living
living("notebook", channel="ap")

Everything is in the frame, so that nobody is asked for anything; a reader's films are kept in the browser, as the book
keeps them. What a picture says in the end is the output's plain text, for whoever reads the notebook without a kernel.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as ipw
from IPython.display import HTML, display

from recprivlib.living import kit
from recprivlib.plots.palette import FONT, css_variables
from widgets.fields import FULL

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static" / "living"
WAIT = "<p>The picture is being computed: most are there at once, one that plays a real run takes a minute.</p>"
# A frame is as high as its picture, and as dark as the notebook; a link to a notebook's page would show nothing.
STYLE = """
body { margin: 0; background: var(--rp-page); font: 16px/1.4 FONT; }
main { padding: 8px 12px 12px; }
.lv .lv-ends { display: none; }
""".replace("FONT", FONT)
FIT = """
(() => {
  const main = document.querySelector("main"), frame = window.frameElement, around = parent.document.body;
  const fit = () => (frame.style.height = `${Math.ceil(main.getBoundingClientRect().height)}px`);
  const look = () => {
    const dark = document.documentElement.dataset.asked || (around.dataset.jpThemeLight === "false" ? "dark" : "light");
    document.documentElement.dataset.theme = dark;
  };
  new ResizeObserver(fit).observe(main);
  new MutationObserver(look).observe(around, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  look();
  fit();
})();
"""


class Living:
    """One picture; it shows itself at the end of a cell."""

    def __init__(self, name: str, theme: str = "", **settings: str):
        self.module, self.name = kit.drawn(name), name
        self.theme = kit.chosen("theme", theme, ("", "light", "dark"))
        self.settings = {key: str(value) for key, value in settings.items()}

    def told(self) -> dict[str, Any]:
        """Its numbers and sentences."""
        return kit.numbers(self.name, self.settings)

    def page(self, told: dict[str, Any]) -> str:
        """A whole page, of the picture alone."""
        names = ("living", *self.module.SCRIPTS)
        styles = "".join(
            (STATIC / f"{one}.css").read_text("utf-8") for one in names if (STATIC / f"{one}.css").exists()
        )
        scripts = "".join(f"<script>{(STATIC / f'{one}.js').read_text('utf-8')}</script>" for one in names)
        return (
            f'<!doctype html><html lang="en" data-asked="{self.theme}"><head><meta charset="utf-8">'
            f"<style>{css_variables()}{styles}{STYLE}</style></head><body><main>{self.module.html(told)}</main>"
            f"<script>{FIT}</script>{scripts}</body></html>"
        )

    def box(self, told: dict[str, Any]) -> ipw.HTML:
        """The page in its frame, as a widget."""
        frame = (
            f'<iframe title="A living picture" style="width:100%;border:0" srcdoc="{escape(self.page(told))}"></iframe>'
        )
        return ipw.HTML(frame, layout=FULL)

    def _ipython_display_(self) -> None:
        place = display(HTML(WAIT), display_id=True)
        told = self.told()
        bundle = self.box(told)._repr_mimebundle_()
        place.update({**bundle, "text/plain": last(told)}, raw=True)


def last(told: dict[str, Any]) -> str:
    """The sentence with which a picture closes, as it begins."""
    closing = told["closing"]
    return kit.plain(closing if isinstance(closing, str) else next(iter(closing.values())))


def living(name: str, theme: str = "", **settings: str) -> Living:
    """The living picture of that name, as a chapter asks for it; it is as dark as the notebook unless `theme` says."""
    return Living(name, theme, **settings)
