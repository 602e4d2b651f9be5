"""What a phone and a wall may say: a few sentences, each checked to the last character. Anything else ends the line.

    phone   {"join": "BCDFGH", "token": "" or 32 hex digits}     first, within ten seconds
            {"r": 3, "lies": "01101001"}                          a bit for each film, after the coins
            {"r": 4, "line": [12, null, 40, …]}                   a sketch: per cent of the axis, one for each column
            {"r": 5, "vote": 2}
            {"r": 6, "t": 1, "guess": 0}
    wall    {"key": "…"}                                          first, within ten seconds
            {"do": "begin", "kind": …, with the few words of BEGIN}
            {"do": "show" | "next" | "more" | "lobby" | "widen" | "reset"}

No text of a phone is ever shown to anybody: there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LONGEST = 512  # characters; the longest that our pages send, a line of 32 columns, has 150
CODE = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words; no digits: nothing to confuse
LETTERS = 6
COLUMNS = 32
DOES = ("show", "next", "more", "lobby", "widen", "reset")
BEGIN: Mapping[str, Mapping[str, tuple[Any, ...] | None]] = {  # kind of a round -> its words and what they may be
    "crowd": {"eps": (0.3, 0.5, 1, 2, 3), "cards": (True, False)},
    "sketch": {"ask": None},  # a name; the room knows which there are
    "vote": {"ask": None},
    "attack": {"eps": (1,), "turns": (3, 5, 10), "coin": ("honest", "sealed", "leaky")},
}


class Wrong(Exception):
    """It is none of them."""


@dataclass(frozen=True)
class Join:
    """A phone that knows the code."""

    code: str
    token: str


@dataclass(frozen=True)
class Said:
    """An answer to round `r`."""

    r: int
    what: str  # lies, line, vote, guess
    value: Any
    turn: int = 0


@dataclass(frozen=True)
class Key:
    """A wall that knows the key."""

    key: str


@dataclass(frozen=True)
class Command:
    """What the teacher does."""

    do: str
    words: Mapping[str, Any]


def of_phone(text: Any) -> Join | Said:
    """What a phone has said, or `Wrong`."""
    it = _read(text)
    match sorted(it):
        case ["join", "token"]:
            return Join(_text(it["join"], f"[{CODE}]{{{LETTERS}}}"), _text(it["token"], "(?:[0-9a-f]{32})?"))
        case ["lies", "r"]:
            bits = _text(it["lies"], "[01]{1,32}")
            return Said(_whole(it["r"]), "lies", tuple(map(int, bits)))
        case ["line", "r"] if isinstance(it["line"], list) and 2 <= len(it["line"]) <= COLUMNS:
            return Said(_whole(it["r"]), "line", tuple(None if y is None else _whole(y, 100) for y in it["line"]))
        case ["r", "vote"]:
            return Said(_whole(it["r"]), "vote", _whole(it["vote"], 31))
        case ["guess", "r", "t"]:
            return Said(_whole(it["r"]), "guess", _whole(it["guess"], 1), _whole(it["t"], 1000))
    raise Wrong("not one of the sentences")


def of_wall(text: Any) -> Key | Command:
    """What a wall has said, or `Wrong`."""
    it = _read(text)
    if it.keys() == {"key"}:
        return Key(_text(it["key"], r"[\w-]{1,64}"))
    do, kind = it.get("do"), it.get("kind")
    if it.keys() == {"do"} and do in DOES:
        return Command(do, {})
    if do == "begin" and isinstance(kind, str) and it.keys() == {"do", "kind", *BEGIN.get(kind, ("?",))}:
        words = {name: _among(it[name], allowed) for name, allowed in BEGIN[kind].items()}
        return Command("begin", words | {"kind": kind})
    raise Wrong("not one of the sentences")


def _read(text: Any) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise Wrong("too long, or no text")
    try:
        it = json.loads(text, parse_constant=_never)
    except (ValueError, RecursionError):
        raise Wrong("no JSON") from None
    if not isinstance(it, dict):
        raise Wrong("no object")
    return it


def _text(value: Any, pattern: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(pattern, value, re.ASCII):
        raise Wrong("no such text")
    return value


def _whole(value: Any, most: int = 10**6) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise Wrong("not a whole number in range")
    return value


def _among(value: Any, allowed: tuple[Any, ...] | None) -> Any:
    if allowed is None:
        return _text(value, r"[\w-]{1,64}")
    for each in allowed:
        if type(value) in (type(each), int if type(each) is float else type(each)) and value == each:
            return each
    raise Wrong("not on the list")


def _never(constant: str) -> Any:
    raise ValueError(constant)
