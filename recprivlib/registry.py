"""Every named system: the baselines and the `SYSTEMS` of each file in papers/.

A new file in papers/ is found by listing the folder; nothing else has to know about it. Names are read off the text,
and a paper is imported when somebody asks for one of its names.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import importlib
import importlib.util
import pkgutil
from pathlib import Path
from typing import Any

import recprivlib.papers
from recprivlib.closure import PACKAGE
from recprivlib.parameters import UserError, parameters
from recprivlib.protocols import Entry

COMMON = "common"


def systems() -> dict[str, Entry]:
    """All systems by name: the baselines, then the papers in alphabetical order.

    >>> next(iter(systems().items()))[0]
    'random'
    """
    return {name: get(name) for name in _catalogue()}


def get(name: str) -> Entry:
    """The entry of the system of that name; an unknown one is refused (UserError) with the nearest there are.

    >>> get("item-knn").system
    ItemKNN(neighbors=50, similarity='jaccard')
    """
    _, module = _found(name)
    return importlib.import_module(module).SYSTEMS[name]


def stem(name: str) -> str:
    """The paper a system belongs to: the name of its file in papers/, or "common"."""
    return _found(name)[0]


def name_of(system: Any) -> str | None:
    """The name under which a system value is registered, or the one that differs from it the least.

    Looked for among the baselines and in the paper that its class is written in: papers never import each other.
    """
    home = type(system).__module__
    near = (name for name, (place, module) in _catalogue().items() if place == COMMON or _holds(module, home))
    kin = {name: found for name in near if type(found := get(name).system) is type(system)}
    return min(kin, key=lambda name: _distance(kin[name], system), default=None)


def _distance(a: Any, b: Any) -> tuple[int, int]:
    """In how many fields two systems of one kind differ: first those that make a variant, then parameters."""
    differ = [field.name for field in dataclasses.fields(a) if getattr(a, field.name) != getattr(b, field.name)]
    tuned = sum(name in parameters(a) for name in differ)
    return len(differ) - tuned, tuned


def _holds(module: str, home: str) -> bool:
    """Whether a class of `home` is one of this paper's: of its module, or of its folder."""
    return home == module or home.startswith(f"{module}.")


def _found(name: str) -> tuple[str, str]:
    try:
        return _catalogue()[name]
    except (KeyError, TypeError):
        near = difflib.get_close_matches(str(name).lower(), _catalogue(), n=3, cutoff=0.7)
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; choose from {', '.join(_catalogue())}"
        raise UserError(f"there is no system {name!r}{hint}") from None


@functools.cache
def _catalogue() -> dict[str, tuple[str, str]]:
    """System -> the paper it belongs to, and the module that has it."""
    merged: dict[str, tuple[str, str]] = {}
    for place, module in _modules():
        file = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")  # not by its spec: that imports the folder
        for name in _names(module, file if place == COMMON else None):
            if name in merged:
                raise ValueError(f"two systems are called {name!r}: one in {merged[name][0]}, one in {place}")
            merged[name] = place, module
    return merged


def _modules() -> list[tuple[str, str]]:
    papers = sorted(info.name for info in pkgutil.iter_modules(recprivlib.papers.__path__) if info.name[0] != "_")
    return [(COMMON, "recprivlib.yardsticks.plain"), (COMMON, "recprivlib.yardsticks.trusted")] + [
        (paper, f"recprivlib.papers.{paper}") for paper in papers
    ]


def _names(module: str, file: Path | None = None) -> list[str]:
    """The names in a module's `SYSTEMS = {…}`, off its text or that of the part of its folder it takes them from."""
    if file is None:
        spec = importlib.util.find_spec(module)
        assert spec is not None, module
        file = Path(str(spec.origin))
    text = file.read_text("utf-8")
    begin = text.rfind("\nSYSTEMS")  # the tail alone is a program too, and read twenty times as fast as the whole
    for node in ast.parse(text[max(0, begin) :]).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if "SYSTEMS" in {getattr(target, "id", "") for target in targets}:
            keys = getattr(getattr(node, "value", None), "keys", [None])
            if all(isinstance(key, ast.Constant) for key in keys):
                return [key.value for key in keys]
        if isinstance(node, ast.ImportFrom) and node.module and "SYSTEMS" in {name.name for name in node.names}:
            part = file.with_name(f"{node.module.rpartition('.')[2]}.py")  # not by its spec: that imports the folder
            if node.module.startswith(f"{module}.") and part.is_file():
                return _names(node.module, part)
    return list(importlib.import_module(module).SYSTEMS)  # not written out
