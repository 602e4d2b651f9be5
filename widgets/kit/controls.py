"""A widget for each `Control`: native inputs in small components, so that keyboard, touch and reader all work."""

from __future__ import annotations

from typing import Any

from recprivlib.dashboard import Control
from recprivlib.dashboard.contract import Values
from widgets.kit.part import HERE, Part, Shared

STYLE = (HERE / "control.css").read_text(encoding="utf-8")
EPSILONS = (.1, .15, .2, .3, .4, .5, .6, .7, .8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)  # fmt: skip
SEGMENTS = 6  # more choices than this go into a list that opens


class Field(Part):
    """What all controls share: a label, a value, and whether a drag waits for its release."""

    label = Shared("")
    hint = Shared("")
    value = Shared(None, "Follows the hand.")
    released = Shared(0, "Counts the moments at which the hand let go.")
    active = Shared(True, "Greyed out where it changes nothing.")
    waits = Shared(False, "Computes on release only; the label says so.")

    style = STYLE


class Slider(Field):
    """A slider that stops at readable values, and a box that takes any value in range.

    With `span` it is the x axis of the figure above: its thumb stands under the place of its value there.
    """

    low = Shared(0.0)
    high = Shared(0.0)
    whole = Shared(False)
    log = Shared(False)
    stops = Shared([], "Readable values, rising.")
    spoken = Shared([], "What a screen reader says at each stop.")
    ends = Shared([], "Words at the left and right end.")
    axis = Shared(False)
    span = Shared([], "What the figure's axis shows, from left to right.")
    inset = Shared([56, 120], "Pixels between the figure's edge and its axis, left and right.")
    ticks = Shared([], "Pairs of a value and its label.")

    script = "slider.js"


class EpsilonSlider(Slider):
    """The slider that is an axis, for a budget. Left is more private."""

    label = Shared("ε")
    axis = Shared(True)
    log = Shared(True)
    low = Shared(0.1)
    high = Shared(8)
    value = Shared(1.0)
    stops = Shared(list(EPSILONS))
    ends = Shared(["more privacy, more noise", "less privacy, less noise"])


class Seed(Field):
    """The number that a draw of noise starts from."""

    low = Shared(0.0)
    high = Shared(0.0)

    script = "seed.js"


class Choice(Field):
    """One of a few named things: radio buttons, or a list where there are many."""

    options = Shared([], "Pairs of a value and its label.")
    many = Shared(False)

    script = "choice.js"


class Switch(Field):
    """On or off."""

    script = "switch.js"


class Films(Field):
    """A few films out of many, found by typing."""

    most = Shared(10)
    options = Shared([], "Pairs of a film's number and its title.")

    script = "films.js"


def widget(control: Control, values: Values) -> Any:
    """The widget of `control`, standing at its place in `values`."""
    value = values[control.name]
    shared = {"label": control.label, "hint": control.hint, "value": value, "active": control.active(values)}
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
