"""What the prose says of a state its figure says, too: the same number, or one draw within the interval beside it.

`number=29%[26,32]` at a step or a word is what the prose says there. It stands in that prose, its interval is one that
the chapter's code prints, and the sentence of the figure has to lie within.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import nbformat
import pytest

from recprivlib.dashboard import steps as paths
from recprivlib.dashboard.catalogue import explorer
from recprivlib.parameters import UserError
from recprivlib.plots.numerals import THIN
from tests.dashboard.stepping import CHAPTERS, ROOT, drawn, live

PERCENT = re.compile(r"(?<![\d.,])(\d+(?:\.\d+)?)\s?%")
BARE = re.compile(r"(?<![\w.,−])(\d*\.?\d+)(?!\w|\.\d|\s?%)")
MEASURED = re.compile(rf"{PERCENT.pattern}|(?<![\w.])\.\d{{3}}\b")  # a hit rate, or an error in stars
RATE = re.compile(r"(\d?\.\d{3}) \[(\d?\.\d{3}), (\d?\.\d{3})\]")  # as `said` and `rated` print it
FOLD = re.compile(r"^### .*?(?=^##? |\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(`{3,})(?P<head>\{step\}[^\n]*)?.*?^\1$", re.MULTILINE | re.DOTALL)

READ: dict[tuple[str, str, str], str] = {}  # sentences that were made before


def plain(text: str) -> str:
    """On one line, without what groups digits."""
    return re.sub(rf"(?<=\d)[{THIN} ](?=\d{{3}}\b)", "", " ".join(text.split()))


def steps(stem: str) -> Iterator[tuple[paths.State, str]]:
    """Each step of a chapter with the prose that is open to every reader."""
    open_to_all = BLOCK.sub(lambda block: f"```{block['head'] or ''}", FOLD.sub("", CHAPTERS[stem]))
    marks = [*paths.STEP.finditer(open_to_all)]
    ends = [mark.start() for mark in marks[1:]] + [len(open_to_all)]
    for mark, end in zip(marks, ends, strict=True):
        yield paths.state(explorer(stem), mark[1]), open_to_all[mark.end() : end]


def words(stem: str) -> Iterator[tuple[paths.State, str]]:
    """Each word that sets a figure with what the prose says from there on: to the next word, or to the stop."""
    for step, prose in steps(stem):
        found = [*paths.SET.finditer(prose)]
        for at, word in enumerate(found, 1):
            end = found[at].start() if at < len(found) else len(prose)
            after = re.split(r"[.:;!?](?=\s)", prose[word.end() : end], maxsplit=1)[0]
            yield paths.state(explorer(stem), word[2], step), plain(f"{word[1]} {after}")


def sentence(stem: str, one: paths.State) -> str:
    """What a reader of a state reads at its figure."""
    name = (stem, paths.key(live(stem), one), one.view[0])
    if name not in READ:
        told = drawn(live(stem), replace(one, view=one.view[:1], ghosts=()))
        READ[name] = plain(told["says"].get(one.view[0]) or told["say"])
    return READ[name]


def own(text: str, number: paths.Number, verb: str) -> list[str]:
    """The numbers of a sentence that may be this one: with a verb, the one before it, else all of their kind."""
    before = text.partition(verb)[0] if verb else text
    found = (PERCENT if number.percent else BARE).findall(before)
    return found[-1:] if verb else found


def agrees(stem: str, one: paths.State) -> bool:
    assert one.number is not None
    return any(map(one.number.holds, own(sentence(stem, one), one.number, one.verb)))


CASES = [(stem, one) for stem in CHAPTERS for one in paths.states(explorer(stem), CHAPTERS[stem]) if one.number]


@pytest.mark.parametrize(("stem", "one"), CASES, ids=lambda part: part if isinstance(part, str) else str(part.number))
def test_the_figure_says_the_number_of_the_prose(stem, one):
    assert agrees(stem, one), (live(stem).link(one.values), str(one.number), sentence(stem, one))


@pytest.mark.parametrize(("stem", "one"), CASES, ids=lambda part: part if isinstance(part, str) else str(part.number))
def test_another_number_in_the_prose_is_seen(stem, one):
    """Every one of these checks can fail: the prose is made to say a twentieth more than its interval allows."""
    number = one.number
    ends = [float(end) for end in number.interval or (number.written, number.written)]
    off = max(ends[1] - ends[0], 0.05 * ends[1])
    for far in [f"{end + side * off + side * 1e-6:.6f}" for end, side in zip(ends, (-1, 1), strict=True)]:
        wrong = replace(one, number=replace(number, written=far, interval=None))
        assert not agrees(stem, wrong), (far, sentence(stem, one))


@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_number_stands_in_the_prose_and_its_interval_is_printed(stem):
    stored = nbformat.read(ROOT / "tests" / "notebooks" / f"{stem}.ipynb", as_version=4)
    printed = [RATE.findall(output.get("text") or output["data"]["text/plain"])
               for cell in stored.cells for output in cell.outputs]  # fmt: skip
    known = {spelt for found in printed for rate in found for spelt in spellings(*rate)}
    for step, prose in steps(stem):
        said = plain(paths.SET.sub(r"\1", prose))
        for one in (step, *(paths.state(explorer(stem), word[2], step) for word in paths.SET.finditer(prose))):
            if one.number:
                unit = r"\s?%" if one.number.percent else ""
                assert re.search(rf"(?<![\d.]){re.escape(one.number.written)}{unit}(?!\d|\.\d)", said), one.number
                assert not one.number.interval or str(one.number) in known, one.number


def spellings(value: str, low: str, high: str) -> tuple[str, str]:
    """A printed rate as a share and in whole per cent, its interval rounded outwards."""
    share, least, most = (100 * float(end) for end in (value, low, high))
    return f"{value} [{low}, {high}]", (
        f"{math.floor(share + 0.5)}{THIN}% [{math.floor(least + 1e-9)}, {math.ceil(most - 1e-9)}]"
    )


@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_word_beside_a_measured_number_says_it_as_data(stem):
    """Where the figure's sentence has a number of that kind; else there is nothing to compare."""
    for one, prose in words(stem):
        number = MEASURED.search(prose)
        if number and not one.number and not one.guess:
            kind = PERCENT if number[0].endswith("%") else re.compile(r"\.\d{3}\b")
            assert not kind.search(sentence(stem, one)), (prose, sentence(stem, one))


def test_a_number_that_is_none_is_refused():
    for wrong in ("number=half", "number=29%[30,32]", "number=", "number=29%[26]"):
        with pytest.raises(UserError, match="number is"):
            paths.state(live("dplcf"), wrong)


def test_a_draw_outside_the_interval_of_the_prose_is_seen():
    one = paths.state(live("dplcf"), "epsilon=1 verb=loses number=52%[50,55]")
    assert not agrees("dplcf", one)
    assert not agrees("dplcf", paths.state(live("dplcf"), "epsilon=1 verb=loses number=41%[38,44]"))  # the chart's own
