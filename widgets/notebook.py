"""A dashboard in JupyterLab, with ipywidgets: the same controls, `compute`, figures and sentence; no Panel.

from widgets.notebook import explore
explore("recommenders")
"""

from __future__ import annotations

import json
import uuid
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as ipw
from IPython.display import HTML, display

from recprivlib.live import Card, Control, Explorer, View, explorer
from recprivlib.live.contract import Mark, Values
from recprivlib.parameters import UserError
from recprivlib.plots.palette import css_variables

CONFIG = {"displayModeBar": False, "scrollZoom": False}
TRAIL = 30
FULL = ipw.Layout(width="auto", flex="1 1 auto")


class Explore:
    """The twin of a page: one kernel, one reader."""

    def __init__(self, known: Explorer, theme: str = "light", **settings: Any):
        self.explorer = known
        self.values = known.defaults | {name: known.control(name).checked(v) for name, v in settings.items()}
        self.view = View(theme="dark" if theme == "dark" else "light")
        self.marks: list[Mark] = []
        self.result: Any = None
        self.name = f"rp-{uuid.uuid4().hex[:8]}"
        self.fields = {c.name: Field(c, self.values, self._move) for c in known.controls if c.place != "none"}
        self.sentence = ipw.HTML(layout=FULL)
        self.places = {figure.name: ipw.HTML(layout=FULL) for figure in known.shown}
        self.pipe = ipw.Output(layout=ipw.Layout(height="0", overflow="hidden"))
        self.box = self._box()

    def _box(self) -> ipw.Widget:
        """The frame: sentence above, controls at the left, figures at the right."""
        for figure in self.explorer.shown:
            self.places[figure.name].value = self._place(figure.name, figure.height)
        rail = ipw.VBox(
            [field.box for field in self.fields.values()], layout=ipw.Layout(width="300px", flex="0 0 auto")
        )
        figures = [
            ipw.VBox([ipw.HTML(f"<b>{escape(figure.title)}</b>"), self.places[figure.name]],
                     layout=ipw.Layout(width="100%" if figure.place in ("main", "band") else "48%", min_width="320px"))
            for figure in self.explorer.shown
        ]  # fmt: skip
        grid = ipw.Box(
            figures, layout=ipw.Layout(flex="1 1 auto", flex_flow="row wrap", justify_content="space-between")
        )
        return ipw.VBox([self.sentence, ipw.HBox([rail, grid]), self.pipe])

    def _place(self, name: str, height: int) -> str:
        return f'<div id="{self.name}-{name}" style="min-height:{height}px;width:100%"></div>'

    def _move(self, name: str, value: Any) -> None:
        if value != self.values[name]:
            self.values[name] = value
            self.refresh()

    def refresh(self) -> None:
        """Computes at the present settings and shows what came of it."""
        known = self.explorer
        try:
            self.result = known.compute(**self.values)
        except UserError as error:
            cure = f" ({escape(error.cure_label)})" if isinstance(error, Card) and error.cure_label else ""
            self.sentence.value = _said(f"<b>{escape(str(error))}</b>{cure}")
            return
        for field in self.fields.values():
            field.dress(self.values)
        self.sentence.value = _said(escape(known.say(self.result)))
        mark = known.mark(self.result) if known.mark else None
        self.view = View(theme=self.view.theme, trail=tuple(m for m in self.marks if m != mark))
        if mark is not None:
            self.marks = [*(m for m in self.marks if m != mark), mark][-TRAIL:]
        self._draw()

    def _draw(self) -> None:
        """Plots are redrawn in place by one script; HTML is replaced."""
        calls = []
        for figure in self.explorer.shown:
            drawing = figure.draw(self.result, self.view)
            if isinstance(drawing, str):
                self.places[figure.name].value = f'<div style="line-height:1.45">{drawing}</div>'
            else:
                text = json.dumps([drawing["data"], drawing["layout"]]).replace("</", "<\\/")
                calls.append(f'draw("{self.name}-{figure.name}", ...{text});')
        script = SCRIPT % {"config": json.dumps(CONFIG), "calls": "".join(calls)}
        html = {"text/html": f"<script>{script}</script>"}
        self.pipe.outputs = ({"output_type": "display_data", "data": html, "metadata": {}},)

    def _ipython_display_(self) -> None:
        display(HTML(f"<script>{_plotly()}</script><style>{css_variables()}</style>"))
        display(self.box)
        self.refresh()


# The element may come a moment after the script, and plotly.js too.
SCRIPT = """
(() => {
  const draw = (id, data, layout, tries = 0) => {
    const place = document.getElementById(id);
    if (place && window.Plotly) return Plotly.react(place, data, {...layout, autosize: true}, %(config)s);
    if (tries < 100) setTimeout(() => draw(id, data, layout, tries + 1), 50);
  };
  %(calls)s
})();
"""


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


def _said(text: str) -> str:
    return f'<p style="font-size:19px;line-height:1.4;min-height:2.8em" aria-live="polite">{text}</p>'


def _plotly() -> str:
    """The plotly.js that comes with plotly.py: nothing is fetched."""
    import plotly

    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def explore(stem: str, theme: str = "light", **settings: Any) -> Explore:
    """The dashboard `stem`, at the given settings; it shows itself at the end of a cell."""
    return Explore(explorer(stem), theme, **settings)
