"""Walking a chapter's path: what its steps ask for, and when the figure has settled on it."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from recprivlib.dashboard import explorer
from recprivlib.dashboard import steps as paths
from tests.browser.sight import rest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from drafts import whole  # noqa: E402  (of the book's own extensions)

PAGES = whole(sorted((ROOT / "book").glob("*.md")))
CHAPTERS = [page.stem for page in PAGES if paths.stem(page.read_text("utf-8"))]
PATIENCE = 90_000  # ms, as in sight.py


def chapter(stem):
    return (ROOT / "book" / f"{stem}.md").read_text("utf-8")


def opened(visit, stem, query="", **how):
    page = visit(f"/book/{stem}.html{query}", **how)
    page.locator(".stage[data-ready='1'][data-state=ready]").wait_for(timeout=PATIENCE)
    return page


def states(stem):
    text = chapter(stem)
    which = explorer(paths.stem(text))
    return which, [paths.state(which, told) for told in paths.STEP.findall(text)]


def touch(target):
    """A finger on it; a click where the driver has none."""
    if chromium(target.page):
        target.tap()
    else:
        click(target)


def click(target):
    """Firefox's driver scrolls to what it clicks, and a path takes that for a step: there a mouse goes to it."""
    target.wait_for()
    if chromium(target.page):
        target.click()
    else:
        box = target.bounding_box()
        target.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def chromium(page):
    """Is it Chromium, or Firefox?"""
    return page.context.browser.browser_type.name == "chromium"


def typed(box, text):
    """Over what stands in it, as by a hand. Firefox's driver cannot fill a number in: it adds to what is there."""
    box.evaluate("box => { box.focus(); box.select(); }")
    box.page.keyboard.type(text)
    box.page.keyboard.press("Enter")


def settled(page):
    """What the figure shows once nothing is on its way any more."""
    rest(page)
    page.locator(".stage[data-state=ready]").wait_for(timeout=PATIENCE)
    return page.locator(".stage").get_attribute("data-shown")


def at_step(page, number, key):
    """The step is current, its link is in the address, and the figure shows its very settings."""
    page.wait_for_function(
        "([n, key]) => document.querySelector('.stage').dataset.shown === key"
        " && document.querySelectorAll('.path .step')[n - 1].classList.contains('now')",
        arg=[number, key],
        timeout=PATIENCE,
    )
    assert parse_qs(urlsplit(page.url).query)["step"] == [str(number)]
