"""Data of one's own: a CSV of who met what, or an archive of MovieLens as its publisher writes it.

    user,item,rating,time       what a column holds is guessed from its heading, said, and mended by `columns`
    anna,Alien,5,2005-04-02     users and items are any text; a rating may be missing (then feedback is implicit)

Separators are commas, semicolons, tabs, bars or "::". Without a heading the columns are user, item, rating, time in
order. A time is a date (ISO 8601) or a number since 1970. A pair that stands twice counts once: as it was at its latest
time, or, without times, in its last line. Rows that cannot be read are counted by what is wrong with them, and refused
unless `skip_bad`. What was decided stands in the notes of the data set. Nothing is kept or sent anywhere.
"""

from __future__ import annotations

import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recprivlib.data.canonical import Dataset, Origin, canonical, checksum
from recprivlib.data.columns import Guess, guessed
from recprivlib.data.rows import LARGEST, Rows, checked_file, own_text, read, timed
from recprivlib.data.sources import RECIPES
from recprivlib.parameters import UserError

Array = np.ndarray

GRID = 20  # different ratings that are a scale; more are counts or measurements
ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".zip")
YEAR = 365 * 86_400


def is_own(name: str) -> bool:
    """Whether `name` is a file of one's own and no name of a data set."""
    return Path(name).suffix.lower() in ENDINGS or "/" in name or "\\" in name


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, where that is asked for."""

    columns: tuple[tuple[str, str], ...] = ()  # role, heading
    skip_bad: bool = False


def own(path: str | Path, columns: Mapping[str, str] | None = None, skip_bad: bool = False) -> Dataset:
    """The data set in a file. `columns` says which heading (or number, from 1) is user, item, rating or time."""
    path = Path(path)
    try:
        checked_file(path)
        if path.suffix.lower() not in ENDINGS:
            raise UserError(f"{path} must end with one of {', '.join(ENDINGS)}, which say how it is read")
        if path.suffix.lower() != ".zip":
            return dataset(table(path, columns, skip_bad))
        if columns or skip_bad:
            raise UserError(f"{path} is an archive with a form of its own; columns and bad rows are those of a CSV")
        return _archive(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"cannot read {str(path)!r}: {error}") from None  # a zero byte in the name


@dataclass(frozen=True)
class Table:
    """The rows of a file that count, and what was decided about it."""

    path: Path
    guess: Guess
    rows: Rows
    when: Array | None  # seconds since 1970 of each row
    good: Array  # which rows count
    notes: tuple[str, ...]


def table(path: Path, columns: Mapping[str, str] | None = None, skip_bad: bool = False) -> Table:
    """What stands in a CSV; refused where rows cannot be read, unless they may be left out."""
    text, letters = own_text(path)
    guess = guessed(text, path, columns)
    rows = read(text, guess)
    when, good = timed(rows) if "time" in guess.columns and rows.line else (None, np.ones(len(rows.line), bool))
    seen = rows.refused + int(good.sum())
    if not seen:
        raise UserError(f"{path} holds no rows")
    told = f"{rows.refused:,} of {seen:,} rows"
    if rows.refused and not (skip_bad and good.any()):
        cure = "leave them out with --skip-bad" if good.any() else "say what its columns are with --columns"
        raise UserError(f"{path}: {told} cannot be read: {rows.faults()}; mend them, or {cure}")
    left = [f"{told} were left out: {rows.faults()}"] if rows.refused else []
    return Table(path, guess, rows, when, good, (*([letters] if letters else ()), *rows.notes, *left))


def dataset(of: Table) -> Dataset:
    """Users and items in order of their names: numbers as numbers, others as text."""
    path, rows, when, good = of.path, of.rows, of.when, of.good
    kept = _last(rows, when, good)
    users, people = _numbered(rows.users, np.array(rows.user)[kept])
    items, things = _numbered(rows.items, np.array(rows.item)[kept])
    ratings = np.array(rows.rating)[kept].astype(np.float32)
    scale = np.unique(ratings)
    stars = 1 < len(scale) <= GRID
    times = np.zeros(len(kept), np.int64) if when is None else np.floor(when[kept]).astype(np.int64)
    data = canonical(
        Origin(path), users, items, ratings if stars else np.ones_like(ratings), times,
        grid=tuple(float(value) for value in scale) if stars else None,
        user_features={}, item_features={}, n_users=len(people), n_items=len(things),
    )  # fmt: skip
    notes = [*of.notes, *_remarks(rows, when, kept, good, scale), *_alike(people, "users"), *_alike(things, "items")]
    return Dataset(path.stem, data, things, checksum(data), f"{path.name}: {of.guess}", tuple(notes))


def _last(rows: Rows, when: Array | None, good: Array) -> Array:
    """The row that counts of each pair: the latest, and of equally late ones the one that stands last."""
    pair = np.array(rows.user) * len(rows.items) + np.array(rows.item)
    at = np.flatnonzero(good)
    at = at[np.lexsort((at, at if when is None else when[at], pair[at]))]
    return np.sort(at[np.append(pair[at][1:] != pair[at][:-1], True)])


def _numbered(names: list[str], met: Array) -> tuple[Array, tuple[str, ...]]:
    """(numbers in order of the names, the names) of those that are met."""
    there = sorted(np.unique(met).tolist(), key=lambda at: _order(names[at]))
    number = np.zeros(len(names), np.int64)
    number[there] = np.arange(len(there))
    return number[met], tuple(names[at] for at in there)


def _order(name: str) -> tuple[bool, float, str]:
    """Where a name stands among others: numbers first, as numbers."""
    whole = name.isascii() and name.isdigit() and len(name) < 16
    return not whole, float(name) if whole else 0.0, name


def _remarks(rows: Rows, when: Array | None, kept: Array, good: Array, scale: Array) -> list[str]:
    """What a reader should know of how the rows became data."""
    said = []
    merged = int(good.sum()) - len(kept)
    if merged:
        rule = "no times are known, so the last line" if when is None else "the latest"
        said.append(f"rows merged with another of the same user and item: {merged:,} ({rule} counts)")
    if len(scale) > GRID:
        said.append(f"the ratings take {len(scale):,} values, too many for stars: only who met what is used")
    if when is not None and len(kept) and float(when[kept].max()) < YEAR:
        said.append("all times lie in 1970: are they seconds since then?")
    return said


def _alike(names: tuple[str, ...], what: str) -> list[str]:
    """Names that a reader takes for one, and that count as several."""
    first: dict[str, str] = {}
    pairs = []
    for name in names:
        key = " ".join(unicodedata.normalize("NFKC", name).casefold().removesuffix(".0").split())
        if first.setdefault(key, name) != name:
            pairs.append((first[key], name))
    if not pairs:
        return []
    (one, other), count = pairs[0], len(pairs)
    return [f"{what} that differ from another only in case, blanks, accents or .0, and count apart: {count:,}, like "
            f"{one[:40]!r} and {other[:40]!r}"]  # fmt: skip


def _archive(path: Path) -> Dataset:
    """A MovieLens archive as published: its files are read as everywhere, its checksum is that of the data set."""
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
            inside = {Path(info.filename).name: info for info in archive.infolist() if not info.is_dir()}
            for name, recipe in RECIPES.items():
                if set(recipe.form.files) <= inside.keys():
                    unpacked(archive, [inside[file] for file in recipe.form.files], path, Path(folder))
                    data, titles = recipe.form.parse(Path(folder))
                    return Dataset(name, data, titles, checksum(data), path.name)
    except zipfile.BadZipFile:
        raise UserError(f"{path} is no zip archive, or was cut short") from None
    except (RuntimeError, NotImplementedError, EOFError, zlib.error) as error:  # a password, an unknown packing, damage
        raise UserError(f"{path} cannot be unpacked: {error}") from None
    known = ", ".join(f"{name}.zip" for name in RECIPES)
    raise UserError(f"{path} is none of the archives that are known ({known}); a CSV is read as it is")


def unpacked(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], path: Path, folder: Path) -> None:
    """Write members flat into a folder; together no more than may be read, whatever the archive says of their sizes."""
    left = LARGEST
    for member in members:
        with archive.open(member) as source, (folder / Path(member.filename).name).open("wb") as target:
            while block := source.read(1 << 20):
                left -= len(block)
                if left < 0:
                    raise UserError(f"{path} unpacks to more than {LARGEST >> 20} MB")
                target.write(block)
