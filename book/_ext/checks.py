"""A question to ask oneself, with a reason for each wrong answer:

    ```{check} short-id
    The question, in one or two sentences.
    - [ ] a wrong answer :: why it is wrong
    - [x] the right answer :: why it is right, where that needs a word
    - [ ] another wrong answer :: why it is wrong
    ```

Three or four answers, one of them right. Without a script the page holds question, answers and a key to open; on paper
the key stands below. check.js lets answers be pressed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ANSWER = re.compile(r"^- \[(?P<right>[ xX])\] +(?P<words>.*)$")
NAME = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Answer:
    """An answer, and why it is right or wrong."""

    words: str
    right: bool
    why: str


@dataclass(frozen=True)
class Question:
    """What is asked, and the answers there are."""

    asked: str
    answers: tuple[Answer, ...]


def read(lines: Sequence[str]) -> Question:
    """The question that stands in these lines; a ValueError says in a sentence what is missing.

    >>> read(["Is 7 odd?", "- [x] yes", "- [ ] no :: 7 is 2 times 3, and 1", "- [ ] at night :: by day too"]).answers[1]
    Answer(words='no', right=False, why='7 is 2 times 3, and 1')
    """
    asked: list[str] = []
    parts: list[tuple[bool, list[str]]] = []
    for line in lines:
        found = ANSWER.match(line)
        if found:
            parts.append((found["right"] != " ", [found["words"]]))
        elif parts:
            parts[-1][1].append(line)
        else:
            asked.append(line)
    answers = tuple(_answer(" ".join(" ".join(words).split()), right) for right, words in parts)
    if not (said := " ".join(" ".join(asked).split())):
        raise ValueError("a {check} begins with its question")
    if len(answers) not in (3, 4):
        shape = "written as - [ ] words :: reason"
        raise ValueError(f"a {{check}} has three or four answers, {shape}, but one has {len(answers)}")
    if sum(one.right for one in answers) != 1:
        raise ValueError("one answer of a {check} is right: - [x]")
    if silent := [one.words for one in answers if not (one.right or one.why)]:
        raise ValueError(f"the wrong answer {silent[0]!r} has no reason: write it behind ::")
    return Question(said, answers)


def _answer(text: str, right: bool) -> Answer:
    words, _, why = text.partition(" :: ")
    return Answer(words.strip(), right, why.strip())


class check(nodes.General, nodes.Element):
    """A question with its answers and its key."""


class part(nodes.TextElement):
    """A piece of it: `tag` is what it is in HTML, `about` its attributes."""


class Check(SphinxDirective):
    """A question, its answers and their reasons."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not NAME.fullmatch(name):
            raise self.error(f"a {{check}} is named by small letters, digits and -, but one is {name!r}")
        known = self.env.metadata[self.env.docname].setdefault("checks", [])
        if name in known:
            raise self.error(f"there are two {{check}} {name!r} on this page")
        try:
            question = read(list(self.content))
        except ValueError as error:
            raise self.error(str(error)) from None
        known.append(name)
        found = check("", *self._parts(f"check-{name}", question), name=f"check-{name}")
        self.set_source_info(found)
        return [found]

    def _parts(self, name: str, question: Question) -> list[nodes.Node]:
        """What stands in it, in the order of reading."""
        words = [
            part("", "", self._part("span", f'id="{name}-{at}"', one.words), tag="li",
                 about='data-right="1"' if one.right else "")
            for at, one in enumerate(question.answers)
        ]  # fmt: skip
        whys = [
            self._part("li", "", f"**{'Right' if one.right else 'No'}.** {one.why}".strip()) for one in question.answers
        ]
        summary = part("", "", nodes.Text("Key"), tag="summary", about="")
        key = part("", "", summary, part("", "", *whys, tag="ol", about=""), tag="details", about='class="check-key"')
        asked = self._part("p", f'class="check-ask" id="{name}-ask"', question.asked)
        return [asked, part("", "", *words, tag="ol", about='class="check-answers"'), key]

    def _part(self, tag: str, about: str, text: str) -> part:
        parsed, messages = self.state.inline_text(text, self.lineno)
        return part("", "", *parsed, *messages, tag=tag, about=about)


# ------------------------------------------------------------------------------------------------- writing


def visit_check(self: Any, node: check) -> None:
    name = node["name"]
    self.body.append(f'<section class="check" id="{name}" role="group" aria-labelledby="{name}-ask">')


def depart_check(self: Any, node: check) -> None:
    self.body.append("</section>")


def visit_part(self: Any, node: part) -> None:
    self.body.append(f"<{' '.join(filter(None, (node['tag'], node['about'])))}>")


def depart_part(self: Any, node: part) -> None:
    self.body.append(f"</{node['tag']}>")


def nothing(self: Any, node: nodes.Node) -> None:
    """In plain text its words alone."""


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where something is asked."""
    if app.env.metadata.get(page, {}).get("checks"):
        app.add_css_file("check.css")
        app.add_js_file("check.js", loading_method="defer")
        if 'class="quiz' in context.get("body", ""):  # a container: all of its questions are counted together
            app.add_js_file("quiz.js", loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_node(check, html=(visit_check, depart_check), text=(nothing, nothing))
    app.add_node(part, html=(visit_part, depart_part), text=(nothing, nothing))
    app.add_directive("check", Check)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
