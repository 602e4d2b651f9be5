"""What a class is asked comes from the chapters: their sketches and their predictions, measured by the same code.

    python -m widgets.classroom.questions      all of them as JSON

A server asks for them in a process of its own: a chapter's curve takes seconds, and what it imports stays there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 300.0


def questions() -> dict[str, dict[str, Any]]:
    """By name: {"kind": "sketch", question, x, truth, …} or {"kind": "vote", question, answers}."""
    from recprivlib.dashboard import explorer, stems

    found: dict[str, dict[str, Any]] = {}
    for stem in stems():
        which, link = explorer(stem), f"/book/{stem}.html"
        if which.sketch is not None:
            found[f"{stem}-sketch"] = {"kind": "sketch", "link": link, **_sketch(which)}
        if (choice := which.predict) is not None:
            asked = {"question": choice.question, "answers": list(choice.answers)}
            found[f"{stem}-vote"] = {"kind": "vote", "link": link, **asked}
    return found


def _sketch(which: Any) -> dict[str, Any]:
    asked = which.sketch
    truth = asked.truth(which.curve(which.defaults) if which.curve else None)
    axis = which.figure(asked.figure).axis or ("epsilon" if asked.at == "ε" else "")
    return {
        **{name: getattr(asked, name) for name in ("question", "at", "low", "high", "percent", "digits")},
        "x": list(asked.x),
        "places": places(asked.x, bool(axis) and which.control(axis).log),
        "truth": [float(y) for y in truth],
        "least": asked.least or len(asked.x) - 2,
    }


def places(x: tuple[float, ...], log: bool) -> list[float]:
    """Where each x stands on an axis from 0 to 1: as in the chapter, whose axis may be a logarithm.

    >>> places((1, 10, 100), True), places((1, 2, 5), False)
    ([0.0, 0.5, 1.0], [0.0, 0.25, 1.0])
    """
    at = np.log(x) if log else np.asarray(x, float)
    return [round(float(each), 4) for each in (at - at[0]) / (at[-1] - at[0])]


def fetched() -> dict[str, dict[str, Any]]:
    """All questions, from a process of its own."""
    command = [sys.executable, "-m", "widgets.classroom.questions"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=SECONDS)
    known: dict[str, dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return known


if __name__ == "__main__":
    print(json.dumps(questions()))
