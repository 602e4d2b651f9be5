"""Traces and layout shared by all figures, as plain Plotly JSON (scatter, bar, heatmap only).

A `Chart` knows its two axes and its size, so it can pin what lies off the scale to the edge, with an arrow and
the number, and push the labels of the lines apart. Built in light colours; see `palette.themed`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.plots.axes import Axis
from recprivlib.plots.numerals import setting
from recprivlib.plots.palette import BAND, FONT, GRID, INK, PAGE, ROLES, SECONDARY, VEIL, colour, faded

Trace = dict[str, Any]
GAP = 14  # pixels between the labels of two lines, at least


@dataclass(frozen=True)
class Label:
    """A line's own name, written at its right end instead of in a legend; with `x`, the name of a dot."""

    text: str
    y: float
    role: str
    x: float | None = None
    below: bool = False  # a dot's name: under it, not above
    left: bool = False  # a line's name on a phone: at its left end


@dataclass(frozen=True)
class Chart:
    """Two fixed axes and a size."""

    x: Axis
    y: Axis
    height: int = 340
    narrow: bool = False  # a phone: labels above their lines
    large: bool = False  # presentation: type × 1.5; the screen gets no taller
    right: int = 120  # room for the labels of the lines

    @property
    def margin(self) -> dict[str, int]:
        """Pixels round the plot; the axis-slider of the kit has the same left and right."""
        scale = 1.5 if self.large else 1
        names = self.y.plotly()["ticktext"]  # the title stands beside them; a per cent sign is as wide as two digits
        longest = max((len(name) + name.count("%") for name in names), default=0)
        left, right = (max(44, 20 + 8 * longest), 12) if self.narrow else (56, self.right)
        return {"l": round(left * scale), "r": round(right * scale), "t": round(16 * scale), "b": round(44 * scale)}

    def line(self, x: Iterable[float], y: Iterable[float], role: str, name: str, strong: bool = False) -> Trace:
        """A curve through measured points."""
        look = ROLES[role]
        width = 3.0 if strong else look.width
        return {
            "type": "scatter", "mode": "lines", "x": plain(x), "y": plain(y), "name": name,
            "line": {"color": look.light, "dash": look.dash, "width": width},
            "hovertemplate": f"{name}: %{{y:.3f}} at %{{x}}<extra></extra>",
        }  # fmt: skip

    def level(self, y: float, role: str, name: str) -> Trace:
        """A reference that does not depend on x, right across. It is given: it stands before the reader has guessed."""
        return {**self.line((self.x.low, self.x.high), (y, y), role, name), "meta": "given"}

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float], role: str) -> Trace:
        """A 95 % band: down one side and back up the other."""
        return {
            "type": "scatter", "mode": "lines", "x": plain([*x, *reversed(x)]), "y": plain([*high, *reversed(low)]),
            "fill": "toself", "fillcolor": faded(colour(role), BAND[0]), "line": {"width": 0}, "hoverinfo": "skip",
        }  # fmt: skip

    def dots(
        self,
        points: Iterable[tuple[float, float]],
        role: str,
        name: str,
        filled: bool = True,
        whisker: tuple[float, float] | None = None,
        size: float = 11,
    ) -> Trace:
        """Dots: filled = computed now, hollow = read from the committed results. Off the scale: an arrow at the edge.

        `whisker` is the 95 % interval of a single dot.
        """
        points = list(points)
        symbols = [self._arrow(x, y) or ROLES[role].symbol + ("" if filled else "-open") for x, y in points]
        off = [bool(self._arrow(x, y)) for x, y in points]
        trace: Trace = {
            "type": "scatter", "mode": "markers+text" if any(off) else "markers", "name": name, "cliponaxis": False,
            "x": plain(self.x.pinned(x) for x, _ in points), "y": plain(self.y.pinned(y) for _, y in points),
            "marker": {"color": colour(role), "size": size, "symbol": symbols, "line": _halo(filled, role)},
            "customdata": [[number(x), number(y)] for x, y in points],
            "hovertemplate": f"{name}: %{{customdata[1]:.3f}} at %{{customdata[0]}}<extra></extra>",
        }  # fmt: skip
        if any(off):
            trace["text"] = [self._off(x, y) if pinned else "" for (x, y), pinned in zip(points, off, strict=True)]
            trace["textposition"] = "middle left"
        if whisker and not any(off):
            (_, y), (low, high) = points[0], whisker
            trace["error_y"] = {
                "type": "data", "symmetric": False, "array": plain([high - y]), "arrayminus": plain([y - low]),
                "color": colour(role), "thickness": 1.5, "width": 5,
            }  # fmt: skip
        return trace

    def trail(self, points: Iterable[tuple[float, float]], role: str) -> Trace:
        """The small dots that earlier moves left behind: the reader draws the curve."""
        trace = self.dots(points, role, "an earlier move", size=6)
        return {**trace, "opacity": 0.5, "marker": {**trace["marker"], "line": {"width": 0}}}

    def cloud(self, x: Iterable[float], y: Iterable[float], role: str, name: str) -> Trace:
        """Very many points."""
        return {
            "type": "scatter", "mode": "markers", "x": plain(x), "y": plain(y), "name": name,
            "marker": {"color": colour(role), "size": 4, "opacity": 0.4}, "hoverinfo": "skip",
        }  # fmt: skip

    def bars(self, x: Iterable[float], y: Iterable[float], role: str, name: str, opacity: float = 1.0) -> Trace:
        """Bars of one role."""
        return {
            "type": "bar", "x": plain(x), "y": plain(y), "name": name, "opacity": opacity,
            "marker": {"color": colour(role), "line": {"width": 0}},
            "hovertemplate": f"{name}: %{{y:.3f}}<extra></extra>",
        }  # fmt: skip

    def heat(self, z: Any, x: Iterable[float], y: Iterable[float], name: str) -> Trace:
        """A heat map (cividis in both themes)."""
        return {
            "type": "heatmap", "z": [plain(row) for row in z], "x": plain(x), "y": plain(y), "name": name,
            "colorscale": "Cividis", "showscale": False,
        }  # fmt: skip

    def figure(self, traces: Sequence[Trace], labels: Sequence[Label] = (), alt: str = "") -> dict[str, Any]:
        """The whole figure. `alt` says in one sentence what it shows."""
        size = 13 * (1.5 if self.large else 1)
        layout = {
            "height": self.height, "autosize": True, "margin": self.margin,
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "showlegend": False,
            "font": {"family": FONT, "size": size, "color": INK[0]}, "dragmode": False, "hovermode": "closest",
            "hoverlabel": {"bgcolor": PAGE[0], "bordercolor": SECONDARY[0], "font": {"color": INK[0], "size": size}},
            "xaxis": _drawn(self.x, size), "yaxis": _drawn(self.y, size), "annotations": self._annotations(labels),
            "uirevision": "constant", "meta": {"alt": alt},
        }  # fmt: skip
        return {"data": list(traces), "layout": layout}

    def _annotations(self, labels: Sequence[Label]) -> list[dict[str, Any]]:
        of_lines = [label for label in labels if label.x is None]
        of_dots = [self._dot_label(label, label.x) for label in labels if label.x is not None]
        left, right = ([label for label in of_lines if label.left is side] for side in (True, False))
        if self.narrow:
            return self._line_labels(left) + self._line_labels(right) + of_dots
        return self._line_labels(of_lines) + of_dots

    def _dot_label(self, label: Label, x: float) -> dict[str, Any]:
        """Above its dot, or below; `label.y` is that end of the whisker."""
        at = {"x": number(self.x.at(self.x.pinned(x))), "y": number(self.y.at(self.y.pinned(label.y)))}
        share = self.x.place(x)
        side = "left" if share < 0.15 else "right" if share > 0.85 else "center"
        shift = {"left": -8, "right": 8, "center": 0}[side]
        anchor, lift = ("top", -6) if label.below else ("bottom", 4)
        return {"text": label.text, "showarrow": False, "yanchor": anchor, "yshift": lift, "xanchor": side,
                "xshift": shift, **at}  # fmt: skip

    def _line_labels(self, labels: Sequence[Label]) -> list[dict[str, Any]]:
        margin = self.margin
        inside = self.height - margin["t"] - margin["b"]
        gap = GAP * (1.5 if self.large else 1)
        wanted = [inside * self.y.place(label.y) for label in labels]
        placed = spread(wanted, gap, 0, inside - (gap if self.narrow else 0))
        return [self._annotation(*each) for each in zip(labels, wanted, placed, strict=True)]

    def _annotation(self, label: Label, wanted: float, placed: float) -> dict[str, Any]:
        """The label's place, in pixels from the point it belongs to; on a wide figure a leader in its colour."""
        text = label.text
        if not self.y.holds(label.y):
            text = f"{text} {self._beyond(label.y)} {_spelt(self.y, label.y)}"
        common = {"text": text, "xref": "paper", "x": 1, "yref": "y", "y": number(self.y.at(self.y.pinned(label.y)))}
        if self.narrow:
            look = {"showarrow": False, "xanchor": "right", "yanchor": "bottom", "borderpad": 0}
            if label.left:
                look |= {"x": 0, "xanchor": "left", "xshift": 2}
            return {**common, **look, "yshift": round(placed - wanted) + 1, "bgcolor": faded(PAGE[0], VEIL)}
        leader = {"arrowhead": 0, "arrowwidth": 1, "arrowcolor": colour(label.role)}
        return {**common, **leader, "showarrow": True, "xanchor": "left", "align": "left",
                "ax": 14, "ay": round(wanted - placed), "standoff": 0}  # fmt: skip

    def _arrow(self, x: float, y: float) -> str:
        """The arrow for a point off the scale, "" for one on it."""
        if not self.y.holds(y):
            return "triangle-up" if self._beyond(y) == "↑" else "triangle-down"
        if not self.x.holds(x):
            return "triangle-left" if self.x.place(x) == 0 else "triangle-right"
        return ""

    def _off(self, x: float, y: float) -> str:
        """The number of a dot that is off the scale."""
        axis, value = (self.x, x) if self.y.holds(y) else (self.y, y)
        return _spelt(axis, value)

    def _beyond(self, y: float) -> str:
        return "↓" if self.y.place(y) == 0 else "↑"


def spelt(trace: Trace, values: Iterable[float], write: Callable[[float], str]) -> Trace:
    """A trace that says its heights as sentences write them, where a reader points at it: a bound stays one."""
    said = [write(value) for value in values]
    return {**trace, "hovertext": said, "hovertemplate": f"{trace['name']}: %{{hovertext}}<extra></extra>"}


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart within low..high, with the least sum of squared moves, in the same order.

    >>> spread([10, 12, 50], 14, 0, 100)
    [4.0, 18.0, 50.0]
    """
    order = np.argsort(wanted, kind="stable")
    groups: list[list[float]] = []  # pool adjacent violators on (place − rank × gap): [sum, how many]
    for rank, at in enumerate(order):
        groups.append([wanted[at] - rank * gap, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, many = groups.pop()
            groups[-1] = [groups[-1][0] + total, groups[-1][1] + many]
    flat = [total / many for total, many in groups for _ in range(int(many))]
    top = max(low, high - gap * (len(flat) - 1))
    placed = [0.0] * len(flat)
    for rank, at in enumerate(order):
        placed[at] = min(max(flat[rank], low), top) + rank * gap
    return [float(place) for place in placed]


def number(value: float) -> float | None:
    """A plain number with six significant digits: what a figure shows does not depend on the last bit."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _spelt(axis: Axis, value: float) -> str:
    """A number that is off the scale, as sentences write those of this axis."""
    return axis.spell(value) if axis.spell and math.isfinite(value) else _brief(value)


def _brief(value: float) -> str:
    return setting(value if math.isinf(value) else float(f"{value:.2g}"))


def plain(values: Iterable[float]) -> list[float | None]:
    """Plain numbers, for JSON. Where all are finite they are written in one go: a third less time.

    >>> plain([1 / 3, 2, -1e-9]), plain([1.5, math.nan])
    ([0.333333, 2.0, -1e-09], [1.5, None])
    """
    many = tuple(values.tolist() if isinstance(values, np.ndarray) else map(float, values))
    if not all(map(math.isfinite, many)):
        return [number(value) for value in many]
    return list(map(float, ("%.6g " * len(many) % many).split()))


def _drawn(axis: Axis, size: float) -> dict[str, Any]:
    layout = axis.plotly()
    title = {**layout["title"], "font": {"size": size}, "standoff": 8}
    grid = {"gridcolor": faded(INK[0], GRID), "showline": False, "ticks": "", "ticklabelstandoff": 4, "tickangle": 0}
    return {**layout, **grid, "title": title, "tickfont": {"color": SECONDARY[0]}}


def _halo(filled: bool, role: str) -> dict[str, Any]:
    return {"color": PAGE[0], "width": 1.5} if filled else {"color": colour(role), "width": 2}
