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

from tests.book.test_steps import MOST
from tests.test_layers import ORDER
from widgets.kit.drawn import GHOSTS

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


# A guide names a part of a paper by the folder that it stands in, or by its name alone.
HOMES = ("", "recprivlib/", "recprivlib/papers/*/", "recprivlib/papers/*/screen/", "recprivlib/primers/*/")


def there(name: str) -> bool:
    """Whether a guide's file or folder is anywhere that it may mean."""
    return any(any(ROOT.glob(home + name.replace("<stem>", "*").rstrip("/"))) for home in HOMES)


def section(guide: str, title: str) -> str:
    """What stands under a heading of a guide."""
    text = (ROOT / guide).read_text("utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


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
        lost = [name for name in named if not there(name)]
        assert lost == [], guide
    stands = re.findall(r"`(\w+)` in `(papers/[\w/]+\.py)`", GUIDE)
    assert stands
    for system, file in stands:
        assert f"class {system}" in (ROOT / "recprivlib" / file).read_text("utf-8")


def folders() -> set[str]:
    """The folders of the library; those of papers and of primers count as one each."""
    found = {file.parent.relative_to(ROOT / "recprivlib") for kind in ("py", "toml")
             for file in (ROOT / "recprivlib").rglob(f"*.{kind}")}  # fmt: skip
    parts = [(*folder.parts[:1], "<stem>", *folder.parts[2:]) if len(folder.parts) > 1 else folder.parts
             for folder in found]  # fmt: skip
    return {"/".join(part) for part in parts if part} - {"papers", "primers"}


def test_every_folder_of_the_library_is_on_the_map_and_what_is_on_it_is_there():
    named = re.findall(r"`([\w/<>.]+)/`", section("README.md", "Map") + section("CONTRIBUTING.md", "Where things are"))
    assert {name.removeprefix("recprivlib/") for name in named} >= folders()
    assert len(folders()) > 15
    assert [name for name in named if not there(name)] == []


def test_the_layers_of_the_guide_stand_in_the_order_that_is_tested():
    order = re.search(r"\n(parameters, .*?)\.\n", section("CONTRIBUTING.md", "Where things are"), re.DOTALL)[1]
    said = re.split(r"[,→\s]+", order.partition(";")[0])
    assert said == [name for name in ORDER if name in said]
    flat = {folder for folder in folders() if "/" not in folder}
    assert flat <= set(said)


def test_the_limits_of_a_chapter_in_the_guide_are_those_that_are_tested():
    words = f"{MOST['words']:,}".replace(",", " ")
    told = " ".join(section("CONTRIBUTING.md", "Add a page").split())
    assert f"300 to {words} words, at most {MOST['code']} lines of code, {MOST['formulas']} formulas, 1 table" in told
    assert MOST["tables"] == 1
    assert GHOSTS == 8
    assert "(eight at most)" in told


def held(place: Path) -> bool:
    """Whether a file is there, or a folder with more in it than what Python has compiled."""
    return place.is_file() or any(place.rglob("*.py"))


def test_where_things_were_nothing_is_and_where_they_are_said_to_be_they_are():
    """A name without a folder stands beside the one before it."""
    table = section("CHANGELOG.md", "Where things were")
    rows = [row.split(" | ") for row in table.splitlines() if row.startswith("| ") and "`" in row]
    assert len(rows) > 25
    for once, now in rows:
        places, beside = [], ""
        for name in re.findall(r"`([\w/<>]+(?:\.py|/))`", now):
            beside = name.rpartition("/")[0] if "/" in name else beside
            places.append(name if "/" in name else f"{beside}/{name}".lstrip("/"))
        assert places, now
        assert [name for name in places if not there(name)] == []
        old = re.findall(r"`([\w/]+(?:\.py|/))`", once)
        assert [name for name in old if held(ROOT / "recprivlib" / name) or held(ROOT / name)] == []


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
