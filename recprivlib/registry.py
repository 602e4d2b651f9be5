"""Every named system: the baselines and the `SYSTEMS` of each file in papers/.

A new file in papers/ is found by listing the folder; nothing else has to know about it.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import pkgutil
from typing import Any

import recprivlib.papers
from recprivlib.parameters import UserError, parameters
from recprivlib.protocols import Entry

COMMON = "common"


def systems() -> dict[str, Entry]:
    """All systems by name: the baselines, then the papers in alphabetical order.

    >>> next(iter(systems().items()))[0]
    'random'
    """
    return {name: entry for name, (_, entry) in _catalogue().items()}


def get(name: str) -> Entry:
    """The entry of the system of that name; an unknown one is refused (UserError) with the nearest there are.

    >>> get("item-knn").system
    ItemKNN(neighbors=50, similarity='jaccard')
    """
    return _found(name)[1]


def stem(name: str) -> str:
    """The paper a system belongs to: the name of its file in papers/, or "common"."""
    return _found(name)[0]


def name_of(system: Any) -> str | None:
    """The name under which a system value is registered, or the one that differs from it the least."""
    kin = {name: entry.system for name, entry in systems().items() if type(entry.system) is type(system)}
    return min(kin, key=lambda name: _distance(kin[name], system), default=None)


def _distance(a: Any, b: Any) -> tuple[int, int]:
    """In how many fields two systems of one kind differ: first those that make a variant, then parameters."""
    differ = [field.name for field in dataclasses.fields(a) if getattr(a, field.name) != getattr(b, field.name)]
    tuned = sum(name in parameters(a) for name in differ)
    return len(differ) - tuned, tuned


def _found(name: str) -> tuple[str, Entry]:
    try:
        return _catalogue()[name]
    except (KeyError, TypeError):
        near = difflib.get_close_matches(str(name).lower(), _catalogue(), n=3, cutoff=0.7)
        hint = f"; did you mean {' or '.join(near)}?" if near else f"; choose from {', '.join(_catalogue())}"
        raise UserError(f"there is no system {name!r}{hint}") from None


@functools.cache
def _catalogue() -> dict[str, tuple[str, Entry]]:
    merged: dict[str, tuple[str, Entry]] = {}
    for place, module in _modules():
        for name, entry in module.SYSTEMS.items():
            if name in merged:
                raise ValueError(f"two systems are called {name!r}: one in {merged[name][0]}, one in {place}")
            merged[name] = place, entry
    return merged


def _modules() -> list[tuple[str, Any]]:
    papers = sorted(info.name for info in pkgutil.iter_modules(recprivlib.papers.__path__) if info.name[0] != "_")
    named = [(COMMON, "recprivlib.baselines"), (COMMON, "recprivlib.trusted")] + [
        (paper, f"recprivlib.papers.{paper}") for paper in papers
    ]
    return [(place, importlib.import_module(path)) for place, path in named]
