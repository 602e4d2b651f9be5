"""A dashboard at its own address, projected: one screen that holds question, figure, strip, and a game."""

from __future__ import annotations

import pytest

from recprivlib.dashboard import explorer, stems
from tests.browser.sight import PATIENCE, rest

SIZES = ((1280, 720), (1920, 1080), (1024, 768))
PARTS = (
    ".title",
    ".sentence",
    ".main .plot .main-svg",
    ":is(.main .axis, .rail .under)",
    ".rail .fold .control",
    "[data-do=present]",
)
QUICK = ("privacy", "dplcf")  # a game, and a question


def outside(page):
    """What of the page's words a projector would not show."""
    return page.evaluate("""() => [...document.querySelectorAll('main :is(p, h1, button, figcaption, svg text)')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.textContent.trim())
      .filter((one) => { const at = one.getBoundingClientRect();
        const out = at.left < -1 || at.top < -1 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1;
        return at.width > 1 && out; })
      .map((one) => one.textContent.trim().slice(0, 60))""")


def boxes_apart(page, *selectors):
    found = [page.locator(one).first.bounding_box() for one in selectors]
    for one in range(len(found)):
        for other in range(one):
            a, b = found[one], found[other]
            wide = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
            high = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
            assert wide <= 1 or high <= 1, (selectors[one], selectors[other])


@pytest.mark.chromium  # to the pixel, with the fonts of one engine
@pytest.mark.parametrize("stem", [pytest.param(s, marks=[] if s in QUICK else [pytest.mark.slow]) for s in stems()])
def test_a_dashboard_is_presented_on_one_screen(visit, stem):
    which = explorer(stem)
    page = visit(f"/apps/{stem}?present=1", width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.locator("main[data-state=ready] .main .main-svg").first.wait_for(timeout=PATIENCE)
    if which.predict:
        assert not page.locator(".sentence").is_visible()  # the room answers first
        assert outside(page) == []
        page.locator(".answer").first.click()
        page.locator(".reply").filter(has_text="ou said").wait_for(timeout=PATIENCE)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        rest(page)
        assert page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [
            height,
            width,
        ]
        assert outside(page) == []
        for part in (*PARTS, *([".strip svg"] if which.strip else []), *([".game .guess-one"] if which.game else [])):
            assert page.locator(part).first.is_visible(), part
        boxes_apart(page, ".said", ".main .plot", ".rail .fold", *([".strip"] if which.strip else []))
        assert page.locator(".main .plot .main-svg").first.bounding_box()["height"] >= 0.3 * height
        assert page.locator(".rail .fold .control:visible").count() <= 2
    page.keyboard.press("Escape")
    page.locator("main:not(.one-screen, .large) .side").wait_for()


@pytest.mark.chromium
def test_a_game_is_played_on_the_wall(visit):
    page = visit("/apps/privacy?present=1", width=1280)
    page.set_viewport_size({"width": 1280, "height": 720})
    for _ in range(10):
        page.locator(".game .guess-one").first.click(timeout=PATIENCE)
    page.get_by_role("button", name="Ten more").wait_for()
    assert "of 10 right" in page.locator(".game .tally").inner_text()
    assert outside(page) == []
    boxes_apart(page, ".said", ".main .plot", ".game", ".strip")
