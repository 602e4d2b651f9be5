"""Dashboard ldp_svd as a reader meets it: the tape first, in its chapter and alone, with its card and its edge."""

from __future__ import annotations

import pytest

from recprivlib.dashboard import explorer
from tests.browser.sight import PATIENCE, Dash, answered, fits, into_sight, rest

CHAPTER = "/book/ldp_svd.html"
EXPLORER = explorer("ldp_svd")
DASH = Dash("ldp_svd", "tape")
TAPE, ready, until, said = DASH.plot, DASH.ready, DASH.until, DASH.said
ERROR = "document.querySelector('[data-figure=error] .js-plotly-plot')"


@pytest.fixture
def alone(visit):
    return DASH.alone(visit)


def shows(page, what):
    """Waits until a figure, which may be drawn after its frame, shows this."""
    page.wait_for_function(f"() => {what}", timeout=PATIENCE)


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_it_lives_in_its_chapter(visit, shoot, width, theme):
    page = visit(CHAPTER, width=width, theme=theme)
    frame = page.frame_locator(".dash iframe")
    into_sight(page, frame.locator("[data-figure=tape] .main-svg"))
    ready(frame)
    answered(frame)
    assert frame.locator(".sentence").inner_text() == said()
    fits(page, frame)
    shoot(page, f"ldp_svd-chapter-{width}-{theme}")


@pytest.mark.chromium
def test_the_dashboard_is_accessible(alone, accessible):
    page = alone("?mechanism=rounded", width=390)
    page.get_by_role("button", name="Table").click()
    page.locator(".tables table").first.wait_for()
    accessible(page)


def test_on_a_phone_the_tape_stands_upright(alone):
    for width, axis in ((390, "yaxis"), (1280, "xaxis")):
        shows(alone(width=width), f"{TAPE}.layout.{axis}.range.join() === '-2,8'")


@pytest.mark.firefox
def test_a_guess_is_answered_from_the_tape(visit):
    page = DASH.alone(visit, skip=False)()
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
    page = visit(f"/apps/ldp_svd?{query}")
    card = page.locator("main[data-state=error] .card")
    card.wait_for(timeout=PATIENCE)
    assert "the training diverged" in card.inner_text()
    shoot(page, "ldp_svd-card")
    card.get_by_role("button", name="clip reports").click()
    until(page, query + "&clip_reports=on")
    assert "NaN" not in page.locator("main").inner_text()


def test_after_a_divergence_nothing_of_the_last_good_state_stands_at_full_strength(alone):
    page = alone("?mechanism=laplace&epsilon1=0.1&scale=stars&clip_reports=on")
    for name in ("Table", "Code"):
        page.get_by_role("button", name=name).click()
    parts = (".main .plot", ".strip", ".tables", ".code")
    page.locator(".tables table").first.wait_for()

    def strengths():
        return [float(page.locator(part).first.evaluate("part => getComputedStyle(part).opacity")) for part in parts]

    page.wait_for_function("() => document.querySelector('.code').checkVisibility()")
    assert strengths() == [1, 1, 1, 1]
    page.get_by_text("More controls").click()
    page.get_by_label("Clip reports").uncheck()
    page.locator("main[data-state=error] .card").wait_for(timeout=PATIENCE)
    rest(page)  # they fade
    assert all(strength <= 0.5 for strength in strengths()), strengths()
