"""The score of the audit as a picture: bugs that were planted, by system, and by what each was found.

    bug × system:  caught │ passes as `holds` │ passes, nothing promised │ does not apply

The page draws it (book/_static/score.js) from the cells that stand in auditing/mutation; on paper, and before it
is drawn, the same stands there as counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from recprivlib.plots.numerals import count

CAUGHT, HOLDS, OPEN, NONE = "caught", "holds", "open", ""  # outcomes of a cell
UNNAMED = "nothing was found, and nobody knows why"
PLACES = {  # prefix of an operator's name -> where the bug sits
    "model": "model", "scores": "model", "home": "model", "fold-in": "model",
    "gate": "gate", "root": "noise", "lie": "noise", "ledger": "ledger", "cap": "ledger",
    "cohort": "who", "server": "who", "block": "who",
    "side": "beside", "memory": "beside", "stream": "beside", "data": "waits", "wait": "waits",
}  # fmt: skip
WHERE = {
    "model": "in what the model holds", "gate": "at the gate", "noise": "in the noise", "ledger": "in the ledger",
    "who": "in who is asked", "beside": "beside the model", "waits": "waiting for its data",
}  # fmt: skip


@dataclass(frozen=True)
class Bug:
    """One planted bug: where it sits, and what is wrong then, in a sentence."""

    name: str
    place: str
    plants: str


@dataclass(frozen=True)
class Score:
    """Every bug in every system: `cells[bug][system]` is (outcome, by what it was found or why it was not)."""

    bugs: tuple[Bug, ...]
    systems: tuple[str, ...]
    cells: tuple[tuple[tuple[str, str], ...], ...]

    def count(self, *outcomes: str, place: str = "") -> int:
        """How many cells end so, of all or of the bugs at one place."""
        return sum(
            cell[0] in outcomes
            for bug, row in zip(self.bugs, self.cells, strict=True)
            if place in ("", bug.place)
            for cell in row
        )

    @property
    def places(self) -> tuple[str, ...]:
        """Where the bugs sit, each once."""
        return tuple(dict.fromkeys(bug.place for bug in self.bugs))


def scored(cells: Iterable[Any], plants: dict[str, str]) -> Score:
    """The committed cells (operator, system, outcome, by), bugs at one place side by side."""
    found = {(one.operator, one.system): (one.outcome, one.by) for one in cells}
    systems = tuple(dict.fromkeys(system for _, system in found))
    order = list(WHERE)
    bugs = [Bug(name, PLACES.get(name.partition(":")[0], "beside"), plants[name])
            for name in dict.fromkeys(name for name, _ in found)]  # fmt: skip
    bugs.sort(key=lambda bug: order.index(bug.place))
    rows = tuple(tuple(found.get((bug.name, system), (NONE, "")) for system in systems) for bug in bugs)
    return Score(tuple(bugs), systems, rows)


@cache
def today() -> Score:
    """The score that is committed."""
    from recprivlib.auditing.mutation import OPERATORS, committed

    return scored(committed(), {name: one.plants for name, one in OPERATORS.items()})


def say(score: Score) -> str:
    """The score in words; what passes is said first where something does."""
    applied, caught = score.count(CAUGHT, HOLDS, OPEN), score.count(CAUGHT)
    told = (f"{len(score.bugs)} bugs, planted by machinery in {len(score.systems)} systems. Of {count(applied)} that "
            f"apply, {count(caught)} are caught")  # fmt: skip
    passes = score.count(HOLDS)
    open_ = score.count(OPEN)
    rest = [f"{count(passes)} {'pass' if passes != 1 else 'passes'} as holds"] if passes else []
    rest += [f"{count(open_)} {'pass' if open_ != 1 else 'passes'} where nothing was promised"] if open_ else []
    return f"{told}; {' and '.join(rest)}." if rest else f"{told}: all of them."


@cache
def drawn(score: Score) -> str:
    """The picture, as HTML: the page draws what `data-score` holds."""
    told: dict[tuple[str, str], int] = {}
    rows = [[told.setdefault(cell, len(told)) for cell in row] for row in score.cells]
    data = {
        "systems": score.systems, "bugs": [[bug.name, bug.place, bug.plants] for bug in score.bugs],
        "told": list(told), "cells": rows,
    }  # fmt: skip
    lines = "".join(f"<li>{escape(_counted(score, place))}</li>" for place in score.places)
    return (f'<section class="rp-score" aria-label="The score of the audit" '
            f'data-score="{escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")))}">'
            f"<ul>{lines}</ul></section>")  # fmt: skip


def _counted(score: Score, place: str) -> str:
    applied, caught = (score.count(*words, place=place) for words in ((CAUGHT, HOLDS, OPEN), (CAUGHT,)))
    return f"{WHERE[place]}: {count(caught)} of {count(applied)} caught"


def blind(score: Score) -> dict[str, list[tuple[str, int]]]:
    """Why bugs pass as `holds` -> which do, and in how many systems; the reason that hides most comes first."""
    found: dict[str, dict[str, int]] = {}
    for bug, row in zip(score.bugs, score.cells, strict=True):
        for outcome, why in row:
            if outcome == HOLDS:
                bugs = found.setdefault(why or UNNAMED, {})
                bugs[bug.plants] = bugs.get(bug.plants, 0) + 1
    order = sorted(found, key=lambda why: -sum(found[why].values()))
    return {why: list(found[why].items()) for why in order}
