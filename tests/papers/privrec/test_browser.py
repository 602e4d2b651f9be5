"""Dashboard privrec as a reader meets it: one round, in its chapter and alone; the axis is a slider."""

from __future__ import annotations

import pytest

from recprivlib.dashboard.catalogue import explorer
from tests.browser.sight import PATIENCE, Dash

CHAPTER = "/book/privrec.html"
ALONE = "/apps/privrec"
EXPLORER = explorer("privrec")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_alone_it_says_what_the_library_computes(visit, shoot, width, theme):
    page = visit(f"{ALONE}?cohort=300", width=width, theme=theme)
    Dash("privrec", "pulls").ready(page)
    result = EXPLORER.compute(**EXPLORER.defaults | {"cohort": 300})
    assert page.locator(".sentence").inner_text() in (EXPLORER.say(result), EXPLORER.brief(result))
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    shoot(page, f"privrec-{width}-{theme}")


def test_the_chapter_has_its_steps(visit, shoot):
    page = visit(CHAPTER, width=1280)
    for title in ("One round", "Your guess: what else would help?", "The bill is better than printed", "What it finds"):
        page.get_by_role("heading", name=title).first.wait_for(timeout=PATIENCE)
    shoot(page, "privrec-chapter")


COVERED = """() => { // the lines of the sentence that what is said of the wait stands on
  const text = document.createRange(), box = document.querySelector(".waiting").getBoundingClientRect();
  text.selectNodeContents(document.querySelector(".sentence"));
  return [...text.getClientRects()].filter((line) =>
    line.right > box.left && line.left < box.right && line.bottom > box.top + 3 && line.top < box.bottom - 3).length;
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_being_computed_covers_no_word_of_the_sentence(visit, width):
    page = visit("/apps/privrec?train=on", width=width)
    page.locator(".cancel:not([hidden])").wait_for(timeout=PATIENCE)
    page.locator(".sentence", has_text="rounds it finds").wait_for(timeout=PATIENCE)
    assert page.evaluate(COVERED) == 0
