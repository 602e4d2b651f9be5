"""The frame of a dashboard without a server: every figure and sentence at readable steps, computed beforehand.

frame(explorer) = {controls, figures, base, pieces, states}
states["2.0.5"]  = numbers of the pieces at the third, first and sixth value of the controls
piece            = a sentence, a piece of HTML, or the changes [[path, value], …] of a figure against its base
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.contract import Appearance, Control, Explorer, Values
from recprivlib.dashboard.memory import Memory
from recprivlib.dashboard.scene import Compute, furniture, scene
from recprivlib.plots.palette import swaps


def frame(which: Explorer, compute: Compute | None = None) -> dict[str, Any]:
    """Everything `static-frame.js` needs to draw `which`; its results may come from a cache."""
    compute = compute or (lambda values: which.compute(**values))
    controls, grids = _grids(which)
    base = _drawn(which, which.defaults, compute)
    pieces: dict[str, int] = {}
    made: dict[tuple, list[int]] = {}
    states = {}
    for places, values in _stops(which):
        key = tuple(values[control.name] for control in controls)
        if key not in made:
            parts = [part if isinstance(part, str) else changes(start, part)
                     for part, start in zip(_drawn(which, values, compute), base, strict=True)]  # fmt: skip
            made[key] = [pieces.setdefault(_json(part), len(pieces)) for part in parts]
        states[".".join(map(str, places))] = made[key]
    return {
        "stem": which.stem, "title": which.title, "dark": swaps(),
        "controls": [_control(which, control, grid, base) for control, grid in zip(controls, grids, strict=True)],
        "figures": [{"name": f.name, "title": f.title, "place": f.place, "height": f.height} for f in which.shown],
        "base": [None if isinstance(part, str) else part for part in base[1:]],
        "pieces": [json.loads(piece) for piece in pieces], "states": states,
    }  # fmt: skip


def _grids(which: Explorer) -> tuple[list[Control], list[tuple]]:
    """The controls that move without a server, and the values that each can take there."""
    controls = [which.control(name) for name in which.still]
    return controls, [which.still[control.name] for control in controls]


def _stops(which: Explorer) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Every position of a frame, with its settings."""
    controls, grids = _grids(which)
    for places in product(*(range(len(grid)) for grid in grids)):
        chosen = {c.name: grid[at] for c, grid, at in zip(controls, grids, places, strict=True)}
        yield places, _settled(which, controls, which.defaults | chosen)


def _drawn(which: Explorer, values: Values, compute: Compute) -> list[Any]:
    """The sentence and every figure at `values`: hollow dots, and the whole curve, since nothing is computed here."""
    result = compute(values)
    view = Appearance(filled=False, curve=which.curve(values) if which.curve else None)
    return [which.say(result), *(figure.draw(result, view) for figure in which.shown)]


def _settled(which: Explorer, controls: list[Control], values: Values) -> dict[str, Any]:
    """`values` with what changes nothing at its default, so that equal frames are made once."""
    return {
        name: value if name not in which.still or which.control(name).active(values) else which.control(name).default
        for name, value in values.items()
    }


def _control(which: Explorer, control: Control, grid: tuple, base: list[Any]) -> dict[str, Any]:
    """A control with its values as words, and where they lie on its slider, from 0 to 1."""
    labels = dict(control.choices)
    ends = (0, len(grid) - 1)
    at = [float(index) for index in range(len(grid))]
    for figure, drawn in zip(which.shown, base[1:], strict=True):
        if figure.name == control.figure:
            axis = drawn["layout"]["xaxis"]
            ends = axis["range"]
            at = [math.log10(value) if axis["type"] == "log" else value for value in grid]
    return {
        "name": control.name, "label": control.label, "kind": "choice" if control.choices else "range",
        "ends": control.ends, "figure": control.figure, "start": grid.index(control.default),
        "labels": [labels.get(value, str(value)) for value in grid], "spoken": [control.spoken(v) for v in grid],
        "at": [round((value - ends[0]) / (ends[1] - ends[0]), 4) for value in at],
    }  # fmt: skip


def changes(start: Any, end: Any) -> list[list[Any]]:
    """What to write where so that `start` becomes `end`: [[path, value], …]."""
    return [[path, value] for path, value in _changes(start, end, [])]


def _changes(start: Any, end: Any, path: list) -> Iterator[tuple[list, Any]]:
    if isinstance(start, dict) and isinstance(end, dict) and start.keys() == end.keys():
        for key in start:
            yield from _changes(start[key], end[key], [*path, key])
    elif isinstance(start, list) and isinstance(end, list) and len(start) == len(end) and _nested(start):
        for at, (old, new) in enumerate(zip(start, end, strict=True)):
            yield from _changes(old, new, [*path, at])
    elif start != end:
        yield path, end


def _nested(parts: list) -> bool:
    return any(isinstance(part, (dict, list)) for part in parts)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ------------------------------------------------------------------------------------ the steps of a chapter


def path(which: Explorer, chapter: str, compute: Compute | None = None) -> dict[str, Any]:
    """Everything that `stage.js` needs to walk the path of a chapter: its very states, and the readable grid."""
    compute = compute or remembered(which)
    asked = list(paths.states(which, chapter))
    figures = list(dict.fromkeys(name for state in asked for name in state.view))
    bank = _Bank(figures)
    for state in (*asked, *_whole(which)):
        key = paths.key(which, state)
        if key not in bank.states:
            bank.add(key, scene(which, state.values, figures, state.ghosts, False, compute))
    return {**furniture(which, figures), "dark": swaps(), **bank.told()}


def _whole(which: Explorer) -> list[paths.State]:
    """The readable grid, as states of a path."""
    return [paths.State(which.defaults | dict(zip(which.still, values, strict=True)), ())
            for values in product(*which.still.values())]  # fmt: skip


class _Bank:
    """Scenes, each distinct piece of them once; a figure is kept as its changes against the first one of its name."""

    def __init__(self, figures: list[str]):
        self.figures = figures
        self.base: dict[str, Any] = {}
        self.pieces: dict[str, int] = {}
        self.states: dict[str, list[int]] = {}

    def add(self, key: str, drawn: dict[str, Any]) -> None:
        told = [drawn["say"], drawn["brief"], drawn["strip"]]
        for name in self.figures:
            figure = drawn["figures"][name]
            told += [figure if isinstance(figure, str) else changes(self.base.setdefault(name, figure), figure),
                     drawn["says"].get(name, ""), drawn["controls"][name]]  # fmt: skip
        self.states[key] = [self.pieces.setdefault(_json(part), len(self.pieces)) for part in told]

    def told(self) -> dict[str, Any]:
        pieces = [json.loads(piece) for piece in self.pieces]
        return {"base": self.base, "pieces": pieces, "states": self.states}


# -------------------------------------------------------------------------------------------------- files


def asked(which: Explorer, chapters: Mapping[str, str]) -> list[dict[str, Any]]:
    """The settings whose results the frame of a dashboard and its chapters show, each once."""
    every = [which.defaults, *(values for _, values in _stops(which))]
    if which.predict:
        every.append(which.defaults | dict(which.predict.at))
    for text in chapters.values():
        for state in (*paths.states(which, text), *_whole(which)):
            every += [state.values, *({**state.values, **ghost} for ghost in state.ghosts)]
    return list({which.key(values): values for values in every}.values())


def write(folder: Path, which: Explorer, chapters: Mapping[str, str]) -> list[Path]:
    """The frame of a dashboard, if it has one, and of the chapters that steer it, as scripts.

    As scripts, since a page opened from a disk may not fetch a file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    compute = remembered(which)
    made = {}
    if which.still:
        made[which.stem] = f"staticFrame.data({_json(which.stem)},{_json(frame(which, compute))});\n"
    for name, text in chapters.items():
        made[f"{name}.path"] = f"rpPath.data({_json(path(which, text, compute))});\n"
    files = []
    for name, script in made.items():
        files.append(folder / f"{name}.js")
        files[-1].write_text(script, encoding="utf-8")
    return files


def remembered(which: Explorer) -> Compute:
    """Its results, each computed once."""
    kept = Memory(256 << 20)
    return lambda values: kept.get(which.key(values), lambda: which.compute(**values))
