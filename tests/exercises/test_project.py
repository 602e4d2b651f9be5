"""The project at the end: ten lines of the chapter, audited as the chapter says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from recprivlib.cli import main

CHAPTER = Path(__file__).resolve().parents[2] / "book" / "privacy.md"
AUDIT = ["audit", "my_module:System", "--data", "none", "--trials", "500", "--json"]


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Saves a program as the reader does, and audits it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def module(text):
        (tmp_path / "my_module.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, "my_module", raising=False)
        assert main(AUDIT) == 0

    return module


def test_the_printed_recommender_holds_and_two_that_the_chapter_names_do_not(module, capsys):
    (text,) = re.findall(r"^```python\n(.*?)^```", CHAPTER.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    bare = text.replace("released(Laplace(self.epsilon), counts.astype(float))", "counts")
    twice = text.replace("counts.astype(float))", "2.0 * counts)")
    assert len({text, bare, twice}) == 3
    told = []
    for one in (text, bare, twice):
        module(one)
        told.append(json.loads(capsys.readouterr().out)["verdict"])
    assert told[0] == "holds"
    assert not {"holds"} & set(told[1:])
