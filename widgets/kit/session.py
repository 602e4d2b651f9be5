"""One reader at one dashboard: controls in, figures and sentence out. All its state is made in here, per session."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from recprivlib.dashboard import Appearance, Card, Control, Explorer, Figure, Mark
from recprivlib.dashboard.contract import Values
from recprivlib.parameters import UserError
from widgets.kit import controls
from widgets.kit.curve import WholeCurve
from widgets.kit.fairness import Reader
from widgets.kit.figure import Drawing, alt, as_axis, written
from widgets.kit.frame import SIZES, Frame
from widgets.kit.game import Play
from widgets.kit.part import Part, Wire
from widgets.kit.pool import STREAM_EVERY, Lane, Pool, Turn, Update
from widgets.kit.tables import tables
from widgets.kit.waiting import Waiting
from widgets.kit.wishes import WISHES
from widgets.kit.words import BROKEN, ahead, bad_link, sentence, setting
from widgets.kit.work import Errand, Left

TRAIL = 30
NARROW = ("phone", "snug")  # sizes of a page whose main figure is no wider than a phone
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Drawn:
    """A result, with all that is shown of it."""

    values: Values
    result: Any
    view: Appearance
    figures: Mapping[str, dict | str]
    sentence: str
    strip: str
    written: Mapping[str, Mapping[str, str]]  # the figures as the page takes them
    axes: Mapping[str, Mapping[str, Any]]  # slider -> what it takes over from the figure above it


class Session:
    """Wires the widgets of an explorer to the pool, and what comes back to the panes."""

    def __init__(
        self,
        explorer: Explorer,
        pool: Pool,
        query: str = "",
        frame: Mapping[str, str] | None = None,
        wire: Wire | None = None,
    ):
        asked = dict(frame or {})
        self.explorer, self.pool = explorer, pool
        self.wire = wire or Wire()
        values, refused = explorer.read(query)
        self.values: dict[str, Any] = values
        self.view = Appearance(
            theme="dark" if asked.get("theme") == "dark" else "light",
            narrow=asked.get("size") in NARROW,
            large=asked.get("present") == "1",
        )
        self.drawn: Drawn | None = None
        self.marks: list[Mark] = []
        self.lane = Lane(explorer, pool, self._told, reader=Reader(self.wire.address))
        self._told_so_far: deque[tuple[Update, Drawn | Exception]] = deque()  # and not shown yet
        self.left = False
        self._setting = False  # several controls are being set at once
        self._moved = ""  # the control that moved last
        self.remedy: Values = {}  # what the button of the card sets
        self.widgets = {c.name: controls.widget(c, values) for c in self.seen}
        self.drawings = {figure.name: Drawing(figure.name) for figure in explorer.shown}
        self.frame = Frame(
            self._hear, theme=self.view.theme, large=self.view.large,
            size=asked["size"] if asked.get("size") in SIZES else "book",
            curve=self.view.large or values != explorer.defaults,
            notice=bad_link(len(refused)), query=explorer.link(values),
        )  # fmt: skip
        self.waiting = Waiting(self.frame, self.wire.later, self._under_way)
        about = (pool, self.frame, self.wire.later, self._amend, self.lane.reader)
        self.curve = WholeCurve(explorer, *about) if explorer.curve else None
        self.play = Play(explorer.game) if explorer.game else None
        self._wire()
        self._start()

    @property
    def seen(self) -> tuple[Control, ...]:
        """The controls that have a widget."""
        return tuple(c for c in self.explorer.controls if c.place != "none")

    def parts(self) -> dict[str, Part]:
        """All that a page is made of, by the name of its place there."""
        controls = {f"control-{name}": widget for name, widget in self.widgets.items()}
        figures = {f"figure-{name}": drawing for name, drawing in self.drawings.items()}
        return {**controls, **figures, "frame": self.frame, **({"game": self.play} if self.play else {})}

    # ------------------------------------------------------------------------------------------- moves in

    def _wire(self) -> None:
        for name, widget in self.widgets.items():
            widget.watch(["value"], partial(self._follow, name))
            widget.watch(["released"], partial(self._let_go, name))
        self.frame.watch(["theme", "size", "large", "curve"], self._look)
        self.frame.watch(["tables"], self._tables)
        self.frame.watch(["calm"], self._slow_down)
        self._label_waits()

    def _start(self) -> None:
        known = self.pool.known(self.explorer, self.values)
        if known is not None:
            self._show(self._draw(self.values, known))
        else:
            self.ask()
        self._reply()

    def _follow(self, name: str) -> None:
        """A control has moved, perhaps in the middle of a drag."""
        if self._setting:
            return
        control = self.explorer.control(name)
        try:
            value = controls.read(control, self.widgets[name].value)
        except UserError as error:
            self._card(error)
            return
        if value == self.values[name]:
            return
        self.values[name] = value
        self._moved = name
        self._redress(name)
        if control.costs(self.values) == "live":
            self.ask()

    def _let_go(self, name: str) -> None:
        if not self._setting and self.explorer.control(name).costs(self.values) == "on release":
            self.ask()

    def _redress(self, moved: str) -> None:
        """Choices, labels and greys that depend on the other settings."""
        for control in self.seen:
            if control.name == moved:
                continue
            if control.options and (not moved or self.explorer.control(moved).kind in ("choice", "switch")):
                options = [list(pair) for pair in control.options(self.values)]
                widget = self.widgets[control.name]
                if isinstance(widget, controls.Choice | controls.Films) and options != widget.options:
                    widget.options = options
        self._label_waits()

    def _label_waits(self) -> None:
        for control in self.seen:
            widget = self.widgets[control.name]
            widget.waits = control.costs(self.values) == "on release" and control.kind in ("number", "integer")
            widget.active = control.active(self.values)

    def set(self, changes: Values) -> None:
        """Sets several controls as one move."""
        self._setting = True
        try:
            with self.wire.hold():
                for name, value in changes.items():
                    self.values[name] = self.explorer.control(name).checked(value)
                    if name in self.widgets:
                        self.widgets[name].value = list(value) if isinstance(value, tuple) else value
                self._redress("")
        finally:
            self._setting = False
        self._moved = next(iter(changes), "")
        self.ask()

    def _slow_down(self) -> None:
        self.lane.every = STREAM_EVERY * (5 if self.frame.calm else 1)

    def _look(self) -> None:
        """The page is seen differently now: another theme, width or size. No number changes."""
        frame = self.frame
        self.view = replace(self.view, theme=frame.theme, narrow=frame.size in NARROW, large=frame.large)
        self._redraw()

    def _redraw(self) -> None:
        if self.drawn is not None:
            self._show(self._draw(self.drawn.values, self.drawn.result), moved=False)

    def _amend(self, about: Values) -> None:
        """The whole curve at these values is there now."""
        if self.drawn is not None and about.items() <= self.drawn.values.items() and self.drawn.view.curve is None:
            self._redraw()

    # ----------------------------------------------------------------------------------------- results out

    def ask(self) -> None:
        """Has the settings computed; what is under way for older ones is not waited for."""
        self.waiting.begin()
        self.lane.ask(self.values)

    @property
    def last_moved(self) -> Control:
        """The control that moved last."""
        return self.explorer.control(self._moved or self.seen[0].name)

    def _under_way(self) -> str:
        many = self.pool.ahead(self.lane.reader)
        if many:
            return ahead(many, *self.pool.over(self.lane.reader))
        return f"computing {setting(self.last_moved, self.values)}…" if self._moved else "computing…"

    def _told(self, update: Update) -> None:
        """From a worker's thread: draws there, shows here."""
        try:
            news: Any = update.error or self._draw(update.values, update.result, self.wire.patience)
        except Exception as error:
            news = error
        self._told_so_far.append((update, news))
        self.wire.later(self._newest)

    def _newest(self) -> None:
        """Where the server's own thread falls behind, only the last result of each reader is worth its time.

        What was on its way when the reader cancelled is not shown: the notice names what stands there.
        """
        newest = None
        while self._told_so_far:
            newest = self._told_so_far.popleft()
        if newest is not None and self.lane.asked is not None:
            self._news(*newest)

    def _news(self, update: Update, news: Drawn | Exception) -> None:
        with self.wire.hold():
            if isinstance(news, Exception):
                self.waiting.end()
                self._card(news)
                return
            if update.progress is None:
                self.waiting.begin()
            elif not update.last:
                self.waiting.progress(update.progress, update.remaining)
            else:
                self.waiting.end()
                if self.lane.asked not in (None, update.values):
                    self.waiting.begin()
            self._show(news, moved=update.last)

    def _draw(self, values: Values, result: Any, patience: float = 0.0) -> Drawn:
        here = self.explorer.mark(result) if self.explorer.mark else None
        earlier = tuple(m for m in self.marks if m != here)
        curve = self.curve.at(values, patience) if self.curve else None
        view = replace(self.view, trail=earlier, curve=curve)
        column = replace(view, narrow=view.narrow or self.frame.size == "wide")  # what stands beside, as on a phone
        figures = {f.name: f.draw(result, view if f.place == "main" else column) for f in self.explorer.shown}
        strip = self.explorer.strip(result, view) if self.explorer.strip else ""
        fitted = {figure.name: self._fitted(figure, figures[figure.name], values) for figure in self.explorer.shown}
        texts = {name: written(drawing) for name, (drawing, _) in fitted.items()}
        axes = {name: axis for _, found in fitted.values() for name, axis in found.items()}
        return Drawn(values, result, view, figures, self.explorer.say(result), strip, texts, axes)

    def _show(self, drawn: Drawn, moved: bool = True) -> None:
        frame = self.frame
        with self.wire.hold():
            for figure in self.explorer.shown:
                self.drawings[figure.name].update(**drawn.written[figure.name])
            for name, axis in drawn.axes.items():
                slider = self.widgets[name]
                slider.update(**{k: v for k, v in axis.items() if getattr(slider, k) != v})
            frame.update(
                sentence=drawn.sentence, strip=drawn.strip, card=None, shown=frame.shown + 1,
                alts={name: alt(drawing) for name, drawing in drawn.figures.items()},
                query=self.explorer.link(self.values),
            )  # fmt: skip
            if moved and self.drawn is not None and frame.notice:
                frame.notice = ""
            self.drawn = drawn
            if moved:
                self._leave_mark(drawn)
                if self.play is not None:
                    self.play.follow(drawn.values)
            self._tables()

    def _leave_mark(self, drawn: Drawn) -> None:
        if self.explorer.mark is not None:
            mark = self.explorer.mark(drawn.result)
            self.marks = [*[known for known in self.marks if known != mark], mark][-TRAIL:]

    def _fitted(self, figure: Figure, drawing: dict | str, values: Values) -> tuple[dict | str, dict[str, Any]]:
        """The figure, the main one marked with what it shows; a slider that is its x axis takes its labels over."""
        axes: dict[str, Any] = {}
        if isinstance(drawing, str):
            return drawing, axes
        if figure is self.explorer.figures[0]:
            layout = drawing["layout"]
            meta = {**layout.get("meta", {}), "shown": self.explorer.link(values)}
            drawing = {"data": drawing["data"], "layout": {**layout, "meta": meta}}
        for control in self.seen:
            slider = self.widgets[control.name]
            if control.place == "axis" and control.figure == figure.name and isinstance(slider, controls.Slider):
                drawing, axes[control.name] = as_axis(drawing)
        return drawing, axes

    def _card(self, error: Exception) -> None:
        """What went wrong, in place of the sentence; the last good figures stay, faded."""
        known = error if isinstance(error, Card) else None
        if not isinstance(error, UserError):
            log.error("%s failed at %s", self.explorer.stem, self.values, exc_info=error)
        what = sentence(str(error)) if isinstance(error, UserError) else BROKEN
        cure = known.cure_label if known else "back to the start"
        last = ""
        if self.drawn is not None and not (known and known.empty):
            last = f"last good: {setting(self.last_moved, self.drawn.values)}"
        self.remedy = dict(known.cure) if known else self.explorer.defaults
        self.frame.card = {"what": what, "cure": cure, "last": last, "empty": bool(known and known.empty)}

    # ------------------------------------------------------------------------------------- the page's wishes

    def _hear(self, message: dict) -> None:
        name = message.get("do")
        if isinstance(name, str) and name in WISHES:
            WISHES[name](self, message)

    def _tables(self) -> None:
        if self.frame.tables and self.drawn is not None:
            self.frame.rows = tables(self.explorer.table(self.drawn.result))

    def _reply(self) -> None:
        """Has the answers to the prediction computed."""
        if self.explorer.predict is not None:
            self.pool.submit(lambda: self.pool.run(self._answer()))

    def _answer(self) -> Iterator[Turn]:
        """In a worker: the computed answers to the prediction, the same for whatever is guessed."""
        predict = self.explorer.predict
        assert predict is not None
        try:
            at = self.explorer.defaults | dict(predict.at)
            result = yield from self.pool.made(self.explorer, "result", at, Errand(lambda: self.left))
        except UserError:
            log.exception("no answer to the prediction of %s", self.explorer.stem)
            return
        except Left:
            return
        replies = [predict.reply(result, at) for at in range(len(predict.answers))]
        self.wire.later(lambda: self.frame.update(replies=replies))

    def close(self) -> None:
        """The reader has left."""
        self.left = True
        self.lane.cancel()
        if self.curve is not None:
            self.curve.lane.cancel()
