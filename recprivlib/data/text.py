"""Rating files as arrays. Whatever is wrong with a file is said with its name and line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from recprivlib.parameters import UserError

Array = np.ndarray
BLOCK = 1 << 24  # bytes read at once, so that a file of half a gigabyte needs little memory
LARGEST = 2**31 - 1  # no identifier or time of these data sets is larger
WIDEST = 10  # digits of it


def integer_rows(path: Path, between: bytes, header: bool = False) -> Array:
    """The whole numbers of a file whose every line is `between` with one number before each of its bytes.

    `between` ends with the newline: b"\\t\\t\\t\\n" is four columns with tabs. "::" is read as a tab.
    """
    parts, line = [], 1
    with path.open("rb") as file:
        if header:
            file.readline()
            line = 2
        while block := file.read(BLOCK):
            block += file.readline()
            rows = _rows(path, block, between, line)
            parts.append(rows)
            line += len(rows)
    if not parts:
        raise UserError(f"{path} is empty")
    return np.concatenate(parts)


def _rows(path: Path, block: bytes, between: bytes, line: int) -> Array:
    text = block.replace(b"\r\n", b"\n").replace(b"::", b"\t")
    if not text.endswith(b"\n"):
        text += b"\n"
    letters = np.frombuffer(text, np.uint8)
    gaps = np.flatnonzero((letters < ord("0")) | (letters > ord("9")))
    columns = len(between)
    regular = (
        len(gaps) % columns == 0
        and (letters[gaps].reshape(-1, columns) == np.frombuffer(between, np.uint8)).all()
        and np.diff(gaps, prepend=-1).min() > 1  # no empty field
        and np.diff(gaps, prepend=-1).max() <= WIDEST + 1
    )
    if regular:
        rows = np.fromstring(text.translate(bytes.maketrans(between, b" " * columns)), np.int64, sep=" ")
        if rows.max() <= LARGEST:
            return rows.astype(np.int32).reshape(-1, columns)
    raise _first_bad_line(path, text, between, line)


def _first_bad_line(path: Path, text: bytes, between: bytes, line: int) -> UserError:
    for number, row in enumerate(text[:-1].split(b"\n"), start=line):
        fields, marks = [b""], b""
        for letter in row + b"\n":
            if ord("0") <= letter <= ord("9"):
                fields[-1] += bytes([letter])
            else:
                fields.append(b"")
                marks += bytes([letter])
        if marks != between or not all(0 < len(f) <= WIDEST and int(f) <= LARGEST for f in fields[:-1]):
            shown = row[:60].decode("latin-1")
            return UserError(f"{path}, line {number}: expected {_form(between)}, found {shown!r}")
    raise AssertionError("a block was refused, but every line of it is good")


def _form(between: bytes) -> str:
    names = {b"\t\t\t\n": "user, item, rating and time, all whole numbers"}
    return names.get(between, "user,item,rating,time with a rating like 3.5")


def table(path: Path, separator: str, columns: int, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]]]:
    """(line number, fields) of a text file whose every line has that many columns."""
    lines = text_of(path, encoding).split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if not lines:
        raise UserError(f"{path} is empty")
    for number, line in enumerate(lines, start=1):
        fields = line.removesuffix("\r").split(separator)
        if len(fields) != columns:
            raise UserError(f"{path}, line {number}: expected {columns} fields, found {len(fields)}: {line[:60]!r}")
        yield number, fields


def text_of(path: Path, encoding: str = "utf-8") -> str:
    """A file's text. What is written in UTF-8 is read so, also where the publisher writes Latin-1."""
    body = path.read_bytes()
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        if encoding == "utf-8":
            line = body.count(b"\n", 0, error.start) + 1
            raise UserError(f"{path}, line {line}: this is no text in UTF-8") from None
    return body.decode(encoding)


def whole(path: Path, line: int, what: str, text: str, low: int = 0, high: int = LARGEST) -> int:
    """The whole number in a field, or an error naming file and line."""
    if text.isascii() and text.isdigit() and len(text) <= WIDEST and low <= int(text) <= high:
        return int(text)
    raise UserError(f"{path}, line {line}: the {what} is {text!r}, but must be a whole number from {low} to {high}")
