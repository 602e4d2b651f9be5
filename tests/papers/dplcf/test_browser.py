"""The crowd of lying phones as a reader meets it, alone at its own address."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise

import pytest

from recprivlib.dashboard import explorer
from tests.browser.sight import PATIENCE, Dash, rest

CROWD = explorer("dplcf")
DASH = Dash("dplcf", "rate")
PLOT, until, said, ready = DASH.plot, DASH.until, DASH.said, DASH.ready


@pytest.fixture
def alone(visit):
    return DASH.alone(visit)


@pytest.mark.firefox
def test_a_reader_guesses_drags_types_and_changes_the_server(visit, shoot):
    page = DASH.alone(visit, skip=False)()
    assert not page.locator(".sentence").is_visible()
    page.get_by_role("button", name=CROWD.predict.answers[3]).click()
    assert page.locator(".sentence").inner_text() == said()
    reply = CROWD.predict.reply(CROWD.compute(**CROWD.defaults), 3)
    page.locator(".reply", has_text=reply).wait_for(timeout=PATIENCE)
    slider = page.get_by_role("slider", name="ε")
    slider.press("ArrowLeft")
    until(page, "epsilon=0.8")
    assert slider.get_attribute("aria-valuetext") == CROWD.control("epsilon").spoken(0.8)
    box = page.get_by_label("ε", exact=True).and_(page.get_by_role("spinbutton"))
    box.select_text()
    box.press_sequentially("1.3")  # as a hand does: Firefox takes no other change for a change
    box.press("Enter")
    until(page, "epsilon=1.3")
    assert page.locator(".sentence").inner_text() == said(epsilon=1.3)
    page.get_by_text("spectral", exact=True).click()
    until(page, "epsilon=1.3&server=spectral")
    assert page.locator(".sentence").inner_text() == said(epsilon=1.3, server="spectral")
    page.wait_for_function("() => location.search.includes('server=spectral')")
    lies = page.locator(".rp-tiles div i.lie").count()
    watched, reported = (getattr(CROWD.compute(epsilon=1.3, server="spectral"), n) for n in ("watched", "reported"))
    assert lies == sum(a != b for a, b in zip(watched, reported, strict=True))
    shoot(page, "dplcf-spectral", full_page=True)


def test_it_opens_moves_and_answers_as_panel_documents_it_too(visit, serving, book, monkeypatch):
    """With a version of Panel whose private names are not known: see `widgets.hooks`."""
    monkeypatch.setenv("RECPRIV_PANEL", "stock")
    with serving(book) as (site, _):
        page = DASH.alone(visit, skip=False)(site=site)
        page.get_by_role("button", name=CROWD.predict.answers[3]).click()
        reply = CROWD.predict.reply(CROWD.compute(**CROWD.defaults), 3)
        page.locator(".reply", has_text=reply).wait_for(timeout=PATIENCE)
        assert page.locator(".sentence").inner_text() == said()
        page.get_by_role("slider", name="ε").press("ArrowLeft")
        until(page, "epsilon=0.8")
        page.get_by_text("spectral", exact=True).click()
        until(page, "epsilon=0.8&server=spectral")
        assert page.locator(".sentence").inner_text() == said(epsilon=0.8, server="spectral")
        page.wait_for_function("() => location.search.includes('server=spectral')")
        page.get_by_role("button", name="Code").click()  # a wish, and a message back
        code = page.locator(".code code", has_text="print")
        code.wait_for(timeout=PATIENCE)
        assert code.inner_text() == CROWD.snippet(CROWD.defaults | {"epsilon": 0.8, "server": "spectral"})
        page.get_by_role("button", name="Table").click()
        page.locator(".tables table").first.wait_for(timeout=PATIENCE)
        rest(page)
        page.goto("about:blank")


NOTED = """() => {
  const root = document.documentElement;
  window.noted = [];
  new MutationObserver(() => window.noted.push([root.hasAttribute("data-busy"), location.search]))
    .observe(root, { attributes: true, attributeFilter: ["data-busy"] });
}"""


def test_a_page_is_at_rest_once_its_address_holds_what_is_shown(alone):
    page = alone()
    rest(page)
    page.evaluate(NOTED)
    page.get_by_role("slider", name="ε").press("ArrowLeft")
    until(page, "epsilon=0.8")
    page.wait_for_function("() => location.search.includes('epsilon=0.8')")
    rest(page)
    noted = page.evaluate("window.noted")
    assert [True, ""] in noted
    assert noted[-1] == [False, "?epsilon=0.8"]


def test_no_name_in_the_main_figure_is_cut_or_covered(alone):
    for width in (1280, 948, 390):
        page = alone("?epsilon=0.7", width=width)
        rest(page)
        boxes = page.evaluate(f"""() => {{
          const plot = {PLOT}, frame = plot.getBoundingClientRect();
          return [...plot.querySelectorAll('.annotation-text')].map((text) => {{
            const box = text.getBoundingClientRect();
            const air = Math.max(2, (box.height - 13) / 2);  // above and below letters of 13 px
            return [text.textContent, box.left, box.right, box.top + air, box.bottom - air,
                    box.right <= frame.right + 1];
          }});
        }}""")
        assert {"no privacy", "what is popular", "noisy popularity", "random"} <= {box[0] for box in boxes}
        assert all(box[5] for box in boxes), boxes
        for at, (one, left, right, top, bottom, _) in enumerate(boxes):
            for other, l2, r2, t2, b2, _ in boxes[at + 1 :]:
                assert right <= l2 or r2 <= left or bottom <= t2 or b2 <= top, f"{one} on {other} at {width} px"


SLOW = """() => { // a machine on which a drawing of the evidence takes 40 ms
  const react = window.Plotly.react, drawn = (window.drawn = []);
  window.Plotly.react = (canvas, ...rest) => {
    const began = performance.now(), main = Boolean(canvas.closest(".main"));
    while (!main && performance.now() - began < 40);
    if (!main) drawn.push([canvas.closest("[data-figure]").dataset.figure, began]);
    return react(canvas, ...rest);
  };
}"""


def test_evidence_that_is_slow_to_draw_is_drawn_less_often(alone):
    page = alone()
    page.evaluate(SLOW)
    slider = page.locator("[data-control=epsilon] .range")
    slider.focus()
    for at in range(16):
        slider.press("ArrowLeft" if at < 8 else "ArrowRight")
        page.wait_for_timeout(100)
    ready(page)
    page.wait_for_timeout(700)
    drawn = page.evaluate("window.drawn")
    for name in {name for name, _ in drawn}:
        times = [at for other, at in drawn if other == name]
        assert len(times) > 2, "it follows"
        gaps = [later - earlier for earlier, later in pairwise(times[1:])]  # the first was set going before
        assert min(gaps) > 0.9 * 6 * 40, name


def test_a_crowd_of_eight_reports_before_your_eyes(alone):
    page = alone("?epsilon=0.5")
    page.evaluate("window.seen = new Set()")
    page.evaluate("""() => new MutationObserver(() => window.seen.add(document.querySelector('.sentence').textContent))
      .observe(document.querySelector('.sentence'), { childList: true, characterData: true, subtree: true })""")
    page.get_by_role("combobox", name="People").select_option(label="×8")
    until(page, "epsilon=0.5&people=8")
    page.wait_for_function("() => !document.querySelector('.bar').checkVisibility()", timeout=60_000)
    assert re.search(r"From 7\s544 such phones", page.locator(".sentence").inner_text())


def test_the_strip_follows_the_unit(alone, shoot):
    page = alone("?server=ap&epsilon=2")
    strip = page.locator(".strip .rp-strip").first
    before = strip.get_attribute("aria-label") or strip.inner_text()
    page.get_by_text("your whole history", exact=True).click()
    until(page, "server=ap&epsilon=2&unit=history")
    text = page.locator(".strip").inner_text()
    assert "your whole history, exchanged" in text
    assert "no finite ε" in text
    assert "counts something else: one click" in text
    strip = page.locator(".strip .rp-strip").first
    assert (strip.get_attribute("aria-label") or strip.inner_text()) != before
    shoot(page, "dplcf-strip")


def test_the_code_prints_the_same_numbers_in_a_fresh_python(alone):
    page = alone("?epsilon=2&neighbors=30")
    page.get_by_role("button", name="Code").click()
    page.locator(".code code", has_text="print").wait_for()
    code = page.locator(".code code").inner_text()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    result = CROWD.compute(**CROWD.defaults | {"epsilon": 2.0, "neighbors": 30})
    printed = [float(number) for number in re.findall(r"\d\.\d{3}", done.stdout)]
    assert printed == pytest.approx([result.yours.at("hr@10"), result.popular.at("hr@10")], abs=5e-4)


@pytest.mark.chromium
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_it_is_accessible_and_does_not_scroll_sideways(alone, accessible, shoot, theme, width):
    page = alone(theme=theme, width=width)
    page.get_by_role("button", name="Table").click()
    page.locator(".tables table").first.wait_for()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    small = page.evaluate("""() => [...document.querySelectorAll('button, summary')].filter((one) =>
      one.checkVisibility() && one.getBoundingClientRect().height < 24).map((one) => one.textContent)""")
    assert not small, small
    shoot(page, f"dplcf-alone-{width}-{theme}", full_page=True)
