"""The book on paper: what solves something stands at the end, every link inside leads somewhere, code stays whole."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from tests.conftest import chromium
from tools import pdf
from tools.plain import hosted

NAMES = ["book/recommenders", "book/teach/questions"]  # a path with solutions, and questions with a key


@pytest.fixture(scope="module")
def parts(book, browser):
    with hosted(book, "/") as host:
        yield list(pdf.gathered(browser, host.address, NAMES, lambda line: None))


@pytest.mark.chromium
def test_solutions_and_keys_stand_at_the_end_and_nowhere_else(book, parts):
    paper = BeautifulSoup(pdf.whole(parts), "html.parser")
    key = paper.select_one("#key").extract().get_text(" ")
    rest = paper.get_text(" ")
    source = BeautifulSoup((book / "book" / "recommenders.html").read_text("utf-8"), "html.parser")
    solved = [fold for fold in source.select("article details:not(.expert)") if "Solution" in fold.summary.get_text()]
    assert len(solved) >= 4
    asked = source.select("article .check")
    assert len(asked) >= 5
    assert parts[0]["solutions"] == len(solved) + len(asked)
    assert parts[1]["solutions"] == 10
    for words in ("One click of one person doubles a similarity", "about seven"):
        assert words in key, words
        assert words not in rest, words
    assert "People whom the training" not in key
    assert "Why? A place in the top ten of a hundred" in rest.replace("\n", " ")


@pytest.mark.chromium
def test_every_link_inside_leads_somewhere_and_no_place_has_two_names(parts):
    paper = BeautifulSoup(pdf.whole(parts), "html.parser")
    places = [node["id"] for node in paper.select("[id]") if not node.find_parent("svg")]
    assert len(set(places)) == len(places)
    inside = [link["href"][1:] for link in paper.select('a[href^="#"]')]
    assert len(inside) >= 8
    assert not set(inside) - set(places)
    assert not paper.select("script, iframe, button.set, details.hide")


@pytest.mark.chromium
def test_it_is_printed_with_its_figures_and_code_is_kept_in_one_piece(book, parts, browser, tmp_path):
    page = browser.new_page(viewport={"width": pdf.WIDTH, "height": 1000})
    page.set_content(pdf.whole(parts))
    page.emulate_media(media="print")
    assert page.locator(".paper svg.main-svg").count() >= 7
    kept = page.evaluate(
        "[...document.querySelectorAll('pre, .highlight, figure')].map((box) => getComputedStyle(box).breakInside)"
    )
    assert len(kept) > 20
    assert set(kept) == {"avoid"}
    hidden = page.evaluate("[...document.querySelectorAll('pre')].filter((box) => !box.getClientRects().length).length")
    assert hidden == 0, "folded code is on paper too"
    printed = page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", printed)) > 20
    page.close()


def test_the_pages_are_those_of_the_table_of_contents():
    assert pdf.pages()[0] == "book/intro"
    assert "book/teach/lesson-8" in pdf.pages()
    assert pdf.pages()[-1] == "book/references"


def test_without_a_browser_it_says_what_to_install(monkeypatch, capsys):
    if chromium() is None:
        pytest.skip("there is none")
    monkeypatch.setattr(pdf, "CHROMIUM", ())
    monkeypatch.delenv("RECPRIV_CHROMIUM", raising=False)
    assert pdf.main() == 1
    assert "apt install chromium" in capsys.readouterr().err
