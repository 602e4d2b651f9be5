"""What a browser's Python and this one both compute: a cheap setting of every dashboard, and ten moves of each.

No import but the core's: a page runs this file as it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recprivlib.dashboard.catalogue import explorer
from widgets.site.desk import INVENTED, here

CHEAP: dict[str, dict[str, Any]] = {
    "dplcf": {"server": "spectral", "epsilon": 2.0},
    "ldp_svd": {"mechanism": "optimal", "epsilon1": 2.0, "tries": 10_000},
    "fmf_ldp": {"people": 10_000, "epochs": 1},
    "dp_pnbm": {"variant": "means"},
    "privrec": {"size": "tiny", "rounds": 200},
    "privacy": {"mechanism": "discrete-laplace", "releases": 3},
    # not ease: its float32 scores come from another BLAS, and one of a thousand people's lists may end otherwise
    "recommenders": {"system": "item-knn", "rivals": "full"},
}
LATE = ("fmf_ldp",)  # draws over committed results, for which a page waits until pandas is there
# Ten moves each, as a reader makes them, one after the other.
MOVES: dict[str, list[tuple[str, Any]]] = {
    "privacy": [("epsilon", 2), ("mechanism", "laplace"), ("releases", 20), ("mechanism", "duchi"), ("epsilon", 0.5),
                ("mechanism", "laplace-or-truth"), ("tries", 1000), ("releases", 1), ("mechanism", "piecewise"),
                ("epsilon", 3.3)],
    "dplcf": [("epsilon", 2), ("neighbors", 50), ("server", "ap"), ("epsilon", 0.5), ("server", "spectral"),
              ("neighbors", 5), ("unit", "history"), ("epsilon", 4), ("server", "feasible"), ("server", "blind")],
    "ldp_svd": [("epsilon1", 2), ("epsilon2", 0.5), ("mechanism", "laplace"), ("mechanism", "k-rr"), ("epsilon", 3),
                ("mechanism", "duchi"), ("unit", "user"), ("mechanism", "optimal"), ("mechanism", "rounded"),
                ("mechanism", "piecewise")],
    "recommenders": [("k", 5), ("neighbors", 20), ("neighbors", 200), ("system", "popularity"), ("system", "ease"),
                     ("rivals", "full"), ("k", 20), ("system", "item-knn"), ("neighbors", 500), ("rivals", "sampled")],
    "fmf_ldp": [("epochs", 2), ("epsilon", 1), ("variant", "stable"), ("k", 20), ("epochs", 5), ("k", 1),
                ("epsilon", 10), ("variant", "sign"), ("variant", "printed"), ("epsilon", 4)],
    "dp_pnbm": [("epsilon", 3), ("variant", "means"), ("epsilon", 0.5), ("variant", "repaired"), ("neighbors", 100),
                ("variant", "dpsgd"), ("noise_only", True), ("unit", "user"), ("epsilon", 10), ("noise_only", False)],
    "privrec": [("cohort", 100), ("noise_multiplier", 2), ("size", "small"), ("rounds", 200), ("cohort", 30),
                ("size", "tiny"), ("noise_multiplier", 0.5), ("rounds", 2000), ("people", 754), ("size", "medium")],
}  # fmt: skip
SLOW = ("dp_pnbm", "fmf_ldp", "privrec")  # trained here and there, half a minute each


def walked(stem: str) -> Iterator[tuple[tuple[str, Any], dict[str, Any]]]:
    """(a move, all settings after it), without the moves that change nothing."""
    which = here(explorer(stem), INVENTED)
    values = which.defaults
    for name, value in MOVES[stem]:
        if values[name] != value and which.control(name).active(values):
            values = {**values, name: value}
            yield (name, value), values


def computed(asked: Iterable[Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Of each ("cheap" or "ten", stem) the results by their settings."""
    results = {}
    for how, stem in asked:
        which = here(explorer(stem), INVENTED)
        every = [which.defaults | CHEAP[stem]] if how == "cheap" else [values for _, values in walked(stem)]
        results[stem] = {which.key(values): which.compute(**values) for values in every}
    return results


def told(results: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Of each result the sentence and the table."""
    return {stem: {at: seen(stem, one) for at, one in each.items()} for stem, each in results.items()}


def seen(stem: str, result: Any) -> list[Any]:
    """What a reader gets of one result."""
    which = explorer(stem)
    return [which.say(result), json.loads(which.table(result).to_json(orient="split", double_precision=15))]


def early() -> str:
    """What nobody may have imported before pandas is there."""
    return ", ".join(sorted({name.split(".")[0] for name in sys.modules} & {"pandas", "panel", "param", "bokeh"}))
