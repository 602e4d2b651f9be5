"""What `recpriv new paper` writes passes at once: contract, layers, audit, dashboard, and the words of its chapter."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recprivlib.cli import main, new

ROOT = Path(__file__).resolve().parents[2]
STEM = "nearest_hit"
PARTS = ("recprivlib", "tests", "tools", "widgets", "book", "_toc.yml", "_config.yml", "conf.py", "pyproject.toml",
         "requirements.lock", "CONTRIBUTING.md", "README.md")  # fmt: skip
CHECK = "import sys; sys.path.insert(0, 'book/_ext'); import check; print('\\n'.join(check.all_of_it()))"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, with a new paper in it."""
    folder = tmp_path_factory.mktemp("project")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "notebooks"))
        else:
            shutil.copy(ROOT / part, folder)
    done = run(folder, "-m", "recprivlib", "new", "paper", STEM, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["stem"], said["system"]) == (STEM, "nearest-hit")
    assert all((folder / file).is_file() for file in said["written"])
    return folder


def test_all_parts_of_a_paper_are_there_and_nothing_keeps_the_name_of_the_pattern(copy: Path) -> None:
    home = copy / "recprivlib" / "papers" / STEM
    parts = ["__init__", "system", "bench", *(f"screen/{name}" for name in ("__init__", "compute", "words", "figures"))]
    assert all((home / f"{part}.py").is_file() for part in [*parts, "screen/dashboard"])
    others = [f"widgets/{STEM}.py", f"book/{STEM}.md", f"tests/papers/{STEM}/test_system.py"]
    assert all((copy / file).is_file() for file in others)
    for file in [*home.rglob("*.*"), *(copy / other for other in others)]:
        assert file.suffix == ".pyc" or not re.search(r"new[_-]paper", file.read_text("utf-8")), file
    line = f"      - file: book/{STEM}\n"
    assert (copy / "_toc.yml").read_text("utf-8").replace(line, "") == (ROOT / "_toc.yml").read_text("utf-8")
    assert f"{line}  - caption: After the papers\n" in (copy / "_toc.yml").read_text("utf-8")


LEAST = {  # where there are tests of it, and how many at least
    "tests/test_contract.py": 10,
    "tests/test_layers.py": 8,
    "tests/dashboard/test_contract.py": 5,
    "tests/results/test_committed.py": 3,
    f"tests/papers/{STEM}/test_system.py": 5,
}


def test_it_passes_as_it_is(copy: Path) -> None:
    own = ["-q", "-rA", "-p", "no:cacheprovider", "-m", "not slow", "-k", "nearest-hit or nearest_hit"]
    done = run(copy, "-m", "pytest", *LEAST, *own)
    assert done.returncode == 0, done.stdout
    passed = [line for line in done.stdout.splitlines() if line.startswith("PASSED ")]
    assert {file: sum(file in line for line in passed) >= least for file, least in LEAST.items()} == dict.fromkeys(
        LEAST, True
    ), passed


def test_the_words_of_its_chapter_ask_for_nothing_that_is_not_there(copy: Path) -> None:
    page = copy / "book" / f"{STEM}.md"
    text = page.read_text("utf-8")
    try:
        page.write_text(text.replace("\ndraft: true\n", "\n"), "utf-8")
        assert text != page.read_text("utf-8")
        assert run(copy, "-c", CHECK).stdout.strip() == ""
        page.write_text(page.read_text("utf-8").replace("epsilon=0.1", "epsilon=0"), "utf-8")
        assert f"book/{STEM}.md:" in run(copy, "-c", CHECK).stdout, "the chapter is looked at"
    finally:
        page.write_text(text, "utf-8")


def test_a_draft_has_no_reference_and_is_in_no_test_of_whole_chapters(copy: Path) -> None:
    asked = "import sys; sys.path.insert(0, 'tools'); import notebooks; print([p.stem for p in notebooks.chapters()])"
    said = run(copy, "-c", asked).stdout
    assert "dplcf" in said
    assert STEM not in said
    listed = run(copy, "-m", "pytest", "tests/book", "--collect-only", "-q", "-p", "no:cacheprovider").stdout
    assert "dplcf" in listed
    assert STEM not in listed


@pytest.mark.parametrize("stem", ["ab", "x" * new.LONGEST])
def test_a_short_and_a_long_name_are_formatted_as_the_house_is(tmp_path: Path, stem: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file in new.patterns():
        new.write(tmp_path / new.named(file, stem), file, stem)
    for words in (["check", "."], ["format", "--check", "."]):
        done = run(tmp_path, "-m", "ruff", *words)
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_its_types_hold_together(copy: Path) -> None:
    done = run(copy, "-m", "mypy", f"recprivlib/papers/{STEM}", f"widgets/{STEM}.py")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("stem", "why"),
    [
        ("dplcf", "there already"),
        ("privacy", "there already"),
        ("server", "there already"),
        ("kit", "there already"),
        ("federation", "there already"),
        ("item_knn", "called so already"),
        ("dplcf_people", "called so already"),
        *((bad, "must be like nearest_hit") for bad in
          ("", "9lives", "Nearest", "a-b", "a__b", "_a", "a_", "import", "naïve", "../x", "a" * 25, "new_paper")),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_had_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stem: str, why: str
) -> None:
    monkeypatch.setattr(new, "write", lambda *_: pytest.fail("something was written"))
    assert main(["new", "paper", stem]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert repr(stem) in err
    assert why in err


def test_an_installed_package_is_not_written_into(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(new, "ROOT", tmp_path)
    assert main(["new", "paper", STEM]) == 2
    assert "clone of the project" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
