"""What the columns of a table are: guessed from its heading and its first rows, or said by whoever brings it.

A column is taken where its name, or what stands in it, leaves no doubt. Where two could be meant, the reader is asked.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recprivlib.data.moments import is_moment
from recprivlib.parameters import UserError, real

ROLES = ("user", "item", "rating", "time")
SEPARATORS = ("::", "\t", ";", ",", "|")
NONE = "none"  # `--columns time=none`: that column is not used
KINDS = {  # a heading may be one of these words, or one of them with "id"
    "user": "user customer client member reader reviewer account visitor subscriber patron person profile rater",
    "item": "item movie film book product article track song artist business app game course recipe anime",
}
WORDS = {  # or one of these
    "user": "uid",
    "item": "iid isbn isbn13 asin sku",
    "rating": "rating ratings stars star score overall bookrating grade",
    "time": "time timestamp ts unixtime unixreviewtime datetime date createdat created eventtime ratedat watchedat "
    "playedat listenedat purchasedat purchasedate orderdate ratingdate reviewdate reviewtime when",
}
LESS = {  # or one of these, where none of those is there
    "user": "u who username email login",
    "item": "i what title movietitle itemname productname booktitle",
    "rating": "r value click clicks count plays playcount quantity preference vote weight",
    "time": "t seconds updatedat modified day",
}
SURE = {
    role: {*WORDS[role].split(), *(name for word in KINDS.get(role, "").split() for name in (word, f"{word}id"))}
    for role in ROLES
}
MAYBE = {role: set(words.split()) for role, words in LESS.items()}


@dataclass(frozen=True)
class Guess:
    """What the columns of a file are taken for."""

    separator: str
    heading: tuple[str, ...]  # empty: the file has none
    columns: Mapping[str, int]  # role -> column
    width: int
    doubt: str = ""  # what was decided without a sure sign

    def __str__(self) -> str:
        said = ", ".join(f"{role} = {self.called(at)}" for role, at in self.columns.items())
        unused = ", ".join(self.called(at) for at in range(self.width) if at not in self.columns.values())
        return f"{said}; not used: {unused}" if unused else said

    def called(self, at: int) -> str:
        """A column's name, or its number."""
        name = names(self.heading, self.width)[at]
        return f"column {at + 1}" if name == str(at + 1) else name


class Unclear(UserError):
    """What the columns are has to be said; `names` are those to choose from."""

    def __init__(self, message: str, heading: Sequence[str], width: int) -> None:
        super().__init__(message)
        self.names = names(heading, width)


def names(heading: Sequence[str], width: int) -> list[str]:
    """What `columns` may call each column: its heading, or its number where that is no name of it alone."""
    lone = [bool(name) and list(heading).count(name) == 1 for name in heading] or [False] * width
    return [heading[at] if lone[at] else str(at + 1) for at in range(width)]


def guessed(text: str, path: Path, columns: Mapping[str, str] | None = None) -> Guess:
    """What the columns are, from the first lines of a file; what is asked for goes first."""
    lines = [line for line in text[:65536].splitlines()[:20] if line.strip()]
    told = declared(lines[0]) if lines else ""
    lines = lines[1:] if told else lines
    if not lines:
        raise UserError(f"{path} is empty")
    separator = told or _separator(lines)
    first, *others = [[field.strip() for field in split(line, separator)] for line in lines]
    if len(first) < 2:
        raise UserError(f"{path}: a line needs a user and an item, with a comma, semicolon or tab between them")
    asked = dict(columns or {})
    named, doubt = _headed(first, others, asked, path)
    heading = tuple(first) if named else ()
    places = {role: _asked(role, name, heading, len(first), path) for role, name in asked.items()}
    sure = {role: at for role, at in places.items() if at is not None}
    rows = [first, *others] if not named else others
    found = _by_name(heading, places, path) if named else _by_place(rows, places, path)
    found = {role: (found | sure)[role] for role in ROLES if role in found | sure}
    guess = Guess(separator, heading, found, len(first), doubt)
    for role in ROLES[:2]:
        if role not in found:
            there = ", ".join(guess.called(at) for at in range(len(first)))
            told = f"{path}: which column is the {role}? There are {there}; say --columns {role}=NAME"
            raise Unclear(told, heading, len(first))
    if len(set(found.values())) < len(found):
        raise UserError(f"{path}: one column cannot be two things: {guess}")
    return guess


def declared(line: str) -> str:
    """The separator that a spreadsheet writes into its first line: sep=;"""
    said = re.fullmatch(r'"?sep=([,;\t|])"?\s*', line, re.IGNORECASE)
    return said[1] if said else ""


def split(line: str, separator: str) -> list[str]:
    """The fields of one line."""
    with suppress(csv.Error, StopIteration):
        if separator != "::":
            return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    return line.split(separator)


def _separator(lines: Sequence[str]) -> str:
    """The mark that cuts the lines alike, and into the most fields."""

    def rank(mark: str) -> tuple[bool, float, int]:
        width, often = Counter(len(split(line, mark)) for line in lines).most_common(1)[0]
        return width > 1, often / len(lines), width

    return max(SEPARATORS, key=rank)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _is_number(field: str) -> bool:
    try:
        return real(field) == real(field)
    except ValueError:
        return False


def _headed(
    first: Sequence[str], others: Sequence[Sequence[str]], asked: Mapping[str, str], path: Path
) -> tuple[bool, str]:
    """(whether the first line is a heading, what is doubtful about that)."""
    if any(_is_number(field) or is_moment(field) for field in first):
        counts = [field for field in first if field] == [str(n) for n in range(sum(map(bool, first)))]
        return False, _row(first) if counts else ""  # as pandas heads what has no names
    known = set().union(*SURE.values(), *MAYBE.values())
    if any(_plain(name) in known for name in first) or set(asked.values()) & set(first):
        return True, ""
    full = [row for row in others if len(row) == len(first)]
    if full and any(all(_is_number(row[at]) or is_moment(row[at]) for row in full) for at in range(len(first))):
        return True, ""
    if {"user", "item"} <= asked.keys():
        return False, _row(first)
    raise Unclear(
        f"{path}: which column is the user? The first line is {', '.join(first)[:60]!r}; if it is a heading, say "
        "--columns user=NAME item=NAME, and if it is a row, --columns user=1 item=2", (), len(first),
    )  # fmt: skip


def _row(first: Sequence[str]) -> str:
    return f"the first line ({', '.join(first)[:60]}) is taken for a row, not for a heading"


def _by_name(heading: Sequence[str], places: Mapping[str, int | None], path: Path) -> dict[str, int]:
    plain = [_plain(name) for name in heading]
    found: dict[str, int] = {}
    for role in ROLES:
        if role in places:
            continue
        free = [at for at in range(len(plain)) if at not in (*found.values(), *places.values())]
        fit = [at for at in free if plain[at] in SURE[role]] or [at for at in free if plain[at] in MAYBE[role]]
        keys = [at for at in fit if plain[at].endswith("id")]
        best = keys if len(keys) == 1 else fit
        if len(best) > 1:
            these = " or ".join(f"{heading[at]} (column {at + 1})" for at in best)
            unless = "" if role in ROLES[:2] else f", or {role}={NONE}"
            told = f"{path}: which column is the {role}: {these}? Say --columns {role}=NAME{unless}"
            raise Unclear(told, heading, len(heading))
        if best:
            found[role] = best[0]
    return found


def _by_place(rows: Sequence[Sequence[str]], places: Mapping[str, int | None], path: Path) -> dict[str, int]:
    """Without a heading: user and item stand first; a third and fourth column say by their numbers what they are."""
    width = len(rows[0])
    if {"user", "item"} <= places.keys():
        return {}
    rest = [[row[at] for row in rows if len(row) == width] for at in range(2, width)]
    if width > 4 or not all(_is_number(cell) or is_moment(cell) for column in rest for cell in column if cell):
        raise Unclear(
            f"{path} has no heading, and not just user, item, rating and time; say which column is what: "
            "--columns user=1 item=2", (), width,
        )  # fmt: skip
    late = [at for at, column in enumerate(rest, start=2) if all(is_moment(cell) for cell in column if cell)]
    order = ["rating", "time"] if late != [2] else ["time", "rating"]
    return {role: at for at, role in enumerate(["user", "item", *order][:width]) if role not in places}


def _asked(role: str, name: str, heading: tuple[str, ...], width: int, path: Path) -> int | None:
    if role not in ROLES:
        raise UserError(f"columns names {role!r}, but must name one of {', '.join(ROLES)}")
    if heading.count(name) == 1:
        return heading.index(name)
    if name == NONE and role in ROLES[2:]:
        return None
    if name.isascii() and name.isdigit() and len(name) < 4 and 1 <= int(name) <= width:
        return int(name) - 1
    if name in heading:
        raise UserError(f"{path} has {heading.count(name)} columns {name[:60]!r}; say which by its number, from 1")
    among = ", ".join(heading) or f"1 to {width}"
    raise UserError(f"{path} has no column {name[:60]!r}; choose from {among}")
