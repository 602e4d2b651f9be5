"""The bits of every phone as a reader meets them, alone at their own address."""

from __future__ import annotations

import pytest

from recprivlib.dashboard.catalogue import explorer
from tests.browser.sight import PATIENCE, Dash

BITS = explorer("fmf_ldp")
DASH = Dash("fmf_ldp", "rate")
PLOT, until, said = DASH.plot, DASH.until, DASH.said


@pytest.fixture
def alone(visit):
    return DASH.alone(visit, skip=False)


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
