"""The controls of a dashboard as widgets of JupyterLab."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import ipywidgets as ipw

from recprivlib.dashboard import Control
from recprivlib.dashboard.contract import Values

FULL = ipw.Layout(width="auto", flex="1 1 auto")


class Field:
    """One control: a slider of readable stops beside a box for any value, buttons, a list, or tags."""

    def __init__(self, control: Control, values: Values, move: Any):
        self.control = control
        self.move = partial(move, control.name)
        self.widgets = self._widgets(values)
        head = ipw.HTML(f"<b>{escape(control.label)}</b>")
        ends = [ipw.HTML(f"<small>{escape(' … '.join(control.ends))}</small>")] if all(control.ends) else []
        row = ipw.HBox(self.widgets, layout=ipw.Layout(width="100%", align_items="center"))
        self.box = ipw.VBox([head, row, *ends], layout=ipw.Layout(margin="0 0 10px"))

    def _widgets(self, values: Values) -> list[ipw.Widget]:
        control, value = self.control, values[self.control.name]
        kind = control.kind
        if kind == "choice":
            pairs = [(label, known) for known, label in _options(control, values)]
            few = ipw.ToggleButtons if len(pairs) <= 3 else ipw.Dropdown
            made: list[ipw.Widget] = [few(options=pairs, value=value, layout=FULL)]
            if few is ipw.ToggleButtons:
                made[0].style.button_width = "auto"
        elif kind == "switch":
            made = [ipw.Checkbox(value=value, indent=False)]
        elif kind == "films":
            return [self._films(values)]
        elif kind == "seed" or not control.steps:
            made = [_number(control, value)]
        else:
            return self._slider(value)
        made[0].observe(lambda change: self.move(change["new"]), "value")
        return made

    def _slider(self, value: Any) -> list[ipw.Widget]:
        """The slider stops at readable values; the box takes all of them, and the slider goes to the nearest."""
        stops = list(self.control.steps)
        near = min(stops, key=lambda stop: abs(stop - value))
        slider = ipw.SelectionSlider(options=stops, value=near, readout=False, layout=FULL)
        box = _number(self.control, value)

        def slid(change: dict) -> None:
            box.value = change["new"]

        def typed(change: dict) -> None:
            if change["new"] in stops:
                slider.value = change["new"]
            self.move(change["new"])

        slider.observe(slid, "value")
        box.observe(typed, "value")
        return [slider, box]

    def _films(self, values: Values) -> ipw.Widget:
        options = _options(self.control, values)
        titles, numbers = dict(options), {label: known for known, label in options}
        tags = ipw.TagsInput(
            value=[titles[film] for film in values[self.control.name] if film in titles],
            allowed_tags=list(numbers), allow_duplicates=False, layout=FULL,
        )  # fmt: skip
        tags.observe(lambda change: self.move(tuple(numbers[title] for title in change["new"])), "value")
        return tags

    def put(self, value: Any) -> None:
        """Stands at `value`; a slider at its nearest stop."""
        for widget in self.widgets:
            if isinstance(widget, ipw.SelectionSlider):
                widget.value = min(widget.options, key=lambda stop: abs(stop - value))
            elif not isinstance(widget, ipw.TagsInput):
                widget.value = value

    def dress(self, values: Values) -> None:
        """Grey where the control changes nothing."""
        for widget in self.widgets:
            if hasattr(widget, "disabled"):
                widget.disabled = not self.control.active(values)


def _number(control: Control, value: Any) -> ipw.Widget:
    kind = ipw.BoundedFloatText if control.kind == "number" else ipw.BoundedIntText
    step = {"step": 0.1} if control.kind == "number" else {}
    return kind(
        value=value, min=control.low, max=control.high, layout=ipw.Layout(width="82px", flex="0 0 auto"), **step
    )


def _options(control: Control, values: Values) -> tuple[tuple[Any, str], ...]:
    return control.options(values) if control.options else control.choices
