"""The interface in other languages than English, and pages that are written in one.

    book/words/de.json      what German says for each string of the interface; what it lacks stays English
    book/words/en.json      all there is to translate: each script's strings, and what Python writes (tools/words.py)
    book/de/<page>.md       a page in German; `book/<page>.md` is its English, and each leads to the other

English is what the code says, and so the key of everything. A script marks its strings (rpSay`Step ${1}`, words.js);
what Python writes, numbers and all, is found by templates, "the top {1} of {2} …". So no result is computed twice and
no chapter runs twice: a page in German has prose and steps, its numbers come from the frames of its English.
Numbers stay as they are in every language, ".61" and "61 %": they are compared with tables, code and files.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from fingerprint import ROOT

WORDS = ROOT / "book" / "words"
NAMES = {"en": "English", "de": "Deutsch"}
PLACE = re.compile(r"\{(\d)\}")
SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-ZÄÖÜ0-9])")
FILLED = r"((?:(?![.?!] [A-ZÄÖÜ0-9]).)+?)"  # what stands in a place: no sentence ends in it
SPOKEN = re.compile(r'\b(aria-label|title|aria-valuetext)="([^"]*)"')
SAID = re.compile(r"(?<=<p class=\"lv-say\">)(.*?)(?=</p>)", re.DOTALL)
CLOSED = re.compile(r"(<(script|pre|code|style)\b.*?</\2>|<[^>]+>)", re.DOTALL)


class Words:
    """What one language says: strings as they are, and templates whose places are numbers or words."""

    def __init__(self, told: Mapping[str, str]):
        self.told = told
        bare = sorted((one for one in told if PLACE.search(one)), key=lambda one: -len(PLACE.sub("", one)))
        self.open = [(re.compile(re.sub(r"\\\{\d\\\}", FILLED, re.escape(one)), re.DOTALL), one) for one in bare]

    def of(self, text: str) -> str:
        """A text, or its sentences, in this language; what is not known stays as it is (`of` in words.js)."""
        bare = re.sub("[\n\xa0]", " ", text.strip())
        if not re.search("[A-Za-z]", bare):
            return text
        told = self.whole(bare)
        if told is None:
            told = " ".join(self.whole(one) or one for one in SENTENCE.split(bare))
        return text if told == bare else text.replace(text.strip(), told.replace("ε = ", "ε\xa0=\xa0"))

    def whole(self, text: str) -> str | None:
        """What is said for exactly this."""
        if text in self.told:
            return self.said(text)
        for pattern, one in self.open:
            if found := pattern.fullmatch(text):
                return self.said(one, *map(self.of, found.groups()))
        return None

    def said(self, one: str, *places: str) -> str:
        """One entry of the catalogue with its places filled."""
        return PLACE.sub(lambda place: places[int(place[1]) - 1], self.told[one])

    def html(self, markup: str) -> str:
        """The same for every text of a piece of HTML, and for what is only heard of it."""
        markup = SAID.sub(lambda found: _strong(self.of(_plain(found[0]))), markup)
        parts = CLOSED.split(markup)
        return "".join(
            "" if at % 3 == 2 else self._tag(part) if at % 3 else self._text(part) for at, part in enumerate(parts)
        )

    def _text(self, text: str) -> str:
        plain = unescape(text)
        told = self.of(plain)
        return text if told == plain else escape(told, quote=False)

    def _tag(self, tag: str) -> str:
        if tag.startswith(("<script", "<pre", "<code", "<style")):
            return tag
        return SPOKEN.sub(lambda found: f'{found[1]}="{escape(self.of(unescape(found[2])))}"', tag)


def _plain(markup: str) -> str:
    return unescape(re.sub("</?strong>", "**", markup))


def _strong(text: str) -> str:
    parts = [escape(part, quote=False) for part in text.split("**")]
    return "".join(f"<strong>{part}</strong>" if at % 2 else part for at, part in enumerate(parts))


def catalogue(language: str) -> dict[str, dict[str, str]]:
    """What is said in this language, by its English: of the `scripts`, and of what Python has `written`."""
    told: dict[str, dict[str, str]] = json.loads((WORDS / f"{language}.json").read_text("utf-8"))
    return told


def known() -> list[str]:
    """The languages there are beside English."""
    return sorted(path.stem for path in WORDS.glob("*.json") if path.stem != "en")


def language(page: str) -> str:
    """The language that a page is written in: that of its folder."""
    folder = posixpath.basename(posixpath.dirname(page))
    return folder if folder in known() else "en"


def twin(page: str, to: str) -> str:
    """The same page in another language, "" if there is none."""
    top, name = posixpath.split(page)
    top = posixpath.dirname(top) if language(page) != "en" else top
    other = posixpath.join(top, *([] if to == "en" else [to]), name)
    return other if (ROOT / f"{other}.md").is_file() else ""


# ------------------------------------------------------------------------------------------------- writing


def write(app: Sphinx) -> None:
    """All catalogues in one small script, for words.js."""
    folder = Path(app.outdir).parent / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps({one: catalogue(one) for one in known()}, ensure_ascii=False, separators=(",", ":"))
    (folder / "languages.js").write_text(f"window.rpLanguages = {told};\n", "utf-8")


def speak(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """A page says which language it is in, leads to the other, and has its interface in it."""
    for name in ("languages.js", "words.js"):
        app.add_js_file(name, loading_method="defer", priority=50)  # before every script that has words
    if "body" not in context:
        return
    here = language(page)
    links = [_switch(page, to, context) for to in ("en", *known()) if to != here]
    if here != "en":
        words = Words(catalogue(here)["written"])
        context["language"] = here
        context["body"] = words.html(context["body"])
        for name in ("_", "translate"):
            context[name] = words.of
        for name in ("theme_search_bar_text", "theme_extra_footer"):
            context[name] = words.html(context.get(name) or "")
    context["body"] = f'<p class="languages">{" ".join(links)}</p>{context["body"]}'


def _switch(page: str, to: str, context: dict[str, Any]) -> str:
    """The way to this page in that language, or, where it is not there, to its interface in it."""
    other = twin(page, to)
    address = f"{posixpath.relpath(other, posixpath.dirname(page) or '.')}.html" if other else f"?lang={to}"
    if other:
        alternate = f'<link rel="alternate" hreflang="{to}" href="{address}" />'
        context["metatags"] = f"{context.get('metatags', '')}\n{alternate}"
    more = "" if other else ' data-turns="1"'
    return f'<a class="language" lang="{to}" hreflang="{to}" href="{address}"{more}>{NAMES[to]}</a>'


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write, priority=400)  # before the folder is handed on (pages.py)
    app.connect("html-page-context", speak, priority=800)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
