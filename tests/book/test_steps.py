"""A chapter that is a path stays short before anything is opened, and every step of it can be had without a server."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from recprivlib.dashboard.frames import path
from recprivlib.parameters import UserError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from drafts import whole  # noqa: E402  (of the book's own extensions)

CHAPTERS = [page for page in whole(sorted((ROOT / "book").glob("*.md"))) if paths.stem(page.read_text("utf-8"))]
WORD = re.compile(r"[^\W_][\w'’.,-]*")
STRAIGHT = str.maketrans("“”‘’", "\"\"''")
MOST = {"words": 1800, "code": 60, "formulas": 4, "tables": 1}


@cache
def seen(html: str) -> dict[str, int]:
    """What stands on a page before anything is opened: words of prose, lines of code, formulas, tables."""
    article = BeautifulSoup(html, "html.parser").article
    for silent in article.select("script, style, noscript, .stage, .lv, .prev-next-footer, .headerlink"):
        silent.decompose()
    for fold in article.select("details"):
        for child in fold.find_all(recursive=False):
            if child.name != "summary":
                child.decompose()
    code = sum(block.get_text().rstrip().count("\n") + 1 for block in article.select(".cell_input pre, .highlight pre"))
    counted = {"code": code, "formulas": len(article.select("div.math")), "tables": len(article.select("table"))}
    for other in article.select("pre, .math, table"):
        other.decompose()
    return {"words": len(WORD.findall(article.get_text(" "))), **counted}


def beyond(counted: dict[str, int]) -> list[str]:
    """The limits that a page passes."""
    return [name for name, most in MOST.items() if counted[name] > most]


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_path_is_short_before_anything_is_opened(book, page):
    counted = seen((book / "book" / f"{page.stem}.html").read_text("utf-8"))
    assert counted["words"] > 300, counted  # else the count sees nothing
    assert not beyond(counted), counted


@pytest.mark.parametrize("much", ["<p>word </p>" * 1801, "<div class='highlight'><pre>a\n</pre></div>" * 61,
                                  "<div class='math'>x</div>" * 5, "<table></table>" * 2])  # fmt: skip
def test_each_limit_of_a_path_can_be_passed(book, much):
    html = (book / "book" / "privrec.html").read_text("utf-8")  # the lightest
    html = html[html.index("<article") : html.index("</article>") + len("</article>")]
    assert not beyond(seen(html))
    folded = html.replace("</summary><div>", f"</summary><div>{much}", 1)
    assert seen(folded) == seen(html)
    assert len(beyond(seen(html.replace("</article>", f"{much}</article>", 1)))) == 1


def test_what_is_seen_is_told_from_what_is_folded():
    found = seen(
        "<article><p>one two</p><details><summary>three</summary><div>four five<table></table></div></details>"
        "<script>six</script><section class='stage'><p>seven</p></section><div class='math'>x</div>"
        "<div class='highlight'><pre>a\nb\n</pre></div><table></table></article><p>eight</p>"
    )
    assert found == {"words": 3, "code": 2, "formulas": 1, "tables": 1}


def test_the_first_page_says_how_long_each_path_takes(book):
    said = dict(re.findall(r"\((\w+)\.md\) (\d+)", intro := (ROOT / "book" / "intro.md").read_text("utf-8")))
    pages = {page.stem: (book / "book" / f"{page.stem}.html").read_text("utf-8") for page in CHAPTERS}
    assert said == {
        stem: re.search(r"The path: \d+ steps, about (\d+) minutes", html)[1] for stem, html in pages.items()
    }
    assert f"of {sum(map(int, said.values()))} in all" in intro


def test_all_dashboards_stand_in_the_order_of_reading(book):
    cards = BeautifulSoup((book / "book" / "explore.html").read_text("utf-8"), "html.parser").select(".explore-card")
    order = re.findall(r"file: book/(\w+)", (ROOT / "_toc.yml").read_text("utf-8"))
    assert [card["data-chapter"] for card in cards] == [stem for stem in order if stem in {p.stem for p in CHAPTERS}]


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_word_of_the_glossary_says_what_it_means_where_it_stands(book, page):
    entries = BeautifulSoup((book / "book" / "notation.html").read_text("utf-8"), "html.parser").select(
        "dl.glossary > dt"
    )
    meanings = {
        entry["id"]: " ".join(entry.find_next_sibling("dd").get_text().translate(STRAIGHT).split()) for entry in entries
    }
    links = BeautifulSoup((book / "book" / f"{page.stem}.html").read_text("utf-8"), "html.parser").select(
        "a[href*='#term-']"
    )
    assert links
    for link in links:
        assert link["title"][:40] == meanings[link["href"].partition("#")[2]][:40]


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_path_has_six_to_eight_steps_each_with_a_name(page):
    text = page.read_text("utf-8")
    assert 6 <= len(paths.STEP.findall(text)) <= 8
    assert len(re.findall(r"^:short: \S", text, re.MULTILINE)) == len(paths.STEP.findall(text))
    assert "{expert}" in text


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_each_step_but_a_guess_has_an_exercise_and_they_are_numbered_in_order(page):
    text = page.read_text("utf-8")
    steps = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if paths.STEP.search(part)]
    lacking = [part.splitlines()[0] for part in steps
               if not re.search(r"^### Exercise \d+: ", part, re.MULTILINE)
               and "guess" not in paths.STEP.search(part)[0].splitlines()[0].split()]  # fmt: skip
    assert not lacking
    folds = re.findall(r"^### Exercise (\d+): [^\n]*\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    assert [int(number) for number, _ in folds] == list(range(1, len(re.findall("^### Exercise", text, re.M)) + 1))
    for number, body in folds:
        assert set(re.findall(r"Solution ?(\d*)", body)) <= {number}
    assert len(re.findall(r"^```\{check\}", text, re.MULTILINE)) >= 5


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_a_link_to_a_fold_has_one_place_to_go(book, page):
    html = BeautifulSoup((book / "book" / f"{page.stem}.html").read_text("utf-8"), "html.parser")
    names = [fold["id"] for fold in html.select("details[id]")]
    assert names
    assert not {name for name in names if len(html.select(f"#{name}")) > 1}


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_every_state_of_a_path_is_built_with_the_book(book, page):
    script = (book / "_static" / "frames" / f"{page.stem}.path.js").read_text("utf-8")
    built = json.loads(script.removeprefix("rpPath.data(").rstrip().removesuffix(");"))
    which = explorer(paths.stem(page.read_text("utf-8")))
    asked = [paths.key(which, state) for state in paths.states(which, page.read_text("utf-8"))]
    assert asked
    assert not set(asked) - set(built["states"])


SMALL = explorer("recommenders")
TEXT = """
```{path} recommenders
```
## One
```{step} data=synthetic k=5
:short: one
```
{set}`all <k=10 ghost.k=1,5>`
"""


def test_steps_and_words_are_read_on_top_of_one_another():
    step, word = paths.states(SMALL, TEXT)
    assert (step.values["data"], step.values["k"], step.view) == ("synthetic", 5, (SMALL.figures[0].name,))
    assert (word.values["data"], word.values["k"], word.ghosts) == ("synthetic", 10, ({"k": 1}, {"k": 5}))
    assert paths.key(SMALL, word).count("|") == 2


@pytest.mark.parametrize("wrong", ["k=1000", "speed=3", "view=nothing", "ghost.k=zero", "loud"])
def test_what_a_dashboard_has_not_is_refused(wrong):
    with pytest.raises(UserError):
        paths.state(SMALL, wrong)


def test_a_frame_of_a_path_says_what_the_library_says():
    from dataclasses import replace

    which = replace(SMALL, still={"k": (10,)}, curve=None)
    built = json.loads(json.dumps(path(which, TEXT), allow_nan=False))
    step, _ = paths.states(which, TEXT)
    words = built["pieces"][built["states"][paths.key(which, step)][0]]
    assert words == which.say(which.compute(**step.values))


def test_a_line_never_ends_before_a_stop_nor_inside_a_number(book):
    article = BeautifulSoup((book / "book" / "dplcf.html").read_text("utf-8"), "html.parser").article
    for other in article.select("pre, code, script, table, .math, .cell_output"):
        other.decompose()
    text = article.get_text()
    assert "\u202f%" in text
    assert not re.findall(r"\d %|ε =", text)
    words = article.select(".step p button.set")
    assert any(word.parent["class"] == ["kept"] for word in words if word.parent.name == "span")
    assert not [
        word for word in words if re.match(r"[.,;:!?]", str(word.next_sibling or "")) and word.parent.name == "p"
    ]
