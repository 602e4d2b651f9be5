"""`recpriv account`: PrivRec's cells through the command line, and mistakes in one clear line."""

from __future__ import annotations

import json

import pytest

from recprivlib.cli import main

COHORT = ["subsampled-gaussian", "--set", "rate=0.00625", "--count", "1000", "--delta", "1e-4", "--unit", "user"]


def account(capsys, *words):
    assert main(["account", *words, "--json"]) == 0
    out = capsys.readouterr().out
    return json.loads(out)


@pytest.mark.parametrize(
    "words, low, high",
    [
        (["--set", "sampling=fixed-size", "noise_multiplier=1", "--relation", "replace"], 0.894, 1.11),
        (["--set", "sampling=poisson", "noise_multiplier=1", "--relation", "add-remove"], 0.89, 0.90),
        (["--set", "sampling=poisson", "noise_multiplier=2", "--relation", "add-remove"], 0.295, 0.305),
        (["--set", "sampling=poisson", "noise_multiplier=1", "--relation", "replace"], 0.59, 0.605),
    ],
)
def test_cohorts_of_privrec(capsys, words, low, high):
    document = account(capsys, *COHORT, *words)
    assert set(document) == {"system", "params", "claimed", "counted", "also", "mode"}
    assert low <= document["counted"]["epsilon"] <= high
    assert document["counted"]["relation"] == words[-1]


def test_infinity_is_a_word(capsys):
    document = account(capsys, "laplace-or-truth")
    assert document["counted"]["epsilon"] == "inf"
    assert document["claimed"]["epsilon"] == 2.0


def test_a_system_is_accounted_without_data(capsys):
    document = account(capsys, "ldp-popularity", "--users", "5000", "--items", "300")
    assert document["counted"]["epsilon"] == 1.0
    assert document["params"]["epsilon"] == 1.0


def test_a_system_without_privacy_has_no_numbers(capsys):
    document = account(capsys, "popularity")
    assert document["counted"] is None
    assert main(["account", "popularity"]) == 0
    assert "nothing is promised" in capsys.readouterr().out


def test_people_read_claimed_counted_and_the_rest(capsys):
    assert main(["account", "randomized-response", "--count", "20", "--users", "1000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("  claimed  ε = 20")
    assert lines[2].startswith("  counted  ε = 20")
    assert any("shuffle" in line for line in lines)


@pytest.mark.parametrize(
    "words, named",
    [
        (["laplac"], "'laplac'"),
        (["laplace", "--count", "0"], "count is 0"),
        (["laplace", "--delta", "1"], "delta is 1.0"),
        (["laplace", "--unit", "user"], "choose from rating/replace-value"),
        (["laplace", "--relation", "sideways"], "choose from rating/replace-value"),
        (["laplace", "--view", "shuffled"], "choose from server, model"),
        (["laplace", "--set", "epsilon=-1"], "epsilon"),
        (["laplace", "--items", "5"], "--items"),
        (["ldp-popularity", "--count", "3"], "--count"),
        (["ldp-popularity", "--users", "0"], "users and items are 0"),
        (["subsampled-gaussian", "--set", "sampling=fixed-size", "--relation", "add-remove"], "fixed-size"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(capsys, words, named):
    assert main(["account", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert named in captured.err
