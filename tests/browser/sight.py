"""A dashboard on a page: bringing it into sight, waiting until it shows what was asked, and what it should say."""

from __future__ import annotations

import time
from dataclasses import dataclass
from urllib.parse import parse_qsl

from playwright.sync_api import TimeoutError as Late

from recprivlib.dashboard.catalogue import explorer

PATIENCE = 90_000  # ms; the machine of a CI run is busy with other tests


@dataclass(frozen=True)
class Dash:
    """A dashboard by its stem; `figure` is the one that is waited for."""

    stem: str
    figure: str

    @property
    def plot(self):
        """Where its main figure keeps what it shows, in the page's own words."""
        return f"document.querySelector('[data-figure={self.figure}] .js-plotly-plot')"

    def ready(self, at):
        at.locator(f"main[data-state=ready] [data-figure={self.figure}] .main-svg").first.wait_for(timeout=PATIENCE)

    def until(self, page, shown):
        """Waits until the main figure shows these settings and nothing is under way."""
        end = time.monotonic() + PATIENCE / 1000
        while dict(parse_qsl(page.evaluate(f"{self.plot}?.layout?.meta?.shown") or "")) != dict(parse_qsl(shown)):
            assert time.monotonic() < end, f"the plot never showed {shown!r}"
            page.wait_for_timeout(20)
        self.ready(page)

    def said(self, **settings):
        """What the library says at these settings."""
        which = explorer(self.stem)
        return which.say(which.compute(**which.defaults | settings))

    def alone(self, visit, skip=True):
        """`opened(query, **how)`: the dashboard at its own address; `skip` waves its question away."""

        def opened(query="", **how):
            page = visit(f"/apps/{self.stem}{query}", **how)
            self.ready(page)
            if skip:
                answered(page)
            return page

        return opened


def into_sight(page, figure, seconds=90):
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


# What moves by itself for ever is not waited for, and what is not on show has no next picture.
STILL = """async (but) => {
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
  const moving = () => document.getAnimations()
    .filter((one) => one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime));
  await frame();
  await frame();
  if (moving().length) await frame();
  const busy = document.documentElement.dataset.busy?.split(" ").filter((what) => what !== but) ?? [];
  return !moving().length && !busy.length;
}"""


def rest(page, but=None, seconds=PATIENCE / 1000):
    """Waits until nothing is under way `but` this, in the page or in a frame of it, and nothing fades or slides."""
    end = time.monotonic() + seconds
    while not all(frame.evaluate(STILL, but) for frame in page.frames):
        busy = page.evaluate("document.documentElement.dataset.busy ?? 'in a frame'")
        assert time.monotonic() < end, f"something is still under way: {busy}, or moves"
        page.wait_for_timeout(20)


def silent(page, sent, seconds=PATIENCE / 1000):
    """Waits until the page has said nothing more for half a second: what it still had to say is in `sent`."""
    end = time.monotonic() + seconds
    before = -1
    while before != len(sent):
        assert time.monotonic() < end, "the page never stops talking"
        before = len(sent)
        page.wait_for_timeout(500)


def unfold(page):
    """Opens the fold of a chapter that holds the whole dashboard."""
    page.evaluate("for (const fold of document.querySelectorAll('details.expert:has(.dash)')) fold.open = true")


def answered(where):
    """Waves the question away, if there is one that hides the answer."""
    skip = where.get_by_role("button", name="just show me")
    if skip.count() and where.locator("main.veiled").count():
        skip.click()


def fits(page, frame, seconds=60):
    """Neither the frame nor the page has anything to scroll that a reader would not expect, once its height is told."""
    end = time.monotonic() + seconds
    while True:
        tall, inside, wide = frame.locator("main").evaluate(
            "() => [document.documentElement.scrollHeight, innerHeight, document.body.scrollWidth - innerWidth]"
        )
        if tall <= inside + 1 or time.monotonic() > end:
            break
        page.wait_for_timeout(20)
    rest(page)
    assert tall <= inside + 1, "the frame scrolls inside"
    assert wide <= 0, "the frame scrolls sideways"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
