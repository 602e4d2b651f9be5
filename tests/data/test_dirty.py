"""Rows that cannot be read: one summary of all of them, or all others with `--skip-bad`. Nothing is left out unsaid."""

from __future__ import annotations

import json
import re

import pytest

from recprivlib.cli import main
from recprivlib.data import load
from recprivlib.parameters import UserError

GOOD = [f"u{n % 7},i{n % 11},{1 + n % 5},{1_600_000_000 + n}" for n in range(60)]
BAD = [
    ("u1,,3,1600000000", "with no item", ""),
    (",i1,3,1600000000", "with no user", ""),
    ("NULL,i1,3,1600000000", "with no user", "NULL"),
    ("u1,i1,3", "with fewer than 4 fields", ""),
    ("u1,The Good, the Bad,3,1600000000", "with more than 4 fields", "1600000000"),
    ("u1,i1,good,1600000000", "with a rating that is no number", "good"),
    ("u1,i1,,1600000000", "with no rating", ""),
    ("u1,i1,inf,1600000000", "with an infinite or enormous rating", "inf"),
    ("u1,i1,3,", "with no time", ""),
    ("u1,i1,3,yesterday", "with a time that is neither a number nor a date like 2024-01-31", "yesterday"),
    ("u1,i1,3,1.60E+09", "with a time that a spreadsheet has rounded", "1.60E+09"),
    ("u1,i1,3,-1", "with a time before 1970", "-1"),
    ("u1,i1,3,9999999999", "with a time in the future", "9999999999"),
    ("u1,i1,3,1600000000000", "with a time in the future", "1600000000000"),
    ("u1,i1,3,2024-01-31", "with a time in another form than most", "2024-01-31"),
    ('u1,"i1,3,1600000000', "with a quote that does not close, or stands alone", ""),
    ('u1,"Weird" Al,3,1600000000', "with a quote that does not close, or stands alone", ""),
    ("user,item,rating,time", "like the heading", ""),
    ("1.23E+12,i1,3,1600000000", "with a user that a spreadsheet has rounded", "1.23E+12"),
    ('u1,"i\n1",3,1600000000', "with a line break in the item", "i\n1"),
]


def written(tmp_path, lines, name="mine.csv"):
    path = tmp_path / name
    path.write_text("\n".join(["user,item,rating,time", *lines]) + "\n")
    return str(path)


@pytest.mark.parametrize(("line", "kind", "shown"), BAD, ids=[line[:30] for line, _, _ in BAD])
def test_a_bad_row_is_said_by_kind_and_line_and_the_others_stay(tmp_path, line, kind, shown):
    path = written(tmp_path, [*GOOD[:30], line, *GOOD[30:]])
    what = f": {shown!r}" if shown else ""
    with pytest.raises(UserError, match=re.escape(f"1 of 61 rows cannot be read: 1 {kind} (line 32{what}); mend them")):
        load(path)
    data = load(path, skip_bad=True)
    assert data.checksum == load(written(tmp_path, GOOD, "clean.csv")).checksum
    assert f"1 of 61 rows were left out: 1 {kind} (line 32{what})" in data.notes


def test_many_bad_rows_are_one_sentence_with_the_first_line_of_each_kind(tmp_path):
    path = written(tmp_path, [*GOOD, *(line for line, _, _ in BAD), *(line for line, _, _ in BAD)])
    with pytest.raises(UserError) as refusal:
        load(path)
    said = str(refusal.value)
    assert f"{2 * len(BAD)} of {60 + 2 * len(BAD)} rows cannot be read" in said
    assert "2 with no item (first in line 62)" in said
    assert "4 with no user (first in line 63)" in said
    assert "4 with a time in the future (first in line 74: '9999999999')" in said
    told = said.partition("read: ")[2]
    assert {kind for _, kind, _ in BAD} == set(re.findall(r"\d+ ([a-z].*?) \((?:first in )?line", told))
    assert sum(map(int, re.findall(r"(\d+) [a-z][a-zA-Z0-9, '-]* \((?:first in )?line", told))) == 2 * len(BAD)
    assert load(path, skip_bad=True).checksum == load(written(tmp_path, GOOD, "clean.csv")).checksum


def test_bytes_that_are_no_utf_8_are_a_kind_of_their_own_where_the_rest_is(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("user,item\nå,x\n".encode() + b"b,\xe9t\xe9\n")
    with pytest.raises(UserError, match=r"1 with bytes that are no UTF-8 \(line 3: 'été'\)"):
        load(str(path))
    path.write_bytes(b"user,item\na,x\nb,\xe9t\xe9\n")
    assert load(str(path)).titles == ("x", "été"), "all of it in Latin-1: it is read so"
    assert "Windows-1252" in load(str(path)).notes[0]


def test_an_open_quote_takes_nothing_along(tmp_path):
    """The lines that it would swallow are read anew, thousands of times too."""
    lines = [f'u{n},"i{n},3,1600000000' if n % 2 else f"u{n},i{n},3,1600000000" for n in range(20_000)]
    with pytest.raises(
        UserError, match=r"10,000 of 20,000 rows cannot be read: 10,000 with a quote that does not close"
    ):
        load(written(tmp_path, lines))
    assert len(load(written(tmp_path, lines), skip_bad=True).interactions) == 10_000


def test_a_file_without_one_good_row_is_refused_even_then(tmp_path):
    path = written(tmp_path, ["a,b,good,3", "a,c,bad,4"])
    with pytest.raises(UserError, match=r"2 of 2 rows cannot be read.*say what its columns are with --columns"):
        load(path, skip_bad=True)


def test_every_verb_that_takes_data_skips_bad_rows_and_takes_columns(tmp_path, capsys):
    people = [f"u{n},i{(n * k) % 23},{1 + k % 5},{1_600_000_000 + 50 * n + k}" for n in range(30) for k in range(1, 9)]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,c,d", *people, "u1,,3,1", "u2,i1,3,1,2"]))
    path, out = str(tmp_path / "mine.csv"), str(tmp_path / "out.csv")
    verbs = (["run", "popularity", "--data", path], ["data", path],
             ["sweep", "popularity", "--data", path, "synthetic", "--users", "30", "--items", "150",
              "--out", out])  # fmt: skip
    columns = ["--columns", "user=a", "item=b", "--columns", "rating=c", "time=d"]
    for verb in verbs:
        assert main(verb) == 2
        assert "which column is the user?" in capsys.readouterr().err
        assert main([*verb, *columns]) == 2
        err = capsys.readouterr().err
        assert (
            "2 of 242 rows cannot be read: 1 with no item (line 242), 1 with more than 4 fields (line 243: '2')" in err
        )
        assert main([*verb, *columns, "--skip-bad"]) == 0, capsys.readouterr().err
        err = capsys.readouterr().err
        assert "note: " in err
        assert "2 of 242 rows were left out" in err
        assert "rows merged with another of the same user and item" in err
        assert main([*verb, *columns, "user=b"]) == 2
        assert "--columns gives user twice: a and b" in capsys.readouterr().err
    assert main(["data", path, *columns, "--skip-bad", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["users"], found["span"]) == (30, "2020-09-13 to 2020-09-13")
    assert any("left out" in note for note in found["notes"])
    for verb in (["run", "popularity"], ["data"], ["data", "synthetic"], ["sweep", "popularity", "--out", out]):
        assert main([*verb, "--skip-bad"]) == 2
        assert "of your own" in capsys.readouterr().err
