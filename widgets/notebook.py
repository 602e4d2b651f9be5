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

from recprivlib.live import Card, Control, Explorer, View, explorer, paths
from recprivlib.live.contract import Mark, Values
from recprivlib.parameters import UserError
from recprivlib.plots.palette import css_variables

CONFIG = {"displayModeBar": False, "scrollZoom": False}
TRAIL = 30
BOOK = Path(__file__).resolve().parent.parent / "book"
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
        self.sentence, self.strip, self.more = ipw.HTML(layout=FULL), ipw.HTML(layout=FULL), ipw.HTML(layout=FULL)
        self.veiled = known.predict is not None and not settings  # until the reader has answered
        self.reply = ipw.HTML(layout=FULL)
        self._setting = False
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
        self.shown = ipw.VBox([self.sentence, ipw.HBox([rail, grid]), self.strip])
        self.shown.layout.visibility = "hidden" if self.veiled else "visible"
        return ipw.VBox([*self._ask(), *self._steps(), self.shown, self._tools(), self.more, self.pipe])

    def _ask(self) -> list[ipw.Widget]:
        """The question, with its answers as buttons; the guess goes nowhere."""
        asked = self.explorer.predict
        if asked is None:
            return []
        buttons = [ipw.Button(description=text) for text in (*asked.answers, "just show me")]
        for at, button in enumerate(buttons):
            button.on_click(partial(self._answer, at if at < len(asked.answers) else None))
        return [ipw.HTML(f"<b>{escape(asked.question)}</b>"), ipw.HBox(buttons), self.reply]

    def _answer(self, at: int | None, _: Any) -> None:
        asked = self.explorer.predict
        self.veiled, self.shown.layout.visibility = False, "visible"
        if asked is not None and at is not None:
            result = self.explorer.compute(**self.explorer.defaults | dict(asked.at))
            self.reply.value = escape(asked.reply(result, at))

    def _steps(self) -> list[ipw.Widget]:
        """The steps of the chapter whose path steers this dashboard."""
        chapter = BOOK / f"{self.explorer.stem}.md"
        text = chapter.read_text("utf-8") if chapter.exists() else ""
        if paths.stem(text) != self.explorer.stem:
            return []
        told = [paths.state(self.explorer, found) for found in paths.STEP.findall(text)]
        named = paths.SHORT.findall(text)
        buttons = [ipw.Button(description=f"{at}: {name}") for at, name in enumerate(named, 1)]
        for button, state in zip(buttons, told, strict=True):
            button.on_click(lambda _, state=state: self.set(state.values))
        return [ipw.Box(buttons, layout=ipw.Layout(flex_flow="row wrap"))]

    def _tools(self) -> ipw.Widget:
        """The numbers as a table, and the Python that prints them."""
        made = {"Table": lambda: self.explorer.table(self.result).to_html(index=False, float_format="%.3g", na_rep=""),
                "Code": lambda: f"<pre>{escape(self.explorer.snippet(self.values))}</pre>"}  # fmt: skip
        buttons = [ipw.ToggleButton(description=name) for name in made]
        for button, make in zip(buttons, made.values(), strict=True):
            button.observe(
                lambda change, make=make: setattr(self.more, "value", make() if change["new"] else ""), "value"
            )
        return ipw.HBox(buttons)

    def set(self, values: Values) -> None:
        """Every control at once, as a step of the chapter has them."""
        self._setting = True
        try:
            self.values.update(values)
            for name, field in self.fields.items():
                field.put(values[name])
        finally:
            self._setting = False
        self.refresh()

    def _place(self, name: str, height: int) -> str:
        return f'<div id="{self.name}-{name}" style="min-height:{height}px;width:100%"></div>'

    def _move(self, name: str, value: Any) -> None:
        if value != self.values[name] and not self._setting:
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
        self.strip.value = known.strip(self.result, self.view) if known.strip else ""
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


def _said(text: str) -> str:
    return f'<p style="font-size:19px;line-height:1.4;min-height:2.8em" aria-live="polite">{text}</p>'


def _plotly() -> str:
    """The plotly.js that comes with plotly.py: nothing is fetched."""
    import plotly

    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def explore(stem: str, theme: str = "light", **settings: Any) -> Explore:
    """The dashboard `stem`, at the given settings; it shows itself at the end of a cell."""
    return Explore(explorer(stem), theme, **settings)
