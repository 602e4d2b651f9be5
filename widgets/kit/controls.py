"""A widget for each `Control`: native inputs in small components, so that keyboard, touch and reader all work.

`plain=True` gives Panel's own widgets instead: the fallback where a browser refuses custom components.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import panel as pn
import param

from recprivlib.live import Control
from recprivlib.live.contract import Values

HERE = Path(__file__).parent
STYLE = (HERE / "control.css").read_text(encoding="utf-8")
EPSILONS = (.1, .15, .2, .3, .4, .5, .6, .7, .8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)  # fmt: skip
SEGMENTS = 6  # more choices than this go into a list that opens


class Field(pn.custom.JSComponent):
    """What all controls share: a label, a value, and whether a drag waits for its release."""

    label = param.String()
    hint = param.String()
    value = param.Parameter(doc="Follows the hand.")
    released = param.Integer(default=0, doc="Counts the moments at which the hand let go.")
    active = param.Boolean(default=True, doc="Greyed out where it changes nothing.")
    waits = param.Boolean(default=False, doc="Computes on release only; the label says so.")

    __abstract = True

    def __init__(self, **params: Any):
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, "stylesheets": [STYLE]} | params)


class Slider(Field):
    """A slider that stops at readable values, and a box that takes any value in range.

    With `span` it is the x axis of the figure above: its thumb stands under the place of its value there.
    """

    low = param.Number()
    high = param.Number()
    whole = param.Boolean()
    log = param.Boolean()
    stops = param.List(doc="Readable values, rising.")
    spoken = param.List(doc="What a screen reader says at each stop.")
    ends = param.List(doc="Words at the left and right end.")
    axis = param.Boolean(default=False)
    span = param.List(doc="What the figure's axis shows, from left to right.")
    inset = param.List(default=[56, 120], doc="Pixels between the figure's edge and its axis, left and right.")
    ticks = param.List(doc="Pairs of a value and its label.")

    _esm = HERE / "slider.js"


class EpsilonSlider(Slider):
    """The slider that is an axis, for a budget. Left is more private."""

    label = param.String(default="ε")
    axis = param.Boolean(default=True)
    log = param.Boolean(default=True)
    low = param.Number(default=0.1)
    high = param.Number(default=8)
    value = param.Parameter(default=1.0)
    stops = param.List(default=list(EPSILONS))
    ends = param.List(default=["more privacy, more noise", "less privacy, less noise"])


class Seed(Field):
    """The number that a draw of noise starts from."""

    low = param.Number()
    high = param.Number()

    _esm = HERE / "seed.js"


class Choice(Field):
    """One of a few named things: radio buttons, or a list where there are many."""

    options = param.List(doc="Pairs of a value and its label.")
    many = param.Boolean(default=False)

    _esm = HERE / "choice.js"


class Switch(Field):
    """On or off."""

    _esm = HERE / "switch.js"


class Films(Field):
    """A few films out of many, found by typing."""

    most = param.Integer(default=10)
    options = param.List(doc="Pairs of a film's number and its title.")

    _esm = HERE / "films.js"


def widget(control: Control, values: Values, plain: bool = False) -> Any:
    """The widget of `control`, standing at its place in `values`."""
    if plain:
        return _plain(control, values)
    value = values[control.name]
    shared = {"label": control.label, "hint": control.hint, "value": value, "name": control.name,
              "active": control.active(values)}  # fmt: skip
    if control.kind == "choice":
        options = [list(pair) for pair in choices(control, values)]
        return Choice(**shared, options=options, many=len(options) > SEGMENTS)
    if control.kind == "switch":
        return Switch(**shared)
    if control.kind == "films":
        options = [list(pair) for pair in choices(control, values)]
        return Films(**shared | {"value": list(value)}, options=options, most=int(control.high))
    if control.kind == "seed":
        return Seed(**shared, low=control.low, high=control.high)
    stops = stops_of(control)
    return (EpsilonSlider if control.name == "epsilon" else Slider)(
        **shared,
        low=control.low,
        high=control.high,
        whole=control.kind != "number",
        log=control.log,
        stops=list(stops),
        spoken=[control.spoken(stop) for stop in stops],
        axis=control.place == "axis",
        **({"ends": list(control.ends)} if any(control.ends) else {}),
    )


def choices(control: Control, values: Values) -> tuple[tuple[Any, str], ...]:
    """What may be chosen; it may depend on the other settings (which data)."""
    return control.options(values) if control.options else control.choices


def stops_of(control: Control) -> tuple[float, ...]:
    """Where a slider stops: the readable values if it names any, else 40 even steps (all, if whole and few)."""
    if control.steps:
        return control.steps
    low, high = control.low, control.high
    if control.kind != "number" and high - low <= 40 and not control.log:
        return tuple(range(int(low), int(high) + 1))
    if control.log:
        raw = [low * (high / low) ** (at / 40) for at in range(41)]
    else:
        raw = [low + (high - low) * at / 40 for at in range(41)]
    tidy = [min(max(float(f"{value:.2g}"), low), high) for value in raw]
    return tuple(dict.fromkeys(map(round, tidy) if control.kind != "number" else tidy))


def read(control: Control, value: Any) -> Any:
    """What a widget holds, as `control`'s own value."""
    return control.checked(tuple(value) if isinstance(value, list) else value)


def _plain(control: Control, values: Values) -> Any:
    """Panel's own widget for `control`."""
    shared = {"label": control.label, "value": values[control.name], "sizing_mode": "stretch_width"}
    if control.kind == "choice":
        return pn.widgets.Select(**shared, options={label: value for value, label in choices(control, values)})
    if control.kind == "switch":
        return pn.widgets.Checkbox(**shared)
    if control.kind == "films":
        options = {label: value for value, label in choices(control, values)}
        return pn.widgets.MultiSelect(**shared | {"value": list(values[control.name])}, options=options)
    if control.kind == "number":
        step = 10 ** math.floor(math.log10((control.high - control.low) / 50))
        return pn.widgets.EditableFloatSlider(
            **shared, start=control.low, end=control.high, step=step,
            fixed_start=control.low, fixed_end=control.high,
        )  # fmt: skip
    return pn.widgets.EditableIntSlider(
        **shared, start=int(control.low), end=int(control.high), step=1,
        fixed_start=int(control.low), fixed_end=int(control.high),
    )  # fmt: skip
