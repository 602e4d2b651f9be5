"""A living picture in the book: where it stands, what comes to its page, and what is said of one that is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from recprivlib.living import kit
from recprivlib.parameters import UserError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import living  # noqa: E402  (of the book's own extensions)

from fingerprint import PICTURED  # noqa: E402

CHANNELS = {"dplcf": "sp", "ldp_svd": "ldp_svd", "fmf_ldp": "fmf_ldp", "dp_pnbm": "dp_pnbm", "privrec": "privrec"}


def page(book, name):
    return BeautifulSoup((book / "book" / f"{name}.html").read_text("utf-8"), "html.parser")


@pytest.mark.parametrize("name", CHANNELS)
def test_a_notebook_opens_each_chapter_above_its_path_with_its_own_scripts_alone(book, name):
    html = page(book, name)
    picture = html.select_one(f"#lv-{CHANNELS[name]}")
    assert picture.find_next("div", class_="path"), "it stands above the path"
    assert not picture.find_parent(class_="path")
    scripts = [script["src"] for script in html.select("script[src]") if "/living/" in script["src"]]
    assert [Path(src.partition("?")[0]).stem for src in scripts][:3] == ["living", "devices", "notebook"]
    assert all((book / "book" / src.partition("?")[0]).resolve().is_file() for src in scripts)


def test_a_picture_inside_a_step_follows_it_over_the_whole_width_of_the_path(book):
    html = page(book, "dplcf")
    for name, title in (("lv-crowd", "A crowd knows more than its phones"), ("lv-ap", "When a no is proof")):
        place = html.select_one(f"#{name}").find_parent(class_="lv-place")
        assert place.parent["class"] == ["path"]
        assert title in place.find_previous_sibling("section").select_one("h2").get_text()


def test_a_page_without_a_picture_loads_nothing_of_them(book):
    assert "/living/" not in (book / "book" / "recommenders.html").read_text("utf-8")


def test_a_picture_that_is_not_there_and_a_setting_without_a_value_are_refused():
    for name in ("nothing", "kit", "../x"):
        with pytest.raises(UserError, match="there is no living picture"):
            kit.drawn(name)
    with pytest.raises(UserError, match="written as name=value, but one is 'channel'"):
        living._pair("channel")
    with pytest.raises(UserError, match=r"crowd is asked for channel: .*unexpected"):
        kit.numbers("crowd", {"channel": "sp"})
    assert hasattr(kit.drawn("crowd"), "html")


def test_a_page_is_made_of_the_pictures_that_its_lines_name():
    assert PICTURED.findall("text\n```{living} notebook channel=sp\n```\n{living} x\n````{living} crowd\n") == [
        "notebook",
        "crowd",
    ]
