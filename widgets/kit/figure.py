"""One figure on the page: it takes what `draw` returns, a Plotly dict or a string of HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from widgets.kit.part import Part, Shared


class Drawing(Part):
    """A figure that stays and is redrawn in place; what is out of sight is drawn when it comes into sight.

    A plot travels as one text: Bokeh would walk through every number of a dict, several times a step.
    """

    figure = Shared("", "The place in the page it belongs to.")
    plot = Shared("", "Plotly JSON.")
    html = Shared("")

    script = "figure.js"

    def __init__(self, figure: str):
        super().__init__(figure=figure)

    def draw(self, drawing: dict | str) -> None:
        """Replaces what is drawn; what is drawn already is not sent again."""
        self.update(**written(drawing))


def written(drawing: dict | str) -> dict[str, str]:
    """A figure as the page takes it. A worker writes it: the server's own thread has to answer everybody."""
    if isinstance(drawing, str):
        return {"html": drawing}
    return {"plot": json.dumps(steady(drawing), separators=(",", ":"), allow_nan=False)}


def steady(drawing: dict) -> dict:
    """The figure as Plotly should treat it: the same one as before, and a picture to scroll past, not to drag."""
    layout = {"height": 340, **drawing["layout"], "uirevision": "kept", "dragmode": False, "autosize": False}
    return {"data": drawing["data"], "layout": layout}


def alt(drawing: dict | str | None) -> str:
    """The words for somebody who does not see the figure."""
    if not isinstance(drawing, dict):
        return ""
    return str(drawing["layout"].get("meta", {}).get("alt", ""))


class Axis(dict[str, Sequence[Any]]):
    """What a `Slider` has to know of the figure above it: span, inset, ticks."""


def as_axis(drawing: dict) -> tuple[dict, Axis]:
    """`drawing` without its own x labels, and the axis for the slider that takes their place."""
    layout = drawing["layout"]
    margin = {"l": 56, "r": 120, "t": 16, "b": 40} | layout.get("margin", {})
    xaxis = dict(layout.get("xaxis", {}))
    ends = [10**end if xaxis.get("type") == "log" else end for end in xaxis["range"]]
    values = xaxis.get("tickvals", [])
    labels = xaxis.get("ticktext") or [f"{value:g}" for value in values]
    foot = round(margin["b"] / 4)
    height = layout.get("height", 340) - margin["b"] + foot
    bare = xaxis | {"showticklabels": False, "ticks": "", "title": {"text": ""}}
    layout = layout | {"xaxis": bare, "margin": margin | {"b": foot}, "height": height}
    return {"data": drawing["data"], "layout": layout}, Axis(
        span=ends,
        inset=[margin["l"], margin["r"]],
        ticks=[list(pair) for pair in zip(values, labels, strict=True)],
    )
