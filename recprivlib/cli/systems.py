"""`recpriv systems`: every system with its parameters."""

from __future__ import annotations

import argparse
from itertools import groupby
from typing import Any

from recprivlib.cli._shared import emit, shown, table
from recprivlib.parameters import Dial, Parameter, parameters
from recprivlib.protocols import Entry
from recprivlib.registry import stem, systems

GLOSS = "lists every system with its parameters"


def arguments(parser: argparse.ArgumentParser) -> None:
    pass


def execute(args: argparse.Namespace) -> None:
    if args.json:
        emit([describe(name, entry) for name, entry in systems().items()])
        return
    rows = [["", "role", "task", "its bill is for", ""]]
    for paper, group in groupby(systems().items(), key=lambda pair: stem(pair[0])):
        rows += [[paper, "", "", "", ""], *(_row(name, entry) for name, entry in group)]
    print(table(rows, indent=""))
    rows = [["", "parameter", "default", "allowed", "tuned over", ""]]
    rows += [[name, key, shown(getattr(entry.system, key)), meta.allowed, _turned(meta), meta.gloss]
             for name, entry in systems().items() for key, meta in parameters(entry.system).items()]  # fmt: skip
    print(f"\n{table(_once(rows), indent='')}")


def describe(name: str, entry: Entry) -> dict[str, Any]:
    """A line of the registry as JSON-ready data."""
    unit, relation = entry.terms or (None, None)
    return {
        "name": name,
        "paper": stem(name),
        "role": entry.role,
        "task": entry.task,
        "personalised": entry.personalised,
        "gloss": entry.gloss,
        "unit": unit,
        "relation": relation,
        "parameters": {
            key: _parameter(meta, getattr(entry.system, key)) for key, meta in parameters(entry.system).items()
        },
    }


def _parameter(meta: Parameter, default: Any) -> dict[str, Any]:
    return {
        "kind": meta.kind.__name__,
        "default": default,
        "range": None if meta.low is None else [meta.low, meta.high],
        "choices": list(meta.choices) or None,
        "optional": meta.optional,
        "meaning": meta.gloss,
        "tuned": _tuned(meta),
        "not_tuned": None if isinstance(meta.tune, Dial) else meta.tune,
    }


def _tuned(meta: Parameter) -> dict[str, Any] | None:
    """Over what a search turns it."""
    if not isinstance(meta.tune, Dial):
        return None
    one = meta.tune
    return {"values": list(one.values)} if one.values else {"range": [one.low, one.high], "scale": one.scale}


def _turned(meta: Parameter) -> str:
    return meta.tune.allowed if isinstance(meta.tune, Dial) else "never"


def _row(name: str, entry: Entry) -> list[str]:
    bill = "no privacy" if entry.terms is None else f"one {entry.terms[0]}, {entry.terms[1]}"
    return [f"  {name}", entry.role, entry.task, bill, entry.gloss]


def _once(rows: list[list[str]]) -> list[list[str]]:
    """Each system's name on its first row only."""
    return [row if j == 0 or row[0] != rows[j - 1][0] else ["", *row[1:]] for j, row in enumerate(rows)]
