"""Debian's Firefox, driven by Playwright over WebDriver BiDi: the walks written for Chromium run in it too."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import Any

HOOK = Path(__file__).with_suffix(".cjs")
NAMES = ("firefox-esr", "firefox")
MISSING = "NO FIREFOX FOUND: NOTHING WAS TESTED IN IT (Debian: apt install firefox-esr)"


def found() -> str | None:
    """The Firefox of this machine."""
    return os.environ.get("RECPRIV_FIREFOX") or next((path for name in NAMES if (path := shutil.which(name))), None)


@contextlib.contextmanager
def hooked():
    """While Playwright starts: its driver reads HOOK."""
    before = os.environ.get("NODE_OPTIONS")
    os.environ["NODE_OPTIONS"] = f"--require {HOOK}"
    try:
        yield
    finally:
        if before is None:
            del os.environ["NODE_OPTIONS"]
        else:
            os.environ["NODE_OPTIONS"] = before


class Firefox:
    """As a test sees it: `new_context` with the options that this Firefox has. Light and dark are two processes."""

    def __init__(self, playwright: Any, path: str):
        self.playwright, self.path = playwright, path
        self.running: dict[str, Any] = {}

    def new_context(self, color_scheme: str = "light", **options: Any) -> Any:
        """A profile of its own."""
        return self._running(color_scheme).new_context(**options)

    def _running(self, scheme: str) -> Any:
        if scheme not in self.running:
            told = {
                "layout.css.prefers-color-scheme.content-override": {"dark": 0, "light": 1}[scheme],
                "webgl.disabled": True,  # as in many class rooms
                "network.captive-portal-service.enabled": False,
                "network.connectivity-service.enabled": False,
                "datareporting.policy.dataSubmissionEnabled": False,
            }
            self.running[scheme] = self.playwright.firefox.launch(
                channel="moz-firefox", executable_path=self.path, firefox_user_prefs=told
            )
        return self.running[scheme]

    def close(self) -> None:
        """Ends every one of them."""
        for browser in self.running.values():
            browser.close()
