"""What a dashboard is, as data. The kit in `widgets/` draws any `Explorer`; nothing here knows Panel.

    values ──> compute(**values) ──> result ──┬─> figure.draw(result, view) ──> Plotly dict, HTML or SVG
    (Control)   (frozen, cacheable)           ├─> say(result)     one to three sentences
                                              ├─> table(result)   tidy rows: figure, series, x, y, low, high
                                              └─> mark(result)    the dot this move leaves behind

A `result` is a frozen dataclass of numbers and arrays; all functions of it are pure. `compute` raises `Card`
when the reader has to do something first.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

import numpy as np
import scipy.sparse as sp

from recprivlib.parameters import UserError

Kind = Literal["number", "integer", "choice", "switch", "films", "seed"]
Place = Literal["rail", "axis", "more", "under", "none"]
Cost = Literal["live", "on release"]
Values = Mapping[str, Any]


class Card(UserError):
    """Shown in place of the sentence: what is the matter, and the settings that cure it.

    `empty` marks the case in which nothing went wrong and the reader has yet to choose something.
    """

    def __init__(
        self,
        what: str,
        cure: Values | None = None,
        cure_label: str = "",
        empty: bool = False,
    ):
        super().__init__(what)
        self.cure, self.cure_label, self.empty = dict(cure or {}), cure_label, empty


@dataclass(frozen=True)
class Control:
    """One thing the reader can move. `steps` are the slider's stops; its number box takes all of low..high."""

    name: str  # the keyword of `compute`
    label: str
    kind: Kind
    default: Hashable
    low: float = -math.inf
    high: float = math.inf
    steps: tuple[float, ...] = ()
    choices: tuple[tuple[Any, str], ...] = ()  # (value, label); for kind "choice"
    ends: tuple[str, str] = ("", "")  # words at the left and right end
    log: bool = False
    place: Place = "rail"
    figure: str = ""  # place "axis": the figure whose x axis this slider is
    cost: Cost | Callable[[Values], Cost] = "live"
    spoken: Callable[[Any], str] = str  # for aria-valuetext: "epsilon 1, phone truthful 73 percent"
    options: Callable[[Values], tuple[tuple[Any, str], ...]] | None = None  # choices that depend on the data
    active: Callable[[Values], bool] = lambda values: True  # greyed out where it changes nothing
    hint: str = ""
    needs: Mapping[Any, str] = field(default_factory=dict)  # choice -> the data set without which it cannot be had
    ahead: bool = False  # a stop takes so little that all are computed while the reader looks, where nobody else waits

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(str(value) for value, _ in self.choices)
        if self.kind == "switch":
            return "on or off"
        if self.kind == "films":
            return f"at most {self.high:g} film numbers, joined by commas"
        noun = "a number" if self.kind == "number" else "a whole number"
        return f"{noun} from {self.low:g} to {self.high:g}"

    def checked(self, value: Any) -> Any:
        """`value` as this control's own type, or a UserError."""
        try:
            good = self._coerced(value)
        except (TypeError, ValueError, OverflowError):
            good = None
        if good is None:
            raise UserError(f"{self.name} is {value!r}, but must be {self.allowed}")
        return good

    def _coerced(self, value: Any) -> Any:
        if self.kind == "choice":
            return next(
                (known for known, _ in self.choices if value in (known, str(known))),
                None,
            )
        if self.kind == "switch":
            return {"on": True, "true": True, "off": False, "false": False}.get(str(value).lower())
        if self.kind == "films":
            parts = [part for part in value.split(",") if part] if isinstance(value, str) else value
            films = tuple(dict.fromkeys(int(part) for part in parts))
            return films if len(films) <= self.high and all(film >= 0 for film in films) else None
        number = float(value)
        if self.kind != "number":
            number = int(number) if number == int(number) else math.nan
        return number if self.low <= number <= self.high else None

    def text(self, value: Any) -> str:
        """`value` as it stands in a link; `checked` reads it back."""
        if self.kind == "films":
            return ",".join(map(str, value))
        if self.kind == "switch":
            return "on" if value else "off"
        return f"{value:.12g}" if self.kind == "number" else str(value)

    def costs(self, values: Values) -> Cost:
        """Whether a drag of this control computes while it moves, with the others at `values`."""
        return self.cost(values) if callable(self.cost) else self.cost


@dataclass(frozen=True)
class View:
    """How a figure is to be drawn; nothing here changes a number."""

    theme: Literal["light", "dark"] = "light"
    narrow: bool = False  # container under 640 px
    large: bool = False  # presentation: everything × 1.5
    filled: bool = True  # False: the result was read from committed results, so its dot is hollow
    trail: tuple[Mark, ...] = ()  # earlier moves, oldest first
    curve: Any = None  # what `Explorer.curve` gave, once the whole curve has been asked for
    ghosts: tuple[Ghost, ...] = ()  # other settings to compare with, drawn faintly


@dataclass(frozen=True)
class Ghost:
    """A result at other settings, and its whole curve: drawn faintly beside the one on show."""

    result: Any
    curve: Any = None


@dataclass(frozen=True)
class Mark:
    """What a move leaves on the figures: figure name -> (x, y). Small, so that thirty of them are nothing."""

    points: Mapping[str, tuple[float, float]]
    tag: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure. `draw` returns Plotly JSON (a dict; its alt text in layout.meta.alt) or a string of HTML/SVG."""

    name: str
    title: str
    draw: Callable[[Any, Any], dict | str]  # of a result and a View; see figures.py for those that take a Look
    # beside: right of the main one; band: right across, below it; on a phone both stand below
    # path: only beside the steps of a chapter, where any figure can be the one on show
    place: Literal["main", "beside", "band", "evidence", "path"] = "evidence"
    height: int = 260  # pixels; of the main figure 340, on a phone 260
    axis: str = ""  # the control whose values its x axis holds, so that its slider can stand under it
    say: Callable[[Any], str] | None = None  # the sentence while it leads the view of a step


@dataclass(frozen=True)
class Predict:
    """A question asked before the first move. `reply` is computed from a result at `at`; it never scolds."""

    question: str
    answers: tuple[str, ...]
    reply: Callable[[Any, int], str]
    at: Values = field(default_factory=dict)  # settings (over the defaults) at which the answer is computed
    hides: tuple[str, ...] = ()  # names of lines that the steps before the question keep back, with the long sentence


@dataclass(frozen=True)
class Sketch:
    """A question whose answer is a curve: the reader draws it on the empty axes of `figure` before it is shown.

    `truth` gives the measured heights over `x` from the whole curve at the defaults. The page compares them with
    what was drawn and says where the two differ most; the drawing never leaves it.
    """

    question: str
    figure: str
    x: tuple[float, ...]  # where the reader's line is read
    truth: Callable[[Any], tuple[float, ...]]  # of what `Explorer.curve` gives
    low: float
    high: float
    at: str = "ε"  # the name of x in the sentence
    percent: bool = True  # heights are shares, said as per cent; else as numbers with `digits`
    digits: int = 2
    least: int = 0  # how many of `x` must be drawn; 0: all but two
    tall: tuple[str, str] = ("more", "less")  # what it is when it lies above, below the drawn line


@dataclass(frozen=True)
class Round:
    """One round of a game: what the player sees, the right answer, and what the best player would say."""

    shown: str
    truth: int
    best: int  # −1: a coin decides


@dataclass(frozen=True)
class Deal:
    """A few rounds at one setting, and what no player can beat."""

    question: str
    answers: tuple[str, str]
    rounds: tuple[Round, ...]
    ceiling: str


@dataclass(frozen=True)
class Game:
    """Stands in place of a prediction: the reader plays against the real thing. The guesses never leave the page.

    `needs` names the controls at whose move new rounds are dealt. The player's own rates of false alarms and hits
    (answer 1 is the alarm) are drawn as a cross into `figure`, by the page alone.
    """

    deal: Callable[[Values, np.random.Generator], Deal]
    needs: tuple[str, ...]
    figure: str


@dataclass(frozen=True)
class Try:
    """A start for the reader's own experiment: settings, and what to watch. It never plays by itself."""

    label: str
    values: Values
    watch: str


@dataclass(frozen=True)
class Explorer:
    """One dashboard, without its widgets."""

    stem: str
    title: str  # the question it answers
    controls: tuple[Control, ...]
    compute: Callable[..., Any]
    figures: tuple[Figure, ...]  # the main figure first
    say: Callable[[Any], str]
    table: Callable[[Any], Any]  # a tidy pandas frame: figure, series, x, y, low, high
    snippet: Callable[[Values], str]  # Python that prints the numbers on the screen
    predict: Predict | None  # None: there is a game instead
    tries: tuple[Try, ...]
    strip: Callable[[Any, View], str] | None = None  # HTML with the claimed/counted/attacked SVG
    mark: Callable[[Any], Mark] | None = None
    steps: Callable[..., Iterator[tuple[float, Any]]] | None = None  # streams (progress, result); last = compute
    curve: Callable[[Values], Any] | None = None  # the whole curve with its band; may take seconds, cached
    curve_over: tuple[str, ...] = ()  # the controls that leave the whole curve as it is
    effort: Callable[[Values], float] | None = None  # seconds of a processor that a step takes about, nothing known
    reseed: str = ""  # the control that `New noise` changes
    game: Game | None = None
    brief: Callable[[Any], str] | None = None  # one sentence, for a step on a small screen
    sketch: Sketch | None = None  # a question that is answered by drawing, in the steps of a chapter
    still: Mapping[str, tuple] = field(default_factory=dict)  # control -> values of the frame without a server

    def control(self, name: str) -> Control:
        """The control of that name."""
        for control in self.controls:
            if control.name == name:
                return control
        names = ", ".join(control.name for control in self.controls)
        raise UserError(f"there is no control {name!r} in {self.stem}; choose from {names}")

    def figure(self, name: str) -> Figure:
        """The figure of that name."""
        for figure in self.figures:
            if figure.name == name:
                return figure
        names = ", ".join(figure.name for figure in self.figures)
        raise UserError(f"there is no figure {name!r} in {self.stem}; choose from {names}")

    @property
    def shown(self) -> tuple[Figure, ...]:
        """The figures of the dashboard itself."""
        return tuple(figure for figure in self.figures if figure.place != "path")

    @property
    def defaults(self) -> dict[str, Any]:
        """Every control at its default."""
        return {control.name: control.default for control in self.controls}

    def read(self, query: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The settings in a link's query, and the names of those that were out of range (now at default).

        Names that are no control (`theme`, `present`) belong to the frame and are left alone.
        """
        values, refused = self.defaults, []
        for name, text in parse_qsl(query.lstrip("?"), keep_blank_values=True):
            if name in values:
                try:
                    values[name] = self.control(name).checked(text)
                except UserError:
                    refused.append(name)
        return values, tuple(dict.fromkeys(refused))

    def key(self, values: Values) -> str:
        """`values` as one word, the same wherever they come from; what stands at its default is left out."""
        return "&".join(f"{c.name}={c.text(values[c.name])}" for c in self.controls if values[c.name] != c.default)

    def link(self, values: Values) -> str:
        """The query that restores `values`; what stands at its default is left out."""
        changed = {n: self.control(n).text(v) for n, v in values.items() if v != self.control(n).default}
        return urlencode(changed, safe=",")


def nbytes(result: Any) -> int:
    """About how much memory a result holds: what a byte-bounded cache counts."""
    if hasattr(result, "nbytes"):  # an array, or what says so itself
        return int(result.nbytes)
    if isinstance(result, sp.csr_array):
        return int(result.data.nbytes + result.indices.nbytes + result.indptr.nbytes)
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return 64 + sum(nbytes(getattr(result, f.name)) for f in dataclasses.fields(result))
    if isinstance(result, Mapping):
        return 64 + sum(nbytes(key) + nbytes(value) for key, value in result.items())
    if isinstance(result, (tuple, list)):
        return 64 + sum(map(nbytes, result))
    return 64 + (len(result) if isinstance(result, (str, bytes)) else 0)
