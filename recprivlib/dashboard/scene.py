"""One setting of a dashboard as a page draws it beside the steps of a chapter: plain texts and Plotly JSON.

scene(…)      = {"say", "brief", "strip", "figures": {name: drawing}, "says": {name: sentence}, "controls": {name: […]}}
furniture(…)  = what does not change: the controls as texts, the question, the names of the figures
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recprivlib.dashboard.contract import Appearance, Control, Explorer, Ghost, Values

Compute = Callable[[Values], Any]


def scene(
    which: Explorer,
    values: Values,
    figures: Sequence[str],
    ghosts: Sequence[Values] = (),
    filled: bool = True,
    result: Compute | None = None,
    curve: Compute | None = None,
) -> dict[str, Any]:
    """Everything that is seen of `figures` at `values`. `result` and `curve` may come from a cache."""
    result = result or (lambda chosen: which.compute(**chosen))
    curve = curve or which.curve or (lambda chosen: None)
    here = result(values)
    faint = tuple(Ghost(result({**values, **other}), curve({**values, **other})) for other in ghosts)
    view = Appearance(filled=filled, curve=curve(values), ghosts=faint)
    drawn = [which.figure(name) for name in figures]
    return {
        "say": which.say(here),
        "brief": which.brief(here) if which.brief else which.say(here),
        "strip": which.strip(here, view) if which.strip else "",
        "figures": {figure.name: figure.draw(here, view) for figure in drawn},
        "says": {figure.name: figure.say(here) for figure in drawn if figure.say},
        "controls": {figure.name: which.beside(figure.name, values) for figure in drawn},
    }


def furniture(which: Explorer, figures: Sequence[str]) -> dict[str, Any]:
    """What a page has to know of a dashboard before it draws anything."""
    axes = {control.name: control.figure for control in which.controls if control.figure}
    return {
        "stem": which.stem,
        "title": which.title,
        "controls": [_control(control) for control in which.controls],
        "figures": [
            {"name": f.name, "title": f.title, "axis": f.axis or next((c for c, n in axes.items() if n == f.name), "")}
            for f in map(which.figure, figures)
        ],
        "sketch": _sketch(which),
        "predict": _predict(which),
    }


def _control(control: Control) -> dict[str, Any]:
    values = [value for value, _ in control.choices] or list(control.steps)
    if control.kind == "switch":
        values = [False, True]
    labels = dict(control.choices)
    return {
        "name": control.name, "label": control.label, "kind": control.kind, "place": control.place,
        "start": control.text(control.default), "ends": control.ends, "log": control.log,
        "needs": control.needs.get(control.default, ""),
        "values": [{"text": control.text(value), "label": str(labels.get(value, control.text(value))),
                    "spoken": control.spoken(value)} for value in values],
    }  # fmt: skip


def _sketch(which: Explorer) -> dict[str, Any] | None:
    asked = which.sketch
    if asked is None:
        return None
    truth = asked.truth(which.curve(which.defaults) if which.curve else None)
    return {
        "question": asked.question, "figure": asked.figure, "x": asked.x, "truth": [float(y) for y in truth],
        "low": asked.low, "high": asked.high, "at": asked.at, "percent": asked.percent, "digits": asked.digits,
        "least": asked.least or len(asked.x) - 2, "tall": asked.tall,
    }  # fmt: skip


def _predict(which: Explorer) -> dict[str, Any] | None:
    asked = which.predict
    if asked is None:
        return None
    result = which.compute(**which.defaults | dict(asked.at))
    replies = [asked.reply(result, at) for at in range(len(asked.answers))]
    return {"question": asked.question, "answers": asked.answers, "replies": replies, "hides": asked.hides}
