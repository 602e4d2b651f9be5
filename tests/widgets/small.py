"""A dashboard small enough to be looked through: the area of a rectangle."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pandas as pd

from recprivlib.dashboard import Card, Control, Explorer, Figure, Mark, Predict, Try


@dataclass(frozen=True)
class Area:
    width: float
    height: int
    unit: str
    area: float


def compute(width: float = 1.0, height: int = 10, unit: str = "cm", liked: tuple[int, ...] = (), seed: int = 0) -> Area:
    if height == 13:
        raise Card("thirteen is not drawn here", cure={"height": 12}, cure_label="take 12")
    if height == 14:
        raise ZeroDivisionError
    return Area(width, height, unit, width * height + seed)


def draw(result: Area, view) -> dict:
    axis = {"type": "log", "range": [-1, 1], "tickvals": [0.1, 1, 10]}
    layout = {"height": 340, "margin": {"l": 56, "r": 120, "t": 16, "b": 44}, "xaxis": axis, "meta": {"alt": "a dot"}}
    trail = [mark.points["plot"] for mark in view.trail]
    return {
        "data": [{"type": "scatter", "x": [result.width], "y": [result.area], "customdata": trail}],
        "layout": layout,
    }


SMALL = Explorer(
    stem="small",
    title="How large is it?",
    controls=(
        Control("width", "Width", "number", 1.0, 0.1, 10, (0.1, 1, 10), log=True, place="axis", figure="plot"),
        Control("height", "Height", "integer", 10, 1, 20),
        Control("unit", "Unit", "choice", "cm", choices=(("cm", "centimetres"), ("m", "metres"))),
        Control("liked", "Corners", "films", (), 0, 4, options=lambda values: ((0, "north"), (1, "south"))),
        Control("seed", "Noise", "seed", 0, 0, 99, place="more"),
    ),
    compute=compute,
    figures=(Figure("plot", "Area", draw, "main"), Figure("words", "Words", lambda r, v: f"<p>{r.area}</p>")),
    say=lambda result: f"The area is {result.area:g} square {result.unit}.",
    table=lambda result: pd.DataFrame(
        [("plot", "you", result.width, result.area, result.area - 1, result.area + 1)],
        columns=["figure", "series", "x", "y", "low", "high"],
    ),
    snippet=lambda values: f"print({values['width']} * {values['height']} + {values['seed']})",
    predict=Predict("How large?", ("5", "10"), lambda result, at: f"It is {result.area:g}; you said {(5, 10)[at]}."),
    tries=(Try("Wide", {"width": 10.0, "height": 2}, "the area."),),
    mark=lambda result: Mark({"plot": (result.width, result.area)}),
    reseed="seed",
)


def looped(main: Coroutine[Any, Any, Any]) -> Any:
    """What `main` returns, in a thread of its own: a browser test may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main).result()
