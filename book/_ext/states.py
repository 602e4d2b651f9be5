"""The results behind the dashboards' frames, kept on disk under what computes them.

    states/<stem>-<name of the definitions behind compute and curve>/<settings>

A word or a colour changes no result, so its frame is drawn from those that are known. Several processes share the
settings that are not: each takes what nobody has begun, beginning at its own place in the row.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import kept

from fingerprint import ROOT, definitions

PAUSE = 0.05  # seconds between two looks for what another process computes


@dataclass(frozen=True)
class Task:
    """One dashboard: where its results are kept, and where its frames are to be written."""

    stem: str
    results: Path
    draft: Path
    chapters: Mapping[str, str]  # by name, the texts of those that steer it


def chapters() -> dict[str, dict[str, str]]:
    """Dashboard -> the chapters that steer it, by name."""
    from recprivlib.dashboard import steps as paths

    found: dict[str, dict[str, str]] = {}
    for file in sorted((ROOT / "book").glob("*.md")):
        text = file.read_text("utf-8")
        if stem := paths.stem(text):
            found.setdefault(stem, {})[file.stem] = text
    return found


def name(which: Any) -> str:
    """The name of all that computes the results of a dashboard."""
    functions = [one for one in (which.compute, which.curve) if one is not None]
    if any("<" in one.__qualname__ for one in functions):  # a lambda: it stands somewhere in the EXPLORER
        return definitions(f"{which.compute.__module__}:")
    return definitions(*(f"{one.__module__}:{one.__qualname__}" for one in functions))


class Known:
    """The results of one dashboard, computed once for all builds."""

    def __init__(self, folder: Path, which: Any):
        self.folder, self.which = folder, which

    def explorer(self) -> Any:
        """The dashboard, with results that come from here."""
        curve = self.which.curve
        return replace(
            self.which,
            compute=lambda **values: self.of("", values, lambda: self.which.compute(**values)),
            curve=curve and (lambda values: self.of("curve ", values, lambda: curve(values))),
        )

    def of(self, kind: str, values: Mapping[str, Any], make: Callable[[], Any]) -> Any:
        """What is known for these settings, made now if it is not."""
        place = self.place(kind, values)
        body = kept.read(place, self.folder)
        if body is None:
            body = pickle.dumps(make(), pickle.HIGHEST_PROTOCOL)
            kept.write(place, body)
        return pickle.loads(body)

    def place(self, kind: str, values: Mapping[str, Any]) -> Path:
        """The file of a result."""
        every = self.which.defaults | dict(values)
        settings = sorted((name, repr(every[name])) for name in every)
        return self.folder / sha256(f"{kind}{settings}".encode()).hexdigest()[:24]

    def fill(self, values: Mapping[str, Any], build: str) -> None:
        """Have the result of these settings, and its curve, unless another process has begun them."""
        place = self.place("", values)
        if not place.is_file() and _begin(self.folder / f".{place.name}.{build}"):
            made = self.explorer()
            made.compute(**values)
            if made.curve:
                made.curve(values)


def work(number: int, of: int, build: str, plan: Path) -> None:
    """What one of several processes does: its share of the results, then of the frames."""
    from recprivlib.dashboard import frames as static
    from recprivlib.dashboard.catalogue import explorer

    tasks = [(Task(stem, Path(results), Path(draft), texts), Known(Path(results), explorer(stem)))
             for stem, results, draft, texts in json.loads(plan.read_text("utf-8"))]  # fmt: skip
    asked = {task.stem: static.asked(known.which, task.chapters) for task, known in tasks}
    row = [(known, values) for task, known in tasks for values in asked[task.stem]]
    for known, values in _from(row, number, of):
        known.fill(values, build)
    for task, known in _from(tasks, number, of):
        if _begin(task.draft / f".{build}"):
            for values in asked[task.stem]:
                while not known.place("", values).is_file():
                    time.sleep(PAUSE)  # under way elsewhere; a process that fails ends all (frames.py)
            static.write(task.draft, known.explorer(), task.chapters)
            (task.draft / f".{build}").unlink()


def _from(row: list[Any], number: int, of: int) -> Iterator[Any]:
    """The whole row, beginning at one's own place: neighbours in it have most in common."""
    begin = number * len(row) // of
    yield from (*row[begin:], *row[:begin])


def _begin(mark: Path) -> bool:
    """Whether nobody has begun this yet; from now on somebody has."""
    mark.parent.mkdir(parents=True, exist_ok=True)
    try:
        mark.open("x").close()
    except FileExistsError:
        return False
    return True


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(5)  # pages come first
    sys.path.insert(0, str(ROOT))
    work(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
