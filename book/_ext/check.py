"""What the words of the book ask for is looked up before anything is executed: all that is wrong, each in one sentence.

Settings of steps and words, controls, figures, dashboards, exercises; links to pages and to their parts, citations,
terms of the glossary, numbered formulas. A sentence begins with the file and the line. `make book` asks before
it starts Sphinx, so nothing here needs that; as an extension it asks for whoever starts Sphinx otherwise.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

from drafts import draft, whole

from fingerprint import ROOT

FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
DIRECTIVE = re.compile(r"\{(?!code)")  # a fence that holds prose, or options alone
MARK = re.compile(
    r"^`{3,}\{(?P<block>path|step|dashboard|expert|exercise)\} *(?P<argument>.*)$"
    r"|^:controls: *(?P<controls>.*)$"
    r"|\{set\}`(?P<set>[^`]*)`"
    r"|\{cite(?::[tp])?\}`(?P<cite>[^`]+)`"
    r"|\{term\}`(?P<term>[^`]+)`"
    r"|\{eq\}`(?P<eq>[^`]+)`"
    r"|\]\((?P<link>[^()\s]+)\)",
    re.MULTILINE,
)
LABELS = re.compile(r"^:label: *(\S+)|\$\$ *\(([\w-]+)\)|^\(([\w-]+)\)=|^`{3,}\{expert\} *(\S+)", re.MULTILINE)
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
GLOSSARY = re.compile(r"^:{3,}\{glossary\}\n(.*?)^:{3,}$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Book:
    """All that words of the book may refer to."""

    pages: dict[Path, str]  # file -> its text, without code
    sources: frozenset[str]
    terms: frozenset[str]

    @property
    def labels(self) -> dict[Path, set[str]]:
        """The parts of each page that can be linked to."""
        return {
            file: {one for found in LABELS.findall(text) for one in found if one} for file, text in self.pages.items()
        }


def read(files: Iterable[Path], bibliographies: Iterable[Path]) -> Book:
    """The book as it is written."""
    pages = {file: without_code(file.read_text("utf-8")) for file in files}
    entries = [line for text in pages.values() for part in GLOSSARY.findall(text) for line in part.splitlines()]
    terms = {line.strip().lower() for line in entries if line and line[0] != " "}
    sources = {key for file in bibliographies for key in ENTRY.findall(file.read_text("utf-8"))}
    return Book(pages, frozenset(sources), frozenset(terms))


def all_of_it() -> list[str]:
    """Everything that is wrong in the pages of the table of contents, but for drafts, which the build itself asks."""
    asked = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    names = re.findall(r"^\W*(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE)
    pages = [page for page in (ROOT / f"{name}.md" for name in names) if page.is_file()]
    return wrong(read(pages, (ROOT / name for name in asked.get("bibtex_bibfiles", []))), whole(pages))


def without_code(text: str) -> str:
    """A page with each line of code empty, so that its other lines keep their numbers."""
    kept, closing, code = [], "", False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if closing:
            kept.append("" if code else line)
            if fence and fence[1].startswith(closing) and not fence[2].strip():
                closing = ""
        elif fence:
            closing, code = fence[1], not DIRECTIVE.match(fence[2].strip())
            kept.append("" if code else line)
        else:
            kept.append(line)
    return "\n".join(kept)


def wrong(book: Book, steered: Iterable[Path]) -> list[str]:
    """Everything that is not there, in the order of reading; settings are tried in the pages of `steered` only.

    Drafts are left out: what they lack is said as the build comes to it (drafts.py).
    """
    labels = book.labels
    anywhere = {label for one in labels.values() for label in one}
    found: list[str] = []
    for file, text in book.pages.items():
        if draft(text):
            continue
        walk = Walk() if file in set(steered) else None
        for mark in MARK.finditer(text):
            line = text.count("\n", 0, mark.start()) + 1
            told = [*_referred(book, file, mark, labels, anywhere), *(walk.refused(mark) if walk else ())]
            found += [f"{file.relative_to(ROOT)}:{line}: {one}" for one in told]
    return found


def _referred(
    book: Book, file: Path, mark: re.Match[str], labels: dict[Path, set[str]], anywhere: set[str]
) -> Iterator[str]:
    """What a link, a citation or a word of the glossary does not find."""
    for key in (mark["cite"] or "").split(","):
        if key.strip() and key.strip() not in book.sources:
            yield f"there is no source {key.strip()!r}{_near(key.strip(), book.sources)}"
    if mark["block"] == "exercise":
        from recprivlib.exercises.grading import NAMES

        if mark["argument"].strip() not in NAMES:
            yield f"there is no exercise {mark['argument'].strip()!r}{_near(mark['argument'].strip(), NAMES)}"
    if mark["term"]:
        term = mark["term"].rpartition("<")[2].rstrip("> ") if "<" in mark["term"] else mark["term"]
        if " ".join(term.lower().split()) not in book.terms:
            yield f"the glossary has no {term!r}{_near(term.lower(), book.terms)}"
    if mark["eq"] and mark["eq"] not in anywhere:
        yield f"there is no formula {mark['eq']!r}{_near(mark['eq'], anywhere)}"
    if mark["link"] and not re.match(r"[a-z][a-z+.-]*:", mark["link"]):
        yield from _linked(file, mark["link"], labels, anywhere)


def _linked(file: Path, link: str, labels: dict[Path, set[str]], anywhere: set[str]) -> Iterator[str]:
    name, _, part = link.partition("#")
    target = (file.parent / name).resolve() if name else file
    if name.endswith(".md") and target not in labels:
        yield f"there is no page {name!r}{_near(name, [page.name for page in labels])}"
    elif not target.exists() and not (target.suffix == ".html" and target.with_suffix(".md") in labels):
        yield f"there is no {name!r}"
    elif part and not part.startswith("term-"):
        inside = (
            labels.get(target.with_suffix(".md") if target.suffix == ".html" else target, set()) if name else anywhere
        )
        if part not in inside:
            yield f"there is no {f'#{part}'!r} in {target.name}{_near(part, inside)}"


def _near(word: str, known: Iterable[str]) -> str:
    found = difflib.get_close_matches(word, sorted(known), n=2)
    return f"; did you mean {' or '.join(found)}?" if found else ""


class Walk:
    """A page from above to below: the dashboard that its path steers, and the step that a word stands in."""

    def __init__(self) -> None:
        self.which: Any = None
        self.step: Any = None
        self.lost = False  # the dashboard is not there, which has been said

    def refused(self, mark: re.Match[str]) -> list[str]:
        """What a step, a word or a control asks for and the dashboard has not."""
        if mark["block"] in ("path", "dashboard"):
            return self._tried(lambda: self._enter(mark["block"], mark["argument"].strip()))
        if self.lost:
            return []
        if mark["controls"] is not None and self.which:
            return [
                said for name in mark["controls"].split() for said in self._tried(partial(self.which.control, name))
            ]
        if mark["block"] == "step":
            return self._tried(lambda: self._set_out(mark["argument"]))
        return self._tried(lambda: self._word(mark["set"])) if mark["set"] is not None else []

    def _tried(self, ask: Callable[[], Any]) -> list[str]:
        from recprivlib.parameters import UserError

        try:
            ask()
        except UserError as error:
            return [str(error)]
        return []

    def _enter(self, block: str, stem: str) -> None:
        from recprivlib.dashboard.catalogue import explorer

        if block == "path":
            self.lost = True
            self.which = explorer(stem)
            self.lost = False
        else:
            explorer(stem)

    def _set_out(self, settings: str) -> None:
        from recprivlib.dashboard import steps as paths
        from recprivlib.parameters import UserError

        if self.which is None:
            raise UserError("a {step} needs a {path} before it, which names the dashboard")
        self.step = paths.state(self.which, "")  # what follows is not blamed for a step that is wrong
        self.step = paths.state(self.which, settings)

    def _word(self, text: str) -> None:
        from recprivlib.dashboard import steps as paths
        from recprivlib.parameters import UserError

        words, opened, settings = text.rstrip(">").rpartition("<")
        if self.step is None:
            raise UserError("{set} stands inside a {step} only")
        if not opened or not words.strip():
            raise UserError("{set} is written as words <control=value>")
        paths.state(self.which, settings, self.step)


def check(app: Sphinx, env: Any, docnames: list[str]) -> None:
    """Before the first chapter runs and the first frame is begun."""
    from sphinx.errors import ExtensionError

    files = {name: Path(env.doc2path(name)).resolve() for name in sorted(env.found_docs)}
    book = read(files.values(), (ROOT / name for name in app.config.bibtex_bibfiles))
    if said := wrong(book, [files[name] for name in docnames if name in files]):
        raise ExtensionError("\n".join(said))


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("env-before-read-docs", check, priority=50)  # before frames.py and freshness.py
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
