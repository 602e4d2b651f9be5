"""What a step says when it is projected: its sentence, or its question, as the built book holds them.

A lesson's table "On the wall" is compared with this, so that no plan promises a number that the wall does not show.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from recprivlib.dashboard import explorer
from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.contract import Explorer
from recprivlib.living import reckoning
from tests.book.test_numbers import numbers

ROOT = Path(__file__).resolve().parents[2]
SKIP, COMPARE = "Just show me", "Show what was measured"
ROLE = re.compile(r"\{at\}`([^`]*)`")
QUOTED, PRESSED = re.compile(r'"([^"]+)"'), re.compile(r"\*([^*]+)\*")
HEAD = ["step", "as it opens", "press", "you should see"]


def plain(text: str) -> str:
    """One line, with plain spaces."""
    return re.sub(r"\s+", " ", text).strip()


def on_chip(words: str) -> str:
    """The words of a button as they are projected: "At ε = 1" is "ε = 1" there."""
    return re.sub(r"^at ", "", plain(words), flags=re.IGNORECASE)


@dataclass(frozen=True)
class Wall:
    """The steps of one chapter, as they are presented."""

    stem: str
    frame: Path  # the committed pictures of the path, `_static/frames/<stem>.path.js`

    @cached_property
    def text(self) -> str:
        return (ROOT / "book" / f"{self.stem}.md").read_text("utf-8")

    @cached_property
    def which(self) -> Explorer:
        return explorer(paths.stem(self.text))

    @cached_property
    def built(self) -> dict[str, Any]:
        script = self.frame.read_text("utf-8")
        found: dict[str, Any] = json.loads(script[script.index("(") + 1 : script.rindex(")")])
        return found

    @cached_property
    def steps(self) -> dict[str, tuple[paths.State, dict[str, paths.State]]]:
        """Short name to the step's state, and its grey buttons with theirs."""
        marks = [*paths.STEP.finditer(self.text)]
        ends = [mark.start() for mark in marks[1:]] + [len(self.text)]
        found = {}
        for short, mark, end in zip(paths.SHORT.findall(self.text), marks, ends, strict=True):
            step = paths.state(self.which, mark[1])
            words = paths.SET.finditer(self.text, mark.end(), end)
            found[short] = (step, {on_chip(one[1]): paths.state(self.which, one[2], step) for one in words})
        return found

    def question(self, short: str) -> list[str]:
        """What a guess asks, and the answers to choose from; a drawn one has no answers."""
        asked = self.built["sketch"] if self.drawn(short) else self.built["predict"]
        return [plain(asked["question"]), *([] if self.drawn(short) else map(plain, asked["answers"]))]

    def drawn(self, short: str) -> bool:
        sketch = self.built.get("sketch")
        return bool(sketch and sketch["figure"] in self.steps[short][0].view)

    def opens(self, short: str) -> str:
        """What stands above the figure when the link of a step opens."""
        step = self.steps[short][0]
        return " ".join(self.question(short)) if step.guess else self.told(step, self.early(short))

    def after(self, short: str, presses: tuple[str, ...]) -> str:
        """The same after these presses, one upon the other."""
        step, words = self.steps[short]
        for press in presses:
            if press in (SKIP, COMPARE):
                continue
            if step.guess and press in self.question(short):
                return plain(self.built["predict"]["replies"][self.question(short).index(press) - 1])
            step = words[press] if press in words else self.moved(step, press)
        return self.told(step, self.early(short))

    def early(self, short: str) -> bool:
        """Whether a question is still to come that keeps lines back, and with them the long sentence."""
        later = list(self.steps)[list(self.steps).index(short) + 1 :]
        return bool((self.built["predict"] or {}).get("hides")) and any(self.steps[one][0].guess for one in later)

    def moved(self, known: paths.State, press: str) -> paths.State:
        """The slider under the figure, the one control that is projected: "Neighbours: 5"."""
        label, _, value = (part.strip() for part in press.partition(":"))
        axis = self.which.figure(known.view[0]).axis
        if not axis or self.which.control(axis).label != label:
            raise LookupError(f"{self.stem}: nobody can press {press!r}")
        return paths.state(self.which, f"{axis}={value}", known)

    def told(self, known: paths.State, early: bool) -> str:
        states, pieces = self.built["states"], self.built["pieces"]
        at = states.get(paths.key(self.which, known)) or states[self.which.key(known.values)]
        names = list(dict.fromkeys(name for one in paths.states(self.which, self.text) for name in one.view))
        lead = 3 + 3 * names.index(known.view[0])
        return plain(pieces[at[lead + 1]] or pieces[at[1 if early else 0]])


@cache
def wall(book: Path, stem: str) -> Wall:
    """The wall of one chapter of a built book."""
    return Wall(stem, book / "_static" / "frames" / f"{stem}.path.js")


# --------------------------------------------------------------------------------------- a lesson's table of it


def part(page: Path, title: str) -> str:
    """What stands under a heading of a page."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{page.name} has no part {title!r}"
    return found[1]


@dataclass(frozen=True)
class Row:
    """One line of the table: a step is named in its first line only."""

    chapter: str
    short: str
    opens: str  # "": said in a line above
    pressed: tuple[str, ...]
    seen: str

    def missing(self, book: Path) -> list[str]:
        """What it promises in quotation marks and the wall does not say."""
        at = wall(book, self.chapter)
        pairs = ((self.opens, at.opens(self.short)), (self.seen, at.after(self.short, self.pressed)))
        return [f"{self.short} {self.pressed}: {quoted!r} is not in {real!r}"
                for words, real in pairs for quoted in QUOTED.findall(words) if plain(quoted) not in real]  # fmt: skip

    def numbers(self, book: Path) -> set[str]:
        """All numbers that are pressed and shown there."""
        at = wall(book, self.chapter)
        text = " ".join((at.opens(self.short), *self.pressed, at.after(self.short, self.pressed)))
        return numbers(re.sub(r"(?<=\d) (?=\d{3}(?!\d))", ",", text))


def rows(page: Path) -> list[Row]:
    """The table "On the wall" of a lesson."""
    found, where = [], ("", "")
    lines = [line for line in part(page, "On the wall").splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in line[1:-1].split("|")] for line in lines)
    assert head == HEAD, f"{page.name} has {head}"
    for step, opens, press, seen in body:
        if linked := ROLE.search(step):
            chapter, _, short = linked[1].partition(" ")
            where = (chapter, short)
        found.append(Row(*where, opens, tuple(map(plain, PRESSED.findall(press))), seen))
    return found


def board() -> dict[str, list[str]]:
    """Each paper's promise on the board of the reckoning: what it claims, how it ends, and how for a person."""
    at = (("one town", "claims"), ("one town", "word"), ("whole town", "word"))
    promises = (row["states"] for row in reckoning.picture()["rows"] if not row["repairs"])
    return {states["one town"]["label"]: [plain(states[where][what]) for where, what in at] for states in promises}


def shown(book: Path, page: Path) -> set[str]:
    """The numbers that a class sees on its way through the table."""
    if "reckoning" in part(page, "Plan"):
        return numbers(" ".join(word for words in board().values() for word in words))
    return set().union(*(row.numbers(book) for row in rows(page)))
