"""Which chapters call themselves drafts, and that whoever publishes the book hears of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import book, site

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import drafts  # noqa: E402  (a local extension of the book)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("---\nfile_format: mystnb\ndraft: true\n---\n# A\n", True),
        ("---\nfile_format: mystnb\ndraft: false\n---\n# A\n", False),
        ("---\nfile_format: mystnb\n---\n# A\n---\ndraft: true\n---\n", False),
        ("# A\n\n---\ndraft: true\n---\n", False),
        ("", False),
    ],
)
def test_a_draft_says_so_at_its_head_and_nowhere_else(text: str, is_one: bool) -> None:
    assert drafts.draft(text) == is_one


def test_the_drafts_of_the_table_of_contents_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "ROOT", tmp_path)
    (tmp_path / "_toc.yml").write_text("root: intro\nchapters:\n  - file: one\n  - file: two\n  - file: gone\n")
    for name, line in (("intro", ""), ("one", "draft: true\n"), ("two", ""), ("apart", "draft: true\n")):
        (tmp_path / f"{name}.md").write_text(f"---\nfile_format: mystnb\n{line}---\n# A\n")
    assert drafts.listed() == [tmp_path / "one.md"]
    assert drafts.whole(sorted(tmp_path.glob("*.md"))) == [tmp_path / "intro.md", tmp_path / "two.md"]


def test_who_publishes_a_draft_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the site has not changed: it is about to be copied."""
    monkeypatch.setattr(book, "build", lambda say: tmp_path)
    monkeypatch.setattr(book, "unfinished", lambda: [ROOT / "book" / "dplcf.md"])
    target, said = tmp_path / "site", []
    target.mkdir()
    target.with_name("site.inputs").write_text(site.inputs())
    site.build(target, said.append)
    assert said == ["site: book/dplcf.md is a draft, and is published as one: its page says so on top",
                    "site: up to date"]  # fmt: skip
