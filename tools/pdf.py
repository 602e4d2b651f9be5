"""The whole book as one PDF with a key to its questions, from the print of a browser: `make pdf`, `_build/book.pdf`.

Each page is opened as a reader would open it, folds open, figures drawn as for paper (pdf.js). What then stands there
is put into one long page, whose links lead to places in it; solutions and keys stand at its end. Needs Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools.plain import hosted

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
TARGET = ROOT / "_build" / "book.pdf"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TITLE = "Claimed, Counted, Attacked"
KEY = "Key to the questions and exercises"
WAIT = 180_000  # ms for a page: the machine may have other work
WIDTH = 760  # pixels of a page's text: A4 without its margins
FOOTER = '<div style="width: 100%; font: 8px sans-serif; text-align: center"><span class="pageNumber"></span></div>'
GATHER = (Path(__file__).parent / "pdf.js").read_text("utf-8")
STYLE = (Path(__file__).parent / "pdf.css").read_text("utf-8")


class NoBrowser(Exception):
    """There is nothing to print with; the text says what to install."""


def pages() -> list[str]:
    """The pages of the table of contents, in order; those in German are a book of their own."""
    return re.findall(r"^\W*(?:root|file): (?!book/de/)(\S+)", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE)


def chromium() -> str:
    """The browser of this machine."""
    named = os.environ.get("RECPRIV_CHROMIUM")
    found = named or next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        raise NoBrowser("no Chromium was found, which prints the book (Debian: apt install chromium)")
    return found


def gathered(browser: Any, address: str, names: list[str], say: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """What each page holds: its body for paper, its key, its styles."""
    for name in names:
        context = browser.new_context(viewport={"width": WIDTH, "height": 1000}, color_scheme="light")
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.goto(f"{address}/{name}.html", wait_until="load", timeout=WAIT)
        if page.locator(".path > .stage").count():
            page.locator(".stage[data-ready]").wait_for()
        page.wait_for_function("() => !document.documentElement.dataset.busy")
        page.evaluate(f"() => {{ {GATHER} }}")  # not a script of the page: its policy allows none but its own
        told: dict[str, Any] = page.evaluate("(names) => window.gathered(names)", names)
        say(f"  {name.rpartition('book/')[2]}: {told['figures']} figures, {told['solutions']} solutions")
        yield told | {"name": name}
        context.close()


def whole(parts: list[dict[str, Any]]) -> str:
    """All pages as one, with a table of contents before and the key behind."""
    links = "".join(dict.fromkeys(link for one in parts for link in one["links"]))
    styles = "".join(
        f"<style>{text}</style>" for text in dict.fromkeys(text for one in parts for text in one["styles"])
    )
    contents = "".join(f'<li><a href="#{one["at"]}">{one["title"]}</a></li>' for one in parts)
    body = "".join(f'<article class="bd-article" id="{one["at"]}">{one["body"]}</article>' for one in parts)
    key = "".join(f"<section><h2>{one['title']}</h2>{one['key']}</section>" for one in parts if one["key"])
    head = f'<meta charset="utf-8"><title>{TITLE}</title>{links}{styles}<style>{STYLE}</style>'
    front = f'<h1>{TITLE}</h1><ol>{contents}<li><a href="#key">{KEY}</a></li></ol>'
    body += f'<article class="bd-article" id="key"><h1>{KEY}</h1>{key}</article>'
    return (
        f'<!doctype html><html lang="en" data-theme="light" data-mode="light"><head>{head}</head>'
        f'<body><section class="front">{front}</section>{body}</body></html>'
    )


def write(say: Callable[[str], None], target: Path = TARGET, names: list[str] | None = None) -> Path:
    """Print the built book into `target`."""
    from playwright.sync_api import sync_playwright

    path = chromium()
    with hosted(HTML, "/") as host, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        parts = list(gathered(browser, host.address, names or pages(), say))
        page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
        page.set_default_timeout(WAIT)
        printed = HTML / "book" / ".whole.html"
        printed.write_text(whole(parts), encoding="utf-8")
        try:
            page.goto(f"{host.address}/book/.whole.html", wait_until="load", timeout=WAIT)
            page.pdf(path=target, format="A4", print_background=True, outline=True, tagged=True,
                     display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
                     margin={"top": "14mm", "bottom": "16mm", "left": "15mm", "right": "15mm"})  # fmt: skip
        finally:
            printed.unlink()
        browser.close()
    return target


def main() -> int:
    """Print it, and say where it is."""
    try:
        path = write(lambda line: print(line, flush=True))
    except NoBrowser as reason:
        print(f"pdf: {reason}", file=sys.stderr)
        return 1
    print(f"pdf: {path.relative_to(ROOT)}, {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
