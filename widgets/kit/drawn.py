"""What a chapter's steps ask for, computed: `epsilon=2&figures=rate&ghost=server%3Dap` -> one setting, as data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import parse_qs, parse_qsl

from recprivlib.live import Explorer
from recprivlib.live.contract import Values
from recprivlib.live.scene import scene
from recprivlib.parameters import UserError
from widgets.kit.pool import Pool, key


def drawn(which: Explorer, pool: Pool, query: str) -> Iterator[dict[str, Any] | None]:
    """The scene, at the end; None after each part of it, from what all readers of a pool share."""
    asked = parse_qs(query)
    figures = [which.figure(name).name for name in asked.get("figures", [which.figures[0].name])[0].split(",")]
    values, refused = which.read(query)
    ghosts = [_changes(which, text) for text in asked.get("ghost", [])]
    if refused:
        raise UserError(f"{', '.join(refused)} cannot be had at this value")

    def curve(chosen: Values) -> Any:
        make = which.curve
        return pool.results.get(key(f"{which.stem}/curve", chosen), lambda: make(chosen)) if make else None

    def result(chosen: Values) -> Any:
        return pool.result(which, chosen)

    for other in ({}, *ghosts):
        for part in (result, curve):
            part({**values, **other})
            yield None
    yield scene(which, values, figures, ghosts, True, result, curve)


def whole(parts: Iterator[dict[str, Any] | None]) -> dict[str, Any]:
    """All of it in one go."""
    *_, last = parts
    return cast(dict[str, Any], last)


def _changes(which: Explorer, text: str) -> dict[str, Any]:
    return {name: which.control(name).checked(value) for name, value in parse_qsl(text)}


def text(told: Mapping[str, Any]) -> str:
    """As a page reads it."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
