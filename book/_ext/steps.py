"""A chapter as a path: short steps beside one figure, everything else folded under the step it belongs to.

    ```{path} dplcf            after the lead: the dashboard that the steps steer
    :controls: server people   what else of it can be moved there
    ```
    ## Eighty towns
    ```{step} people=80 ghost.people=1
    :short: eighty towns
    ```
    … with {set}`twice the phones <people=2>` …
    ### Why eighteen times
    ```{expert} x-law
    ```

Code cells cannot stand inside a directive, so headings contain, directives mark, and the page is folded when it is
written. What a step or a word sets is checked here against the dashboard's own controls and figures.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from drafts import draft
from living import PLACE
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole

from fingerprint import ROOT

CHAPTER = re.compile(r"^ *- file: (\S+)", re.MULTILINE)  # of the table of contents, in the order of reading
WORDS = re.compile(r"[^\W_][\w'’.,-]*")
STOPS = re.compile(r"[.,;:!?)’”]+")  # what never begins a line
A_MINUTE = 180  # words read in a minute; a step is played with for as long again, a line of code takes 3 s


class place(nodes.General, nodes.Element):
    """Where the figure of a path stands."""


class mark(nodes.General, nodes.Element):
    """Says of the section it stands in that it is a step (`step`) or a fold (`fold`)."""


class setting(nodes.inline):
    """Words that set the figure."""


class kept(nodes.inline):
    """A setting and the stop behind it: a button would let the line end between them."""


class walk(nodes.section):
    """Title, lead, figure, steps and folds, in one grid."""


class fold(nodes.General, nodes.Element):
    """A section that is closed until somebody opens it."""


# ------------------------------------------------------------------------------------------------- reading


class Path(SphinxDirective):
    """Which dashboard the steps of this chapter steer."""

    required_arguments = 1
    option_spec = {"controls": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        from recprivlib.dashboard.catalogue import explorer
        from recprivlib.parameters import UserError

        stem = self.arguments[0]
        try:
            which = explorer(stem)
            names = self.options.get("controls", "").split()
            shown = [which.control(name).name for name in names]
        except UserError as error:
            raise self.error(str(error)) from None
        self.env.temp_data["path"] = which
        about = self.env.metadata[self.env.docname]
        about["path"], about["steps"] = stem, []
        return [place(stem=stem, controls=" ".join(shown), title=which.title)]


class Step(SphinxDirective):
    """What a step sets: settings of the dashboard, figures on show, or a guess."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {"short": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        from recprivlib.dashboard import steps as paths
        from recprivlib.parameters import UserError

        which = self.env.temp_data.get("path")
        if which is None:
            raise self.error("a {step} needs a {path} before it, which names the dashboard")
        try:
            state = paths.state(which, " ".join(self.arguments))
        except UserError as error:
            raise self.error(str(error)) from None
        self.env.temp_data["step"] = state
        told = paths.told(which, state)
        short = self.options.get("short", "")
        self.env.metadata[self.env.docname]["steps"].append({"short": short, **told})
        number = _spread(state)
        return [mark(kind="step", state=json.dumps(told, ensure_ascii=False), short=short, number=number)]


class Expert(SphinxDirective):
    """The section it stands in is for those who want to know more."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [mark(kind="fold", name=self.arguments[0])]


class Set(SphinxRole):
    """{set}`words <settings>`: words that set the figure, on top of their step."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        from recprivlib.dashboard import steps as paths
        from recprivlib.parameters import UserError

        which, step = self.env.temp_data.get("path"), self.env.temp_data.get("step")
        words, _, wanted = self.text.rstrip(">").rpartition("<")
        try:
            if which is None or step is None:
                raise UserError("{set} stands inside a {step} only")
            if not words.strip():
                raise UserError("{set} is written as words <control=value>")
            state = paths.state(which, wanted, step)
            told = paths.told(which, state)
        except UserError as error:
            message = self.inliner.reporter.error(str(error), line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        text = json.dumps(told, ensure_ascii=False)
        return [setting(self.rawtext, words.strip(), state=text, number=_spread(state))], []


def _spread(state: Any) -> str:
    """The number that the prose says of a state with its interval, "" where it is no draw."""
    return str(state.number) if state.number and state.number.interval else ""


class Explore(SphinxDirective):
    """All dashboards that a chapter steers: the question of each, and a small picture of its first step."""

    def run(self) -> list[nodes.Node]:
        from recprivlib.dashboard import steps as paths
        from recprivlib.dashboard.catalogue import explorer

        self.env.metadata[self.env.docname]["explore"] = True
        cards = []
        for page in (ROOT / f"{name}.md" for name in CHAPTER.findall((ROOT / "_toc.yml").read_text("utf-8"))):
            text = page.read_text("utf-8")
            if not (stem := paths.stem(text)) or draft(text) or page.parent.name != "book":
                continue
            self.env.note_dependency(str(page))
            which = explorer(stem)
            told = paths.told(which, next(paths.states(which, text)))
            state = escape(json.dumps({**told, "view": told["view"][:1]}, ensure_ascii=False), quote=True)
            cards.append(
                f'<a class="explore-card" href="{page.stem}.html#x-dashboard" data-chapter="{page.stem}" '
                f'data-state="{state}"><span class="explore-ask">{escape(which.title)}</span>'
                f'<span class="explore-picture" aria-hidden="true"></span>'
                f'<span class="explore-where">{page.stem}</span></a>'
            )
        return [nodes.raw("", f'<div class="explore">{"".join(cards)}</div>', format="html")]


# ------------------------------------------------------------------------------------------------- folding


def arrange(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Puts lead, figure, steps and folds of a chapter into one grid."""
    if app.builder.format != "html" or not app.env.metadata.get(docname, {}).get("path"):
        return
    hold(doctree)
    spot = next(doctree.findall(place))
    chapter = spot.parent
    steps = [child for child in chapter.children if marked(child, "step")]
    last = chapter.index(steps[-1]) if steps else chapter.index(spot)
    inside, after = chapter.children[: last + 1], chapter.children[last + 1 :]
    lead = [child for child in inside if child not in steps and child is not spot]
    above = lead if any(map(_moves, lead)) else []  # a picture that opens a chapter has all its width
    grid = walk("", spot, *([] if above else lead), ids=chapter["ids"])
    count = Count(lead)
    for number, section in enumerate(steps, 1):
        grid += step(section, number)
        for picture in [child for child in section.children if _moves(child)]:
            section.remove(picture)
            grid += picture
        for inner in [child for child in section.children if marked(child, "fold")]:
            section.remove(inner)
            grid += folded(inner, count)
        count.open([section])
    count.open([child for child in after if not marked(child, "fold")])
    rest = [folded(child, count) if marked(child, "fold") else child for child in after]
    grid.insert(1 if above else 1 + len(lead), nodes.raw("", count.told(len(steps)), format="html"))
    chapter.children = []
    chapter += [*above, grid, *rest]


def hold(doctree: nodes.document) -> None:
    """Puts the stop behind a setting beside it."""
    for word in list(doctree.findall(setting)):
        line: Any = word.parent
        at = line.index(word)
        after = "".join(child for child in line.children[at + 1 : at + 2] if isinstance(child, nodes.Text))
        found = STOPS.match(after)
        if found:
            line[at : at + 2] = [kept("", "", word.deepcopy(), nodes.Text(found[0])), nodes.Text(after[found.end() :])]


def marked(node: Any, kind: str) -> bool:
    """Whether a section carries such a mark."""
    return isinstance(node, nodes.section) and any(isinstance(c, mark) and c["kind"] == kind for c in node.children)


def _moves(part: nodes.Node) -> bool:
    """Whether it is a living picture, which in a grid passes over the figure."""
    return isinstance(part, nodes.raw) and PLACE in part["classes"]


def _take(section: nodes.section) -> mark:
    found = next(child for child in section.children if isinstance(child, mark))
    section.remove(found)
    return found


def step(section: nodes.section, number: int) -> nodes.section:
    """A section as a step: its state is data for the script."""
    about = _take(section)
    section["classes"] += ["step", *(["ask"] if json.loads(about["state"])["guess"] else [])]
    data = about["state"].replace("</", "<\\/")
    script = (f'<script type="application/json" data-short="{escape(about["short"], quote=True)}" '
              f'data-step="{number}">{data}</script>')  # fmt: skip
    section.insert(1, nodes.raw("", script, format="html"))
    if said := spreads(section, about["number"]):
        inner = [at for at, child in enumerate(section.children) if isinstance(child, nodes.section)]
        section.insert(inner[0] if inner else len(section), said)
    return section


def spreads(section: nodes.section, first: str) -> nodes.paragraph | None:
    """The intervals of the numbers of a step, in the order of its prose: one draw lies within them."""
    own = [child for child in section.children if not isinstance(child, nodes.section)]
    found = [first, *(word["number"] for child in own for word in child.findall(setting))]
    found = list(dict.fromkeys(filter(None, found)))
    if not found:
        return None
    words = f"Means over draws, with 95\u202f% intervals: {', '.join(found)}. The picture is one draw."
    return nodes.paragraph("", words, classes=["spread"])


def folded(section: nodes.section, count: Count) -> fold:
    """A section as a fold: its title opens it, and says what is inside."""
    about = _take(section)
    title = next(section.findall(nodes.title))
    section.remove(title)
    inside = count.fold(section)
    return fold("", *section.children, ids=[about["name"], *section["ids"]], title=title.astext(), inside=inside)


class Count:
    """Words and lines: what is seen before anything is opened, and what is folded."""

    def __init__(self, lead: list[nodes.Node]):
        self.words = self.code = self.folded_words = self.folded_code = 0
        self.open(lead)

    def open(self, parts: list[nodes.Node]) -> None:
        for part in parts:
            words, code = _words(part), _code(part)
            self.words, self.code = self.words + words, self.code + code

    def fold(self, part: nodes.Element) -> str:
        """Adds a fold, and says what is in it."""
        words, code = _words(part), _code(part)
        self.folded_words, self.folded_code = self.folded_words + words, self.folded_code + code
        formulas = len(list(part.findall(nodes.math_block)))
        tables = len(list(part.findall(nodes.table))) + sum("<table" in raw.astext() for raw in part.findall(nodes.raw))
        inside = [f"{words} words"] if words else []
        inside += ["a formula" if formulas == 1 else f"{formulas} formulas"] if formulas else []
        inside += ["a table" if tables == 1 else f"{tables} tables"] if tables else []
        return ", ".join([*inside, *(["code"] if code else [])])

    def told(self, steps: int) -> str:
        """The line at the top of the chapter."""
        path = self.words / A_MINUTE + steps + self.code / 20
        whole = path + self.folded_words / A_MINUTE + self.folded_code / 20
        return (f'<p class="times">The path: {steps} steps, about {_five(path)} minutes. Folded under the steps, for '
                f"the expert: proofs, tables and code. With all of it, about {_five(whole)} minutes.</p>")  # fmt: skip


def _five(minutes: float) -> int:
    return max(5, 5 * round(minutes / 5))


def _words(part: nodes.Node) -> int:
    """Words of prose: no code, no output, no formula."""
    return sum(
        len(WORDS.findall(text.astext()))
        for text in part.findall(nodes.Text)
        if not _within(text, (nodes.literal_block, nodes.math_block, nodes.math, nodes.raw, nodes.comment))
        and not _output(text)
    )


def _within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def _output(node: nodes.Node) -> bool:
    while node.parent is not None:
        node = node.parent
        if "cell_output" in getattr(node, "attributes", {}).get("classes", ()):
            return True
    return False


def _code(part: nodes.Node) -> int:
    return sum(block.astext().count("\n") + 1 for block in part.findall(nodes.literal_block) if not _output(block))


# ------------------------------------------------------------------------------------------------- writing


def visit_place(self: Any, node: place) -> None:
    stem, title = node["stem"], escape(node["title"], quote=True)
    name = self.builder.current_docname.rpartition("/")[2]
    self.body.append(
        f'<section class="stage" data-stem="{stem}" data-controls="{node["controls"]}" data-chapter="{name}" '
        f'aria-label="Figure: {title}"><noscript><p>This figure moves, and needs JavaScript.</p></noscript></section>'
    )
    raise nodes.SkipNode


def visit_setting(self: Any, node: setting) -> None:
    self.body.append(f'<button type="button" class="set" data-state="{escape(node["state"], quote=True)}">')


def depart_setting(self: Any, node: setting) -> None:
    self.body.append("</button>")


def visit_kept(self: Any, node: kept) -> None:
    self.body.append('<span class="kept">')


def depart_kept(self: Any, node: kept) -> None:
    self.body.append("</span>")


def visit_walk(self: Any, node: walk) -> None:
    self.body.append('<div class="path">')


def depart_walk(self: Any, node: walk) -> None:
    self.body.append("</div>")


def visit_fold(self: Any, node: fold) -> None:
    first, *others = node["ids"]
    anchors = "".join(f'<span id="{escape(name)}"></span>' for name in others)
    inside = f' <span class="count">· {escape(node["inside"])}</span>' if node["inside"] else ""
    kind = "expert exercise" if node["title"].startswith(("Exercise", "Aufgabe")) else "expert"
    self.body.append(
        f'<details class="{kind}" id="{escape(first)}">{anchors}<summary>{escape(node["title"])}{inside}</summary><div>'
    )
    self.section_level += 2


def depart_fold(self: Any, node: fold) -> None:
    self.section_level -= 2
    self.body.append("</div></details>")


def skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def add_scripts(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Only where there is a path."""
    if app.env.metadata.get(page, {}).get("path"):
        app.add_css_file("path.css")
        app.add_css_file("walk.css")
        for name in ("move.js", "pen.js", "play.js", "score.js", "stage.js", "path.js"):
            app.add_js_file(name, loading_method="defer")
    if app.env.metadata.get(page, {}).get("explore"):
        app.add_css_file("path.css")
        for name in ("move.js", "pen.js", "stage.js", "explore.js"):
            app.add_js_file(name, loading_method="defer")


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    nothing = (skip, None)
    app.add_node(place, html=(visit_place, None), text=nothing)
    app.add_node(mark, html=nothing, text=nothing)
    app.add_node(setting, html=(visit_setting, depart_setting))
    app.add_node(kept, html=(visit_kept, depart_kept))
    app.add_node(walk, html=(visit_walk, depart_walk))
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_directive("path", Path)
    app.add_directive("step", Step, override=True)  # the theme brings one that nobody here uses
    app.add_directive("explore", Explore)
    app.add_directive("expert", Expert)
    app.add_role("set", Set())
    app.connect("doctree-resolved", arrange)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
