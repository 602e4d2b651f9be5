"""Lists what there is to translate: book/words/en.json, from the scripts that say it.

    python -m tools.words

Each script's strings stand under its name. Under "written" stand the texts and templates that Python writes: they are
added by hand, and a test finds every one of them in the built book (tests/book/test_languages.py).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"
SCRIPTS = (
    "path.js", "stage.js", "pen.js", "play.js", "score.js", "check.js", "quiz.js", "notes.js", "slides.js",
    "exercise.js", "dash.js", "tenseconds.js", "explore.js", "living/living.js", "living/reckoning.js",
)  # fmt: skip
CATALOGUE = ROOT / "book" / "words" / "en.json"
WRITTEN = "written"
TAG = re.compile(r"\b(?:say|words|spell)`")
PLACE = re.compile(r"\{(\d)\}")
# What JavaScript is made of, as far as a string has to be told from it.
PARTS = re.compile(
    r"//[^\n]*|/\*.*?\*/|(?P<double>\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<regex>(?<=[(,=:]) ?/(?![/*])(?:\\.|\[[^\]\n]*\]|[^/\n\\])+/)",
    re.DOTALL,
)
PROSE = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z]{2,}|^[A-Z][a-z]{2,}$")


def templates(script: str) -> Iterator[tuple[int, int, str]]:
    """Where each template literal stands, innermost first, and its text with {1}, {2} … for its places."""
    script = re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: " " * len(found[0]), script, flags=re.DOTALL)
    stack: list[tuple[int, str, int]] = []  # of each open literal: where it began, its text, its places
    depth: list[int] = []  # of each open place: the braces in it
    at = 0
    while at < len(script):
        inside = len(stack) > len(depth)
        two, one = script[at : at + 2], script[at]
        if inside and one == "\\":
            start, text, places = stack.pop()
            stack.append((start, text + two, places))
            at += 1
        elif one == "`" and inside:
            start, text, _ = stack.pop()
            yield start, at, text
        elif one == "`":
            stack.append((at, "", 0))
        elif inside and two == "${":
            start, text, places = stack.pop()
            stack.append((start, f"{text}{{{places + 1}}}", places + 1))
            depth.append(0)
            at += 1
        elif inside:
            start, text, places = stack.pop()
            stack.append((start, text + one, places))
        elif depth and one == "{":
            depth[-1] += 1
        elif depth and one == "}":
            if depth[-1] == 0:
                depth.pop()
            else:
                depth[-1] -= 1
        at += 1


def said(script: str) -> list[str]:
    """The strings that a script gives to be translated."""
    return [text for start, _, text in templates(script) if re.search(r"\b(?:say|words|spell)$", script[:start])]


def unsaid(script: str) -> list[str]:
    """Strings of a script that read like words for a reader, and are not given to be translated."""
    mine = [text for start, _, text in templates(script) if not re.search(r"\b(?:say|words|spell)$", script[:start])]
    strings = [found["double"][1:-1] for found in PARTS.finditer(script) if found["double"]]
    return [text.strip("`") for text in (*strings, *map(_bare, mine)) if PROSE.search(text) and not _names(text)]


def _bare(template: str) -> str:
    """The words of a template: without its places, and without markup."""
    return re.sub(r"<[^>]*>|\{\d\}", " ", template).strip()


# Selectors, class lists, commands, and what is looked for in the words of others: no reader sees them.
NO_WORDS = frozenset({
    "make serve", "make book", "slide main", "flag repair", "stump repair", "details li", "one town",
    "attacked: at least", "(prefers-reduced-motion: reduce)",
})  # fmt: skip
KEYS = {"Escape", "Enter", "Home", "End", "Page", "Tab"}  # of a keyboard


def _names(text: str) -> bool:
    """Whether it is a selector, a class list, a key or a style, which no reader sees."""
    return text in KEYS or bool(re.search(r"[\[\]>#{};=]|(?:^|\s)\.|\w\.\w+[\s,]", text))


def listed() -> dict[str, list[str]]:
    """What is to stand in the catalogue: the scripts' strings as they are now, and what was added by hand."""
    known = json.loads(CATALOGUE.read_text("utf-8")) if CATALOGUE.exists() else {}
    scripts = {name: sorted(set(said((STATIC / name).read_text("utf-8")))) for name in SCRIPTS}
    return {name: row for name, row in scripts.items() if row} | {WRITTEN: known.get(WRITTEN, [])}


def main() -> int:
    CATALOGUE.write_text(json.dumps(listed(), ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
