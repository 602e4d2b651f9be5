"""The references that nbval compares with are those of the chapters as they are written now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

PAGES = notebooks.chapters()


def kept(page):
    """The reference of a chapter."""
    path = notebooks.REFERENCES / f"{page.stem}.ipynb"
    if not path.exists():
        pytest.fail(f"{page.name} has no reference: run make notebooks", pytrace=False)
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reference_has_the_code_of_its_chapter(page):
    stored = notebooks.parts(kept(page))
    assert stored == notebooks.cells(page), f"the code of {page.name} has changed: run make notebooks and read the diff"


def test_no_reference_without_a_chapter():
    assert {path.stem for path in notebooks.REFERENCES.glob("*.ipynb")} == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_references_compare_numbers(page):
    """A chapter whose every output is ignored or empty would pass whatever it computes."""
    stored = kept(page)
    ignored = {"nbval-ignore-output", "nbval-skip"}
    texts = [
        output.get("text") or output["data"]["text/plain"]
        for cell in stored.cells
        if not ignored & set(cell.metadata.get("tags", []))
        for output in cell.outputs
    ]
    assert any(character.isdigit() for text in texts for character in text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_fits_the_page(page):
    long = [line for source, _ in notebooks.cells(page) for line in source.splitlines() if len(line) > 80]
    assert not long, "a page is 80 columns wide"


# ----------------------------------------------------------------- compared with what the build executed


def compared(*options):
    """What pytest says of notebooks, with the options of this project."""
    quiet = ["-q", "--color=no", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, *quiet, *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


def other_number(cells):
    assert "27\u202f%" in cells[0].outputs[0].text
    cells[0].outputs[0].text = cells[0].outputs[0].text.replace("27\u202f%", "28\u202f%")


def no_output(cells):
    cells[0].outputs.clear()


def other_code(cells):
    cells[0].source += "\nassert False"


@pytest.fixture(scope="module")
def judged(book, tmp_path_factory):
    """What pytest says of a reference in which each of these changes was made, of all in one run: a start takes
    seconds. By the change: how many cells failed, how many passed, and what was said of them."""
    paths = {}
    for change in (other_number, no_output, other_code):
        notebook = nbformat.read(notebooks.REFERENCES / "privacy.ipynb", as_version=4)
        change(notebook.cells)
        paths[change] = tmp_path_factory.mktemp(change.__name__) / "privacy.ipynb"
        nbformat.write(notebook, paths[change])
    report = tmp_path_factory.mktemp("report") / "report.xml"
    said = compared(f"--junitxml={report}", *paths.values())
    cases = ElementTree.parse(report).getroot().findall(".//testcase") if report.exists() else []
    cells = len(notebooks.cells(page_of("privacy")))
    assert len(cases) == cells * len(paths), said  # in the order of the notebooks: a report has no folders
    return {change: tally(cases[at * cells :][:cells]) for at, change in enumerate(paths)}


def tally(cases):
    failed = ["".join(part.itertext()) for one in cases for part in one if part.tag in ("failure", "error")]
    return len(failed), len(cases) - len(failed), "\n".join(failed)


def test_a_changed_number_of_a_chapter_fails_in_its_cell_and_nowhere_else(judged):
    failed, passed, said = judged[other_number]
    assert (failed, passed) == (1, len(notebooks.cells(page_of("privacy"))) - 1), said
    assert "Cell outputs differ" in said
    assert "flipped: 28" in said
    assert "flipped: 27" in said


def test_an_output_that_the_reference_does_not_have_fails(judged):
    failed, _, said = judged[no_output]
    assert failed == 1, said


def test_code_that_the_build_did_not_run_fails(judged):
    assert "the build ran no such cell" in judged[other_code][2]


def test_outputs_of_another_library_are_not_compared(book, monkeypatch):
    assert notebooks.executed(page_of("privacy"))
    monkeypatch.setattr("fingerprint._behind", lambda program: "another library")
    with pytest.raises(notebooks.NotExecuted, match=r"privacy\.md was not executed as it stands"):
        notebooks.executed(page_of("privacy"))


def test_outputs_of_other_cells_are_not_compared(book, tmp_path):
    text = page_of("privacy").read_text("utf-8")
    (tmp_path / "privacy.md").write_text(text.replace("default_rng(0)", "default_rng(1)", 1), "utf-8")
    with pytest.raises(notebooks.NotExecuted):
        notebooks.executed(tmp_path / "privacy.md")


def test_the_slow_part_takes_the_chapters_again_in_kernels_of_their_own():
    where = ("--collect-only", "--own-kernels", "-m")
    cells = len(notebooks.cells(page_of("privacy")))
    assert f"{cells} tests collected" in compared(notebooks.REFERENCES / "privacy.ipynb", *where, "slow")
    assert "no tests collected" in compared(notebooks.REFERENCES / "privacy.ipynb", *where, "not slow")


def page_of(stem):
    return next(page for page in PAGES if page.stem == stem)
