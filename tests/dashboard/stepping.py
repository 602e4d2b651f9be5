"""Every step of every chapter as data: what it computes comes from what the book's build knows, or is computed now."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import Explorer
from recprivlib.dashboard.scene import scene

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import states as built  # noqa: E402  (of the book's own extensions)

CHAPTERS = {paths.stem(text): text for page in sorted((ROOT / "book").glob("*.md"))
            if paths.stem(text := page.read_text("utf-8"))}  # fmt: skip


@cache
def known(stem: str) -> built.Known:
    """The results of a dashboard, as the build keeps them."""
    which = explorer(stem)
    return built.Known(ROOT / "_build" / "work" / "states" / f"{stem}-{built.name(which)}", which)


@cache
def live(stem: str) -> Explorer:
    """The dashboard of that name, with results that are known."""
    return known(stem).explorer()


@cache
def states(stem: str) -> tuple[paths.State, ...]:
    """Every state that a chapter asks for, each once."""
    which = explorer(stem)
    found = {(paths.key(which, one), one.view): one for one in paths.states(which, CHAPTERS[stem])}
    return tuple(found.values())


def steps(stem: str) -> list[paths.State]:
    """What the steps of a chapter set, in order."""
    return [paths.state(explorer(stem), words) for words in paths.STEP.findall(CHAPTERS[stem])]


def offered(stem: str) -> list[str]:
    """The controls that the path of a chapter names."""
    found = re.search(r"\{path\}.*\n:controls: *(.*)", CHAPTERS[stem])
    return found[1].split() if found else []


def drawn(which: Explorer, one: paths.State, result: Any = None) -> dict[str, Any]:
    """All that is seen of a state; with `result`, of that instead."""
    given = None if result is None else lambda values: result
    return scene(which, one.values, one.view, () if given else one.ghosts, True, given)


def texts(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(where it stands, a text): sentences, strip, and every word of the figures, also those a pointer brings up."""
    yield "sentence", told["say"]
    yield "short sentence", told["brief"]
    yield "strip", " ".join(re.sub(r"<style>.*?</style>", "", told["strip"]).split())
    for name, said in told["says"].items():
        yield f"sentence of {name}", said
    for name, figure in told["figures"].items():
        if isinstance(figure, str):
            yield name, re.sub(r"<style>.*?</style>|data-\w+=\"[^\"]*\"", "", figure)
            continue
        yield f"{name}, told", figure["layout"]["meta"]["alt"]
        for label in figure["layout"].get("annotations", ()):
            yield f"{name}, label", label["text"]
        for trace in figure["data"]:
            for part in ("text", "hovertext"):
                yield from ((f"{name}, {part}", said) for said in trace.get(part, ()))
