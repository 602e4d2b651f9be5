"""`recpriv data`: fetch, verify and describe the data sets."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from recprivlib.cli._shared import add_own, add_population, columns, emit, say, table
from recprivlib.data import NAMES, Dataset, is_own, load
from recprivlib.parameters import UserError

GLOSS = "fetches, verifies and describes the data sets"
ASKED_FOR = ("ml-20m",)  # 190 MB: only by name


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME",
        help=f"from {', '.join(NAMES)} (default: all but {', '.join(ASKED_FOR)}), or a CSV of yours (at most 200 MB)",
    )  # fmt: skip
    add_own(parser)
    add_population(parser)


def execute(args: argparse.Namespace) -> None:
    for name in args.names:
        if name not in NAMES and not is_own(name):
            raise UserError(f"there is no data set {name!r}; choose from {', '.join(NAMES)}, or name a file.csv")
    asked: dict[str, Any] = {"columns": columns(args.columns), "skip_bad": args.skip_bad}
    if any(asked.values()) and not any(map(is_own, args.names)):
        raise UserError("--columns and --skip-bad are for a CSV of your own; name one")
    names = args.names or [name for name in NAMES if name not in ASKED_FOR]
    found = []
    for name in dict.fromkeys(names):
        say(f"{name} …")
        sized = name == "synthetic" or "synthetic" not in names  # alone, another data set refuses a size
        size = {"users": args.users, "items": args.items} if sized else {}
        try:
            dataset = load(name, **size, **asked if is_own(name) else {})
            found.append(describe(dataset))
            for note in (dataset.span, *dataset.notes) if is_own(name) else ():
                say(f"  note: {note}")
        except UserError as missing:
            if args.names:
                raise
            say(f"  left out: {missing}")
    if args.json:
        emit(found)
    else:
        print(_table(found))


def describe(dataset: Dataset) -> dict[str, Any]:
    """What a data set holds, as JSON-ready data."""
    data = dataset.interactions
    per_user = np.bincount(data.users, minlength=data.n_users)
    return {
        "name": dataset.name,
        "users": data.n_users,
        "items": data.n_items,
        "interactions": len(data),
        "density": len(data) / data.n_users / data.n_items,
        "median_per_user": float(np.median(per_user)),
        "feedback": "implicit" if data.grid is None else "explicit",
        "grid": data.grid,
        "times": bool(data.times.any()),
        "span": dataset.span,
        "user_features": sorted(data.user_features),
        "item_features": sorted(data.item_features),
        "checksum": dataset.checksum,
        "source": dataset.source,
        "notes": dataset.notes,
    }


def _table(found: list[dict[str, Any]]) -> str:
    head = ["", "users", "items", "interactions", "density", "a user", "features", "source", "SHA-256"]
    rows = [
        [
            d["name"], f"{d['users']:,}", f"{d['items']:,}", f"{d['interactions']:,}", f"{d['density']:.2%}",
            f"{d['median_per_user']:g}", ", ".join(d["user_features"] + d["item_features"]), d["source"],
            d["checksum"][:12],
        ]
        for d in found
    ]  # fmt: skip
    return table([head, *rows], right=range(1, 6))
