"""What was loaded once is not loaded again, and what was seen once opens without a network."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tools.plain import hosted

DONE = "!!window.recprivLab?.times.whole || window.recprivLab?.state === 'broken'"
STORED = """async (n) => (await (await caches.open("recpriv-site")).keys())
    .filter(({ url }) => /[.](whl|wasm|zip)$/.test(url)).length === n"""
PAGE = "/lab/dplcf.html"
PATIENCE = 240.0  # seconds; it is there in five where nobody else computes


def until(page: Any, what: str, about: Any = None) -> None:
    """Wait for what a script says; Playwright's own waiting would run text, which the page's policy forbids."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(what, about):
        assert time.monotonic() < end, what
        page.wait_for_timeout(100)


@pytest.fixture
def opened(browser: Any):
    """`opened(address)`: a page of one and the same reader, once its laboratory is there."""
    context = browser.new_context()

    def opened(address: str) -> Any:
        page = context.new_page()
        page.goto(address)
        until(page, DONE)
        return page

    yield opened
    context.close()


MADE = """async () => (await (await caches.open("recpriv-compiled")).keys())
    .map(({ url }) => url.split(".").pop()).sort()"""
DAMAGE = """async () => {
    const cache = await caches.open("recpriv-compiled");
    const [key] = (await cache.keys()).filter(({ url }) => url.endsWith(".memory"));
    await cache.put(key, new Response("no memory at all"));
}"""
LIVE = "main.page[data-live=yes][data-state=ready]"


def test_what_was_loaded_and_begun_once_is_remembered_where_that_is_damaged_begins_anew_and_needs_no_network(
    opened, published: Path
):
    """One story of one reader: her first visit, on which all is loaded and begun, takes as long as the others."""
    large = [path for path in (published / "lab").rglob("*") if path.suffix in (".whl", ".wasm", ".zip")]
    assert len(large) > 7
    with hosted(published) as host:
        page = opened(host.address + PAGE)
        assert page.evaluate("window.recprivLab.remembered") is False
        until(page, STORED, len(large))
        until(page, "!!window.recprivLab.times.kept")
        assert page.evaluate(MADE) == ["compiled", "memory"]
        page.close()
        assert {path.name: host.asked(f"/{path.name}") for path in large} == {path.name: 1 for path in large}

        page = opened(host.address + PAGE)
        assert page.evaluate("window.recprivLab.remembered") is True
        page.locator(LIVE).wait_for(timeout=120_000)
        sentence = page.locator(".sentence").inner_text()
        assert {path.name: host.asked(f"/{path.name}") for path in large} == {path.name: 1 for path in large}
        page.evaluate(DAMAGE)
        page.close()

        page = opened(host.address + PAGE)
        assert page.evaluate("[window.recprivLab.state, window.recprivLab.remembered]") == ["ready", False]
        page.locator(LIVE).wait_for(timeout=120_000)
        assert page.locator(".sentence").inner_text() == sentence
        page.close()

        page = opened(host.address + "/lab/fmf_ldp.html")  # asks for tables before they are there
        page.locator(LIVE).wait_for(timeout=120_000)
        page.close()
    page = opened(host.address + PAGE)
    assert page.evaluate("window.recprivLab.state") == "ready"
    page.locator("main.page[data-state=ready]").wait_for(timeout=120_000)


def test_a_changed_file_is_refused_by_the_page_too(browser, published: Path, tmp_path: Path):
    (wheel,) = (published / "lab").rglob("numpy-*.whl")
    site = tmp_path / "site"
    site.mkdir()
    for path in published.rglob("*"):
        place = site / path.relative_to(published)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        elif path != wheel:
            place.hardlink_to(path)
    body = bytearray(wheel.read_bytes())
    body[5000] ^= 1
    (site / wheel.relative_to(published)).write_bytes(body)
    context = browser.new_context()
    with hosted(site) as host:
        page = context.new_page()
        page.goto(host.address + PAGE)
        until(page, DONE)
        assert page.evaluate("[window.recprivLab.state, window.recprivLab.why]") == [
            "broken", "Python could not be started in this browser",
        ]  # fmt: skip
    context.close()
