"""The tables "On the wall" of the lessons: each step that is projected, what it opens with, and what a press shows."""

from __future__ import annotations

import re

import pytest

from tests.book.test_numbers import numbers
from tests.book.test_teach import LESSONS, SMALL
from tests.book.walls import QUOTED, ROLE, board, part, plain, rows, shown, wall

PROJECTED = [page for page in LESSONS if "{notes}" in page.read_text("utf-8")]
BY_NAME = pytest.mark.parametrize("page", PROJECTED, ids=lambda page: page.stem)


@BY_NAME
def test_a_plan_says_what_the_wall_says(book, page):
    told = rows(page)
    assert not (wrong := [line for row in told for line in row.missing(book)]), "\n".join(wrong)
    assert not [row for row in told if row.pressed and not QUOTED.search(row.seen)], "each press has its sentence"


@BY_NAME
def test_each_step_that_is_projected_has_its_line_and_no_number_of_its_own(book, page):
    projected = re.findall(r"\{at\}`(\w+ [^x`][^`]*)`", part(page, "Plan"))
    linked = ROLE.findall(part(page, "On the wall"))
    assert sorted({*projected}) == sorted(linked), "the plan and the table project the same steps, each opened once"
    bare = QUOTED.sub("", " ".join(f"{row.opens} {row.seen}" for row in rows(page)))
    assert not (unknown := numbers(bare) - shown(book, page) - SMALL), f"{sorted(unknown)} do not stand on the wall"


@BY_NAME
def test_a_guess_stands_in_the_plan_word_for_word(book, page):
    text = plain(page.read_text("utf-8"))
    for row in rows(page):
        at = wall(book, row.chapter)
        if at.steps[row.short][0].guess:
            for words in at.question(row.short):
                assert words in text, f"{page.name} has not {words!r} of {row.short!r}"


def test_the_last_lesson_says_how_each_promise_of_the_board_ends():
    _, _, *lines = (line for line in part(LESSONS[-1], "On the wall").splitlines() if line.startswith("|"))
    table = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)}
    assert table == board()


def test_a_promise_that_the_wall_breaks_is_seen(book, tmp_path):
    page = tmp_path / "lesson.md"
    page.write_text(
        "## Plan\n## On the wall\n| step | as it opens | press | you should see |\n|---|---|---|---|\n"
        '| {at}`recommenders popularity` | "41 % of the time" | *Item-kNN* | "63 % of the time" |\n',
        "utf-8",
    )
    (row,) = rows(page)
    assert row.missing(book) == []
    assert {"63%", "41%"} <= shown(book, page)
    page.write_text(page.read_text("utf-8").replace("63 %", "64 %"), "utf-8")
    (row,) = rows(page)
    assert len(row.missing(book)) == 1


def test_presses_are_looked_up_one_upon_the_other(book):
    at = wall(book, "recommenders")
    assert "57 %" in at.after("neighbours", ("In the line-up", "Neighbours: 5"))
    assert at.after("your guess", ("About half",)).startswith("You said about half.")
    for nowhere in ("System: EASE", "five hundred"):
        with pytest.raises(LookupError, match=f"nobody can press '{nowhere}'"):
            at.after("the order", (nowhere,))
