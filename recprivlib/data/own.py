"""Data of one's own: a CSV of who met what, or an archive of MovieLens as its publisher writes it.

    user,item,rating,time       what a column holds is guessed from its heading, said, and mended by `columns`
    anna,Alien,5,1112486027     users and items are any text; a rating may be missing (then feedback is implicit)

Separators are commas, semicolons, tabs or "::". Without a heading the columns are user, item, rating, time in order.
A pair that stands twice counts once, with its last rating. Nothing is kept or sent anywhere.
"""

from __future__ import annotations

import csv
import io
import math
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recprivlib.data.canonical import Dataset, Origin, canonical, checksum
from recprivlib.data.sources import RECIPES
from recprivlib.data.text import text_of
from recprivlib.parameters import UserError

Array = np.ndarray

ROLES = ("user", "item", "rating", "time")
SPOKEN = {  # headings as people write them, without case, blanks and punctuation
    "user": ("user", "userid", "uid", "u", "person", "member", "customer", "customerid", "reader", "account", "who"),
    "item": ("item", "itemid", "iid", "i", "movie", "movieid", "film", "filmid", "title", "book", "bookid", "isbn",
             "app", "product", "productid", "track", "song", "artist", "article", "business", "what"),
    "rating": ("rating", "ratings", "stars", "star", "score", "value", "r", "bookrating", "overall", "click", "clicks",
               "count"),
    "time": ("time", "timestamp", "ts", "t", "unixtime", "unixreviewtime", "seconds", "when"),
}  # fmt: skip
LARGEST = 200 << 20  # bytes
GRID = 20  # different ratings that are a scale; more are counts or measurements
ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".zip")


@dataclass(frozen=True)
class Guess:
    """What the columns of a file are taken for."""

    separator: str
    heading: tuple[str, ...]  # empty: the file has none
    columns: Mapping[str, int]  # role -> column

    def __str__(self) -> str:
        names = self.heading or tuple(f"column {n + 1}" for n in range(1 + max(self.columns.values())))
        return ", ".join(f"{role} = {names[at]}" for role, at in self.columns.items())


def is_own(name: str) -> bool:
    """Whether `name` is a file of one's own and no name of a data set."""
    return Path(name).suffix.lower() in ENDINGS


def own(path: str | Path, columns: Mapping[str, str] | None = None) -> Dataset:
    """The data set in a file. `columns` says which heading (or number, from 1) is user, item, rating or time."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise UserError(f"{path} has {size >> 20} MB, but at most {LARGEST >> 20} are read")
        return _archive(path) if path.suffix.lower() == ".zip" else _table(path, columns or {})
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None


def guessed(text: str, path: Path, columns: Mapping[str, str] | None = None) -> Guess:
    """What the columns are, from the first lines of a file; what is asked for goes first."""
    lines = [line for line in text[:65536].splitlines()[:20] if line.strip()]
    if not lines:
        raise UserError(f"{path} is empty")
    separator = max(("::", "\t", ";", ","), key=lambda mark: (lines[0].count(mark), len(mark)))
    first = _fields(lines[0], separator)
    if len(first) < 2:
        raise UserError(f"{path}: a line needs a user and an item, with a comma, semicolon or tab between them")
    heading = () if _numeric(first[-1]) else tuple(name.strip() for name in first)
    found = _by_name(heading) if heading else {role: at for at, role in enumerate(ROLES) if at < len(first)}
    found |= {role: _asked(role, name, heading, len(first), path) for role, name in (columns or {}).items()}
    for role in ROLES[:2]:
        if role not in found:
            names = ", ".join(heading)
            raise UserError(f"{path}: which column is the {role}? There are {names}; say columns {role}=NAME")
    if len(set(found.values())) < len(found):
        raise UserError(f"{path}: one column cannot be two things: {Guess(separator, heading, found)}")
    return Guess(separator, heading, {role: found[role] for role in ROLES if role in found})


def _by_name(heading: tuple[str, ...]) -> dict[str, int]:
    plain = ["".join(letter for letter in name.lower() if letter.isalnum()) for name in heading]
    found: dict[str, int] = {}
    for role in ROLES:
        places = [plain.index(name) for name in SPOKEN[role] if name in plain]
        places = [at for at in places if at not in found.values()]
        if places:
            found[role] = places[0]
    return found


def _asked(role: str, name: str, heading: tuple[str, ...], width: int, path: Path) -> int:
    if role not in ROLES:
        raise UserError(f"columns names {role!r}, but must name one of {', '.join(ROLES)}")
    if name in heading:
        return heading.index(name)
    if name.isascii() and name.isdigit() and len(name) < 4 and 1 <= int(name) <= width:
        return int(name) - 1
    among = ", ".join(heading) or f"1 to {width}"
    raise UserError(f"{path} has no column {name[:60]!r}; choose from {among}")


def _numeric(field: str) -> bool:
    try:
        return math.isfinite(float(field))
    except ValueError:
        return False


def _fields(line: str, separator: str) -> list[str]:
    return line.split("::") if separator == "::" else next(csv.reader([line], delimiter=separator))


def _rows(text: str, guess: Guess) -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) after the heading."""
    if guess.separator == "::":
        lines = ((n, line.split("::")) for n, line in enumerate(text.splitlines(), start=1))
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=guess.separator)
        lines = ((reader.line_num, fields) for fields in reader)
    for at, (number, fields) in enumerate(lines):
        if (at or not guess.heading) and any(fields):
            yield number, fields


def _table(path: Path, columns: Mapping[str, str]) -> Dataset:
    text = text_of(path, "latin-1").removeprefix("\ufeff")
    guess = guessed(text, path, columns)
    need = 1 + max(guess.columns.values())
    met: dict[tuple[str, str], tuple[float, int]] = {}
    try:
        for line, fields in _rows(text, guess):
            if len(fields) < need:
                raise UserError(f"{path}, line {line}: expected {need} fields or more, found {len(fields)}")
            user, item = (fields[guess.columns[role]].strip() for role in ("user", "item"))
            if not user or not item:
                raise UserError(f"{path}, line {line}: the {'item' if user else 'user'} is empty")
            met[user, item] = (
                _value(path, line, fields, guess, "rating", 1.0),
                int(_value(path, line, fields, guess, "time", 0.0)),
            )
    except csv.Error as error:
        raise UserError(f"{path}: {error}") from None
    if not met:
        raise UserError(f"{path} holds no rows")
    return _dataset(path, met, str(guess))


def _value(path: Path, line: int, fields: list[str], guess: Guess, role: str, otherwise: float) -> float:
    if role not in guess.columns:
        return otherwise
    field = fields[guess.columns[role]].strip()
    if not _numeric(field) or abs(float(field)) > 2**53:
        raise UserError(f"{path}, line {line}: the {role} is {field[:60]!r}, but must be a number")
    return float(field)


def _dataset(path: Path, met: Mapping[tuple[str, str], tuple[float, int]], taken: str) -> Dataset:
    """Users and items in order of their names: numbers as numbers, others as text."""
    people, things = (sorted({pair[at] for pair in met}, key=_order) for at in (0, 1))
    number = [{name: n for n, name in enumerate(names)} for names in (people, things)]
    ratings, times = (np.array([value[at] for value in met.values()]) for at in (0, 1))
    scale = np.unique(ratings)
    stars = 1 < len(scale) <= GRID
    data = canonical(
        Origin(path), np.array([number[0][user] for user, _ in met]), np.array([number[1][item] for _, item in met]),
        ratings if stars else np.ones(len(ratings)), times.astype(np.int64),
        grid=tuple(float(value) for value in scale.astype(np.float32)) if stars else None,
        user_features={}, item_features={}, n_users=len(people), n_items=len(things),
    )  # fmt: skip
    return Dataset(path.stem, data, tuple(things), checksum(data), f"{path.name}: {taken}")


def _order(name: str) -> tuple[bool, float, str]:
    """Where a name stands among others: numbers first, as numbers."""
    whole = name.isascii() and name.isdigit() and len(name) < 16
    return not whole, float(name) if whole else 0.0, name


def _archive(path: Path) -> Dataset:
    """A MovieLens archive as published: its files are read as everywhere, its checksum is that of the data set."""
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            inside = {Path(info.filename).name: info for info in archive.infolist() if not info.is_dir()}
            for name, recipe in RECIPES.items():
                if set(recipe.form.files) <= inside.keys():
                    for file in recipe.form.files:
                        if inside[file].file_size > LARGEST:
                            raise UserError(f"{file} in {path} has more than {LARGEST >> 20} MB")
                        Path(folder, file).write_bytes(archive.read(inside[file]))
                    data, titles = recipe.form.parse(Path(folder))
                    return Dataset(name, data, titles, checksum(data), path.name)
    except zipfile.BadZipFile:
        raise UserError(f"{path} is no zip archive, or was cut short") from None
    known = ", ".join(f"{name}.zip" for name in RECIPES)
    raise UserError(f"{path} is none of the archives that are known ({known}); a CSV is read as it is")
