"""The first dashboard as a reader meets it: in its chapter, alone, on a phone, in the dark, without a server."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.contract import Appearance
from recprivlib.plots.numerals import bare
from tests.browser.sight import PATIENCE, Dash, answered, fits, into_sight, silent, unfold
from tests.browser.walking import typed

CHAPTER = "/book/recommenders.html"
ALONE = "/apps/recommenders"
EXPLORER = explorer("recommenders")
DASH = Dash("recommenders", "length")
PLOT = DASH.plot


class Board:
    """The dashboard on a page, in its frame or alone."""

    def __init__(self, page, embedded=False):
        self.page = page
        self.at = page.frame_locator(".dash iframe") if embedded else page
        self.main = self.at.locator("main.page")
        self.k = self.at.get_by_role("slider", name="Length of the list, K")
        self.ready()
        answered(self.at)

    def ready(self):
        DASH.ready(self.at)

    @property
    def shown(self):
        """The settings that the main plot shows, as a link."""
        return self.main.evaluate(f"() => {PLOT}?.layout?.meta?.shown")

    def until(self, shown):
        """Waits until the main plot shows these settings."""
        end = time.monotonic() + PATIENCE / 1000
        while dict(parse_qsl(self.shown or "")) != dict(parse_qsl(shown)):
            assert time.monotonic() < end, f"the plot shows {self.shown!r}, not {shown!r}"
            self.page.wait_for_timeout(20)
        self.ready()

    def sentence(self):
        return self.at.locator(".sentence").inner_text()

    def said(self, **settings):
        return DASH.said(**settings)


@pytest.fixture
def alone(visit):
    return lambda query="", **how: Board(visit(ALONE + query, **how))


@pytest.fixture
def chapter(visit):
    def chapter(**how):
        page = visit(CHAPTER, **how)
        into_sight(page, page.frame_locator(".dash iframe").locator("[data-figure=length] .main-svg"))
        return Board(page, embedded=True)

    return chapter


# ------------------------------------------------------------------------------------- in the chapter


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_it_lives_in_its_chapter(chapter, shoot, width, theme):
    board = chapter(width=width, theme=theme)
    assert board.sentence() == board.said()
    assert board.main.get_attribute("data-size") == ("phone" if width == 390 else "snug")
    assert board.at.locator("html").get_attribute("data-theme") == theme
    place = board.page.locator(".dash").bounding_box()
    text = board.page.locator(".path > p").first.bounding_box()
    if width == 1280:
        assert place["width"] > text["width"] + 200, "it keeps to the text column"
        assert place["height"] < 750, "it is no screen"
    fits(board.page, board.at)
    shoot(board.page, f"dashboard-chapter-{width}-{theme}")


def test_the_page_s_theme_button_turns_the_figures_too(chapter):
    board = chapter()
    board.k.press("ArrowRight")
    board.until("k=11")
    board.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    board.at.locator("html[data-theme=dark]").wait_for(timeout=PATIENCE)
    end = time.monotonic() + PATIENCE / 1000
    while not board.main.evaluate(f"() => {PLOT}.layout.font.color === '#F2F2F2'"):
        assert time.monotonic() < end, "the plot kept its light colours"
        board.page.wait_for_timeout(30)
    assert board.shown == "k=11", "the settings were lost"


@pytest.mark.chromium
def test_the_dashboard_is_accessible(alone, accessible):
    board = alone(width=390)
    board.at.get_by_role("button", name="Table").click()
    board.at.get_by_role("button", name="Code").click()
    board.at.locator(".tables table").first.wait_for()
    accessible(board.page)


# -------------------------------------------------------------------------------------------- guessing


def test_a_guess_is_answered_in_the_page_and_told_to_nobody(alone):
    sent = []
    board = alone()
    board.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    board.page.reload()
    board.ready()
    board.page.wait_for_function("() => document.querySelector('main').dataset.shown > 0")
    silent(board.page, sent)
    before, address = len(sent), board.page.url
    board.at.get_by_role("button", name=EXPLORER.predict.answers[1]).click()
    reply = EXPLORER.predict.reply(EXPLORER.compute(**EXPLORER.defaults | dict(EXPLORER.predict.at)), 1)
    board.at.locator(".reply", has_text=reply).wait_for(timeout=PATIENCE)
    board.page.wait_for_timeout(400)
    assert len(sent) == before, sent[before:]
    assert board.page.url == address
    assert board.page.evaluate("[localStorage.length, sessionStorage.length, document.cookie.includes('guess')]") == [
        0,
        0,
        False,
    ]


# --------------------------------------------------------------------------------------------- moving


@pytest.mark.firefox
def test_a_drag_with_the_mouse_moves_dot_sentence_and_link(alone):
    board = alone()
    lane = board.k.bounding_box()
    y, width = lane["y"] + lane["height"] / 2, lane["width"] - 22
    start, end = lane["x"] + 11 + width * 9 / 19, lane["x"] + 11 + width * 15 / 19
    board.page.mouse.move(start, y)
    board.page.mouse.down()
    for at in range(21):
        board.page.mouse.move(start + (end - start) * at / 20, y)
        board.page.wait_for_timeout(15)
    board.page.mouse.up()
    board.until("k=16")
    assert board.sentence() == board.said(k=16)
    board.page.wait_for_function("() => location.search === '?k=16'")
    dot = board.main.evaluate(f"""() => {{
      const plot = {PLOT}, {{ l2p, _offset }} = plot._fullLayout.xaxis;
      return plot.getBoundingClientRect().x + _offset + l2p(16);
    }}""")
    thumb = lane["x"] + 11 + width * board.k.evaluate("input => +input.value")
    assert abs(dot - thumb) < 1.5, "the thumb does not stand under its dot"


def test_the_keyboard_goes_everywhere_in_order(alone):
    board = alone()
    names = tabbed(board.page)
    wanted = ("Length of the list", "whole curve", "item-kNN", "Neighbours", "Films I liked", "How many neighbours",
              "Five neighbours", "Table", "Present")  # fmt: skip
    order = [next(at for at, name in enumerate(names) if want in name) for want in wanted]
    assert order == sorted(order), names


def test_the_keyboard_meets_the_question_first_and_may_pass_it_over(visit):
    page = visit(ALONE)
    DASH.ready(page)
    names = tabbed(page)
    assert names[0] == EXPLORER.predict.answers[0]
    assert "How many neighbours" not in str(names), "what stands there gives the answer away"
    slider = page.get_by_role("slider", name="Length of the list, K")
    slider.press("ArrowRight")
    page.locator("main:not(.veiled) .sentence", has_text="top 11").wait_for(timeout=PATIENCE)
    assert page.locator(".predict").is_hidden()


def tabbed(page):
    """The names of all that the tab key stops at, in order; each shows that it does."""
    page.evaluate("document.activeElement.blur()")
    names = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name = page.evaluate("""() => {
          let at = document.activeElement;
          if (at === document.body) return null;
          while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
          const style = getComputedStyle(at), thumb = getComputedStyle(at, "::-webkit-slider-thumb");
          const native = at.type === "range" || at.type === "radio";  // their ring is drawn round thumb and label
          const ring = native || [style, thumb].some((s) => s.outlineStyle !== "none");
          return [at.getAttribute("aria-label") || at.labels?.[0]?.innerText || at.innerText || at.tagName, ring];
        }""")
        if name is None:
            break
        names.append(name[0].strip().split("\n")[0])
        assert name[1], f"{name[0]} shows no focus"
    return names


def test_the_keyboard_moves_reads_out_and_draws(alone):
    board = alone()
    board.k.focus()
    for key, k in (("ArrowLeft", 9), ("PageUp", 12), ("Home", 1), ("End", 20)):
        board.page.keyboard.press(key)
        board.until(f"k={k}")
    assert board.k.get_attribute("aria-valuetext") == EXPLORER.control("k").spoken(20)
    board.page.wait_for_function(
        "text => document.querySelector('[aria-live=polite]').textContent === text", arg=board.said(k=20)
    )
    board.page.keyboard.press("w")
    board.at.get_by_role("button", name="Hide the whole curve").wait_for()
    board.page.wait_for_function(f"() => {PLOT}.data.some(trace => trace.fill === 'toself')", timeout=60_000)


def test_a_typed_number_counts_and_one_out_of_range_is_refused(alone):
    board = alone()
    box = board.at.get_by_label("Neighbours", exact=True).and_(board.at.get_by_role("spinbutton"))
    typed(box, "37")
    board.until("neighbors=37")
    assert board.sentence() == board.said(neighbors=37)
    typed(box, "9000")
    board.at.get_by_text("Please give a whole number from 5 to 500.").wait_for()
    assert board.shown == "neighbors=37"


def test_every_control_changes_the_figure(alone):
    board = alone()
    board.at.get_by_text("EASE", exact=True).click()
    board.until("system=ease")
    board.at.get_by_text("all films", exact=True).click()
    board.until("system=ease&rivals=full")
    films = board.at.get_by_label("Films I liked")
    films.fill("casablanca")
    films.press("Enter")
    film = next(
        number
        for number, title in EXPLORER.control("liked").options(EXPLORER.defaults)
        if title.startswith("Casablanca")
    )
    board.until(f"system=ease&rivals=full&liked={film}")
    board.at.get_by_role("button", name="remove Casablanca").click()
    board.until("system=ease&rivals=full")
    board.at.get_by_role("button", name="New ").click()
    board.until("system=ease&rivals=full&seed=1")
    assert board.sentence() == board.said(system="ease", rivals="full", seed=1)


def test_a_touch_on_the_figures_scrolls_the_page(alone):
    board = alone(width=390)
    touch = board.page.evaluate(f"getComputedStyle({PLOT}.querySelector('.main-svg')).touchAction")
    assert touch in ("manipulation", "pan-x pan-y pinch-zoom"), "two names of the same"
    assert board.k.evaluate("input => getComputedStyle(input).touchAction") == "pan-y"
    assert board.main.evaluate(f"() => {PLOT}.layout.dragmode") is False


# --------------------------------------------------------------------------------- links, files, code


def test_a_link_restores_the_figure(alone):
    query = "k=7&system=ease&rivals=full&liked=12,99&seed=3"
    board = alone("?" + query)
    board.until(query)
    assert board.sentence() == board.said(k=7, system="ease", rivals="full", liked=(12, 99), seed=3)
    assert board.at.locator(".notice").is_hidden()
    assert board.k.evaluate("input => input.closest('.slider').querySelector('.box').value") == "7"


def test_a_bad_link_says_so(alone):
    board = alone("?k=99&system=nonsense&neighbors=20")
    board.until("neighbors=20")
    board.at.get_by_text("Two settings in this link were out of range; I used the defaults for them.").wait_for()


@pytest.mark.chromium  # Playwright does not hear of downloads from Firefox
def test_the_csv_holds_the_numbers_on_the_screen(alone):
    board = alone("?k=5")
    with board.page.expect_download() as loaded:
        board.at.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(loaded.value.path().read_text("utf-8"))))
    frame = EXPLORER.table(EXPLORER.compute(**EXPLORER.defaults | {"k": 5}))
    assert loaded.value.suggested_filename == "recommenders.csv"
    assert [row["series"] for row in rows] == list(frame["series"])
    assert [float(row["y"] or "nan") for row in rows] == pytest.approx(list(frame["y"]), nan_ok=True)


def test_the_code_prints_the_same_numbers_in_a_fresh_python(alone):
    board = alone("?k=4&neighbors=20&seed=2")
    board.at.get_by_role("button", name="Code").click()
    board.at.locator(".code code", has_text="print").wait_for()
    code = board.at.locator(".code code").inner_text()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    result = EXPLORER.compute(**EXPLORER.defaults | {"k": 4, "neighbors": 20, "seed": 2})
    printed = [float(number) for number in re.findall(r"\d\.\d{3}", done.stdout)]
    own = [rates[3] for pool in (result.sampled, result.full) for rates in (pool.yours, pool.popular)]
    assert sorted(printed) == pytest.approx(sorted(own), abs=5e-4)


def test_the_table_says_in_words_what_the_figures_show(alone):
    board = alone()
    board.at.get_by_role("button", name="Table").click()
    board.at.locator(".tables table").first.wait_for()
    text = board.at.locator(".tables").inner_text()
    assert bare(EXPLORER.compute(**EXPLORER.defaults).sampled.yours[9]) in text
    images = board.at.locator(".canvas[role=img]")
    assert images.count() == sum(
        isinstance(f.draw(EXPLORER.compute(**EXPLORER.defaults), Appearance()), dict)
        for f in EXPLORER.figures
        if f.place != "path"
    )


# ---------------------------------------------------------------------------------------------- states


def test_presentation_enlarges_and_leaves_two_controls(alone, shoot):
    board = alone("?present=1")
    board.page.wait_for_function(f"() => {PLOT}.layout.font.size > 18", timeout=PATIENCE)
    assert board.at.locator(".rail .control:visible").count() == 2
    shoot(board.page, "dashboard-present")
    board.at.get_by_role("button", name="End presentation").click()
    board.page.wait_for_function(f"() => {PLOT}.layout.font.size < 18", timeout=PATIENCE)


def test_a_card_names_what_is_wrong_and_its_button_cures(visit, shoot):
    page = visit(ALONE + "?liked=99999")
    card = page.locator("main[data-state=error] .card")
    card.wait_for(timeout=PATIENCE)
    assert "Film 99999 is not in ml-100k" in card.inner_text()
    shoot(page, "dashboard-card")
    card.get_by_role("button").click()
    Board(page).until("")


def test_when_the_server_dies_the_figure_stays(browser, book, serving, shoot):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with serving(book) as (address, process):
        page = context.new_page()
        page.goto(f"{address}{ALONE}?k=12")
        board = Board(page)
        board.until("k=12")
        words = board.sentence()
        process.kill()
        process.wait(60)
        board.at.get_by_role("button", name="Reload now").wait_for(timeout=PATIENCE)
        assert board.main.get_attribute("data-state") == "lost"
        assert board.sentence() == words
        assert board.k.evaluate("input => Boolean(input.getRootNode().host.closest('[inert]'))")
        assert board.at.locator("[data-figure=length] .main-svg").first.is_visible()
        assert "k=12" in urlsplit(page.url).query, "a reload would not restore the settings"
        shoot(page, "dashboard-lost")
        page.evaluate("window.before = true")
    with serving(book, urlsplit(address).port):
        page.wait_for_function("() => !window.before", timeout=PATIENCE)  # nobody touched it
        board.until("k=12")
        assert board.main.get_attribute("data-state") == "ready"
        board.k.press("ArrowRight")
        board.until("k=13")
    context.close()


@pytest.mark.chromium  # whose screen can be touched
def test_a_finger_drags_the_slider_and_the_page_stays_where_it_is(alone):
    board = alone(width=390, is_mobile=True)
    board.k.scroll_into_view_if_needed()
    box, page = board.k.bounding_box(), board.page
    low, high, value = (float(board.k.get_attribute(name) or board.k.input_value()) for name in ("min", "max", "x"))
    x, y = box["x"] + box["width"] * (value - low) / (high - low), box["y"] + box["height"] / 2
    before, fingers = page.evaluate("scrollY"), page.context.new_cdp_session(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 9):
        points = [{"x": x + step * box["width"] / 40, "y": y + step}]
        fingers.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    moved = float(board.k.input_value())
    assert moved > value
    board.page.wait_for_function("() => location.search.includes('k=')", timeout=PATIENCE)
    assert page.evaluate("scrollY") == before


@pytest.mark.chromium  # whose clock can be set
def test_a_page_that_slept_finds_out_whether_the_server_still_knows_it(browser, book, serving):
    """A closed lid leaves a socket that looks open; here the server is stopped, as a network that is gone."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with serving(book) as (address, process):
        page = context.new_page()
        page.clock.install()
        page.goto(f"{address}{ALONE}?k=12")
        board = Board(page)
        board.until("k=12")
        page.clock.fast_forward(100_000)
        time.sleep(2)  # of the server's time, which no page can set
        page.clock.run_for(20_000)  # the server answered: nothing happens
        assert board.main.get_attribute("data-state") == "ready"
        process.send_signal(signal.SIGSTOP)
        try:
            page.clock.fast_forward(100_000)
            page.clock.run_for(20_000)
            page.locator("main[data-state=lost]").wait_for(timeout=PATIENCE)
        finally:
            process.send_signal(signal.SIGCONT)
    context.close()


def test_without_a_server_the_same_figures_move(browser, book, shoot):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto((book / "book" / "recommenders.html").as_uri())
    unfold(page)
    page.locator(".dash .main-svg").first.wait_for(timeout=PATIENCE)
    assert page.get_by_text("make serve").first.is_visible()
    slider = page.locator(".dash").get_by_role("slider").first
    words = page.locator(".still-say")
    before = words.inner_text()
    slider.press("End")
    page.wait_for_function("before => document.querySelector('.still-say').textContent !== before", arg=before)
    shoot(page, "dashboard-no-server")
    context.close()


def test_axes_stand_still_in_twenty_states():
    ranges = set()
    settings = [
        {"k": k, "neighbors": n, "system": system, "rivals": "sampled"}
        for k, n in ((1, 5), (5, 20), (10, 50), (15, 200), (20, 500))
        for system in ("popularity", "item-knn", "mf-als", "ease")
    ]
    for values in settings:
        result = EXPLORER.compute(**EXPLORER.defaults | values)
        for figure in EXPLORER.figures:
            drawing = figure.draw(result, Appearance())
            if isinstance(drawing, dict):
                layout = drawing["layout"]
                ranges.add(json.dumps([figure.name, layout["xaxis"]["range"], layout["yaxis"]["range"]]))
                assert not layout["xaxis"]["autorange"]
                assert not layout["yaxis"]["autorange"]
    assert len(settings) == 20
    assert len(ranges) == sum(isinstance(f.draw(result, Appearance()), dict) for f in EXPLORER.figures)
