"""Every living picture played to its end: by keys alone, by a hand, at once; what it says is what the library says."""

from __future__ import annotations

import contextlib
from urllib.parse import urlsplit

import pytest

from recprivlib.living import crowd, notebook
from tests.browser.walking import chromium
from tests.conftest import listen

PATIENCE = 90_000
NOTEBOOKS = [f"lv-{channel}" for channel in ("sp", "ap", "ldp_svd", "dp_pnbm", "fmf_ldp", "privrec")]
HIGH = 5200  # all pictures in sight: the clock of one that is not seen rests


@pytest.fixture
def opened(browser, gallery):
    """`opened(width, theme)`: the page of all pictures, each of them begun; errors and requests elsewhere fail."""
    noise, contexts = [], []

    def opened(width=1280, theme="light", query="", high=HIGH, prepare="", **how):
        look = {"viewport": {"width": width, "height": high}, "color_scheme": theme, "has_touch": width < 640}
        contexts.append(browser.new_context(**look, **how))
        page = contexts[-1].new_page()
        if prepare:
            page.add_init_script(prepare)
        listen(page, urlsplit(gallery.address).netloc, noise)
        page.goto(f"{gallery.address}/index.html{query}", wait_until="load")
        page.locator("#lv-crowd[data-ready]").wait_for(timeout=PATIENCE)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not noise, "\n".join(noise)


def said(page, name):
    return page.locator(f"#{name} .lv-say").inner_text()


def told(text):
    """A sentence as a page shows it."""
    return text.replace("**", "")


def rests(page, name):
    page.locator(f"#{name}[data-moves=no]").wait_for(timeout=PATIENCE)


# Frames that somebody asked for since the page was there.
COUNTED = """window.asked = 0;
const real = window.requestAnimationFrame;
window.requestAnimationFrame = (step) => { window.asked++; return real.call(window, step); };"""


def still(page):
    """No clock of the page runs: in a third of a second nobody asks for a frame."""
    before = page.evaluate("window.asked")
    assert before > 0, "frames are counted"
    page.wait_for_timeout(300)
    assert page.evaluate("window.asked") == before


@contextlib.contextmanager
def pressed(page, target):
    """A finger that is on it; a mouse where the driver has no fingers."""
    target.scroll_into_view_if_needed()
    at = target.bounding_box()
    x, y = at["x"] + 20, at["y"] + 10
    if chromium(page):
        fingers = page.context.new_cdp_session(page)
        fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        yield
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        yield
        page.mouse.up()


def total(width, name, one):
    return 24 if width < 640 and len(one["films"]) > 24 else len(one["films"])


@pytest.mark.firefox
@pytest.mark.parametrize(("width", "theme"), [
    (1280, "light"), (390, "dark"), pytest.param(1280, "dark", marks=pytest.mark.slow),
    pytest.param(390, "light", marks=pytest.mark.slow),
])  # fmt: skip
def test_each_picture_is_played_to_its_end_by_keys_and_says_what_the_library_says(
    opened, pictures, shoot, width, theme
):
    page = opened(width, theme, prepare=COUNTED)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    for name in NOTEBOOKS:
        page.locator(f"#{name} .lv-go").focus()
        page.keyboard.press("Enter")
    for name in NOTEBOOKS:
        one = pictures[name]
        closing = notebook.closing(one, total=None if name == "lv-fmf_ldp" else total(width, name, one))
        page.locator(f"#{name} .lv-say", has_text=told(closing)).wait_for(timeout=PATIENCE)
        rests(page, name)
        assert said(page, name) == told(closing)
        assert page.locator(f"#{name} .lv-go").get_attribute("aria-pressed") == "false"
    page.locator("#lv-crowd .lv-go").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#lv-crowd').living.rounds() >= 5", timeout=PATIENCE)
    page.keyboard.press("Enter")
    rests(page, "lv-crowd")
    rounds = page.evaluate("document.querySelector('#lv-crowd').living.rounds()")
    assert said(page, "lv-crowd") == told(crowd.closing(pictures["lv-crowd"], rounds))
    still(page)
    assert not sent, "no message to anybody"
    assert page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
    shoot(page, f"living-{width}-{theme}")


@pytest.mark.firefox
def test_beliefs_of_the_page_are_the_librarys_at_three_settings(opened, pictures):
    """Bayes over the same channel: every film, every value, to nine digits; the sentence too."""
    page = opened(query="?lv=crowd.3.1.0.60")  # sixty rounds at once
    for name, variant in (
        ("lv-sp", ""),
        ("lv-ap", ""),
        ("lv-ldp_svd", ""),
        ("lv-dp_pnbm", ""),
        ("lv-dp_pnbm", "bought"),
    ):
        one, box = pictures[name], page.locator(f"#{name}")
        if variant:
            box.get_by_role("radio", name="means bought").click()
        box.locator(".nb-all").click()
        for step in (1, one["start"], len(one["steps"]) - 1):
            box.get_by_role("slider").fill(str(step))
            assert said(page, name) == told(notebook.closing(one, step, variant=variant))
            found = page.evaluate(
                f"[...Array({len(one['films'])}).keys()].map(document.querySelector('#{name}').living.belief)"
            )
            for ours, theirs in zip(found, notebook.beliefs(one, step, variant=variant), strict=True):
                assert ours["of"] == pytest.approx(list(theirs.of), abs=1e-9)
                assert ours["sure"] == theirs.sure
    crowds = page.locator("#lv-crowd")
    for size, words in ((80, "80 towns"), (0, "one phone"), (1, "a town")):
        crowds.get_by_role("radio", name=words, exact=True).click()
        assert said(page, "lv-crowd") == told(crowd.closing(pictures["lv-crowd"], 60, size=size))
    crowds.get_by_role("slider").fill("1")
    crowds.locator(".cr-ada").click()
    assert said(page, "lv-crowd") == told(crowd.closing(pictures["lv-crowd"], 60, 1, 1, gone=True))


@pytest.mark.firefox
def test_a_thumb_holds_lets_go_and_makes_the_films_its_own(opened, pictures):
    page = opened(390, "dark")
    box, one = page.locator("#lv-ap"), pictures["lv-ap"]
    page.set_viewport_size({"width": 390, "height": 844})
    with pressed(page, box.locator(".lv-go")):
        page.wait_for_function("() => document.querySelector('#lv-ap').living.state.sent > 3", timeout=PATIENCE)
    rests(page, "lv-ap")
    sent = page.evaluate("document.querySelector('#lv-ap').living.state.sent")
    assert 3 < sent < 24 or not chromium(page), "it stops when it is let go"
    box.locator(".nb-mine button", has_text="Titanic").click()
    own = [*one["ada"]]
    own[one["films"].index("Titanic")] = 1
    assert page.locator("#lv-sp .nb-name").inner_text() == "Your phone", "the same films in every picture of the page"
    box.locator(".nb-all").click()
    assert said(page, "lv-ap") == told(notebook.closing(one, own=own, total=24))
    assert page.evaluate("Object.keys(localStorage)") == ["recpriv-films"]
    page.reload()
    page.locator("#lv-crowd[data-ready]").wait_for()
    assert page.locator("#lv-privrec .nb-mine .on").count() == 9
    page.locator("#lv-privrec .nb-hers").click()
    assert page.locator("#lv-ap .nb-name").inner_text() == "Ada's phone"
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.chromium  # whose clipboard is asked; the link is the same everywhere
def test_a_link_shows_the_picture_as_it_was_sent_and_keeps_nothing(opened, pictures):
    one, own = pictures["lv-ap"], "1" * 20 + "0" * 20
    page = opened(query=f"?lv=ap.7.-.{own}", reduced_motion="reduce")
    assert said(page, "lv-ap") == told(notebook.closing(one, 7, own=[int(x) for x in own]))
    assert page.locator("#lv-ap .nb-own").inner_text().endswith("as the link says.")
    assert page.evaluate("localStorage.length") == 0
    page.locator("#lv-ap .lv-link").click()
    assert f"lv=ap.7.-.{own}" in page.url
    page.locator("#lv-sp .lv-go").focus()
    page.keyboard.press("Enter")  # nobody who wants no motion waits for it
    assert said(page, "lv-sp") == told(pictures["lv-sp"]["closing"])
    page.locator("#lv-sp .nb-mine button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.textContent") == "Alien"
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "false"


@pytest.mark.chromium
@pytest.mark.parametrize("link", ["sp", "sp.x.y.z", "sp.99.thawed.111", "dp_pnbm..bought"])
def test_a_link_that_was_cut_or_garbled_still_shows_a_picture(opened, pictures, link):
    page = opened(query=f"?lv={link}")
    name = f"lv-{link.partition('.')[0]}"
    assert page.locator(f"#{name} [role=radio][aria-checked=true]").count() == 1
    variant = "bought" if "bought" in link else ""
    assert said(page, name) == told(notebook.closing(pictures[name], variant=variant))


@pytest.mark.chromium
def test_paper_has_the_closing_sentences_and_the_page_is_as_it_was_afterwards(opened, pictures):
    page = opened()
    idle = {name: said(page, name) for name in NOTEBOOKS}
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for name in NOTEBOOKS:
        assert said(page, name) == told(pictures[name]["closing"])
    page.emulate_media(media="print")
    assert page.locator("#lv-fmf_ldp .nb-still").is_visible(), "the scale is no canvas there"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert {name: said(page, name) for name in NOTEBOOKS} == idle


@pytest.mark.chromium
def test_a_picture_is_presented_on_one_screen_and_seen_without_a_script(opened, pictures, accessible):
    page = opened(high=900)
    for name in ("lv-sp", "lv-crowd"):
        page.locator(f"#{name} .lv-present").click()
        page.set_viewport_size({"width": 1280, "height": 720})
        box = page.locator(f"#{name} .lv-inner").bounding_box()
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 721
        assert box["x"] >= -1
        assert box["x"] + box["width"] <= 1281
        page.keyboard.press("Escape")
        assert page.locator(".lv-wall").count() == 0
    accessible(page)
    still = opened_without_script(page.context.browser, page.url)
    for name, one in pictures.items():
        assert still.locator(f"#{name} .lv-say").inner_text() == told(one["closing"])
        assert not still.locator(f"#{name} .lv-go").is_visible()
    still.context.close()


@pytest.mark.chromium  # whose driver sees that a page has come back
def test_a_page_that_was_left_comes_back_as_it_says_and_out_of_sight_its_clock_rests(opened, pictures):
    """Back to a page, browsers put old values into sliders: what is said, drawn and set is one thing all the same."""
    page = opened(high=900, prepare=COUNTED)
    box, one = page.locator("#lv-sp"), pictures["lv-sp"]
    box.get_by_role("slider").fill("2")
    page.evaluate("setTimeout(() => (location.href = 'about:blank'))")
    page.wait_for_url("about:blank")
    page.evaluate("setTimeout(() => history.back())")
    page.locator("#lv-crowd[data-ready]").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(200)  # in which a browser puts back what stood in a form
    step = page.evaluate("document.querySelector('#lv-sp').living.state.step")
    assert box.get_by_role("slider").input_value() == str(step)
    assert box.locator("output").inner_text() == one["steps"][step]["label"]
    box.locator(".lv-go").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#lv-sp').living.state.sent > 3", timeout=PATIENCE)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    rests(page, "lv-sp")
    still(page)
    page.evaluate("scrollTo(0, 0)")
    page.locator("#lv-sp[data-moves=yes]").wait_for(timeout=PATIENCE)


def opened_without_script(browser, url):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(url.split("?")[0])
    return page
