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

from recprivlib.dashboard import Appearance, Card, Explorer
from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import Ghost, Mark, Values
from recprivlib.parameters import UserError
from recprivlib.plots.palette import css_variables
from widgets.fields import FULL, Field

CONFIG = {"displayModeBar": False, "scrollZoom": False}
TRAIL = 30
BOOK = Path(__file__).resolve().parent.parent / "book"
WRAPPED = ipw.Layout(flex_flow="row wrap")
# The figures are drawn for this ground, whatever the notebook stands on.
STYLE = """
.rp-explore { background: var(--rp-page); color: var(--rp-ink); padding: 8px 12px; --jp-widgets-color: var(--rp-ink);
  --jp-widgets-label-color: var(--rp-ink);
  --jp-content-font-color1: var(--rp-ink); --jp-ui-font-color1: var(--rp-ink); }
.rp-explore :is(.widget-html, .widget-html-content) { min-width: 0; }
.rp-explore .rp-place { min-width: 0; overflow: hidden; }
"""


class Explore:
    """The twin of a page: one kernel, one reader."""

    def __init__(self, known: Explorer, theme: str = "light", **settings: Any):
        self.explorer = known
        self.values = known.defaults | {name: known.control(name).checked(v) for name, v in settings.items()}
        self.view = Appearance(theme="dark" if theme == "dark" else "light")
        self.marks: list[Mark] = []
        self.result: Any = None
        self.name = f"rp-{uuid.uuid4().hex[:8]}"
        self.fields = {c.name: Field(c, self.values, self._move) for c in known.controls if c.place != "none"}
        self.sentence, self.strip, self.reply = ipw.HTML(layout=FULL), ipw.HTML(layout=FULL), ipw.HTML(layout=FULL)
        self.veiled = known.predict is not None and not settings  # until the reader has answered
        self.step: paths.State | None = None  # of the chapter, if one was chosen
        self._setting = False
        self.places = {figure.name: ipw.HTML(layout=ipw.Layout(width="auto")) for figure in known.figures}
        self.pipe = ipw.Output(layout=ipw.Layout(height="0", overflow="hidden"))
        self.box = self._box()
        self._dress()

    def _box(self) -> ipw.Widget:
        """The frame: sentence above, controls at the left, figures at the right, the strip under the main one."""
        for figure in self.explorer.figures:
            self.places[figure.name].value = self._place(figure.name, figure.height)
        self.rail = ipw.VBox([field.box for field in self.fields.values()],
                             layout=ipw.Layout(width="300px", flex="0 0 auto"))  # fmt: skip
        self.figures = {
            figure.name: ipw.VBox(
                [ipw.HTML(f"<b>{escape(figure.title)}</b>"), self.places[figure.name]],
                layout=ipw.Layout(width="48%" if figure.place in ("beside", "evidence") else "100%", min_width="320px"),
            )
            for figure in self.explorer.figures
        }
        main = self.explorer.figures[0].name
        steps = [self.figures[f.name] for f in self.explorer.figures if f.place == "path"]
        rest = [self.figures[f.name] for f in self.explorer.shown if f.name != main]
        grid = ipw.Box(
            [*steps, self.figures[main], self.strip, *rest],
            layout=ipw.Layout(flex="1 1 0", min_width="0", flex_flow="row wrap", justify_content="space-between"),
        )
        self.strip.layout = ipw.Layout(width="100%")
        both = ipw.HBox([self.rail, grid])
        box = ipw.VBox([*self._ask(), *self._steps(), self.sentence, both, *self._tools(), self.pipe])
        for name in ("rp-explore", *(["rp-dark"] if self.view.theme == "dark" else [])):
            box.add_class(name)
        return box

    def _ask(self) -> list[ipw.Widget]:
        """The question, with its answers as buttons; the guess goes nowhere."""
        asked = self.explorer.predict
        if asked is None:
            return []
        buttons = [_button(text) for text in (*asked.answers, "just show me")]
        for at, button in enumerate(buttons):
            button.on_click(partial(self._answer, at if at < len(asked.answers) else None))
        return [ipw.HTML(f"<b>{escape(asked.question)}</b>"), ipw.Box(buttons, layout=WRAPPED), self.reply]

    def _answer(self, at: int | None, _: Any) -> None:
        asked = self.explorer.predict
        self.veiled = False
        if asked is not None and at is not None:
            result = self.explorer.compute(**self.explorer.defaults | dict(asked.at))
            self.reply.value = escape(asked.reply(result, at))
        self.refresh()

    def _steps(self) -> list[ipw.Widget]:
        """The steps of the chapter whose path steers this dashboard."""
        chapter = BOOK / f"{self.explorer.stem}.md"
        text = chapter.read_text("utf-8") if chapter.exists() else ""
        if paths.stem(text) != self.explorer.stem:
            return []
        told = [paths.state(self.explorer, found) for found in paths.STEP.findall(text)]
        buttons = [_button(f"{at}: {name}") for at, name in enumerate(paths.SHORT.findall(text), 1)]
        for button, state in zip(buttons, told, strict=True):
            button.on_click(lambda _, state=state: self.go(state))
        return [ipw.HTML("<small>Steps of the chapter:</small>"), ipw.Box(buttons, layout=WRAPPED)]

    def go(self, state: paths.State) -> None:
        """A step of the chapter: its settings, the figures it shows, and what it compares with."""
        self.step, self.veiled = state, self.veiled and state.guess
        self.set(state.values)

    def _tools(self) -> list[ipw.Widget]:
        """The numbers as a table, and the Python that prints them."""
        made = {"Table": lambda: self.explorer.table(self.result).to_html(index=False, float_format="%.3g", na_rep=""),
                "Code": lambda: f"<pre>{escape(self.explorer.snippet(self.values))}</pre>"}  # fmt: skip
        self.made = {
            name: (ipw.ToggleButton(description=name), ipw.HTML(layout=FULL), make) for name, make in made.items()
        }
        for button, _, _ in self.made.values():
            button.observe(lambda _: self._make(), "value")
        self.tools = ipw.HBox([button for button, _, _ in self.made.values()])
        return [self.tools, *(place for _, place, _ in self.made.values())]

    def _make(self) -> None:
        for button, place, make in self.made.values():
            place.value = make() if button.value and not self.veiled else ""

    def _dress(self) -> None:
        """What can be seen: all of the dashboard, or, until the reader has answered, the axes and what was given."""
        main, also = self.explorer.figures[0], self.step.view if self.step else ()
        for figure in self.explorer.figures:
            wanted = figure.name in also or figure.place != "path"
            self._see(self.figures[figure.name], wanted and (figure is main or not self.veiled))
        for part in (self.sentence, self.strip, self.rail, self.tools):
            self._see(part, not self.veiled)

    @staticmethod
    def _see(part: ipw.Widget, on: bool) -> None:
        part.layout.display = None if on else "none"

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
        return f'<div class="rp-place" id="{self.name}-{name}" style="min-height:{height}px;width:100%"></div>'

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
            self._dress()
            return
        for field in self.fields.values():
            field.dress(self.values)
        self.sentence.value = _said(escape(known.say(self.result)))
        self.strip.value = known.strip(self.result, self.view) if known.strip else ""
        mark = known.mark(self.result) if known.mark else None
        earlier = tuple(m for m in self.marks if m != mark)
        self.view = Appearance(theme=self.view.theme, trail=earlier, ghosts=self._ghosts())
        if mark is not None:
            self.marks = [*(m for m in self.marks if m != mark), mark][-TRAIL:]
        self._dress()
        self._make()
        self._draw()

    def _ghosts(self) -> tuple[Ghost, ...]:
        """What a step compares with, as long as the reader has not moved on."""
        if self.step is None or self.step.values != self.values:
            return ()
        return tuple(Ghost(self.explorer.compute(**self.values | ghost)) for ghost in self.step.ghosts)

    def _draw(self) -> None:
        """Plots are redrawn in place by one script; HTML is replaced."""
        calls = []
        for figure in self.explorer.figures:
            if self.figures[figure.name].layout.display == "none":
                continue
            drawing = figure.draw(self.result, self.view)
            if isinstance(drawing, str):
                self.places[figure.name].value = f'<div style="line-height:1.45">{drawing}</div>'
            else:
                drawing = given(drawing) if self.veiled else drawing
                text = json.dumps([drawing["data"], drawing["layout"]]).replace("</", "<\\/")
                calls.append(f'draw("{self.name}-{figure.name}", ...{text});')
        script = SCRIPT % {"config": json.dumps(CONFIG), "calls": "".join(calls)}
        html = {"text/html": f"<script>{script}</script>"}
        self.pipe.outputs = ({"output_type": "display_data", "data": html, "metadata": {}},)

    def _ipython_display_(self) -> None:
        display(HTML(f"<script>{_plotly()}</script><style>{css_variables()}{STYLE}</style>"))
        display(self.box)
        self.refresh()


# The element may come a moment after the script, and plotly.js too.
SCRIPT = """
(() => {
  const draw = (id, data, layout, tries = 0) => {
    const place = document.getElementById(id);
    if (place && window.Plotly) {
      Plotly.react(place, data, {...layout, autosize: true}, %(config)s);
      if (place.watched) return;
      place.watched = new ResizeObserver(() => place.clientWidth && Plotly.Plots.resize(place));
      return place.watched.observe(place);
    }
    if (tries < 100) setTimeout(() => draw(id, data, layout, tries + 1), 50);
  };
  %(calls)s
})();
"""


def given(drawing: dict) -> dict:
    """The figure with what was given alone: the answer waits for the reader's guess."""
    data = [trace for trace in drawing["data"] if trace.get("meta") == "given"]
    names = {trace.get("name") for trace in data}
    labels = [label for label in drawing["layout"].get("annotations", []) if label.get("text") in names]
    return {"data": data, "layout": drawing["layout"] | {"annotations": labels}}


def _button(text: str) -> ipw.Button:
    """As wide as its words."""
    return ipw.Button(description=text, layout=ipw.Layout(width="auto"))


def _said(text: str) -> str:
    return f'<p style="font-size:19px;line-height:1.4;min-height:2.8em" aria-live="polite">{text}</p>'


def _plotly() -> str:
    """The plotly.js that comes with plotly.py: nothing is fetched."""
    import plotly

    return (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def explore(stem: str, theme: str = "light", **settings: Any) -> Explore:
    """The dashboard `stem`, at the given settings; it shows itself at the end of a cell."""
    return Explore(explorer(stem), theme, **settings)
