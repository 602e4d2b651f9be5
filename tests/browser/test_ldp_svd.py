"""Dashboard ldp_svd as a reader meets it: the tape first, in its chapter and alone, with its card and its edge."""

from __future__ import annotations

import time
from urllib.parse import parse_qsl

import pytest

from recprivlib.live import explorer
from tests.browser.sight import answered, fits, into_sight

CHAPTER = "/book/ldp_svd.html"
ALONE = "/apps/ldp_svd"
PATIENCE = 30_000  # ms; the machine of a CI run is busy with other tests
EXPLORER = explorer("ldp_svd")
TAPE = "document.querySelector('[data-figure=tape] .js-plotly-plot')"
ERROR = "document.querySelector('[data-figure=error] .js-plotly-plot')"


def ready(at):
    at.locator("main[data-state=ready] [data-figure=tape] .main-svg").first.wait_for(timeout=PATIENCE)


def until(page, shown):
    """Waits until the main plot shows these settings."""
    end = time.monotonic() + PATIENCE / 1000
    while dict(parse_qsl(page.evaluate(f"{TAPE}?.layout?.meta?.shown") or "")) != dict(parse_qsl(shown)):
        assert time.monotonic() < end, f"the plot never showed {shown!r}"
        page.wait_for_timeout(20)
    ready(page)


def shows(page, what):
    """Waits until a figure, which may be drawn after its frame, shows this."""
    page.wait_for_function(f"() => {what}", timeout=PATIENCE)


def said(**settings):
    return EXPLORER.say(EXPLORER.compute(**EXPLORER.defaults | settings))


@pytest.fixture
def alone(visit):
    def alone(query="", **how):
        page = visit(ALONE + query, **how)
        ready(page)
        answered(page)
        return page

    return alone


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_it_lives_in_its_chapter(visit, shoot, width, theme):
    page = visit(CHAPTER, width=width, theme=theme)
    frame = page.frame_locator(".dash iframe")
    into_sight(page, frame.locator("[data-figure=tape] .main-svg"))
    ready(frame)
    answered(frame)
    assert frame.locator(".sentence").inner_text() == said()
    page.wait_for_timeout(600)
    fits(page, frame)
    shoot(page, f"ldp_svd-chapter-{width}-{theme}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_and_dashboard_are_accessible(visit, alone, accessible, theme):
    chapter = visit(CHAPTER, theme=theme)
    frame = chapter.frame_locator(".dash iframe")
    into_sight(chapter, frame.locator("[data-figure=tape] .main-svg"))
    ready(frame)
    answered(frame)
    accessible(chapter)
    page = alone("?mechanism=rounded", theme=theme, width=390)
    page.get_by_role("button", name="Table").click()
    page.locator(".tables table").first.wait_for()
    accessible(page)


def test_on_a_phone_the_tape_stands_upright(alone):
    for width, axis in ((390, "yaxis"), (1280, "xaxis")):
        shows(alone(width=width), f"{TAPE}.layout.{axis}.range.join() === '-2,8'")


def test_a_guess_is_answered_from_the_tape(alone):
    page = alone()
    page.get_by_role("button", name="About 15").click()
    reply = EXPLORER.predict.reply(EXPLORER.compute(), 2)
    page.locator(".reply", has_text=reply).wait_for(timeout=PATIENCE)


def test_equal_true_epsilon_sends_the_printed_one_to_the_edge(alone):
    page = alone()
    page.get_by_label("Equal true ε").check()
    until(page, "equal=on")
    shows(page, f"{ERROR}.data.at(-1).text?.[0] === '∞'")
    page.get_by_label("What a phone sends").select_option(label="most telling channel")
    until(page, "mechanism=optimal&equal=on")
    assert page.locator(".sentence").inner_text() == said(mechanism="optimal", equal=True)
    shows(page, f"{ERROR}.data.at(-1).x[0] === 1")


def test_a_divergence_is_a_card_whose_button_cures_it(visit, shoot):
    query = "mechanism=laplace&epsilon1=0.1&scale=stars"
    page = visit(f"{ALONE}?{query}")
    card = page.locator("main[data-state=error] .card")
    card.wait_for(timeout=PATIENCE)
    assert "the training diverged" in card.inner_text()
    shoot(page, "ldp_svd-card")
    card.get_by_role("button", name="clip reports").click()
    until(page, query + "&clip_reports=on")
    assert "NaN" not in page.locator("main").inner_text()
