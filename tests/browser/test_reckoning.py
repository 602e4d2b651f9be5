"""The last chapter and its five seconds on the first page, played to their ends by a hand and by keys alone."""

import re

import pytest

from recprivlib.living import fall, kit, reckoning
from tests.browser.walking import PATIENCE, chromium, click, touch

CROSSED = """svg => {  // words that are written over others
  const all = [...svg.querySelectorAll("text")].filter((one) => one.textContent && one.closest("g"));
  const at = all.map((one) => one.getBoundingClientRect());
  return all.flatMap((one, i) => all.slice(i + 1).filter((_, k) => {
    const a = at[i], b = at[i + 1 + k];
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
  }).map((other) => `${one.textContent} | ${other.textContent}`));
}"""
WALKS = [
    pytest.param(390, "dark", marks=pytest.mark.firefox),
    pytest.param(1280, "light", marks=pytest.mark.chromium),
]


@pytest.fixture(scope="module")
def told():
    """All numbers and sentences of the board: two seconds of processor, which collecting this file must not take."""
    return reckoning.picture()


@pytest.fixture(scope="module")
def promises(told):
    return [row for row in told["rows"] if not row["repairs"]]


def opened(visit, where, picture, **how):
    page = visit(f"/book/{where}.html", **how)
    box = page.locator(f"#{picture}[data-ready='1']")
    box.wait_for(timeout=PATIENCE)
    return page, box


def says(box, text):
    """The sentence, once it is there; and the page is at rest."""
    words = " ".join(kit.plain(text).split())
    box.page.wait_for_function(
        "([box, text]) => box.querySelector('.lv-say').textContent.split(/\\s+/).join(' ') === text",
        arg=[box.element_handle(), " ".join(re.split(r"\s+", words))],
        timeout=PATIENCE,
    )
    box.page.wait_for_function("box => box.dataset.moves !== 'yes'", arg=box.element_handle(), timeout=PATIENCE)


@pytest.mark.parametrize(("width", "theme"), WALKS)
def test_the_board_is_played_to_its_end_by_keys_alone(visit, shoot, told, promises, width, theme):
    page, box = opened(visit, "reckoning", "lv-reckoning", width=width, theme=theme)
    assert set(
        box.locator(".rk-board .proof").evaluate_all("all => all.map((one) => one.getAttribute('opacity'))")
    ) == {"0.00"}
    rings = box.get_by_role("slider").all()
    assert len(rings) == len(promises)
    rings[0].focus()
    page.keyboard.press("End")
    assert rings[0].get_attribute("aria-valuetext") == told["guesses"][-1]["spoken"]
    page.keyboard.press("Home")
    for _ in range(promises[0]["states"]["one town"]["near"][0]):
        page.keyboard.press("ArrowRight")
    assert rings[0].get_attribute("aria-valuenow") == str(promises[0]["states"]["one town"]["near"][0])
    you = sum(row["start"] in row["states"]["one town"]["near"] for row in promises[1:]) + 1
    shoot(page, f"reckoning-plant-{width}-{theme}")
    box.locator(".lv-go").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    says(box, f"{told['closing']['one town']} {reckoning.score(you)}")
    for row, flag in zip(told["rows"], box.locator(".rk-board .flag").all(), strict=True):
        turned = {"falls": "rotate(90.0)", "leans": "rotate(28.0)"}.get(row["states"]["one town"]["end"], "rotate(0.0)")
        assert turned in flag.get_attribute("transform"), row["key"]
    fallen = [row["states"]["one town"]["end"] == "falls" for row in told["rows"]]
    stumps = box.locator(".rk-board .stump").evaluate_all(
        "all => all.map((one) => one.getAttribute('opacity') === '1')"
    )
    assert stumps == fallen, "what has fallen leaves a stump where it stood"
    shoot(page, f"reckoning-done-{width}-{theme}")
    box.get_by_role("radio", checked=True).first.focus()
    page.keyboard.press("ArrowRight")
    says(box, told["closing"]["whole town"])
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    says(box, told["closing"]["whole country"])
    names = box.locator(".rk-board svg > g").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert names == [row["states"]["whole country"]["said"] for row in told["rows"]]
    assert box.locator(".rk-board svg").evaluate(CROSSED) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    shoot(page, f"reckoning-country-{width}-{theme}")


@pytest.mark.chromium
def test_the_board_climbs_by_a_hand_and_a_link_brings_it_back(visit, told, promises):
    page, box = opened(visit, "reckoning", "lv-reckoning")
    knob = box.locator(".knob .ring").first.bounding_box()
    lane = box.locator(".rk-board svg").bounding_box()
    page.mouse.move(knob["x"] + 8, knob["y"] + 8)
    page.mouse.down()
    page.mouse.move(lane["x"] + lane["width"] * 0.25, knob["y"] + 8, steps=4)
    page.mouse.up()
    guess = int(box.get_by_role("slider").first.get_attribute("aria-valuenow"))
    assert guess != promises[0]["start"]
    click(box.locator(".lv-go"))
    box.get_by_text("Once more").wait_for(timeout=PATIENCE)
    starts = [guess, *(row["start"] for row in promises[1:])]
    you = sum(at in row["states"]["one town"]["near"] for at, row in zip(starts, promises, strict=True))
    says(box, f"{told['closing']['one town']} {reckoning.score(you)}")
    click(box.get_by_role("radio", name="a person"))
    click(box.locator(".lv-link"))
    page.reload()
    page.locator("#lv-reckoning[data-ready='1']").wait_for(timeout=PATIENCE)
    says(box, told["closing"]["whole town"])
    assert box.get_by_role("radio", name="a person").get_attribute("aria-checked") == "true"
    box.locator(".lv-present").click()
    page.set_viewport_size({"width": 1280, "height": 720})
    inner = box.locator(".lv-inner")
    for _ in range(100):  # the wall is fitted once its new size is known
        if (at := inner.bounding_box())["y"] + at["height"] <= 721:
            break
        page.wait_for_timeout(50)
    assert at["y"] + at["height"] <= 721
    assert at["y"] >= -1
    assert box.locator(".rk-key li").first.bounding_box()["height"] > 18, "its key is read from a bench"
    page.keyboard.press("Escape")
    assert page.locator(".lv-wall").count() == 0


@pytest.mark.chromium  # whose screen can be touched
def test_the_board_is_played_by_a_thumb(visit, told, promises):
    page, box = opened(visit, "reckoning", "lv-reckoning", width=390)
    ring = box.get_by_role("slider").nth(2)
    ring.scroll_into_view_if_needed()
    knob, before = ring.locator(".ring").bounding_box(), page.evaluate("scrollY")
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    fingers = page.context.new_cdp_session(page)
    for kind, by in (("touchStart", 0), ("touchMove", -10), ("touchMove", -40), ("touchEnd", None)):
        points = [] if by is None else [{"x": x + by, "y": y + by / 8}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert int(ring.get_attribute("aria-valuenow")) < promises[2]["start"]
    assert page.evaluate("scrollY") == before, "the page stays where it is"
    page.wait_for_timeout(450)  # two touches that come at once are one
    touch(box.locator(".lv-go"))
    box.get_by_text("Skip to the end").wait_for(timeout=PATIENCE)
    page.wait_for_timeout(450)
    touch(box.locator(".lv-go"))
    starts = [*(row["start"] for row in promises)]
    starts[2] = int(ring.get_attribute("aria-valuenow"))
    you = sum(at in row["states"]["one town"]["near"] for at, row in zip(starts, promises, strict=True))
    says(box, f"{told['closing']['one town']} {reckoning.score(you)}")
    touch(box.get_by_role("radio", name="a country"))
    says(box, told["closing"]["one country"])


@pytest.mark.parametrize(
    "how",
    [pytest.param({}, marks=pytest.mark.firefox),
     pytest.param({"reduced_motion": "reduce"}, marks=pytest.mark.chromium)],
    ids=("moving", "still"),
)  # fmt: skip
def test_the_first_page_has_one_flag_one_button_and_one_fall(visit, shoot, how):
    told = fall.picture()
    page, box = opened(visit, "intro", "lv-fall", width=390, theme="dark", **how)
    says(box, told["says"]["plant"])
    shoot(page, "fall-plant")
    box.locator(".lv-go").focus()
    page.keyboard.press("Enter")
    if how and chromium(page):  # at once, without a frame between; Firefox cannot be told to want no motion
        assert box.locator(".lv-go").inner_text() == "Again"
    says(box, told["closing"]["one town"])
    assert "rotate(90.0)" in box.locator(".rk-board .flag").get_attribute("transform")
    assert page.locator("p.lv-start a").get_attribute("href") == "recommenders.html"
    shoot(page, "fall-done")


@pytest.mark.chromium
def test_presses_that_come_too_fast_a_cut_link_a_turned_phone_and_paper_break_nothing(visit, told):
    page, box = opened(visit, "reckoning", "lv-reckoning")
    page.goto(page.url + "?lv=reckoning")
    box = page.locator("#lv-reckoning[data-ready='1']")
    says(box, told["says"]["plant"])
    ring = box.get_by_role("slider").first
    ring.focus()
    page.set_viewport_size({"width": 600, "height": 900})
    page.wait_for_function("document.querySelector('#lv-reckoning svg').viewBox.baseVal.width < 600")
    assert ring.evaluate("ring => ring === document.activeElement"), "a turned phone keeps the ring in hand"
    box.locator(".lv-go").dblclick()
    assert box.locator(".lv-go").inner_text() == "Skip to the end", "a double click begins, and does not skip"
    page.set_viewport_size({"width": 1280, "height": 900})
    box.get_by_text("Once more").wait_for(timeout=PATIENCE)
    says(box, f"{told['closing']['one town']} {reckoning.score()}")
    page.wait_for_timeout(450)
    box.locator(".lv-go").click()
    says(box, told["says"]["plant"])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    says(box, f"{told['closing']['one town']} {reckoning.score()}")
    assert box.locator("tbody tr:visible").count() == len(told["rows"])
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    says(box, told["says"]["plant"])
    assert box.locator("tbody tr:visible").count() == 0


@pytest.mark.chromium
def test_without_a_script_the_board_is_a_table_and_its_closing_sentence(visit, told):
    page = visit("/book/reckoning.html", java_script_enabled=False)
    box = page.locator("#lv-reckoning")
    assert " ".join(box.locator(".lv-say").inner_text().split()) == " ".join(
        kit.plain(f"{told['closing']['one town']} {reckoning.score()}").split()
    )
    assert box.locator("tbody tr:visible").count() == len(told["rows"])
