"""The bits of every phone as a reader meets them, alone at their own address."""

from __future__ import annotations

import time
from urllib.parse import parse_qsl

import pytest

from recprivlib.live import explorer

ALONE = "/apps/fmf_ldp"
PATIENCE = 60_000  # ms; the machine of a CI run is busy with other tests
BITS = explorer("fmf_ldp")
PLOT = "document.querySelector('[data-figure=rate] .js-plotly-plot')"


def until(page, shown):
    """Waits until the main plot shows these settings and the last epoch is over."""
    end = time.monotonic() + PATIENCE / 1000
    while dict(parse_qsl(page.evaluate(f"{PLOT}?.layout?.meta?.shown") or "")) != dict(parse_qsl(shown)):
        assert time.monotonic() < end, f"the plot never showed {shown!r}"
        page.wait_for_timeout(20)
    page.locator("main[data-state=ready]").wait_for(timeout=PATIENCE)


def said(**settings):
    return BITS.say(BITS.compute(**BITS.defaults | settings))


@pytest.fixture
def alone(visit):
    def alone(query="", **how):
        page = visit(ALONE + query, **how)
        page.locator("main[data-state=ready]").wait_for(timeout=PATIENCE)
        return page

    return alone


def test_a_reader_guesses_the_bill_thaws_the_server_and_interrupts_a_stream(alone, shoot):
    page = alone()
    page.get_by_role("button", name=BITS.predict.answers[3]).click()
    reply = BITS.predict.reply(BITS.compute(**BITS.defaults), 3)
    page.locator(".reply", has_text=reply).wait_for(timeout=PATIENCE)
    page.locator(".sentence", has_text=said()).wait_for(timeout=PATIENCE)
    page.get_by_text("thawed", exact=True).click()
    until(page, "variant=stable")
    page.locator(".sentence", has_text=said(variant="stable")).wait_for(timeout=PATIENCE)
    slider = page.get_by_role("slider", name="Epochs")
    for _ in range(3):  # each move ends the stream of the one before
        slider.press("ArrowLeft")
    until(page, "epochs=17&variant=stable")
    page.locator(".sentence", has_text=said(variant="stable", epochs=17)).wait_for(timeout=PATIENCE)
    assert page.evaluate(f"{PLOT}.data.find(one => one.name.startsWith('thawed')).x.length") == 17
    shoot(page, "fmf_ldp_thawed")


def test_on_a_phone_in_the_dark_the_bill_fits_and_nothing_complains(alone, shoot):
    page = alone("?theme=dark&variant=sign&k=1&epochs=5&epsilon=10", width=390)
    page.locator(".sentence", has_text="By epoch 5 your phone has sent 5 reports").wait_for(timeout=PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(page, "fmf_ldp_phone")
