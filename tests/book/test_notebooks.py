"""The references that nbval compares with are those of the chapters as they are written now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

PAGES = notebooks.chapters()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reference_has_the_code_of_its_chapter(page):
    path = notebooks.REFERENCES / f"{page.stem}.ipynb"
    assert path.exists(), f"{page.name} has no reference: run make notebooks"
    stored = notebooks.parts(nbformat.read(path, as_version=4))
    assert stored == notebooks.cells(page), f"the code of {page.name} has changed: run make notebooks and read the diff"


def test_no_reference_without_a_chapter():
    assert {path.stem for path in notebooks.REFERENCES.glob("*.ipynb")} == {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_references_compare_numbers(page):
    """A chapter whose every output is ignored or empty would pass whatever it computes."""
    stored = nbformat.read(notebooks.REFERENCES / f"{page.stem}.ipynb", as_version=4)
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


def compared(path, *options):
    """What pytest says of a notebook at `path`, with the options of this project."""
    quiet = ["-q", "--color=no", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT, *quiet, *options, path]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


def broken(folder, change):
    """A copy of a reference in which `change` was made to the notebook."""
    notebook = nbformat.read(notebooks.REFERENCES / "privacy.ipynb", as_version=4)
    change(notebook.cells)
    nbformat.write(notebook, folder / "privacy.ipynb")
    return folder / "privacy.ipynb"


def test_a_changed_number_of_a_chapter_fails_in_its_cell_and_nowhere_else(book, tmp_path):
    def change(cells):
        assert "27\u202f%" in cells[0].outputs[0].text
        cells[0].outputs[0].text = cells[0].outputs[0].text.replace("27\u202f%", "28\u202f%")

    said = compared(broken(tmp_path, change))
    assert f"1 failed, {len(notebooks.cells(page_of('privacy'))) - 1} passed" in said, said
    assert "Cell outputs differ" in said
    assert "flipped: 28" in said
    assert "flipped: 27" in said


def test_an_output_that_the_reference_does_not_have_fails(book, tmp_path):
    said = compared(broken(tmp_path, lambda cells: cells[0].outputs.clear()))
    assert "1 failed" in said, said


def test_code_that_the_build_did_not_run_fails(book, tmp_path):
    def change(cells):
        cells[0].source += "\nassert False"

    said = compared(broken(tmp_path, change))
    assert "the build ran no such cell" in said, said


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
