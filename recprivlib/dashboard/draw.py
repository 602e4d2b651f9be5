"""Where the kit draws: a figure of a result in the reader's colours, with the earlier dots that belong on its axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from recprivlib.dashboard.contract import Appearance, Figure, Mark
from recprivlib.plots.look import Faint, Look
from recprivlib.plots.palette import themed

Role = Callable[[Any], tuple[str, str]]  # of a result: role and name of what is on show
Differs = Callable[
    [Any, Any], str
]  # of a comparison and what it is compared with: what sets it apart, in a word or two


def nameless(result: Any) -> tuple[str, str]:
    """Nothing on show has a colour of its own."""
    return "bound", ""


def figures(
    *those: Figure, mark: Callable[[Any], Mark], role: Role = nameless, differs: Differs | None = None
) -> tuple[Figure, ...]:
    """Figures whose `draw` takes a result and a `Look`, as an explorer has them: a result and a view.

    A comparison (`View.ghosts`) stands where its mark lies, under the name that `differs` gives it.
    """
    named = differs or (lambda other, shown: role(other)[1])
    return tuple(replace(one, draw=partial(_drawn, one, mark, role, named)) for one in those)


def _drawn(
    figure: Figure, mark: Callable[[Any], Mark], role: Role, differs: Differs, result: Any, view: Appearance
) -> dict | str:
    tag = mark(result).tag
    trail = tuple(m.points[figure.name] for m in view.trail if m.tag == tag and figure.name in m.points)
    places = [(ghost, mark(ghost.result).points.get(figure.name)) for ghost in view.ghosts]
    ghosts = tuple(
        Faint(role(ghost.result)[0], differs(ghost.result, result), *spot, ghost.curve)
        for ghost, spot in places
        if spot
    )
    look = Look(*role(result), view.filled, view.narrow, view.large, trail, view.curve, ghosts)
    drawing = figure.draw(result, look)
    return drawing if isinstance(drawing, str) else themed(drawing, view.theme)
