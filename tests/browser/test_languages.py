"""The interface in German: a page written in it has no English word, and an English one is turned by its switch."""

from __future__ import annotations

import json
import re

import pytest

from tests.book.test_languages import ENGLISH, GERMAN, SAYS
from tests.browser.walking import opened, settled

# What a reader sees or hears of the interface: the stage, the switch, the frame of the page; not prose, films or code.
SEEN = """() => {
  const parts = document.querySelectorAll(".stage, .times, .check, .lv, .ten, .bd-header-article, .prev-next-footer p,"
    + ".expert > summary .count, .bd-sidebar-secondary .tocsection");
  const found = [];
  for (const part of parts) {
    const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if (!node.parentElement.closest("script, code, pre, .rp-lists li, .rp-lists > p, .prev-next-title, noscript"))
        found.push(node.textContent.trim());
    for (const one of part.querySelectorAll("*"))
      for (const name of ["aria-label", "title", "aria-valuetext", "placeholder"])
        if (!one.closest(".rp-lists li")) found.push((one.getAttribute(name) || "").trim());
  }
  return [...new Set(found.filter(Boolean))];
}"""
COMMON = re.compile(
    r"\b(the|of|and|is|are|your|what|which|this|that|to|with|for|from|on|how|step|next|back|leave|films)\b", re.I
)
SAME = {text for part in GERMAN.values() for text, said in part.items() if text == said}


def left_english(texts):
    """Texts that are still English: they stand in the catalogue as they are, or have a word that German has not."""
    keys = {text for row in ENGLISH.values() for text in row} - SAME
    return [text for text in texts if text in keys or SAYS.of(text) != text or COMMON.search(text)]


@pytest.mark.chromium
def test_a_path_in_german_has_no_english_word_of_the_interface(visit):
    page = opened(visit, "de/recommenders", width=1280)
    assert page.evaluate("document.documentElement.lang") == "de"
    for step in range(1, 8):
        settled(page)
        assert left_english(page.evaluate(SEEN)) == [], step
        if page.locator(".stage .ask:visible").count():
            page.get_by_role("button", name="Etwa die Hälfte").click()
            settled(page)
            assert page.locator(".sentence").inner_text().startswith("Du sagtest: etwa die Hälfte.")
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Vorführen").click()
    assert page.get_by_role("button", name="Verlassen").is_visible()
    assert page.locator(".where").inner_text() == "7 von 7: wem"
    # what a template makes of every sentence is the same here and in Python
    strings = json.loads(
        page.evaluate("fetch('../../_static/frames/recommenders.path.js').then((it) => it.text())")[12:-3]
    )
    told = [one for one in strings["pieces"] if isinstance(one, str) and not one.startswith("<")]
    assert page.evaluate("texts => texts.map(rpSay.of)", told) == [SAYS.of(one) for one in told]
    page.get_by_role("button", name="Verlassen").click()
    page.locator("a.language", has_text="English").click()
    page.locator(".stage[data-ready]").wait_for()
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator(".stage .enter").inner_text() == "Present"


@pytest.mark.chromium
def test_the_first_page_in_german_and_the_switch_of_a_page_that_is_not_translated(visit):
    page = visit("/book/de/intro.html")
    page.locator(".lv-go").click()
    page.get_by_role("button", name="Noch einmal").wait_for()
    assert left_english(page.evaluate(SEEN)) == []
    page.goto(page.url.replace("de/intro", "dplcf"))
    page.locator(".stage[data-ready]").wait_for()
    assert page.locator(".stage .enter").inner_text() == "Present"
    page.locator("a.language").click()  # Deutsch: it is kept in this browser
    page.get_by_role("button", name="Vorführen").wait_for()
    page.goto(page.url.replace("dplcf.html?lang=de", "privacy.html"))
    page.get_by_role("button", name="Vorführen").wait_for()
    assert page.evaluate("document.documentElement.lang") == "en", "its text is"
    assert page.locator(".stage-nav").get_attribute("lang") == "de"
    page.locator("a.language", has_text="English").click()
    page.get_by_role("button", name="Present", exact=True).wait_for()
