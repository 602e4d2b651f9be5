"""A reader's own file: what its columns are taken for, and what is wrong with it, said in one sentence."""

from pathlib import Path

import numpy as np
import pytest

from recprivlib.cli import main
from recprivlib.data import load
from recprivlib.data.columns import guessed
from recprivlib.evaluation import split
from recprivlib.parameters import UserError


def written(folder: Path, text: str, name: str = "mine.csv") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "userId,movieId,rating,timestamp\n7,b,4,30\n7,a,5,20\n12,b,1,10\n",
        "userId;movieId;rating;timestamp\r\n7;b;4;30\r\n7;a;5;20\r\n12;b;1;10\r\n",
        "\ufeffTimestamp\tMovie ID\tStars\tUser ID\n30\tb\t4\t7\n20\ta\t5\t7\n10\tb\t1\t12\n",
        "7::b::4::30\n7::a::5::20\n12::b::1::10\n",
        "7,b,4,30\n7,a,5,20\n12,b,1,10",
        '"user","item","rating","time"\n"7","b","2","30"\n"7","a","5","20"\n"7","b","4","30"\n"12","b","1","10"\n',
    ],
)
def test_one_data_set_however_it_is_written(tmp_path, text):
    data = load(written(tmp_path, text))
    x = data.interactions
    assert (x.n_users, x.n_items, data.titles, x.grid) == (2, 2, ("a", "b"), (1.0, 4.0, 5.0))
    assert x.users.tolist() == [0, 0, 1]  # 7 before 12: numbers are ordered as numbers
    assert x.items.tolist() == [0, 1, 1]  # by time
    assert x.ratings.tolist() == [5, 4, 1]
    assert x.times.tolist() == [20, 30, 10]


def test_without_ratings_or_with_counts_feedback_is_implicit(tmp_path):
    assert load(written(tmp_path, "reader,book\nanna,x\nanna,y\nbob,x\n")).interactions.grid is None
    counts = "user,item,count\n" + "\n".join(f"u{n},i{n % 3},{n}" for n in range(30))
    x = load(written(tmp_path, counts)).interactions
    assert x.grid is None
    assert (x.ratings == 1).all()


def test_what_the_headings_leave_open_is_asked_for_and_can_be_said(tmp_path):
    path = written(tmp_path, "who,thing,mark\nanna,x,2\nbob,y,3\n")
    with pytest.raises(UserError, match=r"which column is the item\? There are who, thing, mark; say"):
        load(path)
    data = load(path, columns={"item": "thing", "rating": "3"})
    assert data.interactions.grid == (2.0, 3.0)
    assert data.source == "mine.csv: user = who, item = thing, rating = mark"
    assert str(guessed("1,2\n", Path("x"))) == "user = column 1, item = column 2"


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "is empty"),
        ("user,item\n", "holds no rows"),
        ("nothing\nhere\n", "a line needs a user and an item"),
        (
            "user,item,rating\na,b,good\n",
            r"1 of 1 rows .*: 1 with a rating that is no number \(line 2: 'good'",
        ),
        ("user,item,rating\na,b,nan\n", r"1 with no rating \(line 2: 'nan'\)"),
        ("user,item,rating\na,b,1\na,,1\n", r"1 of 2 rows cannot be read: 1 with no item \(line 3\); .* --skip-bad"),
        ("user,item,rating\na,b,1\na\n", r"1 with fewer than 3 fields \(line 3\)"),
        ('user,item\n"a,b\n', r"1 with a quote that does not close, or stands alone \(line 2\)"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, words):
    with pytest.raises(UserError, match=words):
        load(written(tmp_path, text))


@pytest.mark.parametrize("columns", [{"stars": "a"}, {"user": "nobody"}, {"user": "9"}, {"user": "1", "item": "1"}])
def test_nonsense_about_columns_is_refused(tmp_path, columns):
    with pytest.raises(UserError, match=r"columns names|no column|two things"):
        load(written(tmp_path, "user,item\na,b\n"), columns=columns)


def test_files_that_are_not_there_or_no_archive_are_said(tmp_path):
    with pytest.raises(UserError, match=r"cannot read .*gone\.csv: No such file"):
        load(str(tmp_path / "gone.csv"))
    with pytest.raises(UserError, match="is no zip archive"):
        load(written(tmp_path, "no zip", "x.zip"))
    with pytest.raises(UserError, match="ml-100k has its own form"):
        load("ml-100k", columns={"user": "a"})


def test_the_archive_as_published_is_the_data_set_itself(tmp_path):
    import zipfile

    rows = "\n".join(f"{1 + n % 5}\t{1 + n // 5}\t{1 + n % 5}\t{n}" for n in range(15))
    people = "\n".join(f"{n}|30|F|writer|00000" for n in range(1, 6))
    films = "\n".join(f"{n}|Film {n}|||" + "|0" * 18 + "|1" for n in range(1, 4))
    with zipfile.ZipFile(tmp_path / "any.zip", "w") as archive:
        for name, text in {"u.data": rows, "u.user": people, "u.item": films}.items():
            archive.writestr(f"ml-100k/{name}", text)
    data = load(str(tmp_path / "any.zip"))
    assert (data.name, data.interactions.n_users, data.titles[0]) == ("ml-100k", 5, "Film 1")
    assert "genres" in data.interactions.item_features


def test_it_is_run_like_any_other(tmp_path, capsys):
    made = load("synthetic", users=60, items=50).interactions
    rows = zip(made.users, made.items, made.ratings, made.times, strict=True)
    path = written(tmp_path, "uid,film,stars,ts\n" + "\n".join(f"{u},{i},{r:g},{t}" for u, i, r, t in rows))
    same = load(path).interactions
    assert np.array_equal(same.users, made.users)
    assert len(split(same, "loo-latest")) == 1
    assert main(["run", "dplcf-sp", "--data", path]) == 0
    said = capsys.readouterr()
    assert "dplcf-sp on mine, loo-latest" in said.out
    assert "user = uid, item = film, rating = stars, time = ts: 60 users" in said.err
    assert main(["run", "popularity", "--data", path, "--columns", "item"]) == 2
