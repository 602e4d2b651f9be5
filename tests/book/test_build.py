"""A page is never stale, and a build that fails takes nothing away."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CHAPTER = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# A chapter

```{code-cell} ipython3
import recprivlib.answer
print("the answer is", recprivlib.answer.VALUE)
```
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A small project with our own build: one chapter, and a library that it prints a number of."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("_config.yml", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/intro\nchapters:\n- file: book/chapter\n")
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_ext", "_static", "_extra"):
        shutil.copytree(ROOT / "book" / name, folder / "book" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "recprivlib", folder / "recprivlib", ignore=shutil.ignore_patterns("__pycache__", "papers", "accounting")
    )
    (folder / "book" / "references.bib").write_text("")
    (folder / "book" / "intro.md").write_text("# First\n\n[Next](chapter.md)\n")
    (folder / "book" / "chapter.md").write_text(CHAPTER)
    (folder / "recprivlib" / "answer.py").write_text("VALUE = 42\n")
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, folder / "tools" / "book.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def page(folder: Path) -> str:
    return (folder / "_build" / "html" / "book" / "chapter.html").read_text("utf-8")


def test_build_follows_what_a_page_is_made_from_and_fails_whole(copy):
    """One story, because each build of it stands on the one before."""
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executed 1 of 1: chapter" in done.stdout
    assert "the answer is 42" in page(copy)

    again = build(copy)
    assert again.stdout.strip() == "book: up to date"

    # The chapter is the same to the letter, and jupyter-cache alone would not run it again.
    (copy / "recprivlib" / "answer.py").write_text("VALUE = 43\n")
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the answer is 43" in page(copy)

    # A warning is an error, and what was there stays there.
    intro = copy / "book" / "intro.md"
    good = intro.read_text()
    intro.write_text(good + "\n[Nowhere](no-such-page.md)\n")
    broken = build(copy)
    assert broken.returncode == 1
    assert "no-such-page" in broken.stderr
    assert "the answer is 43" in page(copy)
    intro.write_text(good)

    # So is a chapter that does not run; it is named, with what went wrong.
    (copy / "book" / "chapter.md").write_text(CHAPTER.replace("VALUE)", "VALUES)"))
    broken = build(copy)
    assert broken.returncode == 1
    assert "book/chapter.md does not run" in broken.stderr
    assert "has no attribute 'VALUES'" in broken.stderr
    assert "the answer is 43" in page(copy)
    (copy / "book" / "chapter.md").write_text(CHAPTER)
    assert build(copy).returncode == 0

    # No page says anything new, and each still names the style by what is in it.
    before, style = page(copy), copy / "book" / "_static" / "book.css"
    style.write_text(style.read_text("utf-8") + "/* new */\n", "utf-8")
    assert build(copy).returncode == 0
    assert (copy / "_build" / "html" / "_static" / "book.css").read_text("utf-8") == style.read_text("utf-8")
    assert re.findall(r"book.css\?v=\w+", page(copy)) != re.findall(r"book.css\?v=\w+", before)


def test_an_edit_is_seen_though_the_clock_was_set_back(copy):
    """Sphinx itself looks at the time of a file: an older one than it has read is the same to it."""
    assert build(copy).returncode == 0
    chapter = copy / "book" / "chapter.md"
    chapter.write_text(CHAPTER.replace("the answer is", "the reply is"))
    os.utime(chapter, (1e9, 1e9))
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the reply is" in page(copy)
    chapter.write_text(CHAPTER)


@pytest.mark.slow
def test_a_build_that_is_killed_and_two_at_once_leave_a_whole_book(copy):
    assert build(copy).returncode == 0
    whole = page(copy)
    for pause in (0.5, 1.0):  # a build takes more than that
        (copy / "recprivlib" / "answer.py").write_text(f"VALUE = {pause}\n")
        environment = os.environ | {"PYTHONPATH": str(copy)}
        with subprocess.Popen([sys.executable, copy / "tools" / "book.py"], cwd=copy, env=environment) as process:
            time.sleep(pause)
            process.kill()
        assert page(copy) == whole
    both = [
        subprocess.Popen(
            [sys.executable, copy / "tools" / "book.py"], cwd=copy, env=environment, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    said = [one.communicate(timeout=300)[0] for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sum(b"up to date" in lines for lines in said) == 1
    assert sum(b"another build is under way in this folder; this one waits" in lines for lines in said) == 1
    assert "the answer is 1.0" in page(copy)
