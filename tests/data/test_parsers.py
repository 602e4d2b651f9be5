"""Files as their publishers write them, and every way in which one can be wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from recprivlib.data.frappe import frappe
from recprivlib.data.movielens import core, ml_1m, ml_20m, ml_100k
from recprivlib.data.text import integer_rows
from recprivlib.parameters import UserError

ITEM = "1|Toy Story (1995)|01-Jan-1995||url" + "|0" * 19
ITEMS_100K = "\n".join([ITEM, ITEM.replace("1|", "2|", 1), ITEM.replace("1|", "5|", 1), ""])
FILES_100K = {"u.data": "2\t5\t4\t30\n1\t2\t3\t20\n1\t1\t5\t20\n1\t5\t1\t10\n", "u.item": ITEMS_100K,
              "u.user": "1|24|M|writer|85711\n2|53|F|other|94043\n"}  # fmt: skip
FILES_1M = {"ratings.dat": "1::5::4::30\n1::2::3::20\n", "movies.dat": "2::Jumanji (1995)::Adventure|Children's\n"
            "5::Café (1995)::Comedy\n", "users.dat": "1::F::18::10::48067\n"}  # fmt: skip
FRAPPE = {
    "frappe.csv": "user\titem\t" + "\t".join("abcdefghi") + "\n" + ("0\t1" + "\tx" * 9 + "\n") * 2 + "1\t0" + "\tx" * 9,
    "meta.csv": "item\tpackage\tcategory" + "\tx" * 9 + "\n0\tcom.a\tTools" + "\tx" * 9 + "\n1\tcom.b\tSocial"
    + "\tx" * 9 + "\n",
}  # fmt: skip


def written(folder: Path, files: dict[str, str], encoding: str = "latin-1") -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding)
    return folder


def test_rows_come_in_canonical_order_and_items_in_the_order_of_their_file(tmp_path: Path) -> None:
    data, titles = ml_100k(written(tmp_path, FILES_100K))
    assert (data.users.tolist(), data.items.tolist()) == ([0, 0, 0, 1], [2, 0, 1, 2])  # by (user, time, item)
    assert (data.ratings.tolist(), data.times.tolist()) == ([1, 5, 3, 4], [10, 20, 20, 30])
    assert [a.dtype for a in (data.users, data.items, data.ratings, data.times)] == ["i4", "i4", "f4", "i8"]
    assert titles == ("Toy Story (1995)",) * 3
    assert data.user_features["occupation"].tolist() == ["writer", "other"]
    with pytest.raises(ValueError, match="read-only"):
        data.ratings[0] = 2


def test_a_line_of_column_names_and_escaped_letters_change_nothing(tmp_path: Path) -> None:
    files = FILES_100K | {"u.item": "movie id" + "|x" * 23 + "\n" + ITEMS_100K.replace("Toy", r"Caf\E9")}
    assert ml_100k(written(tmp_path, files))[1][0] == "Café Story (1995)"


def test_a_copy_that_somebody_saved_in_utf_8_is_read_as_what_it_is(tmp_path: Path) -> None:
    """Read as Latin-1 it said "MisÃ©rables"."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    files = FILES_100K | {"u.item": ITEMS_100K.replace("Toy Story", "Misérables")}
    as_published = ml_100k(written(tmp_path / "one", files, "latin-1"))[1]
    assert ml_100k(written(tmp_path / "two", files, "utf-8"))[1] == as_published
    assert as_published[0] == "Misérables (1995)"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("movieId,title,genres\n1,Café,Comedy\n".encode("latin-1"), r"movies\.csv, line 2: this is no text in UTF-8"),
        (bytes(range(256)), r"movies\.csv, line \d+: this is no text in UTF-8"),
        (b"movieId,title,genres\n" + b"9" * 5000 + b",A,Comedy\n", r"movies\.csv, line 2: the movie id is '9999"),
        ("movieId,title,genres\n٥,A,Comedy\n".encode(), r"movies\.csv, line 2: the movie id is '٥'"),
    ],
    ids=["Latin-1", "binary", "5,000 digits", "other digits"],
)
def test_ml_20m_with_another_kind_of_film_file_is_said(tmp_path: Path, body: bytes, said: str) -> None:
    (tmp_path / "movies.csv").write_bytes(body)
    (tmp_path / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,1,3.0,5\n")
    with pytest.raises(UserError, match=said):
        ml_20m(tmp_path)


def test_windows_line_ends_and_a_missing_last_newline_are_read(tmp_path: Path) -> None:
    files = FILES_1M | {"ratings.dat": FILES_1M["ratings.dat"].replace("\n", "\r\n").rstrip()}
    data, titles = ml_1m(written(tmp_path, files))
    assert data.items.tolist() == [0, 1]
    assert titles[1] == "Café (1995)"
    assert data.user_features["occupation"].tolist() == ["K-12 student"]


def test_all_contexts_of_a_frappe_pair_are_one_interaction(tmp_path: Path) -> None:
    data, titles = frappe(written(tmp_path, FRAPPE))
    assert list(zip(data.users.tolist(), data.items.tolist(), strict=True)) == [(0, 1), (1, 0)]
    assert (data.grid, set(data.ratings), set(data.times), titles) == (None, {1.0}, {0}, ("com.a", "com.b"))


BAD_LINES = [
    ("u.data", "1\t2\t3\t20", "1\t2\t3", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t2\t\t20", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\tx\t3\t20", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t2\t3.5\t20", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t2\t3\t99999999999", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t2\t3\t2147483648", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20\n1\t1\t5", "1\t2\t3\n20\t1\t1\t5", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t5\t1\t10\n", "1\t5\t1", "line 4: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t2\t6\t20", "line 2: the rating is 6, but must be one of 1, 2, 3, 4, 5"),
    ("u.data", "1\t2\t3\t20", "1\t2\t0\t20", "line 2: the rating is 0, but must be one of 1, 2, 3, 4, 5"),
    ("u.data", "1\t2\t3\t20", "1\t5\t3\t20", "line 4: this user has rated this item before"),
    ("u.data", "1\t2\t3\t20", "1\t3\t3\t20", "line 2: there is no movie 3 in the movie file"),
    ("u.data", "1\t2\t3\t20", "9\t2\t3\t20", "line 2: there is no user 9 in the user file"),
    ("u.data", "1\t2\t3\t20", f"1\t{'9' * 5000}\t3\t20", "line 2: expected user, item, rating and time"),
    ("u.data", "1\t2\t3\t20", "1\t00000000002\t3\t20", "line 2: expected user, item, rating and time"),
    ("u.user", "53", "2000000000", "line 2: the age is '2000000000', but must be a whole number from 0 to 150"),
    ("u.user", "2|53", f"{'9' * 5000}|53", "line 2: the user id is '9999"),
    ("u.user", "53", "?", r"line 2: the age is '\?', but must be a whole number"),
    ("u.user", "|94043", "", "line 2: expected 5 fields, found 4"),
    ("u.item", "2|Toy", "Toy", "line 2: expected 24 fields, found 23"),
    ("u.item", "2|Toy", "two|Toy", "line 2: the movie id is 'two'"),
]


@pytest.mark.parametrize(("file", "good", "bad", "message"), BAD_LINES)
def test_a_bad_line_is_an_error_that_names_file_and_line(
    tmp_path: Path, file: str, good: str, bad: str, message: str
) -> None:
    assert good in FILES_100K[file]
    written(tmp_path, FILES_100K | {file: FILES_100K[file].replace(good, bad)})
    with pytest.raises(UserError, match=f"{file}, {message}"):
        ml_100k(tmp_path)


@pytest.mark.parametrize("file", FILES_100K)
def test_an_empty_file_is_an_error_that_names_it(tmp_path: Path, file: str) -> None:
    written(tmp_path, FILES_100K | {file: ""})
    with pytest.raises(UserError, match=rf"{file} is empty"):
        ml_100k(tmp_path)


def test_a_bad_line_is_named_behind_the_first_block_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recprivlib.data.text.BLOCK", 20)
    path = tmp_path / "u.data"
    path.write_text("".join(f"{n}\t1\t3\t7\n" for n in range(50)))
    assert integer_rows(path, b"\t\t\t\n")[:, 0].tolist() == list(range(50))
    path.write_text("".join(f"{n}\t1\t{'x' if n == 41 else 3}\t7\n" for n in range(50)))
    with pytest.raises(UserError, match="line 42"):
        integer_rows(path, b"\t\t\t\n")


def test_an_unknown_genre_or_occupation_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'Opera'"):
        ml_1m(written(tmp_path, FILES_1M | {"movies.dat": "2::A::Opera\n5::B::Comedy\n"}))
    with pytest.raises(UserError, match=r"users\.dat, line 1: the occupation is '21'"):
        ml_1m(written(tmp_path, FILES_1M | {"users.dat": "1::F::18::21::48067\n"}))


def test_ml_20m_is_read_with_half_stars_quoted_titles_and_the_filter(tmp_path: Path) -> None:
    movies = (
        "movieId,title,genres\n"
        '10,"Postino, Il (1994)",Comedy|IMAX\n20,"A ""B"" (1)",Children\n30,C,(no genres listed)\n'
    )
    seen = [(1, 10), (1, 20), (2, 10), (2, 20), (3, 10), (3, 30)]
    rows = "".join(f"{u},{i},{0.5 * u:.1f},{100 * u - i}\n" for u, i in seen)
    written(tmp_path, {"movies.csv": movies, "ratings.csv": "userId,movieId,rating,timestamp\n" + rows}, "utf-8")
    everything, titles = ml_20m(tmp_path, least=1)
    assert (everything.n_users, everything.n_items, len(everything)) == (3, 3, 6)
    assert everything.ratings.tolist() == [0.5, 0.5, 1, 1, 1.5, 1.5]
    assert titles == ("Postino, Il (1994)", 'A "B" (1)', "C")
    # film 30 has one viewer; without it user 3 has one film: both go, in two rounds
    kept, titles = ml_20m(tmp_path, least=2)
    assert (kept.n_users, kept.n_items, len(kept), titles) == (2, 2, 4, ("Postino, Il (1994)", 'A "B" (1)'))
    assert kept.item_features["genres"].sum(axis=1).tolist() == [1, 1]
    with pytest.raises(UserError, match="at least 60"):
        ml_20m(tmp_path)
    written(tmp_path, {"ratings.csv": "userId,movieId,rating,timestamp\n1,10,3,5\n"})
    with pytest.raises(UserError, match=r"ratings\.csv, line 2: expected user,item,rating,time with a rating like 3.5"):
        ml_20m(tmp_path)


def test_the_core_is_a_fixed_point() -> None:
    from recprivlib.data import load

    data = load("synthetic", users=300, items=400).interactions
    kept, items = core(data, 25)
    assert 0 < kept.n_users < 300
    assert np.bincount(kept.users).min() >= 25
    assert np.bincount(kept.items).min() >= 25
    assert len(items) == kept.n_items
