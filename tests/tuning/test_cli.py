"""`recpriv tune` on one's own data, and `recpriv run --tuned`."""

import json

import numpy as np
import pytest

from recprivlib import tables
from recprivlib.cli import main
from recprivlib.data import load
from recprivlib.tuning.choices import read, save
from recprivlib.tuning.choose import Bench, Contender, tuned

SMALL = ["--data", "synthetic", "--users", "60", "--items", "80"]


def test_a_search_says_its_choice_tests_it_and_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["tune", "dp-item-means", *SMALL, "--set", "epsilon=1", "--trials", "6", "--seeds", "0-1"]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert "dp-item-means@epsilon=1.0: 1 more trials" in said.err
    assert "as printed" in said.out
    assert "nothing is added" in said.out
    (choice,) = read(tmp_path / "dp-item-means.choices.toml").values()
    assert (choice.system, dict(choice.fixed), choice.trials, choice.outer) == ("dp-item-means", {"epsilon": 1.0}, 6, 0)
    trials = sorted((tmp_path / "dp-item-means.choices.toml.cells").glob("*.npz"))
    before = [path.stat().st_mtime_ns for path in trials]
    assert main([*asked, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["choice"]["chosen"] == choice.chosen
    assert document["difference"]["verb"] in ("beats", "loses to", "is level with")
    assert sorted((tmp_path / "dp-item-means.choices.toml.cells").glob("*.npz")) == trials
    assert [path.stat().st_mtime_ns for path in trials] == before


def test_a_search_on_ones_own_data_has_its_price_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = {f"{user},{rng.integers(40)},{rng.integers(1, 6)}" for user in range(40) for _ in range(12)}
    unique = {tuple(line.split(",")[:2]): line for line in sorted(lines)}
    (tmp_path / "mine.csv").write_text("user,item,rating\n" + "\n".join(unique.values()) + "\n")
    asked = ["tune", "dp-item-means", "--data", "mine.csv", "--set", "epsilon=0.5", "--trials", "3", "--seeds", "0"]
    assert main([*asked, "--json"]) == 0
    price = json.loads(capsys.readouterr().out)["price"]
    assert (price["price"], price["run"], price["best"]) == ("private", 0.5, 1.0)
    assert price["kept"] == pytest.approx(1.5)


@pytest.mark.parametrize(
    "asked, said",
    [
        (["popularity"], "popularity has nothing that a search could turn"),
        (["item-mean", "--set", "regularization=1"], "nothing that a search could turn beyond what is set"),
        (["dp-item-means", "--dials", "epsilon"], "epsilon is never searched: what is paid is fixed first"),
        (["item-mean", "--metric", "hr@10", "--trials", "2"], "there is no metric 'hr@10' here; choose from rmse"),
        (["item-mean", "--trials", "1"], "--trials is 1, but must be at least 2"),
        (["item-mean", "--price", "free"], "--price is 'free', but must be one of public, reports, private"),
        (["optimal-mf", "--price", "reports"], "optimal-mf is not validated on reports"),
        (["item-mean", "--split", "7"], "the outer split is 7, but kfold has those from 0 to 4"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, monkeypatch, capsys, asked, said):
    monkeypatch.chdir(tmp_path)
    assert main(["tune", *asked, *SMALL]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """A committed choice for item-mean, and for dp-item-means at ε = 1."""
    place = tmp_path / "papers" / "small" / "results"
    place.mkdir(parents=True)
    monkeypatch.setattr(tables, "SLICES", tmp_path)
    data = load("synthetic", users=60, items=80)
    one, other = (
        Contender(name, "synthetic", data.checksum, "kfold", fixed, users=60, items=80)
        for name, fixed in (("item-mean", {}), ("dp-item-means", {"epsilon": 1.0}))
    )
    found = [tuned(each, 0, Bench(tmp_path / "cells"), budget=8) for each in (one, other)]
    save(place / "small.choices.toml", found)
    return found


def test_a_tuned_run_has_the_committed_choice_and_says_where_it_is_from(chosen, capsys):
    assert main(["run", "dp-item-means", *SMALL, "--set", "epsilon=1", "--tuned", "--json"]) == 0
    said = capsys.readouterr()
    params = json.loads(said.out)[0]["params"]
    assert params["epsilon"] == 1.0
    assert {name: params[name] for name in chosen[1].chosen} == chosen[1].chosen
    assert f"trial {chosen[1].trial} of {chosen[1].trials}" in said.err


def test_a_tuned_run_without_a_choice_says_that_there_is_none(chosen, capsys):
    for more in (["--set", "epsilon=2"], ["--items", "70", "--set", "epsilon=1"]):
        assert main(["run", "dp-item-means", *SMALL, *more, "--tuned"]) == 2
        assert "nothing was chosen for dp-item-means at epsilon=" in capsys.readouterr().err
    if chosen[0].chosen:
        assert main(["run", "item-mean", *SMALL, "--set", "regularization=3", "--tuned"]) == 2
        assert "regularization is set and was searched too" in capsys.readouterr().err


def test_a_search_of_named_dials_leaves_the_others_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = [
        "tune",
        "mf-als",
        *SMALL,
        "--dials",
        "alpha",
        "--trials",
        "4",
        "--seeds",
        "0",
        "--out",
        "here.toml",
        "--json",
    ]
    assert main(asked) == 0
    (choice,) = read(tmp_path / "here.toml").values()
    assert set(choice.chosen) <= {"alpha"}
    assert dict(choice.fixed) == {"regularization": 10.0, "factors": 24, "iterations": 10}
