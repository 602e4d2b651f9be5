"""One persistent pane a figure: it takes what `draw` returns, a Plotly dict or a string of HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

PLAIN = ":host { font: inherit !important; color: inherit; }"  # as the page has it
CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False, "showTips": False, "responsive": False}


class PlotlyDict(pn.pane.Plotly):
    """Panel's Plotly pane without plotly.py in between: our dicts are finished, validating them costs 20 ms."""

    def _to_figure(self, obj: Any) -> Any:
        return obj

    @classmethod
    def _plotly_json_wrapper(cls, fig: dict) -> dict:
        return {"data": [_copied(trace) for trace in fig["data"]], "layout": _copied(fig["layout"])}


def _copied(part: Any) -> Any:
    """A copy down to the arrays, which Panel takes out of the dicts it is given."""
    if isinstance(part, dict):
        return {key: _copied(value) for key, value in part.items()}
    return [_copied(each) for each in part] if isinstance(part, list | tuple) else part


class Slot(pn.Column):
    """The place of one figure. The first drawing decides what kind of pane it needs; the pane then stays."""

    def __init__(self, drawing: dict | str | None = None):
        super().__init__(sizing_mode="stretch_width", margin=0)
        self._pane: Any = None
        self.show(drawing)

    def show(self, drawing: dict | str | None) -> None:
        """Replaces what is drawn."""
        if drawing is None:
            return
        if isinstance(drawing, str):
            kind, new = pn.pane.HTML, drawing
        else:
            kind, new = PlotlyDict, _steady(drawing)
        if type(self._pane) is kind:
            self._pane.object = new
            if kind is PlotlyDict and self._pane.height != new["layout"]["height"]:
                self._pane.height = new["layout"]["height"]
            return
        if kind is PlotlyDict:
            self._pane = PlotlyDict(
                new, config=CONFIG, sizing_mode="stretch_width", height=new["layout"]["height"], margin=0,
            )  # fmt: skip
        else:
            self._pane = pn.pane.HTML(new, sizing_mode="stretch_width", margin=0, stylesheets=[PLAIN])
        self.objects = [self._pane]


def _steady(drawing: dict) -> dict:
    """The figure as Plotly should treat it: the same one as before, and a picture to scroll past, not to drag."""
    layout = {"height": 340, **drawing["layout"], "uirevision": "kept", "dragmode": False, "autosize": False}
    return {"data": drawing["data"], "layout": layout}


def alt(drawing: dict | str | None) -> str:
    """The words for somebody who does not see the figure."""
    if not isinstance(drawing, dict):
        return ""
    return str(drawing["layout"].get("meta", {}).get("alt", ""))


def as_axis(drawing: dict) -> tuple[dict, Axis]:
    """`drawing` without its own x labels, and the axis for the slider that takes their place."""
    layout = drawing["layout"]
    margin = {"l": 56, "r": 120, "t": 16, "b": 40} | layout.get("margin", {})
    xaxis = dict(layout.get("xaxis", {}))
    ends = [10**end if xaxis.get("type") == "log" else end for end in xaxis["range"]]
    values = xaxis.get("tickvals", [])
    labels = xaxis.get("ticktext") or [f"{value:g}" for value in values]
    height = layout.get("height", 340) - margin["b"] + 10
    bare = xaxis | {"showticklabels": False, "ticks": "", "title": {"text": ""}}
    layout = layout | {"xaxis": bare, "margin": margin | {"b": 10}, "height": height}
    return {"data": drawing["data"], "layout": layout}, Axis(
        span=ends,
        inset=[margin["l"], margin["r"]],
        ticks=[list(pair) for pair in zip(values, labels, strict=True)],
    )


class Axis(dict[str, Sequence[Any]]):
    """What a `Slider` has to know of the figure above it: span, inset, ticks."""
