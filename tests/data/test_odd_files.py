"""Tables as spreadsheets, shops and databases write them: each is read as it was meant, or refused in a sentence."""

from __future__ import annotations

import pytest

from recprivlib.data import load
from recprivlib.parameters import UserError

HEAD = "user,item,rating\n"
APRIL = [1112486027, 1112486028]
READ = {  # what is in the file -> what it must be read as: (users, titles, ratings, times), and a word of its notes
    "bom": ("\ufeffuser,item,rating\na,x,1\nb,y,2\n", (2, ("x", "y"), [1, 2], None), ""),
    "utf-16": ((HEAD + "å,é,1\nb,y,2\n").encode("utf-16"), (2, ("y", "é"), [2, 1], None), ""),
    "utf-16 of a Mac": ("\ufeffuser,item\nå,é\n".encode("utf-16-be"), (1, ("é",), [1], None), ""),
    "utf-32": ((HEAD + "a,é,1\nb,y,2\n").encode("utf-32"), (2, ("y", "é"), [1, 2], None), ""),
    "latin-1": ((HEAD + "å,x,1\nb,é,2\n").encode("latin-1"), (2, ("x", "é"), [2, 1], None), "Windows-1252"),
    "decimal commas": ("user;item;rating\na;x;4,5\nb;y;3,0\n", (2, ("x", "y"), [4.5, 3], None), "decimal point"),
    "decimals": (HEAD + "a,x,4.1\nb,y,3.3\n", (2, ("x", "y"), [4.1, 3.3], None), ""),
    "tabs, and commas in titles": ("user\titem\na\tx, y\nb\tz\n", (2, ("x, y", "z"), [1, 1], None), ""),
    "bars": ("user|item|rating\na|x|1\nb|y|2\n", (2, ("x", "y"), [1, 2], None), ""),
    "sep=": ("sep=;\r\nuser;item\r\na;x,y,z\r\n", (1, ("x,y,z",), [1], None), ""),
    "lines of an old Mac": ("user,item\ra,x\rb,y\r", (2, ("x", "y"), [1, 1], None), ""),
    "blank before a quote": (HEAD + 'a, "x, y", 1\nb, z, 2\n', (2, ("x, y", "z"), [1, 2], None), ""),
    "inches": (HEAD + 'a,7" single,1\nb,y,2\n', (2, ('7" single', "y"), [1, 2], None), ""),
    "quotes doubled": (HEAD + 'a,"7"" single",1\nb,y,2\n', (2, ('7" single', "y"), [1, 2], None), ""),
    "comment over lines": (HEAD[:-1] + ',text\na,x,1,"so\nso"\nb,y,2,ok\n', (2, ("x", "y"), [1, 2], None), ""),
    "empty lines": ("\n\nuser,item\n\na,x\n,\nb,y\n\n", (2, ("x", "y"), [1, 1], None), ""),
    "empty columns at the end": ("user,item\na,x,,\nb,y\n", (2, ("x", "y"), [1, 1], None), ""),
    "index of pandas": (",user,item,rating\n0,a,x,5\n1,b,y,3\n", (2, ("x", "y"), [5, 3], None), ""),
    "no heading, time third": ("7,1,1112486027\n8,2,1112486028\n", (2, ("1", "2"), [1, 1], APRIL), ""),
    "no heading, swapped": ("7,1,1112486027,4\n8,2,1112486028,5\n", (2, ("1", "2"), [4, 5], APRIL), ""),
    "no heading, dates": ("a,x,5,1970-01-02\nb,y,4,2020-01-02\n", (2, ("x", "y"), [5, 4], [86400, 1577923200]), "UTC"),
    "counted from 0": ("0,1,2\na,x,5\nb,y,3\n", (3, ("1", "x", "y"), [2, 5, 3], None), "(0, 1, 2) is taken for a row"),
    "blanks round names": (HEAD + " a , x ,1\na\u00a0,y,2\n", (1, ("x", "y"), [1, 2], None), ""),
    "leading zeros": (HEAD + "007,x,1\n7,y,2\n", (2, ("x", "y"), [1, 2], None), ""),
    "huge numbers": (HEAD + f"{10**20},x,1\n{10**20 + 1},y,2\n", (2, ("x", "y"), [1, 2], None), ""),
    "ids as floats": (HEAD + "7.0,x,1\n7,y,2\n", (2, ("x", "y"), [2, 1], None), "count apart: 1, like '7' and '7.0'"),
    "capitals": (HEAD + "Anna,x,1\nanna,y,2\n", (2, ("x", "y"), [1, 2], None), "'Anna' and 'anna'"),
    "accents": (HEAD + "e\u0301va,x,1\n\u00e9va,y,2\n", (2, ("x", "y"), [1, 2], None), "count apart: 1"),
    "a line that only Unicode breaks": (HEAD + "a,x\u2028y,1\nb,z,2\n", (2, ("x\u2028y", "z"), [1, 2], None), ""),
    "a shop": ("customer_id,sku,ts\na,x,1112486027\nb,y,1112486028\n", (2, ("x", "y"), [1, 1], APRIL), ""),
    "another": ("Client ID;Product;created_at\na;x;1970-01-02\nb;y;1970-01-03\n",
                (2, ("x", "y"), [1, 1], [86400, 172800]), "all times lie in 1970"),
    "ids and titles": ("userId,movieId,title,rating\na,3,Alien,5\nb,4,Aliens,4\n", (2, ("3", "4"), [5, 4], None), ""),
    "counts": ("user,item,plays\n" + "".join(f"u,i{n:02},{n}\n" for n in range(30)),
               (1, tuple(f"i{n:02}" for n in range(30)), [1] * 30, None), "too many for stars"),
}  # fmt: skip
REFUSED = {  # what is in the file -> a word of the refusal
    "utf-16 without its mark": ("user,item\na,x\n".encode("utf-16-le"), "save it as UTF-8"),
    "utf-16, cut short": ("user,item\na,x\n".encode("utf-16")[:-1], "begins as UTF-16 and is cut short"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "holds zero bytes"),
    "blanks": ("7 1 4 30\n8 2 3 40\n", "with a comma, semicolon or tab"),
    "thousands": ("user;item;rating\na;x;1,234\nb;y;3,0\n", "a rating that is no number (line 2: '1,234')"),
    "decimal commas between commas": (HEAD + "a,x,4,5\nb,y,3,0\n", "2 with more than 3 fields (first in line 2: '5')"),
    "no heading, names": ("anna,Alien\nbob,Aliens\n", "if it is a row, --columns user=1 item=2"),
    "no heading, five columns": ("1,2,3,4,5\n2,3,4,5,6\n", "no heading, and not just user, item, rating and time"),
    "no heading, title third": ("1,2,Toy Story,5\n2,3,Alien,4\n", "no heading, and not just"),
    "one heading twice": ("user,item,item\na,x,y\n", "which column is the item: item (column 2) or item (column 3)?"),
    "two times": ("user,item,date,timestamp\na,x,2020-01-01,3\n",
                  "date (column 3) or timestamp (column 4)? Say --columns time=NAME, or time=none"),
    "two ratings": ("user,item,stars,score\na,x,2,3\n", "which column is the rating"),
    "heading again": ("user,item\na,x\nuser,item\nb,y\n", "1 like the heading (line 3)"),
    "a comma in a title": ("user,item\na,Good, the Bad\nb,y\n", "1 with more than 2 fields (line 2: 'the Bad')"),
    "an open quote": (HEAD + 'a,"x,1\nb,y,2\nc,z,3\n', "1 of 3 rows cannot be read: 1 with a quote that does not"),
    "a quote that closes later": (HEAD[:-1] + ',text\na,x,1,"bad\nb,y,2,fine\nc,z,3,"good"\n', "1 of 3 rows"),
    "American dates": ("user,item,date\na,x,01/02/2024\nb,y,12/31/2024\n", "neither a number nor a date like"),
    "days of a spreadsheet": ("user,item,date\na,x,45321.5\nb,y,45322.25\n", "a spreadsheet's own count of days"),
    "no such day": ("user,item,date\na,x,20240131\nb,y,20240228\nb,z,20241399\n", "no date (line 4: '20241399')"),
    "two units": ("user,item,ts\na,x,1112486027\nb,y,1112486028\nc,y,1112486028000\n", "in the future (line 4"),
    "rounded names": (HEAD + "1.23E+12,x,1\n1.23E+12,y,2\n", "a user that a spreadsheet has rounded"),
    "digits of another script": (HEAD + "a,x,٣\nb,y,2\n", "no number (line 2: '٣')"),
    "stars": (HEAD + "a,x,★★★\nb,y,2\n", "no number (line 2: '★★★')"),
    "a matrix": ("user,a,b,c\nanna,1,0,1\nbob,0,1,1\n", "which column is the item?"),
    "JSON lines": ('{"user": "a", "item": "x"}\n{"user": "b", "item": "y"}\n', "which column is the user?"),
    "a comment above": ("# exported, 2024\nuser,item,rating\na,x,1\n", "cannot be read"),
}  # fmt: skip


def written(tmp_path, content):
    path = tmp_path / "odd.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("name", READ)
def test_it_is_read_as_it_was_meant(tmp_path, name):
    content, (users, titles, ratings, times), word = READ[name]
    data = load(written(tmp_path, content))
    x = data.interactions
    assert (x.n_users, data.titles) == (users, titles)
    assert x.ratings.tolist() == pytest.approx(ratings)
    assert x.times.tolist() == (times or [0] * len(x))
    assert (word in " ".join(data.notes)) if word else not [n for n in data.notes if "UTC" not in n], data.notes


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_a_sentence(tmp_path, name):
    content, word = REFUSED[name]
    with pytest.raises(UserError) as refusal:
        load(written(tmp_path, content))
    said = str(refusal.value)
    assert word in said
    assert "odd.csv" in said
    assert "\n" not in said


def test_a_column_may_be_left_out_and_named_by_number_where_two_have_one_name(tmp_path):
    path = written(tmp_path, "user,item,item,date,timestamp\na,x,y,2020-01-01,86400\n")
    data = load(path, columns={"item": "3", "time": "timestamp"})
    assert (data.titles, data.interactions.times.tolist()) == (("y",), [86400])
    assert data.source == "odd.csv: user = user, item = column 3, time = timestamp; not used: column 2, date"
    assert load(path, columns={"item": "3", "time": "none"}).span == "no times"
    with pytest.raises(UserError, match="has 2 columns 'item'; say which by its number"):
        load(path, columns={"item": "item"})


def test_rows_of_names_alone_are_all_kept_once_it_is_said_that_they_are_rows(tmp_path):
    data = load(written(tmp_path, "anna,Alien\nbob,Aliens\n"), columns={"user": "1", "item": "2"})
    assert (data.interactions.n_users, data.titles) == (2, ("Alien", "Aliens"))
    assert data.notes == ("the first line (anna, Alien) is taken for a row, not for a heading",)
