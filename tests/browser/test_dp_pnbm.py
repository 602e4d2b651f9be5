"""Dashboard dp_pnbm as a reader meets it: the switch that leaves the ratings out, and what is said of it."""

from __future__ import annotations

import pytest

from recprivlib.live import explorer
from tests.browser.sight import answered

ALONE = "/apps/dp_pnbm"
PATIENCE = 60_000  # ms; the machine of a CI run is busy with other tests
EXPLORER = explorer("dp_pnbm")


def said(**settings):
    return EXPLORER.say(EXPLORER.compute(**EXPLORER.defaults | settings))


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_switch_leaves_the_ratings_out(visit, shoot, width, theme):
    page = visit(ALONE, width=width, theme=theme)
    page.locator("main[data-state=ready] [data-figure=error] .main-svg").first.wait_for(timeout=PATIENCE)
    answered(page)
    assert page.locator(".sentence").inner_text() == said()
    shoot(page, f"dp_pnbm-{width}-{theme}")
    if width > 640:
        page.get_by_label("Noise only, no data").check()
        page.locator(".sentence", has_text=said(noise_only=True)).wait_for(timeout=PATIENCE)
