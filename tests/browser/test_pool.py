"""Pages of the pool are as good as a browser of one's own: nothing of the test before is there."""

from __future__ import annotations

import pytest

from tests.browser.pool import Pool

LOOK = {"viewport": {"width": 1280, "height": 900}}
STORE = """async () => {
  localStorage.setItem("left", "1");
  sessionStorage.setItem("left", "1");
  document.cookie = "left=1; max-age=1000";
  await (await caches.open("left")).put("/left", new Response("left"));
  await new Promise((done, fail) => {
    const asked = indexedDB.open("left", 1);
    asked.onsuccess = () => { asked.result.close(); done(); };
    asked.onerror = fail;
  });
  window.left = 1;
}"""
FOUND = """async () => ({
  local: localStorage.length, session: sessionStorage.length, cookie: document.cookie,
  caches: await caches.keys(), bases: (await indexedDB.databases()).map(({ name }) => name), window: window.left ?? 0,
})"""
pytestmark = pytest.mark.chromium


@pytest.fixture
def own(browser):
    pool = Pool(browser)
    yield pool
    pool.close()


@pytest.fixture
def opened(own, site):
    def opened(path="/book/references.html", **look):
        page = own.page(site + path, site + "/live.json", **LOOK | look)
        page.goto(site + path)
        return page

    return opened


def test_a_page_finds_nothing_that_the_test_before_has_stored(own, opened):
    page = opened()
    first = page.evaluate(FOUND)
    page.evaluate(STORE)
    left = page.evaluate(FOUND)
    assert all(left[name] != nothing for name, nothing in first.items()), left
    own.rest()
    assert opened().evaluate(FOUND) == first


def test_a_page_is_new_and_its_context_and_process_are_kept(own, opened):
    page = opened()
    page.add_init_script("window.planted = true")
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 500, "height": 500})
    with page.expect_popup():
        page.evaluate("window.open('/live.json')")
    context = page.context
    own.rest()
    again = opened()
    assert page.is_closed()
    assert again.context is context
    assert again.evaluate("[window.planted ?? 0, innerWidth, matchMedia('print').matches]") == [0, 1280, False]
    assert again.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is False
    assert len(context.pages) == 2  # it, and the anchor


def test_another_width_and_theme_is_a_page_of_the_same_context_from_its_first_moment(own, opened):
    page = opened()
    own.rest()
    narrow = own.page(page.url, page.url, viewport={"width": 390, "height": 844}, color_scheme="dark")
    seen = "[innerWidth, screen.width, matchMedia('(prefers-color-scheme: dark)').matches]"
    narrow.add_init_script(f"window.first = {seen}")
    narrow.goto(page.url)
    assert narrow.evaluate("window.first") == narrow.evaluate(seen) == [390, 390, True]
    assert opened(color_scheme="light").context is narrow.context
    assert narrow.evaluate(seen) == [390, 390, True]
    assert own.page(page.url, page.url, has_touch=True).context is not narrow.context


def test_a_granted_permission_is_taken_back(own, opened):
    asked = "async () => (await navigator.permissions.query({ name: 'geolocation' })).state"
    page = opened()
    before = page.evaluate(asked)
    page.context.grant_permissions(["geolocation"])
    assert page.evaluate(asked) == "granted" != before
    own.rest()
    assert opened().evaluate(asked) == before


def test_who_asks_to_be_the_first_shares_nothing(visit):
    shared, first = visit("/book/references.html"), visit("/book/references.html", first=True)
    assert shared.context is not first.context
    assert visit("/book/references.html").context is shared.context
