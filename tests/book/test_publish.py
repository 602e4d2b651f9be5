"""Pages are put where readers look whole or not at all, before their frames; the last good book is never lost."""

from __future__ import annotations

import errno
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools import book  # noqa: E402


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A build of one page, with nothing of Sphinx."""
    build = tmp_path / "_build"
    work = build / "work"
    for name, place in {"ROOT": tmp_path, "BUILD": build, "HTML": build / "html", "WORK": work,
                        "STATE": (work / "doctrees", work / "html"), "SUMS": work / "sums.json"}.items():  # fmt: skip
        monkeypatch.setattr(book, name, place)
    monkeypatch.setattr(book, "inputs", lambda: "new")
    monkeypatch.setattr(book, "fetch", lambda say: None)
    monkeypatch.setattr(book, "look_up", lambda: None)
    (work / "html").mkdir(parents=True)
    (work / "html" / "page.html").write_text("old")
    book.publish("old")
    (work / "html" / "page.html").write_text("new")
    return build


def shown(folder):
    return (folder / "html" / "page.html").read_text()


def left(folder):
    return sorted(path.name for path in folder.glob("html*"))


def sphinx(*lines, problem=None):
    def run(builder, say):
        for line in lines:
            say(line)
        if problem:
            raise problem

    return run


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def full_in_parts(*_, **__):
    raise shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")])


def test_pages_are_shown_before_their_frames_on_every_build(folder, monkeypatch):
    seen = []
    monkeypatch.setattr(book, "sphinx", sphinx(book.READABLE))
    book.build(lambda line: seen.append((line, shown(folder), book.stale())))
    assert (book.READABLE, "new", True) in seen
    assert not book.stale()
    assert left(folder) == ["html"]


def test_where_the_frames_fail_the_last_good_book_comes_back(folder, monkeypatch):
    monkeypatch.setattr(book, "sphinx", sphinx(book.READABLE, problem=book.BookError("no such film")))
    with pytest.raises(book.BookError, match="no such film"):
        book.build(lambda line: None)
    assert shown(folder) == "old"
    assert left(folder) == ["html"]


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_a_build_that_was_killed_while_it_published_is_put_right_by_the_next(folder, monkeypatch, moment):
    if moment != "before":
        (folder / "html").rename(folder / "html.old")
    if moment == "after":
        shutil.copytree(folder / "work" / "html", folder / "html")
    monkeypatch.setattr(book, "sphinx", sphinx(problem=book.BookError("stop")))
    with pytest.raises(book.BookError, match="stop"):
        book.build(lambda line: None)
    assert shown(folder) == ("new" if moment == "after" else "old")
    assert left(folder) == ["html"]


@pytest.mark.parametrize("failing", [full, full_in_parts])
@pytest.mark.parametrize("early", [True, False])
def test_a_full_disk_is_one_sentence_and_the_last_good_book_stays(folder, monkeypatch, failing, early):
    monkeypatch.setattr(book, "sphinx", sphinx(*([book.READABLE] if early else [])))
    monkeypatch.setattr(book.shutil, "copytree", failing)
    with pytest.raises(book.BookError) as said:
        book.build(lambda line: None)
    assert str(said.value) == book.FULL
    assert shown(folder) == "old"
    assert left(folder) == ["html"]


def test_so_is_a_disk_that_is_full_while_sphinx_writes(folder, monkeypatch):
    def run(builder, heard):
        try:
            full()
        except OSError as error:
            raise RuntimeError("a page could not be written") from error

    monkeypatch.setattr(book, "run", run)
    with pytest.raises(book.BookError) as said:
        book.build(lambda line: None)
    assert str(said.value) == book.FULL
    assert shown(folder) == "old"


def test_another_problem_of_the_disk_is_not_called_full(folder, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(book, "sphinx", sphinx())
    monkeypatch.setattr(book.shutil, "copytree", denied)
    with pytest.raises(PermissionError):
        book.build(lambda line: None)
    assert shown(folder) == "old"
