"""The page of names says what the library offers, and each name says what it takes and gives."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest
from sphinx.pycode import ModuleAnalyzer

import recprivlib
from recprivlib.parameters import parameters
from recprivlib.registry import systems

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "api.md").read_text("utf-8")
sys.path.insert(0, str(ROOT / "book" / "_ext"))

PUBLIC = {
    "recprivlib": recprivlib.__all__,
    "recprivlib.protocols": [
        "Sizes", "Interactions", "Model", "AtHome", "System", "HasTerms", "HasRelation", "HasDelta", "Iterative",
        "Federated", "Entry", "Mechanism", "Release", "Change", "Unbounded", "Claim", "Ledger", "Guarantee", "Report",
    ],
    "recprivlib.parameters": ["parameter", "check", "configured"],
    "recprivlib.accounting": ["bill", "mechanism_bill", "small_delta"],
    "recprivlib.mechanisms": ["MECHANISMS"],
    "recprivlib.mechanisms.gate": ["released", "drawn"],
    "recprivlib.population": ["learnt", "capped"],
    "recprivlib.tuning": [
        "Terms", "Total", "Contender", "Bench", "tuned", "Choice", "curve", "Bought", "gap", "Gap",
    ],
    "recprivlib.tuning.price": ["searched", "Search"],
    "recprivlib.auditing": ["Audit", "Game", "play", "epsilon_lower"],
    "recprivlib.data": ["Dataset", "NAMES"],
    "recprivlib.data.synthetic": ["resample"],
    "recprivlib.dashboard": ["Explorer", "Control", "Figure", "Card", "Predict", "explorer"],
    "recprivlib.dashboard.contract": ["Sketch"],
    "widgets.kit": ["dashboard"],
}  # fmt: skip
NAMES = [f"{module}.{name}" for module, names in PUBLIC.items() for name in names]
DATA = ["recprivlib.protocols.AtHome", "recprivlib.mechanisms.MECHANISMS", "recprivlib.data.NAMES"]
SERVED = "widgets.kit.dashboard"  # it needs a server: CONTRIBUTING shows how it is used, the tests of widgets run it


def found(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def callables():
    """Each public function, and each method that a public class documents, by its name."""
    for name in NAMES:
        thing = found(name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, Exception):
            for word, method in vars(thing).items():
                if inspect.isfunction(method) and word[0] != "_":
                    yield f"{name}.{word}", method


def arguments(function):
    return [one for one in inspect.signature(function).parameters if one != "self"]


MANY = {name: thing for name, thing in callables() if len(arguments(thing)) > 1}


def section(text, title):
    """The lines of a numpydoc section; None if there is none."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.cleandoc(text), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title)


def test_the_page_lists_each_public_name_once():
    listed = re.findall(r"^\.\. auto(?:function|class|data|exception):: (\S+)$", PAGE, re.M)
    assert sorted(listed) == sorted(NAMES)
    assert len(set(NAMES)) == len(NAMES) == 75


@pytest.mark.parametrize("name", MANY)
def test_what_takes_two_arguments_or_more_says_of_each_what_it_is_and_what_comes_back(name):
    said = section(MANY[name].__doc__, "Parameters")
    assert said, "no Parameters"
    named = [one for line in re.findall(r"^(\S.*)$", said, re.M) for one in line.split(", ")]
    assert named == arguments(MANY[name])
    assert not re.search(r"^\S.*\n(?=\S|\Z)", said, re.M), "a parameter is named and not explained"
    assert section(MANY[name].__doc__, "Returns")


def test_how_many_contracts_there_are():
    """A decorator or an alias that hides signatures would empty the test above."""
    assert len(MANY) >= 29
    assert {"recprivlib.run", "recprivlib.protocols.Federated.learn", "recprivlib.population.learnt"} <= set(MANY)


@pytest.mark.parametrize("name", [name for name in NAMES if dataclasses.is_dataclass(found(name))])
def test_every_field_of_a_public_dataclass_is_explained(name):
    kind = found(name)
    told = ModuleAnalyzer.for_module(kind.__module__).find_attr_docs()
    explained = {field for (owner, field), words in told.items() if owner == kind.__name__ and "".join(words).strip()}
    assert {field.name for field in dataclasses.fields(kind)} <= explained


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*DATA, SERVED)])
def test_every_public_name_has_an_example_that_the_suite_runs(name):
    assert ">>> " in inspect.getdoc(found(name))
    assert found(name).__module__.startswith("recprivlib."), "pytest collects doctests there"


@pytest.mark.parametrize("name", DATA)
def test_public_data_say_what_they_are(name):
    module, _, last = name.rpartition(".")
    assert ("", last) in ModuleAnalyzer.for_module(module).find_attr_docs()


def test_every_system_stands_there_with_all_of_its_parameters():
    from api import described

    for name, entry in systems().items():
        text = "\n".join(described(name, entry))
        assert entry.gloss in text
        for key, meta in parameters(entry.system).items():
            assert f"- `{key}` = {getattr(entry.system, key)}: {meta.gloss} ({meta.allowed})" in text
    assert "```{systems}" in PAGE


def test_no_docstring_cites_a_document_that_nobody_has():
    lost = re.compile(r"Dashboards? 5\.\d|dashboards\.md|design\.md|style\.md")
    for folder in ("recprivlib", "widgets", "tools", "book", "tests"):
        for path in sorted((ROOT / folder).rglob("*.*")):
            if path.suffix in (".py", ".md", ".js", ".mjs") and path != Path(__file__).resolve():
                assert not lost.search(path.read_text("utf-8")), path
