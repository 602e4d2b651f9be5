"""The teacher's side in a browser: questions are answered by keys and counted, notes follow the wall, slides are one a
page, and a figure stands in a page of another site only where it was allowed to."""

from __future__ import annotations

import functools
import http.server
import re
import threading

import pytest

from tests.browser.walking import chromium
from tests.conftest import ROOT

SMALL = ("check.js", "quiz.js", "notes.js", "slides.js")
QUESTIONS = "/book/teach/questions.html"


def press(page, question, at):
    """One answer, by keys alone."""
    page.locator(".check").nth(question).get_by_role("button").nth(at).focus()
    page.keyboard.press("Enter")


def answer_all(page, right):
    """Every question: the right answer, or the first wrong one."""
    for number in range(10):
        answers = page.locator(".check").nth(number).locator(".check-answers > li")
        marks = [answers.nth(at).get_attribute("data-right") for at in range(answers.count())]
        press(page, number, marks.index("1") if right(number) else marks.index(None))
    page.get_by_role("button", name="Count", exact=True).press("Enter")


def test_no_script_of_the_teacher_s_side_weighs_more_than_ten_kilobytes():
    for name in SMALL:
        assert (ROOT / "book" / "_static" / name).stat().st_size <= 10_000, name


@pytest.mark.firefox
def test_ten_questions_are_counted_twice_by_keys_and_nothing_is_sent(visit):
    page = visit(QUESTIONS, width=390, theme="dark")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    said = page.locator(".quiz-said")
    page.get_by_role("button", name="Count", exact=True).click()
    assert "Question 1 has no answer yet" in said.inner_text()
    answer_all(page, lambda number: number < 4)
    assert said.inner_text().startswith("The first time: 4 of 10.")
    assert page.locator(".check-why:visible").count() == 0, "reasons wait"
    page.get_by_role("button", name="Show the reasons").click()
    assert page.locator(".check-why:visible").count() == 10 + 6
    press(page, 9, 0)
    assert said.inner_text().startswith("The first time: 4 of 10."), "what is counted stays"
    page.reload()
    assert page.get_by_role("button", name="The second time").get_attribute("aria-pressed") == "true"
    answer_all(page, lambda number: number != 0)
    text = said.inner_text()
    assert "The first time: 4 of 10. The second time: 9 of 10. Learnt in between: 6." in text
    assert page.locator(".check-why:visible").count() == 11
    page.get_by_role("button", name="Forget my answers").click()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('recpriv'))") == []
    assert "0 of 10 answered." in said.inner_text()
    assert not [url for url in asked if not re.search(r"\.(html|js|css|svg|woff2?|json)(\?|$)", url)]
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


@pytest.mark.chromium
def test_questions_and_reasons_can_be_read_by_everybody(visit, accessible):
    page = visit(QUESTIONS, width=390)
    answer_all(page, lambda number: number % 2)
    page.get_by_role("button", name="Show the reasons").click()
    accessible(page)


def test_what_was_kept_may_be_anything(visit):
    page = visit(QUESTIONS, first=True)
    for junk in ("[]", "{", "null", '{"before": [1, 2]}', '{"before": "0123456789"}'):
        page.evaluate("(junk) => localStorage.setItem('recpriv-questions', junk)", junk)
        page.reload()
        assert page.locator(".quiz-said").inner_text().startswith("0 of 10 answered."), junk


def test_a_question_of_its_own_says_at_once_why(visit):
    page = visit("/book/teach/overview.html")
    box = page.locator("#check-bayes")
    press(page, 1, 0)
    assert "No. that is how often the ill are found." in box.locator(".wrong").inner_text()
    press(page, 1, 1)
    assert box.locator(".right [role=status]").inner_text().startswith("Right. of a hundred people")
    assert not box.locator("details").is_visible()


def test_without_a_script_questions_and_key_can_be_read(visit):
    page = visit(QUESTIONS, first=True, java_script_enabled=False)
    page.locator("#check-rare-film summary").click()
    assert page.locator("#check-rare-film details").get_by_text("about seven say yes").is_visible()
    assert page.locator(".quiz-end").count() == 0


@pytest.mark.chromium
def test_notes_follow_the_wall_and_their_keys_move_it(visit):
    page = visit("/book/recommenders.html?step=2&present=1", first=True)
    page.locator(".stage[data-ready]").wait_for()
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    notes = opened.value
    notes.get_by_text("Say the rule slowly.").wait_for()
    assert notes.get_by_role("timer").inner_text().startswith("0:")
    notes.keyboard.press("ArrowRight")
    notes.get_by_text("Everybody writes a number down.").wait_for()
    assert "step=3" in page.url
    page.keyboard.press("ArrowRight")
    notes.get_by_text("A fifth: 12", exact=False).wait_for()
    assert notes.locator("footer").inner_text() == "Next: How many should vote?"
    page.goto("about:blank")
    notes.wait_for_event("close") if not notes.is_closed() else None


@pytest.mark.chromium
@pytest.mark.parametrize("stem", ["recommenders", pytest.param("dp_pnbm", marks=pytest.mark.slow)])
def test_a_path_is_printed_as_slides_one_step_a_page(visit, stem):
    page = visit(f"/book/{stem}.html?slides=1", first=True)
    page.locator("html[data-slides]").wait_for()
    steps = int(page.locator("html").get_attribute("data-slides"))
    for step in range(steps):
        assert page.locator(".path > .step").nth(step).locator(".slide-figure > *").count() >= 1
    if chromium(page):
        pdf = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type /Page\b", pdf)) == steps + 2  # the title, and what to take away
        boxes = {tuple(float(n) for n in box.split()) for box in re.findall(rb"MediaBox \[([^\]]*)\]", pdf)}
        assert all(wide > high for _, _, wide, high in boxes)


# ---------------------------------------------------------------------------------- a figure in another page


@pytest.fixture
def school(tmp_path):
    """`school(address)`: a page of another site that frames what stands at this address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            """Nothing on the terminal."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def school(address=""):
        text = f'<!doctype html><title>A course</title><iframe src="{address}" width="900" height="1100"></iframe>'
        (tmp_path / "index.html").write_text(text, "utf-8")
        return f"http://localhost:{server.server_port}"  # another site to a browser, not another port only

    yield school
    server.shutdown()
    server.server_close()


@pytest.mark.chromium
def test_a_dashboard_stands_in_a_page_of_another_site_only_where_it_was_allowed(browser, book, serving, school):
    framed = {}
    for allowed in (True, False):
        with serving(book, embed=school() if allowed else "") as (address, _):
            context = browser.new_context(viewport={"width": 1000, "height": 1200})
            page = context.new_page()
            page.goto(school(f"{address}/apps/privacy?epsilon=2"))
            frame = page.frame_locator("iframe")
            if allowed:
                frame.locator(".js-plotly-plot, .plotly").first.wait_for(timeout=120_000)
            else:
                page.wait_for_timeout(3_000)
            framed[allowed] = frame.locator("canvas, svg").count()
            context.close()
    assert framed[True] > 0 == framed[False], framed
