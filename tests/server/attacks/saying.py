"""Messages through the web socket of a page: kinds that no page sends, and forged fields of those that pages send."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import json
from collections.abc import Callable
from typing import Any

from bokeh.core.serialization import Deserializer
from bokeh.document.events import DocumentPatchedEvent
from bokeh.events import _CONCRETE_EVENT_CLASSES as EVENTS
from bokeh.protocol import SPEC

import widgets.kit.page  # noqa: F401  (Panel adds kinds of its own to Bokeh's)
from tests.server.attacks.stage import MB, ROOT, Stage
from tests.server.talk import PATIENCE, finished
from widgets import messages
from widgets.load import FakeReader


@contextlib.asynccontextmanager
async def opened(stage: Stage) -> Any:
    """A page that speaks as it should, so far."""
    reader = FakeReader(stage.site, "/apps/dplcf", "epsilon")
    await reader.open()
    try:
        yield reader
    finally:
        reader.close()
        await asyncio.sleep(0.05)


async def ended(reader: FakeReader) -> str:
    """How the server takes it: "" if it closes the socket with a plain reason, what it says otherwise."""
    with contextlib.suppress(TimeoutError):
        while (said := await asyncio.wait_for(reader.socket.read_message(), PATIENCE)) is not None:
            if "Traceback" in str(said) or str(ROOT) in str(said):
                return str(said)[:200]
        known = reader.socket.close_code, str(reader.socket.close_reason)
        return "" if known[0] in (1008, 1009, None) and "/" not in known[1] else str(known)
    return "it goes on"


Say = Callable[[FakeReader], list[str | bytes]]


def spoken(stage: Stage, say: Say) -> str:
    """Fragments after which the socket has to be closed."""

    async def talk() -> str:
        async with opened(stage) as reader:
            with contextlib.suppress(Exception):  # it may be closed before all was said
                for fragment in say(reader):
                    await reader.socket.write_message(fragment, binary=isinstance(fragment, bytes))
            return await ended(reader)

    return str(finished(talk()))


def whole(content: Any, kind: str = "PATCH-DOC", **header: Any) -> list[str | bytes]:
    """A message of three fragments."""
    said = content if isinstance(content, str) else json.dumps(content)
    return [json.dumps({"msgid": "1", "msgtype": kind, **header}), "{}", said]


def patch(*events: Any) -> list[str | bytes]:
    return whole({"events": events})


def moves(value: Any, name: str = "value") -> Say:
    """The slider is set to this."""
    return lambda reader: patch({"kind": "ModelChanged", "model": {"id": reader.slider}, "attr": name, "new": value})


def happens(name: str, values: Any) -> Say:
    event = {"type": "event", "name": name, "values": values}
    return lambda reader: patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})


def wishes(entries: Any, model: str = "") -> Say:
    def say(reader: FakeReader) -> list[str | bytes]:
        values = [["model", {"id": model or reader.frame}], ["data", {"type": "map", "entries": entries}]]
        return happens("data_event", {"type": "map", "entries": values})(reader)

    return say


def written(new: str) -> Say:
    """The slider is set to a text of JSON, as it is."""
    return lambda reader: whole(
        f'{{"events":[{{"kind":"ModelChanged","model":{{"id":"{reader.slider}"}},"attr":"value","new":{new}}}]}}'
    )


def bomb(size: int) -> dict[str, Any]:
    """An array of so many zeros, small as it is sent."""
    data = base64.b64encode(gzip.compress(bytes(size))).decode()
    return {
        "type": "ndarray",
        "array": {"type": "bytes", "data": data},
        "dtype": "uint8",
        "order": "little",
        "shape": [size],
    }


WRAPS: dict[str, Any] = {  # each kind of value that Bokeh would put together
    **{kind: {"type": kind} for kind in Deserializer._decoders},
    "ref": {"id": "p1"}, "symbol": {"type": "symbol", "name": "x"}, "number": {"type": "number", "value": "nan"},
    "array": {"type": "array", "entries": [1]}, "set": {"type": "set", "entries": [1]},
    "map": {"type": "map", "entries": [["a", 1]]}, "bytes": {"type": "bytes", "data": "H4sI"},
    "slice": {"type": "slice", "start": 0, "stop": 1, "step": 1},
    "typed_array": {"type": "typed_array", "array": [1], "order": "little", "dtype": "uint8"},
    "ndarray": bomb(10 * MB), "ndarray, larger": bomb(175 * MB), "plain": {"a": 1},
    "object": {"type": "object", "name": "Slider", "id": "x1", "attributes": {"title": "x"}},
    "object without id": {"type": "object", "name": "os.system", "attributes": {}},
    "object in a list": [{"type": "object", "name": "Slider", "id": "x2"}],
}  # fmt: skip
SAYS: dict[str, Say] = {
    **{
        f"message {kind}": lambda _, kind=kind: whole({}, kind) for kind in (*SPEC, "FOO") if kind not in messages.TYPES
    },
    **{
        f"event {kind}": lambda reader, kind=kind: patch(
            {"kind": kind, "model": {"id": reader.slider}, "attr": "value", "data": {}, "title": "x"}
        )
        for kind in (*DocumentPatchedEvent._handlers, "FOO")
    },
    **{
        f"happens {name}": happens(name, {"type": "map", "entries": [["model", {"id": "p1"}]]})
        for name in sorted({*EVENTS, "esm_event", "foo"})
    },
    **{f"value {kind}": moves(value) for kind, value in WRAPS.items()},
    "a new root": lambda _: patch({"kind": "RootAdded", "model": WRAPS["object"]}),
    "a root less": lambda reader: patch({"kind": "RootRemoved", "model": {"id": reader.frame}}),
    "bytes as text": lambda _: [b'{"msgid":"1","msgtype":"PULL-DOC-REQ"}'],
    "gzip": lambda _: [gzip.compress(b"{}")],
    "buffers": lambda _: whole({}, num_buffers=2),
    "metadata": lambda _: ['{"msgid":"1","msgtype":"PATCH-DOC"}', '{"a":1}'],
    "nothing": lambda _: [""],
    "no JSON": lambda _: ["]["],
    "a number": lambda _: ["1"],
    "a name that is none": lambda _: ['{"msgid":[],"msgtype":"PATCH-DOC"}'],
    "deep": lambda _: ["[" * 5_000],
    "deep, closed": lambda _: ["[" * 5_000 + "]" * 5_000],
    "long": lambda _: ["x" * (messages.MESSAGE + 1)],
    "no events": lambda _: whole({"events": 1}),
    "events that are none": lambda _: patch(1, None, []),
    "a thousand events": lambda _: whole({"events": [{}] * 1000}),
    "a pull of more": lambda _: whole({"all": True}, "PULL-DOC-REQ"),
}
FIELDS: dict[str, Say] = {
    **{f"value {value[:12]}": written(value) for value in (
        "NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000, "null", "{}", "[[1]]", "[null]", "[true]",
        f"[{'1,' * 100}1]", f'"{"x" * 300}"', '"\\ud800"', '"\\u0000"', '"a\\nb"',
    )},
    **{f"sets {name}": moves("x", name) for name in (
        "id", "name", "esm_constants", "tags", "stops", "label", "js_property_callbacks", "__class__",
        "subscribed_events",
        "syncable", "foo", "sentence",
    )},
    **{f"{name} is of another kind": (
        lambda reader, name=name, bad=bad: patch(
            {"kind": "ModelChanged", "model": {"id": reader.frame_data}, "attr": name, "new": bad})
    ) for name, bad in (("theme", 1), ("size", ["x"]), ("large", "yes"), ("curve", 1), ("calm", None),
                              ("tables", 2.5))},
    "released is of another kind": moves("x", "released"),
    "a model that is none": lambda _: patch({"kind": "ModelChanged", "model": 1, "attr": "value", "new": 1}),
    "a model of others": lambda _: patch({"kind": "ModelChanged", "model": {"id": "p1"}, "attr": "value", "new": 1}),
    "a part itself": lambda r: patch({"kind": "ModelChanged", "model": {"id": r.frame}, "attr": "value", "new": 1}),
    "a name that is none": moves(1, ["value"]),  # type: ignore[arg-type]
    "more than a move": lambda r: patch(
        {"kind": "ModelChanged", "model": {"id": r.slider}, "attr": "value", "new": 1, "hint": None}),
    "a wish that is none": wishes([["do", "open"]]),
    "a wish of more": wishes([["do", "csv"], ["path", "/etc"]]),
    "a wish that is a list": wishes([["do", ["csv"]]]),
    "a try far out": wishes([["do", "try"], ["at", 10**30]]),
    "a try that is text": wishes([["do", "try"], ["at", "0"]]),
    "a wish to nobody": wishes([["do", "csv"]], "p1"),
    "pairs that are none": wishes([["do"]]),
    "a key that is none": wishes([[["do"], "csv"]]),
}  # fmt: skip


def endured(stage: Stage, value: Any) -> str:
    """A value that a page may send, of a kind that this control does not have: a card, and the page goes on."""

    async def talk() -> str:
        async with opened(stage) as reader:
            for fragment in [*moves(value)(reader), *moves(reader.stops[0])(reader)]:
                await reader.socket.write_message(fragment)
            return "" if await reader._shown(10, f"epsilon={reader.stops[0]:g}") else "it went on no more"

    return str(finished(talk()))


ODD: dict[str, Any] = {repr(v): v for v in (True, "x", [], [1, 2], ["x"], -1, 2**53, 1e300 / 1e290, -0.0, "", "1")}
