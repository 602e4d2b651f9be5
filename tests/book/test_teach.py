"""The teacher's pages: every link finds its step, every plan fills its minutes, every number is printed or computed."""

from __future__ import annotations

import json
import math
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from recprivlib.mechanisms import RandomizedResponse
from recprivlib.plots.numerals import best_guess
from tests.book.test_checks import BLOCK
from tests.book.test_numbers import numbers, printed
from tests.book.walls import ROLE, part, shown

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "tools")]

import notebooks  # noqa: E402
import teach  # noqa: E402  (of the book's own extensions)
from checks import read  # noqa: E402

FOLDER = ROOT / "book" / "teach"
LESSONS = sorted(FOLDER.glob("lesson-*.md"))
PATHS = ("recommenders", "privacy", "dplcf", "ldp_svd", "fmf_ldp", "dp_pnbm", "privrec")
PARTS = ("Objectives", "Plan", "Expected wrong ideas", "To talk about", "Homework", "Exam question (10 points)")
SMALL = {str(number) for number in range(11)}
# What the answers to exam questions come to, from what their questions give.
ANSWERS = {
    "lesson-1": [round(1.96 * 100 * math.sqrt(0.25 / 200), 1)],
    "lesson-2": [f"{math.log(3):.1f}", 1_000 * 3 // 4],
    "lesson-3": [10_000 // 4, (3_000 - 2_500) * 2, round(2 * math.sqrt(10_000 * 3 / 16)), (2_400 - 2_500) * -2,
                 f"{100 * 3_000 // 10_000}%", math.isqrt(10_000)],
    "lesson-5": [2 * 365, 365],
    "lesson-6": [21 - 1],
}  # fmt: skip
GIVEN = {"lesson-3": ["16"]}  # a formula that is read aloud: 3/16 is 3/4 times 1/4


@cache
def html(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@pytest.mark.parametrize("page", [*LESSONS, FOLDER / "overview.md"], ids=lambda page: page.stem)
def test_every_link_to_a_step_or_a_fold_finds_it_in_the_built_book(book, page):
    links = html(book / "book" / "teach" / f"{page.stem}.html").select("a.at")
    assert len(links) == len(ROLE.findall(page.read_text("utf-8"))) + page.read_text("utf-8").count("```{notes}")
    for link in links:
        to, _, name = link["href"].partition("#")
        path, _, query = to.partition("?")
        chapter = html((book / "book" / "teach" / path).resolve())
        if name:
            assert chapter.select_one(f"details.expert#{name}"), link["href"]
        elif step := re.fullmatch(r"step=(\d+)&present=1", query):
            about = chapter.select_one(f'script[data-step="{step[1]}"]')
            assert link.get_text() == f"step {step[1]}, {about['data-short']}"
        else:
            assert query == "slides=1", link["href"]


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_lesson_has_all_its_parts_and_its_minutes_add_up(page):
    for title in PARTS:
        assert part(page, title).strip(), title
    rows = re.findall(r"^\| *(\d+) *\| *(\d+) *\|", part(page, "Plan"), re.MULTILINE)
    assert len(rows) >= 6
    assert [sum(map(int, column)) for column in zip(*rows, strict=True)] == [90, 50]
    homework = re.findall(r"\{at\}`(\w+) (x-\S+)`", part(page, "Homework"))
    assert len(homework) >= 2
    exam = part(page, "Exam question (10 points)")
    assert sum(map(int, re.findall(r"^- \((\d)\) ", exam, re.MULTILINE))) == 10
    assert "Students will also name" in exam, "answers that a rubric does not foresee cannot be marked"
    assert page.read_text("utf-8").count("\n") <= 175, "a plan is read in ten minutes"


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_each_question_and_exercise_has_its_answer_and_its_minutes(page):
    plan = part(page, "Plan")
    for title in ("To talk about", "Homework"):
        asked = re.findall(r"^(?:\d+\.|-) .*?(?=^(?:\d+\.|-) |\Z)", part(page, title), re.MULTILINE | re.DOTALL)
        assert len(asked) >= 2, title
        assert not [one for one in asked if "*Expected*" not in one], f"{title} has a question without its answer"
        assert re.search(title, plan, re.IGNORECASE), f"{title} has no minutes"


def test_the_book_has_eight_lessons_in_their_order():
    listed = re.findall(r"file: book/teach/(\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    assert listed == ["overview", *(f"lesson-{number}" for number in range(1, 9)), "questions"]
    assert [page.stem for page in LESSONS] == listed[1:9]


def said(text: str) -> set[str]:
    """The numbers of a text, but for addresses, names and the lengths of lessons."""
    silent = (r"```\w*\n.*?^```$", r"`[^`]*`", r"\]\([^)]*\)", r"\{\w+(?::\w+)?\}", r"https?://\S+",
              r"\d+(?=\.? minutes)", r"(?<=\(of )50(?=:)",
              r"(?<=cut it to )50", r"\| *of 50 *\|", r"^\| *\d+ *\| *\d+ *\|", r"^\d+\. ")  # fmt: skip
    for pattern in silent:
        text = re.sub(pattern, " ", text, flags=re.MULTILINE | re.DOTALL)
    return numbers(re.sub(r"ε\d", "ε", text))


def all_printed() -> set[str]:
    return set().union(*(printed(page) for page in notebooks.chapters()))


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_every_number_of_a_lesson_is_printed_or_projected_by_the_chapter_that_it_teaches(book, page):
    text = page.read_text("utf-8")
    exam = part(page, PARTS[-1])
    question, _, answer = exam.partition(":::{dropdown}")
    taught = {found.split()[0] for found in ROLE.findall(text)} & {one.stem for one in notebooks.chapters()}
    known = SMALL.union(*(printed(ROOT / "book" / f"{stem}.md") for stem in taught))
    known |= shown(book, page)
    body = text.replace(exam, "").replace("```{notes}", "").replace("```", "")
    known |= {"73%", "27%"}  # of lesson 2, which all stand on; the next test computes them
    assert not (unknown := said(body) - known), f"{page.name} says {sorted(unknown)}"
    given = said(question) | {str(one) for one in ANSWERS.get(page.stem, [])} | set(GIVEN.get(page.stem, []))
    assert not (unknown := said(answer) - given - known), f"the answer of {page.name} says {sorted(unknown)}"


def test_what_the_questions_say_of_phones_is_what_phones_do():
    text = (FOLDER / "questions.md").read_text("utf-8")
    phone, quieter = RandomizedResponse(1.0), RandomizedResponse(0.3)
    yes, no = round(100 * phone.p), round(100 * phone.q)
    rare = 0.1 * phone.p / (0.1 * phone.p + 0.9 * phone.q)
    assert (yes, no) == (73, 27) == (round(100 * best_guess(1)), 100 - round(100 * best_guess(1)))
    assert f"Of 100 people who watched a film, {yes} phones say yes. Of 100 who did not, {no}" in text
    assert f"[x] about {100 * rare:.0f} of 100" in text
    assert f"about {10 * phone.p:.0f}".replace("7", "seven") in text
    assert f"about {90 * phone.q:.0f} say yes" in text
    assert f"Another kind: {100 * quieter.p:.0f} and {100 * quieter.q:.0f}." in text
    assert "98%" in printed(ROOT / "book" / "privacy.md")
    used = {yes, no, 100, 50, 57, 43, 20, 24, round(100 * rare)}
    asked = " ".join(body for _, body in BLOCK.findall(text))
    assert said(asked) <= {str(number) for number in used} | SMALL | {".4", "98%"}


def test_ten_questions_are_asked_and_their_right_answers_do_not_stand_in_one_place():
    questions = [read(body.splitlines()) for _, body in BLOCK.findall((FOLDER / "questions.md").read_text("utf-8"))]
    assert len(questions) == 10
    places = [[one.right for one in question.answers].index(True) for question in questions]
    assert max(places.count(place) for place in places) <= 6
    longest = [max(q.answers, key=lambda one: len(one.words)).right for q in questions]
    assert sum(longest) <= 5, "whoever always takes the longest answer is right too often"


def test_what_is_said_at_a_step_reaches_the_wall_in_the_words_of_the_lesson(book):
    for stem in PATHS:
        script = (book / "_static" / "notes" / f"{stem}.js").read_text("utf-8")
        told = json.loads(script.removeprefix("rpNotes(").rstrip().removesuffix(");"))
        steps = html(book / "book" / f"{stem}.html").select("script[data-step]")
        assert sorted(told, key=int) == [str(number) for number in range(1, len(steps) + 1)], stem
        assert all(line.strip() for lines in told.values() for line in lines)
    assert "From each of 943 people we hide the last film." in " ".join(
        json.loads((book / "_static" / "notes" / "recommenders.js").read_text("utf-8")[8:-3])["2"]
    )


@pytest.mark.parametrize(("asked", "told"), [("dplcf nowhere", "dplcf has no 'nowhere'"), ("nobody x", "no chapter"),
                                             ("dplcf eighty town", "did you mean eighty towns")])  # fmt: skip
def test_a_step_that_is_not_there_is_refused_by_its_name(asked, told):
    with pytest.raises(ValueError, match=told):
        teach.place(asked)


def test_a_number_that_nobody_printed_is_seen():
    assert said("At ε1 = 1 it finds 61\u202f% in 15 minutes, see [page 9](a-12.md) and `x=77`.") == {"61%", "1", "9"}
    assert "62.5%" not in all_printed()
