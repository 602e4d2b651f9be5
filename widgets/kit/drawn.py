"""What a chapter's steps ask for, computed: `epsilon=2&figures=rate&ghost=server%3Dap` -> one setting, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, parse_qsl

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.scene import scene
from recprivlib.parameters import UserError
from widgets.kit.pool import Pool, Turns
from widgets.kit.work import Errand

GHOSTS = 8  # comparisons of one step; the chapters ask for five at most
BUDGET = 60.0  # seconds of a processor for one step


@dataclass(frozen=True)
class Wanted:
    """What an address asks for: the figures at `values`, and the same with the changes of each comparison."""

    values: dict[str, Any]
    figures: tuple[str, ...]
    ghosts: tuple[dict[str, Any], ...]

    def all(self) -> list[dict[str, Any]]:
        """Every setting that is to be computed."""
        return [self.values, *({**self.values, **ghost} for ghost in self.ghosts)]


def wanted(which: Explorer, query: str) -> Wanted:
    """The step that `query` asks for; what cannot be had is said in a sentence."""
    asked = parse_qs(query)
    names = dict.fromkeys(asked.get("figures", [which.figures[0].name])[0].split(","))
    figures = tuple(which.figure(name).name for name in names)
    values, refused = which.read(query)
    texts = dict.fromkeys(asked.get("ghost", []))
    if len(texts) > GHOSTS:
        raise UserError(f"{len(texts)} comparisons are asked for, but a step has at most {GHOSTS}")
    ghosts = tuple(_changes(which, text) for text in texts)
    if refused:
        raise UserError(f"{', '.join(refused)} cannot be had at this value")
    return Wanted(values, figures, ghosts)


def foreseen(which: Explorer, pool: Pool, step: Wanted) -> float:
    """Seconds of a processor that it will take about; more than one step may take is refused."""
    seconds = sum(pool.cost(which, chosen) for chosen in step.all())
    if seconds > BUDGET:
        raise UserError(
            f"this step takes about {seconds:.0f} seconds of a processor, but one may take {BUDGET:.0f}; "
            "ask for fewer people or fewer comparisons"
        )
    return seconds


def drawn(which: Explorer, pool: Pool, step: Wanted, errand: Errand | None = None) -> Turns:
    """The scene, as what is returned; others have turns between its parts, which all readers of a pool share."""
    errand = errand or Errand(left=BUDGET)
    results, curves = {}, {}
    for chosen in step.all():
        name = which.key(chosen)
        if name not in results:
            results[name] = yield from pool.made(which, "result", chosen, errand)
            curves[name] = yield from _curve(which, pool, chosen, errand)
    return scene(
        which, step.values, step.figures, step.ghosts, True,
        lambda chosen: results[which.key(chosen)], lambda chosen: curves[which.key(chosen)],
    )  # fmt: skip


def _curve(which: Explorer, pool: Pool, chosen: Values, errand: Errand) -> Turns:
    if which.curve is None:
        return None
    about = {name: value for name, value in chosen.items() if name not in which.curve_over}
    return (yield from pool.made(which, "curve", about, errand))[0]


def _changes(which: Explorer, text: str) -> dict[str, Any]:
    return {name: which.control(name).checked(value) for name, value in parse_qsl(text)}


def text(told: Mapping[str, Any]) -> str:
    """As a page reads it."""
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
