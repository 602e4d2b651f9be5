"""The references that nbval compares with are those of the chapters as they are written now."""

from __future__ import annotations

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
