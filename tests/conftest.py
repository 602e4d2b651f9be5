"""Fixtures for everybody: the built book, a server in front of it, a browser that notices what goes wrong.

def test_my_page(visit):
    page = visit("/book/recommenders.html", width=390, theme="dark")
    ...                       # afterwards: no console error, no request to another host, or the test fails
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
ARTIFACTS = ROOT / "artifacts"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The first for running as root in a container, the others so that Chromium itself calls nobody.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # see browser/pool.py
)
PATIENCE = 90_000  # ms for what a test does not name a time for: the machine of a CI run is busy with other tests
TALL = 4000  # pixels of a picture: a page of 75,000 takes six seconds to draw, which nobody looks through
NO_BROWSER = "NO CHROMIUM FOUND: NOTHING WAS TESTED IN A BROWSER (Debian: apt install chromium)"

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# A shell switches Ctrl-C off for what it starts in the background, and so for all that tests start to interrupt it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Kernels of the notebook tests do not read the developer's own IPython profile.
os.environ["IPYTHONDIR"] = str(ROOT / "_build" / "ipython")


@pytest.fixture(autouse=True)
def noise() -> Iterator[None]:
    """What a test releases has the same noise whenever it runs, in whatever order."""
    from recprivlib.mechanisms.noise import rooted

    with rooted(0):
        yield


# ----------------------------------------------------------------------------------- book and server


@pytest.fixture(scope="session")
def book() -> Path:
    """The book's pages, built now unless they are up to date."""
    done = subprocess.run([sys.executable, ROOT / "tools" / "book.py"], capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"the book does not build:\n{done.stdout}\n{done.stderr}", pytrace=False)
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def wheels() -> Path:
    """The folder with Python for a browser, checked. Without it nothing of the laboratory is tested: a failure."""
    from tests.wheels import fetched
    from tools.pyodide import Missing

    try:
        return fetched()
    except Missing as reason:
        pytest.fail(str(reason), pytrace=False)


@pytest.fixture(scope="session")
def published(book: Path, wheels: Path) -> Path:
    """The built site, ready for a static host."""
    from tools.site import build

    return build(say=lambda line: None)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def served(
    pages: Path, port: int = 0, readers: int = 60, console: Any = None, lab: Path | None = None, embed: str = ""
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of its own process, on a free port unless one is named; its address and its process.

    What it says goes to the file `console`, if there is one; `lab` is the laboratory that it hands out, and `embed` a
    site that may frame it.
    """
    port = port or free_port()
    code = (
        "import sys; from pathlib import Path; from widgets import server;"
        "server.serve('127.0.0.1', int(sys.argv[1]), lambda: print('ready', flush=True), Path(sys.argv[2]),"
        "readers=int(sys.argv[3]), lab=Path(sys.argv[4]) if sys.argv[4] else None, framed=sys.argv[5].split())"
    )
    command = [sys.executable, "-c", code, str(port), str(pages), str(readers), str(lab or ""), embed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=console, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "ready\n", "the server did not start; see above"
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture(scope="session")
def serving() -> Callable[..., Any]:
    """`with serving(folder) as (address, process)`: a server of one's own, to be changed under or killed."""
    return served


@pytest.fixture(scope="session")
def site(book: Path) -> Iterator[str]:
    """The address of book and dashboards, shared by all tests of a worker."""
    with served(book) as (address, _):
        yield address


@pytest.fixture(scope="session")
def still_site(book):
    """The same pages on a server that computes nothing."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(book))
    handler.func.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


# ------------------------------------------------------------------------------------------- browser


def chromium() -> str | None:
    """The browser of this machine."""
    return os.environ.get("RECPRIV_CHROMIUM") or next(
        (found for name in CHROMIUM if (found := shutil.which(name))), None
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What is walked in Chromium is walked in Firefox too: main walks always, the others with what is slow."""
    from tests.order import in_browser

    walks = "browser" in metafunc.fixturenames and in_browser(metafunc.definition.nodeid)
    if not walks or metafunc.definition.get_closest_marker("chromium"):
        return
    main = metafunc.definition.get_closest_marker("firefox")
    other = pytest.param("firefox", marks=() if main else pytest.mark.slow)
    metafunc.parametrize("browser", ["chromium", other], indirect=True, scope="session")


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Chromium or Firefox, driven by Playwright. Without one: a loud skip, or a failure where it is required."""
    from tests.browser import firefox

    wanted = getattr(request, "param", "chromium")
    path, missing = (firefox.found(), firefox.MISSING) if wanted == "firefox" else (chromium(), NO_BROWSER)
    if path is None:
        if os.environ.get("RECPRIV_REQUIRE_BROWSER"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with firefox.hooked():
        playwright = sync_playwright().start()
    if wanted == "firefox":
        browser = firefox.Firefox(playwright, path)
    else:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
    yield browser
    browser.close()
    playwright.stop()


@pytest.fixture(scope="session")
def pool(browser: Any) -> Iterator[Any]:
    """Pages that open quickly; None where the browser cannot keep a process for them."""
    from tests.browser import firefox, pool

    if isinstance(browser, firefox.Firefox):
        yield None
        return
    pages = pool.Pool(browser)
    yield pages
    pages.close()


@pytest.fixture
def visit(browser: Any, pool: Any, site: str) -> Iterator[Callable[..., Any]]:
    """`visit(path, width=1280, theme="light", site=…) -> page`. What went wrong on any of them is in `visit.noise`.

    The page finds nothing stored. Its files may be in the browser's cache and its scripts compiled, unless it is to be
    the `first` that this browser sees of the site, or asks for further options of a context.
    """
    noise: list[str] = []
    contexts: list[Any] = []

    def visit(
        path: str, width: int = 1280, theme: str = "light", site: str = site, first: bool = False, **context: Any
    ) -> Any:
        height = 844 if width < 640 else 900
        look = {"viewport": {"width": width, "height": height}, "color_scheme": theme, "has_touch": width < 640}
        if first or context or pool is None:
            contexts.append(browser.new_context(**look, **context))
            page = contexts[-1].new_page()
        else:
            page = pool.page(site + path, site + "/live.json", **look)
        page.set_default_timeout(PATIENCE)
        listen(page, urlsplit(site).netloc, noise)
        page.goto(site + path, wait_until="load")
        return page

    visit.noise = noise  # type: ignore[attr-defined]
    yield visit
    said = list(noise)  # a socket that is cut as its page is closed may complain
    for context in contexts:
        context.close()
    if pool is not None:
        pool.rest()
    assert not said, "\n".join(said)


def listen(page: Any, host: str, noise: list[str]) -> None:
    """Write down errors on the console and requests to other hosts."""

    def console(message: Any) -> None:
        if message.type == "error":
            noise.append(f"console: {message.text} ({message.location.get('url', '')})")

    def request(sent: Any) -> None:
        address = urlsplit(sent.url)
        if address.scheme not in ("data", "blob", "about") and address.netloc != host:
            noise.append(f"request to another host: {sent.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: noise.append(f"script: {error}"))
    page.on("request", request)
    page.on("websocket", request)


@pytest.fixture
def shoot() -> Callable[..., Path]:
    """`shoot(page, name)` keeps a picture under artifacts/, which git ignores; of a long page its first screens."""

    def shoot(page: Any, name: str, full_page: bool = True) -> Path:
        ARTIFACTS.mkdir(exist_ok=True)
        path = ARTIFACTS / f"{name}.png"
        high = page.evaluate("document.documentElement.scrollHeight") if full_page else 0
        seen = page.viewport_size
        if high > TALL:  # a part of a full page is cut out of the whole, which would be drawn first
            page.set_viewport_size({**seen, "height": TALL})
        page.screenshot(path=path, full_page=full_page and high <= TALL)
        if high > TALL:
            page.set_viewport_size(seen)
        return path

    return shoot


@pytest.fixture
def accessible() -> Callable[..., None]:
    """`accessible(page)` fails on serious violations of the accessibility rules (axe).

    All rules are asked as the page is, then those about colours again while it follows the system into its other look.
    """
    from axe_playwright_python.sync_playwright import Axe

    from tests.browser.sight import rest

    axe = Axe()
    quiet = {"resultTypes": ["violations"], "preload": False}  # preloading fetches style sheets by wrong addresses

    def bad(page: Any, look: str, **options: Any) -> list[str]:
        found = axe.run(page, options=quiet | options).response["violations"]
        return [
            f"{look}: {one['id']}: {one['help']}\n    " + "\n    ".join(n["html"][:160] for n in one["nodes"])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def accessible(page: Any) -> None:
        look = page.locator("html").get_attribute("data-theme")
        lines = bad(page, look)
        other = "light" if look == "dark" else "dark"
        page.emulate_media(color_scheme=other)
        page.locator(f"html[data-theme={other}]").wait_for()
        rest(page, but="answer")  # colours fade
        lines += bad(page, other, runOnly=["color-contrast", "link-in-text-block"])
        page.emulate_media(color_scheme=look)
        assert not lines, "\n".join(lines)

    return accessible
