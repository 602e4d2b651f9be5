"""A figure in a chapter: drawn by the page's own plotly.js, and readable as numbers where there is none."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any

from recprivlib.plots.palette import swaps

MIME = "application/vnd.plotly.v1+json"
CONFIG = {"displayModeBar": False, "responsive": True, "scrollZoom": False}

# Draws once Plotly is there, in the colours of the page, and again when the reader changes the theme.
SCRIPT = """(() => {
const box = document.currentScript?.previousElementSibling ?? document.getElementById(ID);
const source = FIGURE, dark = DARK;
const root = document.documentElement, colours = new RegExp(Object.keys(dark)
  .map(text => text.replace(/[().]/g, "\\\\$&")).join("|"), "g");
const draw = () => {
  const text = JSON.stringify(source);
  const figure = JSON.parse(root.dataset.theme === "dark" ? text.replace(colours, from => dark[from]) : text);
  Plotly.react(box, figure.data, figure.layout, CONFIG);
};
const start = () => {
  draw();
  new MutationObserver(draw).observe(root, {attributes: true, attributeFilter: ["data-theme"]});
};
window.Plotly ? start() : window.addEventListener("load", start);
})()"""


@dataclass(frozen=True)
class Shown:
    """What a notebook displays: HTML for a page, Plotly's own form for JupyterLab (where no page brings plotly.js),
    and a summary in numbers for a terminal and for nbval.
    """

    figure: dict[str, Any]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        plotly = {**self.figure, "config": CONFIG}
        return {"text/html": html(self.figure), "text/plain": summary(self.figure), MIME: plotly}

    def __repr__(self) -> str:
        return summary(self.figure)


def show(figure: dict[str, Any]) -> Shown:
    """Display a figure of `plots` at the end of a notebook's cell."""
    return Shown(figure)


@dataclass(frozen=True)
class Drawn:
    """HTML of our own in a chapter, such as the strip; `words` say the same to a terminal and to a test."""

    markup: str
    words: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": f'<div class="rp-own">{self.markup}</div>', "text/plain": self.words}

    def __repr__(self) -> str:
        return self.words


def html(figure: dict[str, Any]) -> str:
    """A `div` and the call that fills it; the page brings plotly.js. The id is a hash of the figure."""
    text = json.dumps(figure, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    name = "rp-" + hashlib.sha256(text.encode()).hexdigest()[:12]
    filled = {"ID": name, "FIGURE": figure, "DARK": swaps(), "CONFIG": CONFIG}
    safe = {
        slot: json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).replace("</", "<\\/")
        for slot, value in filled.items()
    }
    # In one pass: a figure's own words are never taken for a slot.
    script = re.sub(rf"\b({'|'.join(safe)})\b", lambda slot: safe[slot[0]], SCRIPT)
    alt = escape(figure["layout"].get("meta", {}).get("alt", ""), quote=True)
    height = figure["layout"]["height"]
    box = f'<div id="{name}" class="rp-figure" role="img" aria-label="{alt}" style="height:{height}px"></div>'
    return f"{box}<script>{script}</script>"


def summary(figure: dict[str, Any]) -> str:
    """Each trace's name and its numbers with three significant digits: what a test can compare."""
    lines = [figure["layout"].get("meta", {}).get("alt", "") or "a figure"]
    for trace in figure["data"]:
        if "name" in trace:
            values = trace.get("y", ()) if trace["type"] != "heatmap" else [v for row in trace["z"] for v in row]
            lines.append(f"{trace['name']}: {_abridged(values)}")
    return "\n".join(lines)


def _abridged(values: Any, most: int = 8) -> str:
    """At most `most` numbers, evenly picked; the count says how many there are."""
    values = ["–" if value is None else f"{value:.3g}" for value in values]
    if len(values) <= most:
        return " ".join(values)
    picked = [values[round(at * (len(values) - 1) / (most - 1))] for at in range(most)]
    return f"{' '.join(picked)} ({len(values)} values)"
