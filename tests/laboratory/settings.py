"""One cheap setting of every dashboard, run by a browser's Python and by this one. No import but the core's."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from recprivlib.live import explorer

SETTINGS: dict[str, dict[str, Any]] = {
    "dplcf": {"data": "synthetic", "server": "spectral", "epsilon": 2.0},
    "ldp_svd": {"data": "synthetic", "mechanism": "optimal", "epsilon1": 2.0, "tries": 10_000},
    "fmf_ldp": {"people": 10_000, "epochs": 1},
    "dp_pnbm": {"data": "synthetic", "variant": "means"},
    "privrec": {"data": "synthetic", "size": "tiny", "rounds": 200},
    "privacy": {"mechanism": "discrete-laplace", "releases": 3},
    # not ease: its float32 scores come from another BLAS, and one of a thousand people's lists may end otherwise
    "recommenders": {"data": "synthetic", "system": "item-knn", "rivals": "full"},
}


LATE = ("fmf_ldp",)  # draws over committed results, for which a page waits until pandas is there


def computed(stems: Iterable[str] = tuple(SETTINGS)) -> dict[str, Any]:
    """The results; nothing of them but of the late ones needs pandas, which a page loads last."""
    return {stem: explorer(stem).compute(**explorer(stem).defaults | SETTINGS[stem]) for stem in stems}


def told(results: dict[str, Any]) -> dict[str, Any]:
    """The sentence and the table of each."""
    return {
        stem: [explorer(stem).say(result), json.loads(explorer(stem).table(result).to_json(orient="values"))]
        for stem, result in results.items()
    }


def early() -> str:
    """What nobody may have imported before pandas is there."""
    return ", ".join(sorted({name.split(".")[0] for name in sys.modules} & {"pandas", "panel", "param", "bokeh"}))
