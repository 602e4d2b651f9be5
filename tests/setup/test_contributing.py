"""A newcomer who follows CONTRIBUTING word for word touches one file and has a system."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The library and its contract test, with the guide's example as the guide says it."""
    folder = tmp_path_factory.mktemp("newcomer")
    shutil.copytree(ROOT / "recprivlib", folder / "recprivlib", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "test_contract.py", folder / "tests")
    name, code = re.search(r"Make one file, `([\w/.]+)`:\n\n```python\n(.*?)```", GUIDE, re.DOTALL).groups()
    assert not (ROOT / name).exists(), "the example is throw-away and must not be taken"
    (folder / name).write_text(code, encoding="utf-8")
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_what_the_guides_send_a_reader_to_is_there():
    """Files by their path or by their place in the library; a system with the file that it is said to stand in."""
    for guide in ("CONTRIBUTING.md", "README.md"):
        text = (ROOT / guide).read_text("utf-8").replace("recprivlib/papers/nearest_hit.py", "")
        named = set(re.findall(r"[`(]([\w/.]+\.(?:py|md|cff|svg))[`)]", text))
        assert len(named) > 5
        lost = [name for name in named if not (ROOT / name).exists() and not (ROOT / "recprivlib" / name).exists()]
        assert lost == [], guide
    stands = re.findall(r"`(\w+)` in `(papers/[\w/]+\.py)`", GUIDE)
    assert stands
    for system, file in stands:
        assert f"class {system}" in (ROOT / "recprivlib" / file).read_text("utf-8")


def test_the_list_of_systems_has_it(copy):
    done = run(copy, "recprivlib", "systems", "--json")
    assert done.returncode == 0, done.stderr
    names = {system["name"] for system in json.loads(done.stdout)}
    assert "late-popularity" in names


def test_it_runs_as_the_guide_says(copy):
    command = re.search(r"`recpriv (run late-popularity [^`]+)`", GUIDE)[1].split()
    done = run(copy, "recprivlib", *command, "--data", "synthetic", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["params"] == {"share": 0.2}


def test_the_contract_test_finds_it(copy):
    done = run(copy, "pytest", "tests/test_contract.py", "-q", "-p", "no:cacheprovider", "-k", "late-popularity")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 3
