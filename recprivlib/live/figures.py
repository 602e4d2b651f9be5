"""Where the kit draws: a figure of a result in the reader's colours, with the earlier dots that belong on its axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from recprivlib.live.contract import Figure, Mark, View
from recprivlib.plots.look import Look
from recprivlib.plots.palette import themed

Role = Callable[[Any], tuple[str, str]]  # of a result: role and name of what is on show


def nameless(result: Any) -> tuple[str, str]:
    """Nothing on show has a colour of its own."""
    return "bound", ""


def figures(*those: Figure, mark: Callable[[Any], Mark], role: Role = nameless) -> tuple[Figure, ...]:
    """Figures whose `draw` takes a result and a `Look`, as an explorer has them: a result and a view."""
    return tuple(replace(one, draw=partial(_drawn, one, mark, role)) for one in those)


def _drawn(figure: Figure, mark: Callable[[Any], Mark], role: Role, result: Any, view: View) -> dict | str:
    tag = mark(result).tag
    trail = tuple(m.points[figure.name] for m in view.trail if m.tag == tag and figure.name in m.points)
    look = Look(*role(result), view.filled, view.narrow, view.large, trail, view.curve)
    drawing = figure.draw(result, look)
    return drawing if isinstance(drawing, str) else themed(drawing, view.theme)
