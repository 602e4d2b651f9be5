"""Every number in the prose of a chapter is one that its code prints, or that its code contains."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import nbformat
import pytest

import recprivlib
from recprivlib.papers.fmf_ldp import FMFLDP
from recprivlib.plots.numerals import bare, best_guess
from recprivlib.yardsticks.plain import ImplicitALS, ItemKNN

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import notebooks  # noqa: E402

NUMBER = re.compile(r"(?<![\w.])(?:\d*\.)?\d+(?:\s?%)?(?!\w|\.\d)")
NOT_PROSE = (
    r"\A---\n.*?\n---\n",  # the page's own header
    r"^(`{3,}).*?^\1$",  # code and directives
    r"\$\$.*?\$\$(?: \(.*?\))?",
    r"\$[^$]+\$",
    r"`[^`]*`",
    r"\]\([^)]*\)",  # the address of a link
    r"^\d+\. ",  # the number of an item
    r"^### Exercise \d+:",
)


def numbers(text: str) -> set[str]:
    """The numbers of a text, without what groups their digits: 1 682 is 1682, 0.62 is .62, "41 %" keeps its sign."""
    joined = re.sub(r"(?<=\d)[\u202f,](?=\d{3})", "", text)
    found = (re.sub(r"\s", "", number) for number in NUMBER.findall(joined))
    return {number.removeprefix("0") if number.startswith("0.") else number for number in found}


def prose(page: Path) -> str:
    text = re.sub(r"\{set\}`([^`<]*)<[^`>]*>`", r"\1", page.read_text("utf-8"))  # what sets a figure is read aloud too
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def printed(page: Path) -> set[str]:
    stored = nbformat.read(notebooks.REFERENCES / f"{page.stem}.ipynb", as_version=4)
    outputs = [output for cell in stored.cells for output in cell.outputs]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return numbers("\n".join(texts + [cell.source for cell in stored.cells]))


@pytest.mark.parametrize("page", notebooks.chapters(), ids=lambda page: page.stem)
def test_every_number_of_the_prose_is_printed_by_the_code(page):
    small = {str(number) for number in range(11)}  # the ones that count things on the page
    unknown = numbers(prose(page)) - printed(page) - small
    assert not unknown, f"{page.name} says {', '.join(sorted(unknown))}, and its code does not"


def typed(source: str) -> list[str]:
    """Texts with numbers that a cell prints as they were typed: they say nothing, unless they quote the paper."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    texts = (part.value for call in calls if getattr(call.func, "id", "") == "print" for part in call.args
             if isinstance(part, ast.Constant) and isinstance(part.value, str))  # fmt: skip
    quotes = ("in the paper", "the paper's own words")
    return [text for text in texts if numbers(text) and not text.startswith(quotes)]


@pytest.mark.parametrize("page", notebooks.chapters(), ids=lambda page: page.stem)
def test_no_number_is_printed_as_it_was_typed(page):
    found = [text for source, _ in notebooks.cells(page) for text in typed(source)]
    assert not found, f"{page.name} prints what nothing computed: {found}"


def test_a_typed_number_is_seen():
    assert typed("print(f'{1 + 1} people'); print('of 1 682 films')") == ["of 1 682 films"]
    assert not typed("print('in the paper: 14.3056'); print('n00, n01'); show('12')")


def test_examples_of_the_notation():
    """Its page has no code; these are the values that its table of symbols names."""
    table = (ROOT / "book" / "notation.md").read_text("utf-8").replace("\u202f", "")
    found = recprivlib.results("recommenders").query("data == 'ml-100k'")
    assert f"| number of people; in privrec, phones that train in one round | {found.users.iloc[0]} in" in table
    assert f"| number of items | {found['items'].iloc[0]} in" in table
    assert f"neighbours | 10; {ItemKNN().neighbors} |" in table
    assert f"| {ImplicitALS().factors} numbers |" in table
    assert f"| in MF, extra weight of what was met | {ImplicitALS().alpha:g} |" in table
    bits = FMFLDP()
    assert f"number of epochs | {bits.factors}; {bits.k}; {bits.epochs} |" in table
    assert f"| in fmf_ldp, taste vectors of a person and an item | {bits.factors} numbers |" in table
    assert f"| {bare(best_guess(1), 2)} at ε = 1 |" in table
    assert f"| {bare(1 - best_guess(1), 2)} at ε = 1 |" in table


def test_numbers_are_told_from_words():
    assert numbers("61\u202f% of 1\u202f682, .12 or 0.62, ML-100K, H2O, v1.2.3, 3-4") == {
        "61%",
        "1682",
        ".12",
        ".62",
        "3",
        "4",
    }
