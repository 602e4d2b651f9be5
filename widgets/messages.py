"""What a page may say through its web socket. Everything is read here before Bokeh reads it.

    header {"msgid", "msgtype"}  metadata {}  content: a pull {}, or a patch {"events": [a move | an event, …]}

Bokeh would unpack arrays of any size, make models of any class and take new roots. The pages send none of that: they
set the few values of `SET` on the models that they were given, say that they are there, and ask the frame for a wish.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from widgets.kit.wishes import WISHES

MESSAGE = 16 << 10  # bytes that a page may send at once; the longest that was recorded has 219
DEPTH = 16  # of brackets in a message
EVENTS = 16  # in one message
WORDS, ENTRIES = 200, 64  # characters of a text, entries of a list
LARGEST = 2.0**53  # of whole numbers that a page can count
TYPES = ("PULL-DOC-REQ", "PATCH-DOC")
SET: Mapping[str, tuple[type, ...]] = {  # what the scripts of the kit set on their models
    "value": (bool, int, float, str, list),
    "released": (int,),
    "theme": (str,),
    "size": (str,),
    "large": (bool,),
    "curve": (bool,),
    "calm": (bool,),
    "tables": (bool,),
}
DOES = {*WISHES, "deal"}
HEARING = ("frame", "game")  # the parts that are spoken to


class Unheard(Exception):
    """Why a message is not passed on, in a few plain words: they close the socket."""


@dataclass(frozen=True)
class Known:
    """The models of one page: which values of each it may set, and which it may speak to."""

    settable: Mapping[str, frozenset[str]]
    hearing: frozenset[str]


def known(document: Any) -> Known:
    """Those of a Bokeh document, whose roots are the parts."""
    roots = [root for root in document.roots if hasattr(root, "data")]
    return Known(
        {root.data.id: frozenset(SET) & frozenset(root.data.properties()) for root in roots},
        frozenset(root.id for root in roots if root.data.name in HEARING),
    )


@dataclass
class Ear:
    """Hears the fragments of one socket, one after the other."""

    page: Callable[[], Known]
    _kind: str = field(default="", init=False)
    _at: int = field(default=0, init=False)

    def hear(self, fragment: str | bytes) -> None:
        """Raises `Unheard` unless this is what comes next, and what a page sends."""
        said = read(fragment)
        if self._at == 0:
            self._kind = header(said)
        elif self._at == 1 or self._kind == "PULL-DOC-REQ":
            _must(said == {}, "there is nothing to say here")
        else:
            patch(said, self.page())
        self._at = (self._at + 1) % 3


def read(fragment: str | bytes) -> Any:
    """A fragment as plain data."""
    _must(isinstance(fragment, str), "only text is heard here")
    _must(len(fragment) <= MESSAGE, "too long")
    _must(not deep(str(fragment)), "nested too deep")
    try:
        return json.loads(fragment, parse_constant=_never)
    except ValueError:
        raise Unheard("not readable") from None


def header(said: Any) -> str:
    """The kind of message that follows."""
    _must(_has(said, "msgid", "msgtype"), "no such header")
    _must(_plain(said["msgid"], (str,)), "no such name")
    _must(said["msgtype"] in TYPES, "no such message")
    return str(said["msgtype"])


def patch(said: Any, page: Known) -> None:
    """What has happened on the page."""
    _must(_has(said, "events") and isinstance(said["events"], list), "no such patch")
    _must(len(said["events"]) <= EVENTS, "too much at once")
    for event in said["events"]:
        kind = event.get("kind") if isinstance(event, dict) else None
        _must(kind in ("ModelChanged", "MessageSent"), "no such event")
        (_move if kind == "ModelChanged" else _sent)(event, page)


def _move(event: dict[str, Any], page: Known) -> None:
    _must(_has(event, "kind", "model", "attr", "new"), "no such move")
    name = event["attr"]
    _must(isinstance(name, str) and name in page.settable.get(_id(event["model"]), ()), "nothing that a page sets")
    _must(_plain(event["new"], SET[name]), "no such value")


def _sent(event: dict[str, Any], page: Known) -> None:
    _must(_has(event, "kind", "msg_type", "msg_data") and event["msg_type"] == "bokeh_event", "no such event")
    data = event["msg_data"]
    _must(_has(data, "type", "name", "values") and data["type"] == "event", "no such event")
    _must(data["name"] in ("document_ready", "data_event"), "no such event")
    values = _map(data["values"])
    if data["name"] == "document_ready":
        _must(not values, "no such event")
        return
    _must(_has(values, "model", "data") and _id(values["model"]) in page.hearing, "nobody hears this")
    wish = _map(values["data"])
    _must(isinstance(wish.get("do"), str) and wish["do"] in DOES and wish.keys() <= {"do", "at"}, "no such wish")
    _must(_plain(wish.get("at", 0), (int,)), "no such wish")


def _map(said: Any) -> dict[str, Any]:
    """A map as Bokeh writes it."""
    _must(isinstance(said, dict) and said.get("type") == "map" and said.keys() <= {"type", "entries"}, "no such map")
    entries = said.get("entries", [])
    pairs = isinstance(entries, list) and all(isinstance(e, list) and len(e) == 2 for e in entries)
    _must(pairs and len(entries) <= ENTRIES, "no such map")
    _must(all(isinstance(key, str) for key, _ in entries), "no such map")
    return dict(entries)


def _id(said: Any) -> str:
    _must(_has(said, "id") and isinstance(said["id"], str), "no such model")
    return str(said["id"])


def _plain(value: Any, kinds: tuple[type, ...]) -> bool:
    """Whether it is one of these kinds of value, and of a bearable size."""
    if type(value) not in kinds:
        return False
    if isinstance(value, str):
        return len(value) <= WORDS and value.isprintable()
    if isinstance(value, list):
        return len(value) <= ENTRIES and all(_plain(each, (int, float, str)) for each in value)
    return abs(value) <= LARGEST and math.isfinite(value)


def _has(said: Any, *names: str) -> bool:
    return isinstance(said, dict) and said.keys() == set(names)


def _must(held: Any, why: str) -> None:
    if not held:
        raise Unheard(why)


def _never(constant: str) -> None:
    raise ValueError(constant)


def deep(text: str, most: int = DEPTH) -> bool:
    """Whether brackets are nested deeper than `most`.

    >>> deep("[" * 17), deep("[]" * 17)
    (True, False)
    """
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        if depth > most:
            return True
    return False
