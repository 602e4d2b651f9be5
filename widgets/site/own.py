"""The reader's own ratings, dropped onto the page: read here, kept in the worker's memory, sent nowhere."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recprivlib.data import load, pinned
from recprivlib.data.own import Guess, guessed
from recprivlib.data.sources import RECIPES
from recprivlib.data.text import text_of
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
    text = text_of(Path(name), "latin-1").removeprefix("\ufeff")
    guess = guessed(text, Path(name), {role: column for role, column in columns.items() if column})
    if columns:  # mended by the reader: from now on the file says so itself
        Path(name).write_text(renamed(text, guess), encoding="utf-8")
    known = load(name)
    return name, f"your {name}: {size(known)}", {"columns": spoken(guess)}


def renamed(text: str, guess: Guess) -> str:
    """The table with headings that say what the reader has chosen."""
    lines = text.splitlines()[1 if guess.heading else 0 :]
    width = max(len(guess.heading), 1 + max(guess.columns.values()))
    by_place = {at: role for role, at in guess.columns.items()}
    heading = guess.separator.join(by_place.get(at, f"other {at}") for at in range(width))
    return "\n".join([heading, *lines]) + "\n"


def size(known: Any) -> str:
    """Who and what there is in a data set."""
    met = known.interactions
    return f"{count(met.n_users)} people, {count(met.n_items)} things, {count(len(met))} ratings"


def spoken(guess: Guess) -> dict[str, Any]:
    """The columns by name, and which is what: shown to the reader, who can mend it."""
    width = 1 + max(guess.columns.values())
    names = list(guess.heading) or [str(n + 1) for n in range(width)]
    return {"names": names, "roles": {role: names[at] for role, at in guess.columns.items()}}


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
