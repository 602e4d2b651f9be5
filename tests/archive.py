"""An archive with the files and the form of ml-100k.zip, of people who never were."""

from __future__ import annotations

import zipfile
from pathlib import Path

USERS, ITEMS, EACH = 60, 40, 20


def archive(path: Path) -> Path:
    """`USERS` people, each of whom rates `EACH` of `ITEMS` films."""
    rated = [(user, 1 + (user * 7 + 3 * turn) % ITEMS, turn) for user in range(1, USERS + 1) for turn in range(EACH)]
    data = "".join(f"{u}\t{i}\t{1 + (u * i) % 5}\t{880_000_000 + 1000 * u + t}\n" for u, i, t in rated)
    films = "".join(
        f"{i}|Film {i} (1995)|01-Jan-1995||http://nowhere|{'|'.join('1' if g == i % 19 else '0' for g in range(19))}\n"
        for i in range(1, ITEMS + 1)
    )
    people = "".join(f"{u}|{20 + u % 40}|{'MF'[u % 2]}|student|00000\n" for u in range(1, USERS + 1))
    with zipfile.ZipFile(path, "w") as pack:
        for name, text in (("u.data", data), ("u.item", films), ("u.user", people)):
            pack.writestr(f"ml-100k/{name}", text)
    return path
