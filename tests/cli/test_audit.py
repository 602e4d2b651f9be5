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
    assert found["verdict"] == "holds"
    assert found["mode"] == "seeded, for teaching"
    assert (found["attacked"]["played"], found["attacked"]["found"]) == ("whole run", [])
    assert "the ledger's arithmetic; the whole run was attacked and gave nothing more" in found["reason"]


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
    ],
)
def test_mistakes_are_one_line_and_exit_2(capsys, words, named):
    assert main(["audit", *words, "--trials", "1000"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert named in err
    assert len(err.strip().splitlines()) == 1
