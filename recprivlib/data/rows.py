"""The rows of a table that somebody else wrote, and how many of them are wrong in which way.

    text_of(path) ──> text ──> lines of fields ──> Rows: numbers where they are numbers, a tally of what is not

A row that is wrong is never mended: it is counted under what is wrong with it, with the first line where that is so.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
import stat
from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from recprivlib.data.columns import Guess, declared
from recprivlib.data.moments import NUMBER, day, moment, seconds
from recprivlib.parameters import UserError, real

Array = np.ndarray

LARGEST = 200 << 20  # bytes
MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
         codecs.BOM_UTF16_BE: "utf-16"}  # fmt: skip
NOBODY = frozenset(("null", "nan", "none", "na", "n/a", "\\n", "undefined"))  # what databases write for nothing
ROUNDED = re.compile(r"\d([.,]\d{1,5})?E\+\d+")  # a spreadsheet's 1.23E+12: most digits are gone
COMMA = re.compile(r"[+-]?\d+,\d{1,2}")


class Wrong(ValueError):
    """What is wrong with one row: its kind, and what stands there."""

    def __init__(self, kind: str, shown: str = "") -> None:
        super().__init__(kind)
        self.kind, self.shown = kind, shown


@dataclass
class Rows:
    """What could be read, as columns, and what could not."""

    users: list[str] = field(default_factory=list)  # names, each once
    items: list[str] = field(default_factory=list)
    user: array = field(default_factory=lambda: array("q"))  # of each row
    item: array = field(default_factory=lambda: array("q"))
    rating: array = field(default_factory=lambda: array("d"))
    time: array = field(default_factory=lambda: array("d"))
    form: array = field(default_factory=lambda: array("b"))
    line: array = field(default_factory=lambda: array("q"))
    wrong: dict[str, tuple[int, int, str]] = field(default_factory=dict)  # kind -> rows, first line, what stands there
    notes: list[str] = field(default_factory=list)

    def refuse(self, kind: str, line: int, shown: str = "", rows: int = 1) -> None:
        """So many more rows are wrong in this way."""
        count, first, what = self.wrong.get(kind, (0, line, shown))
        self.wrong[kind] = (count + rows, first, what)

    @property
    def refused(self) -> int:
        return sum(count for count, _, _ in self.wrong.values())

    def faults(self) -> str:
        """How many rows are wrong in which way, and where that begins."""
        return ", ".join(
            f"{count:,} {kind} ({'first in ' if count > 1 else ''}line {line:,}{f': {shown!r}' if shown else ''})"
            for kind, (count, line, shown) in self.wrong.items()
        )


def checked_file(path: Path) -> None:
    """Refuse what is no file of a size that can be read; nothing else is opened: a pipe would wait for ever."""
    about = path.stat()
    kinds = {stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a pipe", stat.S_ISSOCK: "a socket", stat.S_ISCHR: "a device",
             stat.S_ISBLK: "a device"}  # fmt: skip
    for is_kind, called in kinds.items():
        if is_kind(about.st_mode):
            raise UserError(f"{path} is {called}, but must be a file: a CSV, or an archive of MovieLens")
    if about.st_size > LARGEST:
        raise UserError(f"{path} has {about.st_size >> 20:,} MB, but at most {LARGEST >> 20} are read")


def own_text(path: Path) -> tuple[str, str]:
    """(the text of a table, what was decided about its letters). A byte that is no UTF-8 stays visible in the text."""
    checked_file(path)
    with path.open("rb") as file:
        body = file.read(LARGEST + 1)
    if len(body) > LARGEST:
        raise UserError(f"{path} has more than {LARGEST >> 20} MB")
    for mark, encoding in MARKS.items():
        if body.startswith(mark):
            try:
                return body.decode(encoding), ""
            except UnicodeDecodeError:
                raise UserError(f"{path} begins as {encoding.upper()} and is cut short; save it as UTF-8") from None
    if b"\0" in body:
        raise UserError(f"{path} holds zero bytes: it is no text, or UTF-16 without its mark; save it as UTF-8")
    text = body.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    if re.search("[\udc80-\udcff]", text) and not re.search("[\x80-\ud7ff\ue000-\U0010ffff]", text):
        return body.decode("cp1252", "replace"), "its letters are read as Windows-1252, since they are no UTF-8"
    return text, ""


def records(text: str, guess: Guess) -> Iterator[tuple[int, list[str] | None]]:
    """(line, fields) after the heading; None where a quote does not close: what follows is read anew."""
    lines = iter(io.StringIO(text, newline=""))
    taken: list[str] = []  # of this record
    again: deque[str] = deque()  # what a record that failed had taken
    done, heading = 0, bool(guess.heading)

    def feed() -> Iterator[str]:
        while line := again.popleft() if again else next(lines, ""):
            taken.append(line)
            yield line

    while True:
        reader = _reader(feed(), guess.separator)
        try:
            for fields in reader:
                number, done = done + 1, done + len(taken)
                first = number == 1 and bool(declared(taken[0]))
                taken.clear()
                if first or not any(fields):
                    continue
                if heading:
                    heading = False
                else:
                    yield number, [one.strip() for one in fields]
            return
        except csv.Error:
            done += 1
            yield done, None
            again.extendleft(reversed(taken[1:]))
            taken.clear()


def _reader(lines: Iterator[str], separator: str) -> Iterator[list[str]]:
    if separator == "::":
        return (line.rstrip("\r\n").split("::") for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)


def read(text: str, guess: Guess) -> Rows:
    """Every row of a table, and what is wrong with those that are left out."""
    rows = Rows(notes=[guess.doubt] if guess.doubt else [])
    numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
    commas = False
    for line, fields in records(text, guess):
        try:
            user, item, rating, when, form, comma = _row(fields, guess, numbers)
        except Wrong as error:
            rows.refuse(error.kind, line, error.shown)
            continue
        commas |= comma
        rows.user.append(numbers[0].setdefault(user, len(numbers[0])))
        rows.item.append(numbers[1].setdefault(item, len(numbers[1])))
        rows.rating.append(rating)
        rows.time.append(when)
        rows.form.append(form)
        rows.line.append(line)
    rows.users, rows.items = list(numbers[0]), list(numbers[1])
    if commas:
        rows.notes.append("a comma within a rating is read as its decimal point")
    return rows


def _row(
    fields: list[str] | None, guess: Guess, known: tuple[dict[str, int], dict[str, int]]
) -> tuple[str, str, float, float, int, bool]:
    if fields is None:
        raise Wrong("with a quote that does not close, or stands alone")
    if len(fields) > guess.width and any(fields[guess.width :]):
        raise Wrong(f"with more than {guess.width} fields", fields[guess.width][:40])
    if len(fields) < guess.width:
        raise Wrong(f"with fewer than {guess.width} fields")
    if guess.heading and tuple(fields[: guess.width]) == guess.heading:
        raise Wrong("like the heading")
    user, item = fields[guess.columns["user"]], fields[guess.columns["item"]]
    for name, role, seen in ((user, "user", known[0]), (item, "item", known[1])):
        if name not in seen:
            _refuse_name(name, role)
    rating, comma = (1.0, False)
    if "rating" in guess.columns:
        rating, comma = _rating(fields[guess.columns["rating"]], guess.separator != ",")
    when, form = (0.0, NUMBER) if "time" not in guess.columns else _time(fields[guess.columns["time"]])
    return user, item, rating, when, form, comma


def _refuse_name(name: str, role: str) -> None:
    if not name or name.lower() in NOBODY:
        raise Wrong(f"with no {role}", name)
    if "\n" in name or "\r" in name:
        raise Wrong(f"with a line break in the {role}", name[:40])
    if re.search("[\udc80-\udcff]", name):
        raise Wrong("with bytes that are no UTF-8", name.encode("utf-8", "surrogateescape").decode("latin-1")[:40])
    if ROUNDED.fullmatch(name):
        raise Wrong(f"with a {role} that a spreadsheet has rounded", name)


@lru_cache(maxsize=1024)
def _rating(text: str, commas: bool) -> tuple[float, bool]:
    if not text or text.lower() in NOBODY:
        raise Wrong("with no rating", text)
    comma = commas and COMMA.fullmatch(text) is not None
    try:
        value = real(text.replace(",", ".") if comma else text)
    except ValueError:
        raise Wrong("with a rating that is no number", text[:40]) from None
    if not math.isfinite(value) or abs(value) > 2**53:
        raise Wrong("with an infinite or enormous rating", text[:40])
    return value, comma


def _time(text: str) -> tuple[float, int]:
    if not text or text.lower() in NOBODY:
        raise Wrong("with no time", text)
    if "E" in text and ROUNDED.fullmatch(text):
        raise Wrong("with a time that a spreadsheet has rounded", text)
    try:
        return moment(text)
    except (ValueError, OverflowError):
        raise Wrong("with a time that is neither a number nor a date like 2024-01-31", text[:40]) from None


def timed(rows: Rows) -> tuple[Array, Array]:
    """(seconds since 1970 of each row, which rows are left); impossible times are refused like any other row."""
    when, wrong, said = seconds(np.array(rows.time), np.array(rows.form))
    lines, good = np.array(rows.line), np.ones(len(when), bool)
    for kind, bad in wrong.items():
        bad = bad & good  # a row counts once
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            number = rows.time[first]
            shown = f"{number:.15g}" if rows.form[first] == NUMBER else day(number)
            rows.refuse(kind, int(lines[first]), shown, int(bad.sum()))
            good &= ~bad
    rows.notes += said
    return when, good
