"""Dashboard dp_pnbm as a reader meets it: the switch that leaves the ratings out, and what is said of it."""

from __future__ import annotations

import pytest

from tests.browser.sight import PATIENCE, Dash

DASH = Dash("dp_pnbm", "error")


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_the_switch_leaves_the_ratings_out(visit, shoot, width, theme):
    page = DASH.alone(visit)(width=width, theme=theme)
    assert page.locator(".sentence").inner_text() == DASH.said()
    shoot(page, f"dp_pnbm-{width}-{theme}")
    if width > 640:
        page.get_by_label("Noise only, no data").check()
        page.locator(".sentence", has_text=DASH.said(noise_only=True)).wait_for(timeout=PATIENCE)
