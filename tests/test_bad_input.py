"""Nonsense on the command line: exit code 2, one line on stderr that names the value and what is allowed."""

import math
from pathlib import Path

import pytest

from recprivlib.cli import main
from recprivlib.parameters import parameters
from recprivlib.registry import systems

SMALL = ["--data", "synthetic", "--users", "60", "--items", "150"]
RUN = ["run", "item-knn"]


@pytest.fixture
def refused(capsys, monkeypatch):
    """refused(arguments) -> the one line that was said."""

    def check(arguments):
        assert main(arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = said.err.splitlines()
        assert line.startswith("recpriv: ")
        assert len(line) < 700
        return line

    return check


@pytest.mark.parametrize(
    "arguments, bad, allowed",
    [
        # verbs and options
        (["fly"], "'fly'", "choose from"),
        (["run"], "SYSTEM", "usage"),
        ([*RUN, "--sed", "1"], "--sed 1", "--seeds"),
        ([*RUN, "extra"], "extra", "usage"),
        ([*RUN, *SMALL[:2], "--users", "many"], "'many'", "a whole number"),
        ([*RUN, *SMALL[:2], "--items", "2.5"], "'2.5'", "a whole number"),
        (["account", "laplace", "--delta", "tiny"], "'tiny'", "a number"),
        (["audit", "dplcf-sp", "--users", "0"], "users and items are 0 and 1682", "at least 1"),
        # systems, data sets, protocols
        (["run", "netflix"], "'netflix'", "choose from random, popularity"),
        (["run", "svdd"], "'svdd'", "did you mean svd?"),
        (["run", "itemknn"], "'itemknn'", "did you mean item-knn"),
        (["run", ""], "''", "choose from random"),
        ([*RUN, "--data", "netflix"], "'netflix'", "choose from ml-100k"),
        ([*RUN, "--protocol", "loo"], "'loo'", "choose from loo-latest, loo-random, kfold, user-split"),
        ([*RUN, "--protocol", "kfold"], "'kfold'", "choose from loo-latest"),
        # parameters
        ([*RUN, "--set", "neighbours=5"], "'neighbours'", "choose from neighbors, similarity"),
        ([*RUN, "--set", "neighbors=0"], "neighbors is 0", "from 1 to 100000"),
        ([*RUN, "--set", "neighbors=100001"], "neighbors is 100001", "from 1 to 100000"),
        ([*RUN, "--set", "neighbors=2.5"], "neighbors is '2.5'", "a whole number"),
        ([*RUN, "--set", "neighbors=nan"], "neighbors is 'nan'", "a whole number"),
        ([*RUN, "--set", "neighbors=ten"], "neighbors is 'ten'", "a whole number"),
        ([*RUN, "--set", "neighbors="], "'neighbors='", "parameter=value"),
        ([*RUN, "--set", "neighbors"], "'neighbors'", "parameter=value"),
        ([*RUN, "--set", "neighbors=5", "neighbors=6"], "neighbors twice", "5 and 6"),
        ([*RUN, "--set", "similarity=close"], "similarity is 'close'", "one of jaccard, cosine"),
        (["run", "ease", "--set", "regularization=nan"], "regularization is nan", "a number from 1"),
        (["run", "ease", "--set", "regularization=inf"], "regularization is inf", "a number from 1"),
        (["run", "ease", "--set", "regularization=-3"], "regularization is -3.0", "a number from 1"),
        (["run", "popularity", "--set", "k=3"], "'k'", "choose from none at all"),
        # seeds
        ([*RUN, "--seeds", "5-2"], "'5-2'", "like 3, 0-4 or 0,2,5"),
        ([*RUN, "--seeds", "-1"], "'-1'", "like 3, 0-4 or 0,2,5"),
        ([*RUN, "--seeds", ""], "''", "like 3, 0-4 or 0,2,5"),
        ([*RUN, "--seeds", "1.5"], "'1.5'", "like 3, 0-4 or 0,2,5"),
        ([*RUN, "--seeds", "0,,2"], "'0,,2'", "like 3, 0-4 or 0,2,5"),
        ([*RUN, "--seeds", "0-1000000000000"], "'0-1000000000000'", "at most 10,000"),
        ([*RUN, "--seeds", "0-9999,10000-19999"], "'0-9999,10000-19999'", "at most 10,000"),
        ([*RUN, "--seeds", "9" * 5000], "(5,000 characters)", "like 3, 0-4 or 0,2,5"),
        (["audit", "laplace", "--seed", "-1"], "seed is -1", "a whole number from 0 on"),
        # numbers that are none, too long, or in other digits
        ([*RUN, "--set", f"neighbors={'9' * 400}"], "(400 characters)", "from 1 to 100000"),
        ([*RUN, "--set", f"neighbors={'9' * 5000}"], "(5,000 characters)", "from 1 to 100000"),
        (["sweep", "item-knn", "--grid", f"neighbors={'9' * 400}", "--out", "x.csv"], "(400 characters)", "from 1 to"),
        ([*RUN, "--set", "neighbors=1_000"], "'1_000'", "a whole number"),
        ([*RUN, "--set", "neighbors=٥"], "'٥'", "a whole number"),
        (["account", "laplace", "--delta", "1_0e-9"], "'1_0e-9'", "a number"),
        ([*RUN, *SMALL[:2], "--users", "８０"], "'８０'", "a whole number"),
        (["audit", "laplace", "--count", "9" * 400], "(400 characters)", "from 1 to 1,000,000,000"),
        (["audit", "laplace", "--count", "1000000000000"], "count is 1000000000000", "from 1 to 1,000,000,000"),
        (["audit", "laplace", "--count", "0"], "count is 0", "from 1 to 1,000,000,000"),
        # what is empty, and what is endless
        ([*RUN, "--protocol", ""], "''", "choose from loo-latest"),
        (["account", "dplcf-sp", "--view", ""], "''", "choose from"),
        (["account", "dplcf-sp", "--unit", ""], "unit ''", "choose from"),
        (["run", "q" * 5000], "'qqqqq", "… (5,000 characters)"),
        (["data", "q" * 5000], "'qqqqq", "… (5,000 characters)"),
        (["q" * 5000], "'qqqqq", "… (5,000 characters)"),
        (["sweep", "popularity", *SMALL, "--out", "x" * 300], "'xxxxx", "too long"),
        # populations
        ([*RUN, *SMALL[:2], "--users", "0"], "users is 0", "from 20"),
        ([*RUN, *SMALL[:2], "--items", "-5"], "items is -5", "from 20"),
        ([*RUN, "--users", "100"], "ml-100k has the users", "only synthetic"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)  # fmt: skip
def test_the_line_names_the_value_and_what_is_allowed(refused, arguments, bad, allowed):
    line = refused(arguments)
    assert bad in line
    assert allowed in line


@pytest.mark.parametrize("name", systems())
def test_every_parameter_of_every_system_refuses_what_is_out_of_range(refused, name):
    for key, meta in parameters(systems()[name].system).items():
        wrong = ["no-such-word", "nan"]
        if meta.low is not None:
            wrong += [repr(math.nextafter(meta.low, -math.inf)) if meta.kind is float else str(meta.low - 1)]
        if meta.kind is int:
            wrong.append("2.5")
        for value in wrong:
            line = refused(["run", name, "--set", f"{key}={value}"])
            assert f"{key} is " in line
            assert meta.allowed in line


# ------------------------------------------------------------------------------------------------- files


@pytest.fixture
def ml_100k(tmp_path, monkeypatch):
    """write(lines): the ratings of an otherwise well-formed ML-100K of three users and three films."""
    folder = tmp_path / "data" / "ml-100k"
    folder.mkdir(parents=True)
    monkeypatch.setenv("RECPRIV_DATA", str(folder.parent))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    films = [f"{n}|Film {n} (1990)|01-Jan-1990||http://x|" + "|".join(["0", "1"] + ["0"] * 17) for n in (1, 2, 3)]
    people = [f"{n}|{20 + n}|M|writer|00000" for n in (1, 2, 3)]
    (folder / "u.item").write_text("\n".join(films) + "\n")
    (folder / "u.user").write_text("\n".join(people) + "\n")

    def write(lines):
        (folder / "u.data").write_text("".join(lines))
        return tmp_path

    return write


GOOD = [f"{u}\t{i}\t{1 + (u + i) % 5}\t{100 * u + i}\n" for u in (1, 2, 3) for i in (1, 2)]


@pytest.mark.parametrize(
    "lines, words",
    [
        ([], ["u.data", "empty"]),
        ([*GOOD, "1\t3\n"], ["u.data, line 7", r"'1\t3'"]),
        ([*GOOD[:3], "one\t3\t4\t5\n", *GOOD[3:]], ["u.data, line 4", "'one"]),
        ([*GOOD, "1\t3\t9\t5\n"], ["u.data, line 7", "9"]),
        ([*GOOD, "9\t3\t4\t5\n"], ["u.data, line 7", "9"]),
        ([*GOOD, GOOD[1]], ["u.data, line 7", "each pair may occur once"]),
        (GOOD, ["checksum", "must have"]),
    ],
    ids=["empty", "truncated", "no number", "no star", "no such user", "pair twice", "not the data set"],
)
def test_a_bad_ratings_file_is_named_with_its_line_and_leaves_no_cache(refused, ml_100k, lines, words):
    home: Path = ml_100k(lines)
    line = refused(RUN)
    for word in words:
        assert word in line
    assert not list((home / "cache").rglob("*.*"))
