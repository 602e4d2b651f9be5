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


ANSWER = """VALUE = 42

def unasked():
    'What no chapter asks for.'
    return 0
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A small project with our own build: one chapter, and a library that it prints a number of."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("_config.yml", "conf.py", "requirements.lock"):
        shutil.copy(ROOT / name, folder)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: book/intro\nchapters:\n- file: book/chapter\n")
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_ext", "_static", "_extra", "_templates", "words"):
        shutil.copytree(ROOT / "book" / name, folder / "book" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "recprivlib", folder / "recprivlib", ignore=shutil.ignore_patterns("__pycache__", "papers", "accounting")
    )
    (folder / "book" / "references.bib").write_text("")
    (folder / "book" / "intro.md").write_text("# First\n\n[Next](chapter.md)\n")
    (folder / "book" / "chapter.md").write_text(CHAPTER)
    (folder / "recprivlib" / "answer.py").write_text(ANSWER)
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, folder / "tools" / "book.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def page(folder: Path) -> str:
    return (folder / "_build" / "html" / "book" / "chapter.html").read_text("utf-8")


def article(folder: Path) -> str:
    """The page itself, without the names of the scripts and styles around it."""
    html = page(folder)
    return html[html.index("<article") : html.index("</article>")]


def test_build_follows_what_a_page_is_made_from_and_fails_whole(copy):
    """One story, because each build of it stands on the one before."""
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executed 1 of 1: chapter" in done.stdout
    assert "the answer is 42" in page(copy)

    again = build(copy)
    assert again.stdout.strip() == "book: up to date"

    # The chapter is the same to the letter, and what it asks of the library is not.
    answer = copy / "recprivlib" / "answer.py"
    answer.write_text(ANSWER.replace("42", "43"))
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executed 1 of 1: chapter" in done.stdout
    assert "the answer is 43" in page(copy)

    # What it does not ask for it does not wait for, nor for what has been before.
    answer.write_text(ANSWER.replace("return 0", "return 1"))
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executed" not in done.stdout
    assert "the answer is 42" in page(copy)
    answer.write_text(ANSWER.replace("42", "43"))

    # All that is wrong with the words is said at once, before anything runs.
    chapter = copy / "book" / "chapter.md"
    chapter.write_text(CHAPTER.replace("VALUE)", "VALUES)") + "\n{cite:p}`nobody` [far](away.md)\n\n{term}`odd`\n")
    broken = build(copy)
    assert broken.returncode == 1
    assert broken.stderr.splitlines() == [
        "book/chapter.md:12: there is no source 'nobody'",
        "book/chapter.md:12: there is no page 'away.md'",
        "book/chapter.md:14: the glossary has no 'odd'",
        "the book was not built; see above",
    ]
    chapter.write_text(CHAPTER)
    assert build(copy).returncode == 0
    assert "the answer is 43" in page(copy)

    # A warning is an error, and what was there stays there.
    intro = copy / "book" / "intro.md"
    good = intro.read_text()
    intro.write_text(good + "\n[Nowhere](no-such-page.md)\n")
    broken = build(copy)
    assert broken.returncode == 1
    assert "book/intro.md:5: there is no page 'no-such-page.md'" in broken.stderr
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


def test_a_chapter_that_reads_what_its_cells_do_not_name_is_refused(copy):
    """Its outputs would be kept though that file has changed."""
    (copy / "recprivlib" / "hidden.csv").write_text("1\n")
    chapter = copy / "book" / "chapter.md"
    chapter.write_text(
        CHAPTER.replace("import recprivlib.answer", 'import recprivlib.answer\nopen("../recprivlib/hid" + "den.csv")')
    )
    refused = build(copy)
    chapter.write_text(CHAPTER)
    assert refused.returncode == 1
    assert refused.stderr.startswith("book/chapter.md opens recprivlib/hidden.csv, which its cells do not name: write")


DRAFT = """draft: true
---
# A chapter

{cite:p}`nobody` [far](away.md) {term}`odd`

```{step} k=1
```

```{code-cell} ipython3
print("before")
open("../recprivlib/hid" + "den.csv")
```
```{code-cell} ipython3
print("and after")
```
"""


def test_a_draft_is_built_before_it_is_whole_and_says_what_it_lacks(copy):
    chapter = copy / "book" / "chapter.md"
    chapter.write_text(CHAPTER.partition("---\n# A chapter")[0] + DRAFT)
    (copy / "recprivlib" / "hidden.csv").unlink(missing_ok=True)
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    lacking = [line.strip() for line in done.stdout.splitlines() if "draft:" in line]
    assert len(lacking) == 5
    for part in ("does not run", "nobody", "away.md", "odd", "a {step} needs a {path} before it"):
        assert any(line.startswith("draft: book/chapter.md") and part in line for line in lacking), part
    html = article(copy)
    assert html.index("This chapter is a draft") < html.index("before") < html.index("and after")

    # What it read and did not name is said too, and its outputs are not kept.
    (copy / "recprivlib" / "hidden.csv").write_text("1\n")
    chapter.write_text(chapter.read_text() + "\nmore\n")
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "draft: book/chapter.md opens recprivlib/hidden.csv, which its cells do not name" in done.stdout

    # Without the line it is a chapter like any other.
    chapter.write_text(chapter.read_text().replace("draft: true\n", ""))
    refused = build(copy)
    chapter.write_text(CHAPTER)
    assert refused.returncode == 1
    assert len(re.findall(r"(?m)^book/chapter.md:\d+: ", refused.stderr)) == 4
    assert build(copy).returncode == 0
    assert "This chapter is a draft" not in article(copy)


HARM = {
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "emptied": lambda file: file.write_bytes(b""),
    "overwritten": lambda file: file.write_bytes(b"\x80\x04garbage" * 9),
    "removed": lambda file: file.unlink(),
}


@pytest.mark.parametrize("harm", ["cut", *(pytest.param(one, marks=pytest.mark.slow) for one in HARM if one != "cut")])
def test_what_is_kept_between_builds_and_damaged_is_made_anew_once_and_said(copy, harm):
    """Each kind of file: outputs of a chapter, Sphinx's memory, a page as it was read, a page as it was written."""
    assert build(copy).returncode == 0
    whole, work = article(copy), copy / "_build" / "work"
    for pattern in ("executed/chapter/*.ipynb", "doctrees/environment.pickle", "doctrees/book/chapter.doctree",
                    "html/book/chapter.html"):  # fmt: skip
        found = list(work.glob(pattern))
        assert found
        for file in found:
            HARM[harm](file)
    (work / "executed" / ".now").mkdir(exist_ok=True)
    (work / "executed" / ".now" / "global.db").write_bytes(b"")  # what MyST-NB asks, and failed on for ever
    (copy / "book" / "intro.md").write_text(f"# First\n\n[Next](chapter.md), {harm}\n")
    done = build(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert article(copy) == whole
    assert sum("the pages are made anew" in line for line in done.stdout.splitlines()) == 1
    assert ("of an earlier build is damaged" in done.stdout) == (harm != "removed")
    assert "executed 1 of 1: chapter" in done.stdout
    (copy / "book" / "intro.md").write_text(f"# First\n\n[Next](chapter.md), not {harm}\n")
    again = build(copy)
    assert again.returncode == 0, again.stdout + again.stderr
    assert not re.search("damaged|anew|executed", again.stdout)


def test_jupyter_books_own_command_makes_the_same_page(copy, tmp_path):
    """But for the scripts of thebe, which it brings along."""
    assert build(copy).returncode == 0
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", ".", "-W"]
    command += ["--path-output", tmp_path]
    done = subprocess.run(command, cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

    def said(html: str) -> str:
        return re.sub(r"\?v=\w+", "", html[html.index("<article") : html.index("</article>")])

    assert said((tmp_path / "_build" / "html" / "book" / "chapter.html").read_text("utf-8")) == said(page(copy))


@pytest.mark.slow
def test_a_build_that_is_killed_and_two_at_once_leave_a_whole_book(copy):
    assert build(copy).returncode == 0
    whole = page(copy)
    for pause in (0.5, 1.0):  # a build takes more than that
        (copy / "recprivlib" / "answer.py").write_text(ANSWER.replace("42", str(pause)))
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
