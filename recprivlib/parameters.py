"""Hyper-parameters that carry their own range and meaning.

A system or mechanism is a frozen dataclass; each field a reader may set is made with `parameter`:

    @dataclass(frozen=True)
    class ItemKNN:
        neighbors: int = parameter(50, 1, 100_000, "how many similar items vote")
        __post_init__ = check

`check` refuses what is out of range, in the user's words, at the moment the value is made. A field made
without `parameter` is fixed by the variant and cannot be set from the command line.

`tune=` says over what a search may turn it, `dial(5, 500)` or `among(False, True)`, or in words why it never may.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from dataclasses import dataclass
from typing import Any, Literal


class UserError(ValueError):
    """A mistake of the caller, said in one sentence that names the value and what is allowed.

    >>> from recprivlib import get
    >>> get("item_knn")
    Traceback (most recent call last):
    recprivlib.parameters.UserError: there is no system 'item_knn'; did you mean item-knn?
    """


def whole(text: str) -> int:
    """The whole number that a text spells in plain digits, at most 400 of them; anything else is a ValueError.

    >>> whole(" -12 ")
    -12
    """
    if re.fullmatch(r"\s*[+-]?[0-9]{1,400}\s*", text) is None:
        raise ValueError(text)
    return int(text)


def real(text: str) -> float:
    """The number that a text spells as one writes it, nan and inf too; "1_000" and digits of other scripts do not.

    >>> real("2.5"), real("1e-6")
    (2.5, 1e-06)
    """
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return float(text)


BUDGET = "what is paid is fixed first, and all are compared at it"
UNIT = "it changes what is protected"
PRICE = "it changes the bill"
CLAIM = "it changes what is claimed, or leaves what the proof covers"
PEOPLE = "another population is another question"
READING = "it is a reading of the print, and each reading is judged by itself"
SCALE = "only its ratio to other dials matters, and those are turned"
CONTROL = "it makes the control, which has the dials of its system"


@dataclass(frozen=True)
class Dial:
    """What a search may turn a parameter over: a range, or a few values."""

    low: float = 0.0
    high: float = 1.0
    scale: Literal["log", "linear"] = "log"
    values: tuple[Any, ...] = ()
    first: bool = False  # walked alone before all are turned together
    splits: bool = False  # the bill moves with it: turned only where the price is restored after
    items: bool = False  # it counts items: it ends where the catalogue does
    shrinks: bool = False  # a step along a sum over ratings: with twice as many it is half as long

    def at(self, share: float, kind: type = float) -> Any:
        """The value that lies `share` of the way up.

        >>> dial(1, 100).at(0.5), dial(1, 100).at(0.5, int), among("a", "b").at(0.6)
        (10.0, 10, 'b')
        """
        if self.values:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        if self.scale == "log":
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        value = round(value) if kind is int else float(f"{value:.4g}")
        return min(max(value, kind(self.low)), kind(self.high))

    def share(self, value: Any) -> float:
        """How far up a value lies, from 0 to just below 1; what is off (0 or none) lies at the low end.

        >>> dial(1, 100).share(10.0), dial(1, 100).share(None), among("a", "b").share("b")
        (0.5, 0.0, 0.75)
        """
        if self.values:
            return (self.values.index(value) + 0.5) / len(self.values) if value in self.values else 0.5
        value = min(max(self.low if value is None else value, self.low), self.high)
        if self.scale == "log":
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(share, 1 - 1e-9)

    @property
    def allowed(self) -> str:
        """What it goes over, in words."""
        if self.values:
            return " ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in self.values)
        return f"{self.low:g} to {self.high:g}" + (" by factors" if self.scale == "log" else "")


def dial(
    low: float, high: float, scale: Literal["log", "linear"] = "log", *, first: bool = False, splits: bool = False,
    items: bool = False, shrinks: bool = False,
) -> Dial:  # fmt: skip
    """A dial over a range, turned by factors unless its scale is linear; the marks are those of `Dial`."""
    if not low < high or (scale == "log" and low <= 0):
        raise ValueError(f"no dial goes from {low:g} to {high:g} ({scale})")
    return Dial(low, high, scale, (), first, splits, items, shrinks)


def among(*values: Any, first: bool = False, splits: bool = False) -> Dial:
    """A dial over a few values."""
    return Dial(values=values, first=first, splits=splits)


@dataclass(frozen=True)
class Parameter:
    """The range and the meaning of one hyper-parameter. `kind` is bool, int, float or str."""

    kind: type
    default: Any
    low: float | None
    high: float | None
    gloss: str
    choices: tuple[str, ...] = ()
    optional: bool = False
    tune: Dial | str = ""  # over what a search may turn it, or why it never may

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that may be given."""
        return (-math.inf if self.low is None else self.low, math.inf if self.high is None else self.high)

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            text = "one of " + ", ".join(self.choices)
        elif self.kind is bool:
            text = "true or false"
        else:
            noun = "a whole number" if self.kind is int else "a number"
            text = f"{noun} from {self.low:g} to {self.high:g}"
        return text + " or none" if self.optional else text

    def checked(self, name: str, value: Any) -> Any:
        """`value` as this parameter's own type, or a UserError."""
        if value is None and self.optional:
            return None
        refusal = UserError(f"{name} is {value!r}, but must be {self.allowed}")
        if self.kind is bool or self.choices:
            if (self.choices and value in self.choices) or (self.kind is bool and isinstance(value, bool)):
                return value
            raise refusal
        if isinstance(value, bool):
            raise refusal
        try:
            number = operator.index(value) if self.kind is int else float(value)
        except (TypeError, ValueError, OverflowError):
            raise refusal from None
        low, high = self.ends
        if isinstance(value, str) or number != number or not low <= number <= high:
            raise refusal
        return number

    def parse(self, name: str, text: str) -> Any:
        """The value that `text` spells on the command line."""
        word = text.strip().lower()
        if self.optional and word == "none":
            return None
        if self.kind is bool and word in ("true", "false"):
            return word == "true"
        if self.kind in (int, float) and not self.choices:
            try:
                return self.checked(name, whole(text) if self.kind is int else real(text))
            except UserError:
                raise
            except ValueError:
                raise UserError(f"{name} is {text!r}, but must be {self.allowed}") from None
        return self.checked(name, text)


def parameter(
    default: Any,
    low: float | None,
    high: float | None,
    gloss: str,
    *,
    kind: type | None = None,
    choices: tuple[str, ...] = (),
    optional: bool = False,
    tune: Dial | str = "",
) -> Any:
    """A field of a frozen dataclass that a reader may set: from Python, the command line and dashboards.

    Parameters
    ----------
    default
        Its value unless one is given.
    low, high
        The ends of its range, both allowed; None where `choices` or a switch say it.
    gloss
        What it means, in one phrase.
    kind
        bool, int, float or str; that of the default unless given.
    choices
        The words that may be given, if it is one of a few.
    optional
        Whether it may be None.
    tune
        Over what a search may turn it (`dial`, `among`), or in words why it is never turned.

    Returns
    -------
    dataclasses.Field
        With the range in its metadata, where `check`, `parameters` and `configured` read it.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Half:
    ...     share: float = parameter(0.5, 0.0, 1.0, "what is kept")
    ...     __post_init__ = check
    >>> Half(), Half(0.25)
    (Half(share=0.5), Half(share=0.25))
    >>> Half(2.0)
    Traceback (most recent call last):
    recprivlib.parameters.UserError: share is 2.0, but must be a number from 0 to 1
    """
    meta = Parameter(kind or type(default), default, low, high, gloss, choices, optional, tune)
    if isinstance(tune, Dial):
        for value in tune.values or (tune.at(0.0, meta.kind), tune.at(1.0, meta.kind)):
            meta.checked(f"the dial of {gloss!r}", value)
    return dataclasses.field(default=default, metadata={"parameter": meta})


def parameters(system: Any) -> dict[str, Parameter]:
    """The settable parameters of a system or mechanism (a value or its class), in order; only dataclasses have any."""
    if not dataclasses.is_dataclass(system):
        return {}
    return {f.name: f.metadata["parameter"] for f in dataclasses.fields(system) if "parameter" in f.metadata}


def dials(system: Any) -> dict[str, Dial]:
    """The parameters that a search may turn, the one that is walked alone in front."""
    found = {name: meta.tune for name, meta in parameters(system).items() if isinstance(meta.tune, Dial)}
    return dict(sorted(found.items(), key=lambda pair: not pair[1].first))


def values(system: Any) -> dict[str, Any]:
    """The parameters of `system` as it stands."""
    return {name: getattr(system, name) for name in parameters(system)}


def check(self: Any) -> None:
    """The `__post_init__` of a dataclass with parameters: each is within its range and of its type, else a UserError.

    A whole number where a number is meant becomes one.

    >>> @dataclass(frozen=True)
    ... class Half:
    ...     share: float = parameter(0.5, 0.0, 1.0, "what is kept")
    ...     __post_init__ = check
    >>> Half(1).share
    1.0
    """
    for name, meta in parameters(self).items():
        object.__setattr__(self, name, meta.checked(name, getattr(self, name)))


def configured(system: Any, settings: dict[str, Any]) -> Any:
    """A system or mechanism with other settings.

    Parameters
    ----------
    system
        Any value whose fields are made with `parameter`; it stays as it is.
    settings
        Parameter name to value; a text is read as on the command line ("none", "true", "0.5").

    Returns
    -------
    A value of the same class.

    Raises
    ------
    UserError
        A name is no parameter of this class, or a value is out of its range.

    Examples
    --------
    >>> from recprivlib.mechanisms import Laplace
    >>> configured(Laplace(), {"epsilon": "0.5"})
    Laplace(epsilon=0.5, sensitivity=1.0)
    """
    known = parameters(system)
    changes = {}
    for name, value in settings.items():
        if name not in known:
            raise UserError(f"there is no parameter {name!r}; choose from {', '.join(known) or 'none at all'}")
        changes[name] = known[name].parse(name, value) if isinstance(value, str) else value
    return dataclasses.replace(system, **changes) if changes else system
