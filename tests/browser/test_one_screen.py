"""A dashboard at its own address is one screen: nothing to scroll, nothing on anything, all of it in sight."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError as Late

from recprivlib.dashboard import explorer, stems
from tests.browser.sight import PATIENCE, rest
from tests.browser.walking import opened
from widgets.kit.layout import MANY

WIDTH, HEIGHT = 1280, 800
# What is wrong, in words: what has to be scrolled for, what is cut off, what lies on something.
WRONG = """(parts) => {
  const wrong = [], root = document.documentElement, page = document.querySelector("main.page");
  if (root.scrollHeight > innerHeight) wrong.push(`the page scrolls ${root.scrollHeight - innerHeight} px down`);
  if (root.scrollWidth > innerWidth) wrong.push(`the page scrolls ${root.scrollWidth - innerWidth} px sideways`);
  const boxes = parts.map((part) => {
    const one = page.querySelector(part), at = one?.getBoundingClientRect();
    if (!one?.checkVisibility({ visibilityProperty: true }) || at.width < 20 || at.height < 10)
      return void wrong.push(`${part} is not there`);
    if (at.left < 0 || at.top < 0 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1)
      wrong.push(`${part} is not in sight`);
    const whole = one.matches(".said, .rail, .predict, .strip, .foot");
    if (whole && one.scrollHeight > one.clientHeight + 1) wrong.push(`${part} is cut off`);
    return { part, at };
  }).filter(Boolean);
  for (const [i, a] of boxes.entries()) for (const b of boxes.slice(0, i)) {
    const wide = Math.min(a.at.right, b.at.right) - Math.max(a.at.left, b.at.left);
    const high = Math.min(a.at.bottom, b.at.bottom) - Math.max(a.at.top, b.at.top);
    if (wide > 1 && high > 1) wrong.push(`${a.part} lies on ${b.part}`);
  }
  for (const svg of page.querySelectorAll(".plot .main-svg")) {
    const inside = svg.closest(".canvas").getBoundingClientRect(), at = svg.getBoundingClientRect();
    const figure = svg.closest(".plot").dataset.figure;
    if (svg.checkVisibility() && at.bottom > inside.bottom + 1) wrong.push(`${figure} is cut off`);
  }
  return wrong;
}"""


def parts(which):
    """What belongs together."""
    beside = [figure for figure in which.shown if figure.place != "main"]
    there = {
        ".main .axis": any(control.place == "axis" for control in which.controls),
        ".strip": which.strip,
        ".game": which.game,
        ".lead": not which.game and len(beside) < MANY,
        ".evidence": len(beside) > 1,
    }
    return [".top", ".said", ".main .plot", ".rail", ".foot", *(part for part, known in there.items() if known)]


def wrong(page, those):
    """What stays wrong, once the figures have had time to take the room that they have."""
    with suppress(Late):
        page.wait_for_function(f"(parts) => !({WRONG})(parts).length", arg=those, timeout=20_000)
    return page.evaluate(WRONG, those)


@pytest.mark.chromium  # to the pixel, with the fonts of one engine
def test_each_dashboard_is_one_screen(visit):
    page = visit("/live.json", width=WIDTH)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    home = page.url.removesuffix("/live.json")
    found = {}
    for stem in stems():
        which = explorer(stem)
        page.goto(f"{home}/apps/{stem}")
        page.locator("main[data-state=ready] .main .main-svg").first.wait_for(timeout=PATIENCE)
        if which.predict:
            asked = wrong(page, [".top", ".predict", ".main .plot", ".rail"])
            assert not asked, (stem, "while it is asked", asked)
            page.locator(".show-me").click()
        rest(page)
        found[stem] = wrong(page, parts(which))
    assert not any(found.values()), found
    page.add_style_tag(content=".main .plot { min-height: 700px !important }")  # what it guards, broken
    assert len(page.evaluate(WRONG, parts(which))) > 1


# The lines of the key that are there and are covered by nothing.
READ = """() => [...document.querySelectorAll(".rp-key li")].filter((one) => {
  const at = one.getBoundingClientRect(), [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
  const there = one.checkVisibility({ visibilityProperty: true }) && at.left >= 0 && at.right <= innerWidth;
  return there && (y < 0 || y > innerHeight || one.contains(document.elementFromPoint(x, y)));
}).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [1280, 390])
def test_one_tap_says_what_marks_and_bands_mean(visit, width):
    """In a dashboard, by finger or key, and it stays while a control is moved."""
    page = visit("/apps/dplcf?epsilon=2", width=width)
    page.locator("main[data-state=ready] .main .main-svg").first.wait_for(timeout=PATIENCE)
    key = page.locator(".rp-key summary")
    assert not page.evaluate(READ)
    (key.press("Enter") if width == 1280 else key.click())
    told = page.evaluate(READ)
    assert any(text.startswith("▷hollow: the most that so many tries") for text in told), told
    assert any(text.startswith("grey bands") for text in told), told
    page.get_by_role("slider", name="ε", exact=True).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('epsilon=2.5')", timeout=PATIENCE)
    assert page.evaluate(READ) == told
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("width", [1280, 390])
def test_one_tap_says_it_in_the_path_too(visit, width):
    page = opened(visit, "dplcf", "?step=4", width=width)
    rest(page, but="answer")
    assert not page.evaluate(READ)
    if width == 390:
        page.locator(".stage .mini button").click()
    else:
        page.locator(".stage .rp-key summary").press("Enter")
    told = page.evaluate(READ)
    assert any("hollow" in text for text in told), told
    assert any(text.startswith("grey bands") for text in told), told
    if width == 390:
        page.locator(".stage .mini button").click()
        assert not page.evaluate(READ)
