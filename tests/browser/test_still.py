"""Without a server: the first page's figure and a dashboard's frame, opened from the disk as anybody would."""

from pathlib import Path

import pytest

from tests.browser.sight import PATIENCE, unfold


@pytest.fixture
def still(browser, pool, book: Path):
    """`still(page, width=…, theme=…)`: a page of the built book from the disk. Errors of scripts fail the test."""
    wrong, contexts = [], []

    def still(name: str, width: int = 1280, theme: str = "light", **about):
        look = {"viewport": {"width": width, "height": 844}, "color_scheme": theme}
        address = f"file://{book}/book/{name}.html"
        if about or pool is None:
            contexts.append(browser.new_context(**look, **about))
            page = contexts[-1].new_page()
        else:
            page = pool.page(address, f"file://{book}/live.json", **look)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        if about.get("java_script_enabled", True):
            unfold(page)
        return page

    yield still
    for context in contexts:
        context.close()
    if pool is not None:
        pool.rest()
    assert not wrong


@pytest.mark.firefox
def test_the_first_figure_moves_tile_by_tile_and_says_so(still):
    page = still("intro")
    box = page.locator(".ten")
    lies = box.locator(".ten-out .lie")
    seen = [lies.count()]
    slider = box.locator("input[type=range]")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
        seen.append(lies.count())
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    assert "0.3" in slider.get_attribute("aria-valuetext")
    assert box.locator("output").inner_text() == "ε = 0.3"
    before = box.locator(".ten-say").inner_text()
    box.get_by_role("button", name="same reports, better server").click()
    assert box.locator(".ten-say").inner_text() != before
    assert box.locator(".ten-better").get_attribute("aria-pressed") == "true"


def test_a_tap_makes_the_history_yours_and_the_keyboard_can_tap_too(still):
    page = still("intro")
    tiles = page.locator(".ten-tiles button")
    assert page.locator(".ten-name").inner_text() == "Ada's phone"
    tiles.first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".ten-name").inner_text() == "Your phone"
    assert tiles.first.get_attribute("aria-pressed") == "true"
    assert "9 films" in page.locator(".ten-note").first.inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "film 10"


def test_on_a_phone_the_first_figure_fits_one_screen(still, shoot):
    page = still("intro", width=390, has_touch=True)
    assert page.locator(".ten").bounding_box()["height"] <= 780
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(page, "still-intro-390")


def test_without_scripts_the_first_figure_is_complete(still):
    page = still("intro", java_script_enabled=False)
    assert "of next films" in page.locator(".ten-say").inner_text()
    assert page.locator(".ten-bars b").count() == 4


@pytest.mark.chromium  # which can be told that it prints
def test_on_paper_the_first_figure_keeps_its_bars_and_loses_its_slider(still):
    page = still("intro")
    page.emulate_media(media="print")
    assert page.locator(".ten-bars b").first.is_visible()
    assert not page.locator(".ten-drag input").is_visible()


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_a_dashboard_without_a_server_says_how_to_go_live_and_moves(still, shoot, width, theme):
    page = still("recommenders", width=width, theme=theme)
    page.wait_for_selector(".still .js-plotly-plot .main-svg")
    assert "make serve" in page.locator(".dash-note").inner_text()
    say = page.locator(".still-say")
    words = say.inner_text()
    assert "top 10" in words
    slider = page.locator(".still-main input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert "top 15" in say.inner_text()
    page.get_by_role("radio", name="EASE").check()
    assert "EASE" in say.inner_text()
    symbol = page.evaluate("document.querySelector('.still-main .js-plotly-plot').data.at(-1).marker.symbol[0]")
    assert symbol == "circle-open"
    ink = page.evaluate("document.querySelector('.still-main .js-plotly-plot').layout.font.color")
    assert ink == ("#F2F2F2" if theme == "dark" else "#1A1A1A")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shoot(page, f"still-recommenders-{width}-{theme}")


def test_the_axis_slider_stands_under_the_dot(still):
    """The thumb's centre and the dot's, in pixels; half a thumb is about eight."""
    page = still("recommenders")
    page.wait_for_selector(".still-main .js-plotly-plot .main-svg")
    dot, thumb = page.evaluate("""() => {
      const plot = document.querySelector(".still-main .js-plotly-plot"), full = plot._fullLayout;
      const range = document.querySelector(".still-main input").getBoundingClientRect();
      const share = +document.querySelector(".still-main input").value;
      return [plot.getBoundingClientRect().left + full.xaxis._offset + full.xaxis.d2p(plot.data.at(-1).x[0]),
              range.left + share * range.width];
    }""")
    assert abs(dot - thumb) <= 8
