"""`recpriv audit`: three numbers at the same terms, how the release was drawn, mistakes in one clear line."""

from __future__ import annotations

import json

import pytest

from recprivlib.cli import main


def test_a_document_has_the_three_numbers_at_the_same_terms(capsys):
    assert main(["audit", "laplace-svd", "--trials", "1000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    terms = [(found[word]["unit"], found[word]["relation"]) for word in ("claimed", "counted", "attacked")]
    assert terms == [("rating", "replace-value")] * 3
    assert found["verdict"] == "holds", found["reason"]
    assert found["mode"] == "seeded, for teaching"
    assert (found["attacked"]["played"], found["attacked"]["found"]) == ("whole run", [])
    assert "the ledger's arithmetic; the whole run was attacked and gave nothing more" in found["reason"]


OWN = """
from dataclasses import dataclass
import numpy as np
from recprivlib.mechanisms import Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.protocols import Change, Claim, Ledger, Release

@dataclass(frozen=True)
class Counts:
    factor: float = 1.0

    def fit(self, train, rng):
        return PerItem(released(Laplace(1.0), self.factor * np.bincount(train.items, minlength=train.n_items)))

    def ledger(self, sizes):
        near = {("interaction", "add-remove"): Change()}
        claim = Claim(1.0, 0.0, "interaction", "add-remove", "its author")
        return Ledger((Release("counts", Laplace(1.0), near),), trust="the server", claimed=claim)

twice = Counts(2.0)
"""


@pytest.mark.parametrize(("name", "verdict"), [("own_counts:Counts", "holds"), ("own_counts:twice", "broken")])
def test_somebodys_own_system_is_audited_and_findings_name_the_line_that_asked(
    tmp_path, monkeypatch, capsys, name, verdict
):
    (tmp_path / "own_counts.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    assert main(["audit", name, "--data", "none", "--trials", "4000", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == verdict
    assert bool(found["checked"]["found"]) == (verdict == "broken")
    assert all("own_counts.py:14)" in note for note in found["checked"]["found"] if "the ledger states" in note)


def test_the_three_kinds_stand_apart(capsys):
    """Proved about the ledger, checked on this code in these worlds, measured; and what nobody looked at."""
    assert (
        main(
            [
                "audit",
                "dp-item-means",
                "--data",
                "synthetic",
                "--users",
                "40",
                "--items",
                "60",
                "--trials",
                "1000",
                "--json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["proved"] == {
        "epsilon": found["counted"]["epsilon"],
        "delta": found["counted"]["delta"],
        "of": "the ledger",
    }
    assert "on the data set itself" in found["checked"]["worlds"]
    assert min(found["checked"]["reach"].values()) > 0.5
    assert found["not_looked_at"] == ["time", "memory", "files that are read"]
    assert main(["audit", "dp-item-means", "--data", "none", "--trials", "1000"]) == 0
    said = capsys.readouterr().out
    for word in (
        "proved: the ledger's arithmetic",
        "checked on this code: ",
        "measured: ",
        "not looked at: time",
        "reached",
    ):
        assert word in said


def test_a_summary_says_who_looks_what_is_claimed_and_how_noise_was_drawn(capsys):
    assert main(["audit", "unary-one-sided", "--trials", "1000"]) == 0
    said = capsys.readouterr().out
    assert "(interaction, add-remove; what the server sees)" in said
    assert "one report" in said
    assert "broken: " in said
    assert "drawn: seeded, for teaching" in said


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["dplcf-sp", "--users", "0"], "users and items are 0"),
        (["dplcf-sp", "--view", "model"], "'model'"),
        (["dplcf-sp", "--count", "2"], "--count"),
        (["laplace", "--delta", "1.5"], "delta is 1.5"),
        (["laplace", "--unit", "user"], "user is not stated here"),
        (["lcf-ub"], "promises no privacy"),
        (["nosuch"], "nosuch"),
        (["no_such_module:System"], "no_such_module"),
        (["json:dumps"], "is no system"),
        (["dplcf-sp", "--data", "nowhere"], "'nowhere'"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(capsys, words, named):
    assert main(["audit", *words, "--trials", "1000"]) == 2, capsys.readouterr().out
    out, err = capsys.readouterr()
    assert out == ""
    assert named in err
    assert len(err.strip().splitlines()) == 1


def test_a_claim_that_says_an_epsilon_at_every_delta_is_a_document_too(capsys):
    """dp-privrec's claim carries a function, which no JSON can hold; what it says at the δ of the bill is there."""
    assert main(["audit", "dp-privrec", "--set", "rounds=10", "--trials", "100", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claimed"]["epsilon"] > 0
    assert found["claimed"]["at"] is None
