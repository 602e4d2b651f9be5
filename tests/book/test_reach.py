"""What a chapter was seen to reach, off its text, is all that its kernel really opens, imports and calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

from recprivlib.definitions import files, reach  # noqa: E402

PAGES = notebooks.chapters()
# Runs the cells of a chapter, and tells where each function of the library stands that is called by other than the
# import of its module.
CALLS = """
import json, sys, threading
root, cells = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
called, importing = set(), {}

def heard(frame, event, _):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(root):
        return
    place = (code.co_filename, code.co_firstlineno)
    if place in called or code.co_name == "<module>":
        return
    above = frame
    while above is not None:
        if above.f_code.co_name == "<module>" and above.f_code.co_filename.startswith(root):
            return
        above = above.f_back
    called.add(place)

names = {"__name__": "__main__"}
threading.setprofile(heard)
sys.setprofile(heard)
for cell in cells:
    exec(compile(cell, "<cell>", "exec"), names)
sys.setprofile(None)
print("\\n" + json.dumps(sorted(called)))
"""


def program(page: Path) -> str:
    """The cells of a chapter in one."""
    return "\n".join(source for source, _ in notebooks.cells(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_kernel_opens_no_file_that_the_text_does_not_reach(book, page):
    opened = set(notebooks.executed(page).metadata["opened"])
    found = reach(program(page))
    assert found is not None
    assert "recprivlib/__init__.py" in opened  # else the record is empty
    assert len([name for name in opened if name.endswith(".py")]) > 20
    assert opened - {file.relative_to(ROOT).as_posix() for file in files(found)} == set()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_chapter_calls_no_function_that_its_text_does_not_reach(page, tmp_path):
    """Its outputs would stay though that function has changed."""
    cells = tmp_path / "cells.json"
    cells.write_text(json.dumps([source for source, _ in notebooks.cells(page)]), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", CALLS, str(ROOT / "recprivlib"), str(cells)], cwd=ROOT / "book",
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    called = json.loads(done.stdout.splitlines()[-1])
    assert len(called) > 50
    found = reach(program(page))
    spans = {}
    for part in found.parts:
        spans.setdefault(str(part.file), []).append((part.first, part.last))
    whole = {str(file) for file in found.files}
    missed = [
        (name, line) for name, line in called
        if name not in whole and not any(first <= line <= last for first, last in spans.get(name, ()))
    ]  # fmt: skip
    assert missed == []
