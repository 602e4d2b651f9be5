"""Bringing a dashboard into sight: the page above it may still grow, and what is out of sight is not drawn."""

from __future__ import annotations

import time

from playwright.sync_api import TimeoutError as Late


def into_sight(page, figure, seconds=40):
    """Scrolls to the dashboard of a chapter, again if it was pushed away, until `figure` is drawn."""
    end = time.monotonic() + seconds
    unfold(page)
    while True:
        page.locator(".dash").first.evaluate("dash => dash.scrollIntoView({ block: 'start' })")
        try:
            figure.first.wait_for(timeout=2000)
            return
        except Late:
            if time.monotonic() > end:
                raise


def unfold(page):
    """Opens the fold of a chapter that holds the whole dashboard."""
    page.evaluate("for (const fold of document.querySelectorAll('details.expert:has(.dash)')) fold.open = true")


def answered(where):
    """Waves the question away, if there is one that hides the answer."""
    skip = where.get_by_role("button", name="just show me")
    if skip.count() and where.locator("main.veiled").count():
        skip.click()


def fits(page, frame):
    """Neither the frame nor the page has anything to scroll that a reader would not expect."""
    tall, inside, wide = frame.locator("main").evaluate(
        "() => [document.documentElement.scrollHeight, innerHeight, document.body.scrollWidth - innerWidth]"
    )
    assert tall <= inside + 1, "the frame scrolls inside"
    assert wide <= 0, "the frame scrolls sideways"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
