"""Nothing is cut off or written over something else: at any step, on a desk, a phone, or a wall."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.walking import CHAPTERS, opened, states

CUT = Path(__file__).with_name("cut.js").read_text("utf-8")
SCREENS = {
    "desk": (1280, 800),
    "phone": (390, 844),
    "wide": (1600, 1000),
    "wall": (1280, 720),
    "between": (1000, 800),
}


def cut(page):
    """What is cut, once the figure is drawn and rests. Without a server nothing more is on its way."""
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 40))))"
    )
    page.wait_for_function("!document.documentElement.dataset.busy?.includes('move')")
    return page.evaluate(CUT)


@pytest.mark.parametrize(
    "screen",
    [
        pytest.param(screen, marks=[pytest.mark.slow] if screen in ("between", "wall", "wide") else [])
        for screen in SCREENS
    ],
)
@pytest.mark.parametrize("stem", CHAPTERS)
def test_nothing_is_cut_at_any_step(visit, still_site, stem, screen):
    width, height = SCREENS[screen]
    page = opened(visit, stem, "?present=1" if screen == "wall" else "", width=width, site=still_site)
    page.set_viewport_size({"width": width, "height": height})
    found, (_, asked) = [], states(stem)
    for number in range(1, len(asked) + 1):
        found += [f"step {number}: {what}" for what in cut(page)]
        if page.locator(".stage.veiled").count():
            page.evaluate("document.querySelector('.stage .skip-guess').click()")
            found += [f"step {number}, answered: {what}" for what in cut(page)]
            page.evaluate("document.activeElement.blur()")
        page.keyboard.press("ArrowRight")
    assert not found, "\n".join(found)


def test_what_is_cut_is_seen(visit, still_site):
    page = opened(visit, "dplcf", "?step=4", width=1280, site=still_site)
    assert cut(page) == []
    page.add_style_tag(content=".stage-say { height: 12px !important } .ends output { left: 0 !important }")
    page.wait_for_timeout(500)  # the figure is drawn again, a little higher
    page.evaluate("""() => {
      const name = document.querySelector('.stage svg .annotation-text');
      name.textContent = 'a name that is far too long for the room beside its line';
      const shown = what => [...document.querySelectorAll(what)].find(one => one.offsetParent);
      shown('.stage .ends span').style.visibility = 'visible';
      shown('.stage select').style.maxWidth = '30px';
    }""")
    found = "\n".join(page.evaluate(CUT))
    for part in ("is cut by .stage-say", "leaves its drawing", "is written over", "is cut in its list"):
        assert part in found, found


SHAPES = {"rising": (0.9, 0.1), "falling": (0.1, 0.9), "low": (0.95, 0.95), "high": (0.05, 0.05), "half": (0.5, 0.4)}
DRAWN = [stem for stem in CHAPTERS if states(stem)[0].sketch]
WIDTHS = (390, 1280, 1600)
PAIRS = [(stem, width) for stem in DRAWN for width in WIDTHS]
MAIN = {(stem, WIDTHS[at % 3]) for at, stem in enumerate(DRAWN)}  # every figure and every width; all pairs are slow


@pytest.mark.parametrize(
    ("stem", "width"), [pytest.param(*pair, marks=[] if pair in MAIN else pytest.mark.slow) for pair in PAIRS]
)
def test_no_name_lies_on_another_after_a_guess_is_drawn(visit, still_site, stem, width):
    """Whatever a finger draws: the reader's own words give way to the names of the lines."""
    which, asked = states(stem)
    number = next(at for at, one in enumerate(asked, 1) if one.guess and which.sketch.figure in one.view)
    page = opened(visit, stem, f"?step={number}", width=width, site=still_site)
    found = []
    for shape, (start, end) in SHAPES.items():
        page.reload()
        page.locator(".stage[data-ready='1'][data-state=ready]").wait_for()
        box = page.locator(".pen").bounding_box()
        page.mouse.move(box["x"] + 30, box["y"] + start * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 3, box["y"] + end * box["height"], steps=10)
        page.mouse.up()
        page.evaluate("document.querySelector('.stage .compare').click()")
        found += [f"{shape}: {what}" for what in cut(page)]
        assert page.locator(".pen-line text").count() >= 1, shape
    assert not found, "\n".join(found)


def test_a_label_on_a_label_is_seen(visit, still_site):
    page = opened(visit, "dplcf", "?step=4", width=1600, site=still_site)
    assert cut(page) == []
    page.evaluate("""() => { const [one, other] = document.querySelectorAll('.stage .annotation .cursor-pointer');
      other.setAttribute('transform', one.getAttribute('transform')); }""")
    assert "is written over" in "\n".join(cut(page))
