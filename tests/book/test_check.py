"""What is wrong with the words of a chapter is said with its file and line, all of it, before anything is executed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import check  # noqa: E402  (a local extension of the book)

BOOK = {
    "one.md": "# One\n\n```{path} recommenders\n:controls: data k\n```\n\n## A\n```{step} k=5 ghost.k=1 view=hits\n"
    ":short: a\n```\n{set}`all <k=10>` {cite:p}`known2020`, {term}`bills <bill>`, [two](two.md#x-proof), {eq}`eq-one`\n"
    "\n### B\n```{expert} x-mine\n```\n[here](#x-mine) [far](https://example.org) [up](two.html#x-proof)\n"
    "```{exercise} coin\n```\n\n"
    "```{code-cell} ipython3\nprint('[gone](gone.md) {cite}`nobody`')\n```\n\n$$ x $$ (eq-one)\n",
    "two.md": "# Two\n```{expert} x-proof\n```\n:::{glossary}\nbill\n  What it costs.\n:::\n",
}


@pytest.fixture
def said(tmp_path, monkeypatch):
    """`said(old, new)`: what is said of a small book in which one thing was changed."""
    monkeypatch.setattr(check, "ROOT", tmp_path)
    (tmp_path / "b.bib").write_text("@article{known2020,\n}\n@book{known2021, title={x}}\n")
    view = (
        check.__dict__
        and __import__("recprivlib.dashboard", fromlist=["explorer"]).explorer("recommenders").figures[0].name
    )

    def ask(old: str = "", new: str = "") -> list[str]:
        for name, text in BOOK.items():
            assert old in "".join(BOOK.values())
            (tmp_path / name).write_text(text.replace("view=hits", f"view={view}").replace(old, new), "utf-8")
        files = [tmp_path / name for name in BOOK]
        return check.wrong(check.read(files, [tmp_path / "b.bib"]), files)

    return ask


def test_nothing_is_said_of_a_book_that_is_right(said):
    assert said() == []


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("{path} recommenders", "{path} recommender", 3, "there is no dashboard 'recommender'; choose from"),
        (":controls: data k", ":controls: data kk", 4, "there is no control 'kk' in recommenders; choose from"),
        ("{step} k=5", "{step} kk=5", 8, "there is no control 'kk' in recommenders; choose from"),
        ("{step} k=5", "{step} k=5000", 8, "k is '5000', but must be a whole number from 1 to"),
        ("ghost.k=1", "ghost.kk=1", 8, "there is no control 'kk'"),
        ("ghost.k=1", "ghost.k=x", 8, "k is 'x', but must be"),
        ("ghost.k=1", "loud", 8, "'loud' is no setting of recommenders"),
        ("ghost.k=1", "view=hist", 8, "there is no figure 'hist' in recommenders; choose from"),
        ("<k=10>", "<k=0>", 11, "k is '0', but must be a whole number from 1 to"),
        ("`all <k=10>`", "`all`", 11, "{set} is written as words <control=value>"),
        ("known2020`", "known2022`", 11, "there is no source 'known2022'; did you mean"),
        ("<bill>", "<pill>", 11, "the glossary has no 'pill'; did you mean bill?"),
        ("two.md#x-proof", "too.md#x-proof", 11, "there is no page 'too.md'; did you mean two.md"),
        ("two.md#x-proof", "two.md#x-prof", 11, "there is no '#x-prof' in two.md; did you mean x-proof?"),
        ("{eq}`eq-one`", "{eq}`eq-two`", 11, "there is no formula 'eq-two'; did you mean eq-one?"),
        ("(#x-mine)", "(#x-yours)", 16, "there is no '#x-yours' in one.md"),
        ("{exercise} coin", "{exercise} coins", 17, "there is no exercise 'coins'; did you mean coin?"),
        ("two.html#x-proof", "two.html#x-gone", 16, "there is no '#x-gone' in two.html"),
    ],
)
def test_what_is_not_there_is_named_with_file_and_line(said, old, new, line, sentence):
    (found,) = said(old, new)
    assert found.startswith(f"one.md:{line}: {sentence}")


def test_all_that_is_wrong_is_said_at_once(said):
    found = said("k=", "kk=")
    assert [one.split(":")[1] for one in found] == ["8", "11"]


def test_code_is_no_prose(said):
    assert said("print('", "print('{set}`x` ") == []


def test_the_book_itself_is_right():
    pages = sorted((ROOT / "book").rglob("*.md"))
    assert check.wrong(check.read(pages, [ROOT / "book" / "references.bib"]), pages) == []


def test_the_book_is_looked_at(monkeypatch):
    """Of each kind there is something in it, or the test above would see nothing."""
    text = "".join(page.read_text("utf-8") for page in (ROOT / "book").glob("*.md"))
    kinds = {kind for mark in check.MARK.finditer(text) for kind, found in mark.groupdict().items() if found}
    assert kinds >= {"block", "argument", "controls", "set", "cite", "term", "eq", "link"}
