"""`recpriv data`: fetch, verify and describe the data sets."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from recprivlib.cli._shared import add_population, emit, say, table
from recprivlib.data import NAMES, Dataset, load
from recprivlib.parameters import UserError

GLOSS = "fetches, verifies and describes the data sets"
ASKED_FOR = ("ml-20m",)  # 190 MB: only by name


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"from {', '.join(NAMES)} (default: all but {', '.join(ASKED_FOR)})"
    )
    add_population(parser)


def execute(args: argparse.Namespace) -> None:
    for name in args.names:
        if name not in NAMES:
            raise UserError(f"there is no data set {name!r}; choose from {', '.join(NAMES)}")
    names = args.names or [name for name in NAMES if name not in ASKED_FOR]
    found = []
    for name in dict.fromkeys(names):
        say(f"{name} …")
        sized = name == "synthetic" or "synthetic" not in names  # alone, another data set refuses a size
        size = {"users": args.users, "items": args.items} if sized else {}
        try:
            found.append(describe(load(name, **size)))
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
        "user_features": sorted(data.user_features),
        "item_features": sorted(data.item_features),
        "checksum": dataset.checksum,
        "source": dataset.source,
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
