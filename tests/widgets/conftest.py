"""The forms in which Panel draws a part: see `widgets.hooks`."""

import panel.template.base
import pytest

from widgets import hooks


@pytest.fixture(params=["fast", "stock"])
def form(request, monkeypatch):
    """Which of them it is; each test that asks runs under either."""
    monkeypatch.setattr(hooks, "FAST", request.param == "fast")
    settings = hooks.Settings() if hooks.FAST else hooks.pn.config
    monkeypatch.setattr(panel.template.base, "config", settings)
    return request.param
