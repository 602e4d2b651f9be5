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
    """Raised by `compute` where the reader has to do something first; shown in place of the sentence.

    Parameters
    ----------
    what
        What is the matter, and how to mend it.
    cure
        Control name to value: settings that mend it, offered as a button.
    cure_label
        What the button says.
    empty
        Whether nothing went wrong and the reader has yet to choose something.

    Examples
    --------
    >>> card = Card("Nobody has met anything yet.", {"users": 100}, "a hundred people")
    >>> str(card), card.cure
    ('Nobody has met anything yet.', {'users': 100})
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
    """One thing the reader can move.

    >>> epsilon = Control("epsilon", "Privacy budget ε", "number", 1.0, 0.1, 10.0, steps=(0.1, 1.0, 10.0), log=True)
    >>> epsilon.allowed, epsilon.checked("2.5")
    ('a number from 0.1 to 10', 2.5)
    """

    name: str  #: the keyword of `compute`, and the name in a link
    label: str  #: what stands beside it
    kind: Kind  #: "number", "integer", "choice", "switch", "films" or "seed"
    default: Hashable  #: where it stands at first
    low: float = -math.inf  #: the least that its number box takes
    high: float = math.inf  #: the most; of kind "films" how many may be chosen
    steps: tuple[float, ...] = ()  #: the slider's stops; the number box takes all of low..high
    choices: tuple[tuple[Any, str], ...] = ()  #: (value, label); for kind "choice"
    ends: tuple[str, str] = ("", "")  #: words at the left and right end
    log: bool = False  #: whether the slider's scale is logarithmic
    place: Place = "rail"  #: where it stands; "axis": under the x axis of `figure`
    figure: str = ""  #: place "axis": the figure whose x axis this slider is
    cost: Cost | Callable[[Values], Cost] = "live"  #: "live", or "on release" where a step takes over 150 ms
    spoken: Callable[[Any], str] = str  #: for aria-valuetext: "epsilon 1, phone truthful 73 percent"
    options: Callable[[Values], tuple[tuple[Any, str], ...]] | None = None  #: choices that depend on the data
    active: Callable[[Values], bool] = lambda values: True  #: whether it changes anything; else it is greyed out
    hint: str = ""  #: a sentence about it
    needs: Mapping[Any, str] = field(default_factory=dict)  #: choice to the data set without which it cannot be had
    #: Whether a stop takes so little that all are computed while the reader looks, where nobody else waits.
    ahead: bool = False

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
class Appearance:
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
    """One figure of a dashboard.

    >>> Figure("main", "Hit rate", lambda result, view: {"data": [], "layout": {}}, place="main").height
    260
    """

    name: str  #: in `{step} … view=` and in a game's or a sketch's `figure`
    title: str  #: what stands above it
    #: Of a result and a View: Plotly JSON (a dict; its alt text in layout.meta.alt) or a string of HTML or SVG.
    draw: Callable[[Any, Any], dict | str]
    #: "beside", "band": right of the main one, seen at once, on a phone below; "evidence": below these, one at a time.
    #: "path": only beside the steps of a chapter, where any figure can be the one on show.
    place: Literal["main", "beside", "band", "evidence", "path"] = "evidence"
    height: int = 260  #: pixels; of the main figure 340, on a phone 260
    axis: str = ""  #: the control whose values its x axis holds, so that its slider can stand under it
    say: Callable[[Any], str] | None = None  #: the sentence while it leads the view of a step
    #: The controls that may stand beside it in a step, each of which moves it; of settings, where that depends on them.
    #: None: all of the path's.
    controls: tuple[str, ...] | Callable[[Values], tuple[str, ...]] | None = None


@dataclass(frozen=True)
class Predict:
    """A question asked before the first move, with answers to choose from.

    >>> asked = Predict("Does more noise help?", ("Yes.", "No."), lambda result, answer: "It does not.")
    >>> asked.reply(None, 1)
    'It does not.'
    """

    question: str  #: what is asked
    answers: tuple[str, ...]  #: to choose from
    reply: Callable[[Any, int], str]  #: of the result at `at` and the number of the answer, from 0; it never scolds
    at: Values = field(default_factory=dict)  #: settings (over the defaults) at which the answer is computed
    #: Names of lines that the steps before the question keep back, with the long sentence.
    hides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sketch:
    """A question whose answer is a curve: the reader draws it on the empty axes of `figure` before it is shown.

    The page compares the drawing with the truth and says where the two differ most; the drawing never leaves it.

    >>> asked = Sketch("How does the hit rate fall?", "main", (0.1, 1.0, 10.0), lambda curve: curve, 0.0, 0.5)
    >>> asked.at, asked.percent
    ('ε', True)
    """

    question: str  #: what is asked
    figure: str  #: the name of the figure on whose axes the reader draws
    x: tuple[float, ...]  #: where the reader's line is read
    truth: Callable[[Any], tuple[float, ...]]  #: the measured heights over `x`, of what `Explorer.curve` gives
    low: float  #: the lowest height that can be drawn
    high: float  #: the highest
    at: str = "ε"  #: the name of x in the sentence
    percent: bool = True  #: whether heights are shares, said as per cent; else as numbers with `digits`
    digits: int = 2  #: decimals of a height in the sentence
    least: int = 0  #: how many of `x` must be drawn; 0: all but two
    tall: tuple[str, str] = ("more", "less")  #: what the truth is when it lies above, below the drawn line


@dataclass(frozen=True)
class Question:
    """One round of a game: what the player sees, the right answer, and what the best player would say."""

    shown: str
    truth: int
    best: int  # −1: a coin decides


@dataclass(frozen=True)
class Deal:
    """A few rounds at one setting, and what no player can beat."""

    question: str
    answers: tuple[str, str]
    rounds: tuple[Question, ...]
    ceiling: str


@dataclass(frozen=True)
class GuessingGame:
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
    """One dashboard as data, without its widgets.

    >>> from recprivlib.dashboard import explorer
    >>> one = explorer("recommenders")
    >>> one.control("k").checked("10"), one.read("k=3")[0]["k"]
    (10, 3)
    """

    stem: str  #: its name, in addresses and in chapters
    title: str  #: the question it answers
    controls: tuple[Control, ...]  #: what the reader can move, in order
    compute: Callable[..., Any]  #: of one keyword a control: a frozen result; it may raise a `Card`
    figures: tuple[Figure, ...]  #: the main figure first
    say: Callable[[Any], str]  #: of a result: one to three sentences
    table: Callable[[Any], Any]  #: of a result: a tidy pandas frame with figure, series, x, y, low, high
    snippet: Callable[[Values], str]  #: of the settings: Python that prints the numbers on the screen
    predict: Predict | None  #: the question before the first move; None: there is a game instead
    tries: tuple[Try, ...]  #: starts for the reader's own experiments
    strip: Callable[[Any, Appearance], str] | None = None  #: HTML with the claimed, counted and attacked ε
    mark: Callable[[Any], Mark] | None = None  #: of a result: the dots that a move leaves behind
    #: Of the same keywords: streams (progress, result); the last is what `compute` gives.
    steps: Callable[..., Iterator[tuple[float, Any]]] | None = None
    curve: Callable[[Values], Any] | None = None  #: the whole curve with its band; may take seconds, cached
    curve_over: tuple[str, ...] = ()  #: the controls that leave the whole curve as it is
    effort: Callable[[Values], float] | None = None  #: seconds of a processor that a step takes about, nothing known
    reseed: str = ""  #: the control that `New noise` changes
    game: GuessingGame | None = None  #: played in place of a prediction
    brief: Callable[[Any], str] | None = None  #: of a result: one sentence, for a step on a small screen
    sketch: Sketch | None = None  #: a question that is answered by drawing, in the steps of a chapter
    still: Mapping[str, tuple] = field(default_factory=dict)  #: control to values of the frame without a server

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

    def beside(self, name: str, values: Values) -> list[str]:
        """The controls that move a figure.

        Parameters
        ----------
        name
            The figure.
        values
            Where the other controls stand.

        Returns
        -------
        list of str
            The names of those controls, in the order of the dashboard.
        """
        wanted = self.figure(name).controls
        named = wanted(values) if callable(wanted) else wanted
        return [c.name for c in self.controls if (named is None or c.name in named) and c.active(values)]

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
