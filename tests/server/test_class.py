"""A class as a teacher has it: thirty drag, one closes the lid, the server is restarted, and nobody has to reload."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError
from tornado.websocket import WebSocketClosedError

from widgets.load import FakeReader

CLASS, BEFORE, AFTER = 30, 180.0, 120.0  # readers; seconds before the restart, and after it: a class of five minutes
SIGHTS = ({}, {"width": 390, "height": 844}, {"width": 1920, "height": 1080})  # of those who have a browser
READY = "main[data-state=ready] [data-figure=length] .main-svg"
CUT_OFF = (RuntimeError, OSError, HTTPClientError, WebSocketClosedError)


@dataclass
class Pupil:
    """A page that goes on by itself at its own settings, as frame.js does."""

    site: str
    number: int
    answered: list[float] = field(default_factory=list)  # when
    unanswered: int = 0
    opened: int = 0

    async def drag(self, day: Class, chance: random.Random) -> None:
        """Opens the page, drags, and opens it again where it was cut off."""
        while time.monotonic() < day.until:
            reader = FakeReader(self.site, f"/apps/recommenders?seed={self.number}", "k")
            try:
                await reader.open()
                self.opened += 1
                while time.monotonic() < day.until:
                    before = len(reader.times)
                    await reader.walk(min(day.until, time.monotonic() + 2), chance)
                    self.answered += [time.monotonic()] * (len(reader.times) - before)
            except CUT_OFF:
                await asyncio.sleep(4 * (0.5 + chance.random()))
            finally:
                reader.close()
            self.unanswered += reader.unanswered


class Class(threading.Thread):
    """Twenty-nine who drag, and one whose lid is closed: the socket is open and nobody reads it."""

    def __init__(self, site: str, seconds: float):
        super().__init__(daemon=True)
        self.site, self.until = site, time.monotonic() + seconds  # until the restart sets another end
        self.pupils = [Pupil(site, number) for number in range(1, CLASS)]
        self.failed: BaseException | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._day())
        except BaseException as error:
            self.failed = error

    async def _day(self) -> None:
        AsyncHTTPClient.configure(None, max_clients=2 * CLASS)
        asleep = FakeReader(self.site, f"/apps/recommenders?seed={CLASS}", "k")
        await asleep.open()
        chance = random.Random(1)
        await asyncio.gather(*(pupil.drag(self, random.Random(chance.random())) for pupil in self.pupils))
        asleep.close()
        await asyncio.sleep(0.5)


def seen(browser, sight, address):
    """A page in a browser, of that size."""
    page = browser.new_context(viewport={"width": 1280, "height": 900} | sight).new_page()
    page.goto(address)
    return page


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_thirty_drag_one_sleeps_the_server_is_restarted_and_nobody_reloads(browser, book, serving):
    with serving(book) as (site, _):
        class_ = Class(site, 2 * BEFORE + AFTER)
        class_.start()
        end = time.monotonic() + BEFORE
        pages = [seen(browser, sight, f"{site}/apps/recommenders?k=12") for sight in SIGHTS]
        for page in pages:
            page.locator(READY).first.wait_for(timeout=60_000)
            page.evaluate("window.before = true")
        while time.monotonic() < end:
            pages[0].wait_for_timeout(500)
    stopped = time.monotonic()
    class_.until = stopped + AFTER
    with serving(book, urlsplit(site).port):
        for page in pages:
            page.wait_for_function("() => !window.before", timeout=60_000)  # nobody touched it
            page.locator(READY).first.wait_for(timeout=60_000)
            page.wait_for_function("() => location.search.includes('k=12')")
        back = time.monotonic() - stopped
        class_.join(AFTER + 60)
        assert not class_.is_alive()
    for page in pages:
        page.context.close()
    assert class_.failed is None
    firsts = [min((at for at in pupil.answered if at > stopped), default=None) for pupil in class_.pupils]
    many = [len([at for at in pupil.answered if at < stopped]) for pupil in class_.pupils]
    missed = sum(pupil.unanswered for pupil in class_.pupils)
    waits = sorted(round(at - stopped, 1) for at in firsts if at is not None)
    print(f"page back after {back:.1f} s; pupils after {waits}; {sum(many)} steps before, {missed} unanswered")
    assert min(many) > 0, "somebody was never answered before the restart"
    assert None not in firsts, "somebody never came back"
    assert all(pupil.opened == 2 for pupil in class_.pupils), "a page was opened more often than twice"
