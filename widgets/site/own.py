"""The reader's own ratings, dropped onto the page: read here, kept in the worker's memory, sent nowhere."""

from __future__ import annotations

import csv
import io
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from recprivlib.data import load, pinned
from recprivlib.data.columns import NONE, ROLES, Guess, names
from recprivlib.data.own import Table, dataset, table
from recprivlib.data.sources import RECIPES
from recprivlib.plots.numerals import count


def taken(name: str, columns: Mapping[str, str], data: Path | None = None) -> tuple[str, str, dict[str, Any]]:
    """(the name to load it by, what to call it, what its columns were taken for)."""
    if name.lower().endswith(".zip"):
        known = load(name)  # refuses what is no archive of a known data set, in words
        if known.checksum != pinned(known.name):  # in its form, but not what was published: it keeps its own name
            return name, f"your {name}: {size(known)}, not {known.name} as published", {}
        unpack(name, known.name, data or _published())
        load(known.name)  # under its own name every file of it has to be the published one
        return known.name, f"your {name}: {size(known)}", {}
    told = table(Path(name), chosen(columns), skip_bad=True)
    known = dataset(told)
    if columns or told.rows.refused:  # from now on the file says so itself
        Path(name).write_text(plain(told), encoding="utf-8")
    left = f", {count(told.rows.refused)} rows left out" if told.rows.refused else ""
    return name, f"your {name}: {size(known)}{left}", {
        "columns": spoken(told.guess), "notes": known.notes, "left": told.rows.refused,
    }  # fmt: skip


def chosen(columns: Mapping[str, str]) -> dict[str, str]:
    """What the reader has said of the columns; a rating or time of which nothing is chosen is not used."""
    return {role: column or NONE for role, column in columns.items() if column or role in ROLES[2:]}


def plain(told: Table) -> str:
    """The rows that count, with a heading that leaves nothing open and times in seconds."""
    rows, text = told.rows, io.StringIO()
    roles = [role for role in ROLES if role in told.guess.columns]
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(roles)
    for at in np.flatnonzero(told.good):
        row = [rows.users[rows.user[at]], rows.items[rows.item[at]], repr(rows.rating[at])]
        when = [] if told.when is None else [f"{told.when[at]:.6f}"]
        lines.writerow([*row[: 2 + ("rating" in roles)], *when])
    return text.getvalue()


def size(known: Any) -> str:
    """Who and what there is in a data set."""
    met = known.interactions
    return f"{count(met.n_users)} people, {count(met.n_items)} things, {count(len(met))} ratings"


def spoken(guess: Guess) -> dict[str, Any]:
    """The columns by name, and which is what: shown to the reader, who can mend it."""
    called = names(guess.heading, guess.width)
    return {"names": called, "roles": {role: called[at] for role, at in guess.columns.items()}}


def unpack(archive: str, name: str, folder: Path) -> None:
    """The files of a published archive where `load` looks for them, so that they are used under their own name."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    wanted = set(RECIPES[name].form.files)
    with zipfile.ZipFile(archive) as pack:
        for inside in pack.infolist():
            file = Path(inside.filename).name
            if file in wanted and not inside.is_dir():
                with pack.open(inside) as source, (place / file).open("wb") as target:
                    shutil.copyfileobj(source, target)


def _published() -> Path:
    import os

    return Path(os.environ["RECPRIV_DATA"])
