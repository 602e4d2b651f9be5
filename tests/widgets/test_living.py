"""A living picture in a notebook: all of it in one frame, played there as in the book; and in a real JupyterLab."""

from __future__ import annotations

import functools
import http.server
import re
import subprocess
import sys
import threading
import urllib.request
from html import unescape
from urllib.parse import urlsplit

import nbformat
import pytest

from recprivlib.living import kit, notebook
from recprivlib.parameters import UserError
from tests.conftest import ROOT, free_port, listen
from widgets.living import last, living

PATIENCE = 90_000
FITS = """() => {
  const frame = document.querySelector("iframe");
  return frame.offsetHeight >= frame.contentDocument.querySelector("main").offsetHeight;
}"""
AP = notebook.picture(channel="ap")
SURROUNDINGS = """<!doctype html><meta charset="utf-8"><title>A notebook</title><link rel="icon" href="data:,">
<body data-jp-theme-light="true">%s"""


def test_it_holds_all_that_it_needs_and_asks_no_host():
    page = living("notebook", channel="ap").page(AP)
    assert page.count("<script>") == 4
    assert not re.search(r"(?:src|href)=|@import|url\((?!\"data:)", page)
    frame = living("notebook", channel="ap").box(AP).value
    assert unescape(re.search(r'srcdoc="([^"]*)"', frame)[1]) == page


def test_what_it_says_in_the_end_is_its_plain_text():
    assert last(AP) == kit.plain(AP["closing"])
    assert last({"closing": {"one town": "**First**.", "whole town": "Then."}}) == "First."


def test_a_picture_or_look_that_is_not_there_is_refused_at_once():
    with pytest.raises(UserError, match="there is no living picture 'nothing'"):
        living("nothing")
    with pytest.raises(UserError, match="theme is 'blue'"):
        living("crowd", theme="blue")


def test_it_needs_no_panel():
    code = "import sys; import widgets.living; sys.exit('panel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.fixture
def shown(browser, tmp_path):
    """A page that holds a picture as a notebook does, and the frame in it."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    handler.func.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    noise, contexts = [], []

    def shown(width, **settings):
        box = living("notebook", channel="ap", **settings).box(AP)
        (tmp_path / "x.html").write_text(SURROUNDINGS % box.value, "utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}))
        page = contexts[-1].new_page()
        listen(page, f"127.0.0.1:{server.server_port}", noise)
        page.goto(f"http://127.0.0.1:{server.server_port}/x.html")
        return page, page.frame_locator("iframe")

    yield shown
    for context in contexts:
        context.close()
    server.shutdown()
    server.server_close()
    assert not noise, "\n".join(noise)


@pytest.mark.chromium
@pytest.mark.parametrize("width", [1280, 700, 390])
def test_a_frame_is_as_high_as_its_picture_and_is_played_by_keys(shown, shoot, width):
    page, inside = shown(width)
    inside.locator(".lv[data-ready]").wait_for(timeout=PATIENCE)
    page.wait_for_function(FITS)
    assert page.evaluate("document.querySelector('iframe').contentDocument.documentElement.scrollWidth") <= width
    inside.locator(".lv-go").focus()
    page.keyboard.press("Enter")
    end = notebook.closing(AP, total=24 if width == 390 else 40)
    inside.locator(".lv-say", has_text=kit.plain(end)).wait_for(timeout=PATIENCE)
    inside.locator(".nb-mine button", has_text="Titanic").click()
    assert inside.locator(".nb-name").inner_text() == "Your phone"
    shoot(page, f"living-notebook-{width}")
    page.reload()
    inside.locator(".lv[data-ready]").wait_for(timeout=PATIENCE)
    assert inside.locator(".nb-name").inner_text() == "Your phone", "films stay in this browser"
    inside.locator(".nb-hers").click()
    assert inside.locator(".nb-name").inner_text() == "Ada's phone"


@pytest.mark.chromium
def test_it_is_as_dark_as_the_notebook_unless_it_is_asked_for_otherwise(shown):
    look = "document.querySelector('iframe').contentDocument.documentElement.dataset.theme"
    page, inside = shown(1280)
    inside.locator(".lv[data-ready]").wait_for(timeout=PATIENCE)
    assert page.evaluate(look) == "light"
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_function(f"{look} === 'dark'")
    page, inside = shown(1280, theme="dark")
    inside.locator(".lv[data-ready]").wait_for(timeout=PATIENCE)
    assert page.evaluate(look) == "dark"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """The address of a JupyterLab with one notebook in it, x.ipynb."""
    cells = [nbformat.v4.new_code_cell('from widgets.living import living\n\nliving("notebook", channel="ap")')]
    (tmp_path / "nb").mkdir()
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), tmp_path / "nb" / "x.ipynb")
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
               "--IdentityProvider.token=", f"--notebook-dir={tmp_path / 'nb'}"]  # fmt: skip
    with (tmp_path / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            up(f"http://127.0.0.1:{port}/api", process, tmp_path / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)


def up(address, process, log, patience=120):
    """Wait until a server answers."""
    for _ in range(2 * patience):
        try:
            return urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            assert process.poll() is None, log.read_text("utf-8")
            threading.Event().wait(0.5)
    raise AssertionError(log.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.chromium
def test_a_cell_of_a_real_jupyterlab_shows_the_picture_and_plays_it(browser, lab, shoot):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    noise = []
    page.on("request", lambda sent: noise.append(sent.url) if urlsplit(sent.url).hostname not in ("127.0.0.1", None)
            and urlsplit(sent.url).scheme not in ("data", "blob") else None)  # fmt: skip
    page.goto(f"{lab}/lab/tree/x.ipynb")
    page.locator(".jp-CodeCell .jp-Editor").first.click(timeout=PATIENCE)
    page.locator("[data-status=idle]").first.wait_for(state="attached", timeout=PATIENCE)
    page.keyboard.press("Shift+Enter")
    inside = page.frame_locator("iframe")
    inside.locator(".lv[data-ready]").wait_for(timeout=PATIENCE)
    inside.locator(".nb-all").click()
    assert inside.locator(".lv-say").inner_text() == kit.plain(AP["closing"])
    shoot(page, "living-jupyterlab", full_page=False)
    page.close()
    assert not noise, noise
