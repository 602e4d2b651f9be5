"""`--total` and the terms of a bill, in run, sweep and tune; and the curve of what more trials buy."""

import json

import pandas as pd
import pytest

from recprivlib import tables
from recprivlib.cli import main
from recprivlib.protocols import Sizes
from recprivlib.tuning.choices import read
from recprivlib.tuning.totals import calibrated

SMALL = ["--data", "synthetic", "--users", "60", "--items", "80"]
PERSON = ["--unit", "user", "--relation", "replace", "--delta", "1e-5"]


def test_a_run_has_the_bill_that_is_asked_for_at_the_terms_that_are_asked_for(capsys):
    assert main(["run", "dp-gram", *SMALL, "--total", "2", *PERSON, "--json"]) == 0
    said = capsys.readouterr()
    (report,) = json.loads(said.out)
    counted = report["guarantee"]["counted"]
    assert (counted["unit"], counted["relation"], counted["delta"]) == ("user", "replace", 1e-5)
    assert 1.98 <= counted["epsilon"] <= 2
    learnt_from = Sizes(48, 80)  # user-split: four in five
    asked = {"unit": "user", "relation": "replace", "delta": 1e-5}
    assert report["params"]["epsilon"] == calibrated("dp-gram", 2, sizes=learnt_from, **asked).epsilon
    assert f"for a bill of ε = 2, epsilon is {report['params']['epsilon']}" in said.err


def test_terms_alone_leave_the_system_and_state_its_bill_at_them(capsys):
    assert main(["run", "dplcf-sp", *SMALL, "--relation", "swap", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert report["params"]["epsilon"] == 1.0
    assert (report["guarantee"]["counted"]["relation"], report["guarantee"]["counted"]["epsilon"]) == ("swap", 2.0)


def test_a_sweep_is_at_one_bill_and_leaves_what_promises_nothing_as_it_is(tmp_path, capsys):
    out = tmp_path / "a.csv"
    systems = ["popularity", "ldp-popularity", "item-sign"]
    asked = ["sweep", *systems, "--grid", "reports=one,bits", "k=1,2", *SMALL, "--out", str(out)]
    terms = ["--total", "12", "--unit", "user", "--relation", "replace", "--delta", "0"]
    assert main([*asked, *terms]) == 0
    rows = pd.read_csv(out).query("metric == 'hr@10'")
    assert rows["counted"].round(6).tolist()[1:] == [12.0] * 4
    assert rows["epsilon"].tolist()[1:] == [12.0, 0.15, 2.4, 1.2]  # one report; 80 bits; five reports, and ten
    assert set(rows["unit"].dropna()) == {"user"}
    assert pd.isna(rows["counted"].iloc[0])
    text = out.read_text()
    assert main([*asked, *terms]) == 0
    assert out.read_text() == text


def test_a_search_at_a_total_turns_what_splits_it_and_says_what_is_paid(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["tune", "item-sign", *SMALL, "--total", "30", "--unit", "user", "--trials", "4", "--seeds", "0"]
    assert main([*asked, "--dials", "k"]) == 0
    said = capsys.readouterr().out
    (choice,) = read(tmp_path / "item-sign.choices.toml").values()
    assert choice.total["epsilon"] == 30.0
    assert set(choice.chosen) <= {"k"}
    assert f"--set epsilon={30 / 5 / choice.chosen.get('k', 1):g}" in said


def test_more_trials_are_a_curve_that_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["tune", "item-mean", *SMALL, "--budget-curve", "1,4", "--seeds", "0-1", "--json"]
    assert main(asked) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["budget"], first["trial"], first["gain"], first["verb"]) == (1, 0, 0.0, "is level with")
    assert second["budget"] == 4
    assert second["validated"] <= first["validated"] or second["trial"] == 0
    assert second["low"] < second["value"] < second["high"]
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "item-mean.choices.toml.cells").glob("*.npz")}
    assert main(asked) == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert json.loads(capsys.readouterr().out)[1] == second


@pytest.mark.parametrize(
    "words, said",
    [
        (["run", "popularity", "--total", "1"], "popularity promises nothing about privacy, so it has no bill"),
        (["run", "dplcf-sp", "--total", "1", "--set", "epsilon=2"], "epsilon is set, but it follows from --total"),
        (["run", "dplcf-ap", "--total", "1"], "dplcf-ap has no finite ε at these terms"),
        (["run", "dplcf-sp", "--unit", "person"], "the unit 'person' is not stated here; choose from interaction/add"),
        (
            ["run", "dplcf-sp", "--tuned", "--total", "1"],
            "nothing was chosen for dplcf-sp at a total of 1 on synthetic",
        ),
        (["sweep", "popularity", "--unit", "user", "--out", "a.csv"], "popularity: nothing is promised about privacy"),
        (
            ["sweep", "dplcf-sp", "--grid", "epsilon=1,2", "--total", "1", "--out", "a.csv"],
            "epsilon is in the grid, but",
        ),
        (["sweep", "dplcf-sp", "lcf-sp", "--total", "99", "--out", "a.csv"], "it goes no further than epsilon 20"),
        (["tune", "fmf-ldp", "--unit", "user"], "--unit says the terms of a total; say --total too"),
        (["tune", "fmf-ldp", "--total", "9", "--set", "epsilon=1"], "epsilon of fmf-ldp is given, but it follows from"),
        (["tune", "item-mean", "--budget-curve", "few"], "--budget-curve is 'few', but must be like 8,16,32"),
    ],
)
def test_a_mistake_about_a_bill_is_one_sentence_before_anything_runs(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tables, "SLICES", tmp_path)
    assert main([words[0], *words[1:], *SMALL]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.npz"))
