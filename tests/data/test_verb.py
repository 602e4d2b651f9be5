"""`recpriv data`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recprivlib.cli import main


def test_it_describes_as_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "synthetic", "--users", "100", "--items", "80"]) == 0
    assert "synthetic" in capsys.readouterr().out
    assert main(["data", "synthetic", "--users", "100", "--items", "80", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["users"], found["items"], found["feedback"]) == (100, 80, "explicit")
    assert len(found["checksum"]) == 64


def test_without_names_what_cannot_be_had_is_left_out_and_said(
    nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "--json"]) == 0
    said = capsys.readouterr()
    assert [d["name"] for d in json.loads(said.out)] == ["synthetic"]
    assert said.err.count("left out") == 3
    assert "ml-20m" not in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ml-1m"], "--data synthetic"),
        (["netflix"], "choose from ml-100k, ml-1m, ml-20m, frappe, synthetic"),
        (["ml-100k", "--users", "9"], "only synthetic"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    nowhere: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["data", *arguments]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert said in lines[-1]
    assert "Traceback" not in "".join(lines)
