"""Every page of the book as a reader meets it: wide and narrow, light and dark, at a desk and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.browser.walking import CHAPTERS, chromium, whole

ROOT = Path(__file__).resolve().parents[2]


def pages() -> list[str]:
    """The pages of the table of contents that are no drafts, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    chapters = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    return [page.relative_to(ROOT).with_suffix("").as_posix()
            for page in whole(ROOT / f"{name}.md" for name in (toc["root"], *chapters))]  # fmt: skip


LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
ALIKE = "book/teach/lesson-"  # pages of one form and of words alone: all are looked at wide, the first on a phone


def seen() -> list[object]:
    """Pages and looks; what is slow is of a look, or of a form, that `make test` has seen."""

    def quick(name: str, look: tuple[int, str]) -> bool:
        return look in LOOKS[: 1 if name.startswith(ALIKE) and not name.endswith("-1") else 2]

    return [pytest.param(name, *look, marks=() if quick(name, look) else pytest.mark.slow)
            for name in pages() for look in LOOKS]  # fmt: skip


@pytest.mark.parametrize(("name", "width", "theme"), seen())
def test_page_is_quiet_and_fits_and_is_accessible(visit, shoot, accessible, name, width, theme):
    """Chapters are accessible with a path that was walked a little: see test_path. The rules are the same everywhere,
    and Chromium follows the system into its other look."""
    page = visit(f"/{name}.html", width=width, theme=theme)
    page.wait_for_load_state("networkidle")
    assert page.locator("html").get_attribute("data-theme") == theme
    assert page.locator(".bd-article h1").is_visible()
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, "the page scrolls sideways"
    shoot(page, f"{Path(name).name}-{width}-{theme}")
    if (width, theme) == (1280, "light") and chromium(page) and Path(name).name not in CHAPTERS:
        accessible(page)


@pytest.mark.chromium
def test_a_colour_that_only_the_other_look_has_is_read(visit, accessible):
    page = visit("/book/references.html")
    page.add_style_tag(content="html[data-theme=dark] .bd-article * { color: #333 !important }")
    with pytest.raises(AssertionError, match="dark: color-contrast"):
        accessible(page)


def test_the_first_address_leads_to_the_first_page(visit):
    page = visit("/")
    page.wait_for_url("**/book/intro.html")


def test_the_theme_button_works_without_the_network(visit):
    page = visit("/book/intro.html")
    page.locator("button.theme-switch-button:visible").first.click()
    assert page.locator("html").get_attribute("data-mode") in ("light", "dark")


def test_search_finds_a_word_of_the_primer(visit):
    page = visit("/search.html?q=hidden")
    page.locator("#search-results a").first.wait_for()
