"""The interface in German: what is said is complete both ways, the pages that are written in it keep step with their
English, and what a template makes of a sentence is the same in a page as in Python."""

from __future__ import annotations

import json
import re
import sys

import pytest

from recprivlib.dashboard import explorer
from recprivlib.dashboard import steps as paths
from tests.book.test_numbers import numbers, prose
from tests.conftest import ROOT
from tools import words

sys.path.insert(0, str(ROOT / "book" / "_ext"))

import languages  # of the book's own extensions

GERMAN = languages.catalogue("de")
ENGLISH = json.loads(words.CATALOGUE.read_text("utf-8"))
SPOKEN = {text for name, row in ENGLISH.items() if name != words.WRITTEN for text in row}
SCRIPTS = {name: (words.STATIC / name).read_text("utf-8") for name in words.SCRIPTS}
PAGES = sorted((ROOT / "book" / "de").glob("*.md"))
SAYS = languages.Words(GERMAN["written"])


def english(page):
    """The page that a German one is the German of."""
    return page.parents[1] / page.name


def test_the_catalogue_lists_what_the_scripts_say_as_they_are_now():
    assert ENGLISH == words.listed(), "run: python -m tools.words"


def test_german_says_every_string_of_the_path_s_scripts_and_none_that_nobody_says():
    assert SPOKEN - GERMAN["scripts"].keys() == set()
    assert GERMAN["scripts"].keys() - SPOKEN == set(), "said by no script"
    assert GERMAN["written"].keys() == set(ENGLISH[words.WRITTEN])


@pytest.mark.parametrize("part", ["scripts", "written"])
def test_german_keeps_every_place_of_a_template(part):
    for text, said in GERMAN[part].items():
        assert sorted(words.PLACE.findall(text)) == sorted(words.PLACE.findall(said)), text
        assert text.count("**") == said.count("**"), text
        assert re.findall(r"\{\w\w+\}", text) == re.findall(r"\{\w\w+\}", said), text
        assert text[:1].isspace() == said[:1].isspace(), text


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_has_words_that_are_not_given_to_be_translated(name):
    assert [text for text in words.unsaid(SCRIPTS[name]) if text not in words.NO_WORDS] == []


@pytest.mark.parametrize(
    "planted",
    [
        'node.textContent = "Nobody is here";',
        'node.title = "Leave";',
        "node.textContent = `${many} phones are here`;",
        "node.textContent = `${say`Step ${i}`} of the path`;",
    ],
)
def test_a_string_that_nobody_translates_is_found(planted):
    assert words.unsaid(f"{SCRIPTS['path.js']}\n{planted}\n") != words.unsaid(SCRIPTS["path.js"])


def test_what_is_allowed_to_stand_is_there():
    found = {text for script in SCRIPTS.values() for text in words.unsaid(script)}
    assert words.NO_WORDS - found == set()


# ------------------------------------------------------------------------------------------------- templates


def test_a_sentence_with_numbers_is_said_whole_or_piece_by_piece_or_left():
    guess = "You said about half. Of 63 % in the line-up, 11 % is left among all 1 682 films: 17 % of the score."
    said = guess.replace(" %", "\u202f%").replace("1 6", "1\u202f6")
    told = SAYS.of(said)
    assert told.startswith("Du sagtest: etwa die Hälfte. Von 63\u202f% in der Gegenüberstellung")
    assert numbers(told) == numbers(said)
    assert (
        SAYS.of("Nobody has said this. It is one list for everybody.")
        == "Nobody has said this. Es ist eine Liste für alle."
    )
    assert SAYS.of("From Dusk Till Dawn") == "From Dusk Till Dawn"
    assert SAYS.of("12.5") == "12.5"


def test_html_keeps_its_markup_and_its_code():
    markup = '<p title="on both lists" class="random">random &amp; <code>random</code></p><script>"random"</script>'
    assert SAYS.html(markup.replace("random &amp; ", "random")) == (
        '<p title="auf beiden Listen" class="random">Zufall<code>random</code></p><script>"random"</script>'
    )
    assert SAYS.html(markup) == markup.replace("on both lists", "auf beiden Listen")


# ----------------------------------------------------------------------------------------------------- pages


def asked(page):
    """What the steps and the words of a page set, in their order."""
    text = page.read_text("utf-8")
    which = explorer(paths.stem(text))
    return [paths.key(which, one) + str(one.view) + str(one.guess) for one in paths.states(which, text)]


@pytest.mark.parametrize("page", [page for page in PAGES if paths.stem(page.read_text("utf-8"))], ids=lambda p: p.stem)
def test_a_path_in_german_sets_what_its_english_sets(page):
    assert sorted(asked(page)) == sorted(asked(english(page)))
    assert [one for one in asked(page) if one in set(asked(english(page)))] == asked(page)
    checks = [
        re.findall(r"^```\{check\} (\S+)$|^- \[(.)\]", one.read_text("utf-8"), re.M) for one in (page, english(page))
    ]
    assert checks[0] == checks[1], "questions, or which answer is right"
    folds = re.findall(r"\{expert\} (\S+)", page.read_text("utf-8"))
    assert set(folds) <= set(re.findall(r"\{expert\} (\S+)", english(page).read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_in_german_has_no_number_that_its_english_has_not(page):
    small = {str(number) for number in range(11)}
    own = numbers(english(page).read_text("utf-8").replace(" %", "%"))
    found = {one.replace("%", "") for one in numbers(prose(page))} - {one.replace("%", "") for one in own} - small
    assert found == set()


def built(book, page):
    return (book / page.relative_to(ROOT)).with_suffix(".html").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_and_its_german_say_their_language_and_lead_to_each_other(book, page):
    german, own = built(book, page), built(book, english(page))
    assert '<html lang="de"' in german
    assert '<html lang="en"' in own
    assert f'<a class="language" lang="en" hreflang="en" href="../{page.stem}.html">English</a>' in german
    assert f'<a class="language" lang="de" hreflang="de" href="de/{page.stem}.html">Deutsch</a>' in own
    assert f'<link rel="alternate" hreflang="de" href="de/{page.stem}.html" />' in own
    other = (book / "book" / "notation.html").read_text("utf-8")
    assert 'href="?lang=de" data-turns="1">Deutsch</a>' in other


def texts(book):
    """Every text of the interface that Python wrote: in the built pages, and in the figure of the first chapter."""
    frame = (book / "_static" / "frames" / "recommenders.path.js").read_text("utf-8")
    data = json.loads(frame[frame.index("(") + 1 : frame.rindex(")")])
    pages = [built(book, english(page)) for page in PAGES]

    def strings(part):
        if isinstance(part, str):
            yield part
        else:
            for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
                yield from strings(one)

    yield from strings(data)
    for page in pages:
        for told in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL):
            yield from strings(json.loads(told))
    for markup in (*pages, *strings(data)):
        yield from re.split(r"<[^>]*>", markup)
        yield from (found[2] for found in languages.SPOKEN.finditer(markup))


def test_every_template_of_the_catalogue_is_of_a_text_that_is_there(book):
    heard: set[str] = set()

    class Listening(languages.Words):
        def said(self, one, *places):
            heard.add(one)
            return super().said(one, *places)

    says = Listening(GERMAN["written"])
    for text in set(texts(book)):
        says.of(languages.unescape(text))
    assert sorted(GERMAN["written"].keys() - heard) == []
