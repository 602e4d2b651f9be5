"""The dashboards there are: every module of this folder, or of a paper's, that holds an `EXPLORER`.

This is the one place that lists and imports them by name, so that whoever needs a part of the kit is not made of all.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from recprivlib.dashboard.contract import Explorer
from recprivlib.parameters import UserError

PACKAGE = Path(__file__).parent.parent


def places() -> dict[str, str]:
    """Dashboard -> the module that holds it."""
    found = {
        path.stem: f"recprivlib.dashboard.{path.stem}" for path in (PACKAGE / "live").glob("*.py") if _holds_one(path)
    }
    for path in (PACKAGE / "papers").glob("*/dashboard.py"):
        if _holds_one(path):
            found[path.parent.name] = f"recprivlib.papers.{path.parent.name}.dashboard"
    return dict(sorted(found.items()))


def stems() -> tuple[str, ...]:
    """The dashboards there are, by name."""
    return tuple(places())


def explorer(stem: str) -> Explorer:
    """The dashboard of that name; an unknown one is refused (UserError) with all there are.

    >>> explorer("recommenders").stem
    'recommenders'
    """
    known = places()
    if stem not in known:
        raise UserError(f"there is no dashboard {stem!r}; choose from {', '.join(known)}")
    found: Explorer = import_module(known[stem]).EXPLORER
    return found


def _holds_one(path: Path) -> bool:
    return "\nEXPLORER = " in path.read_text(encoding="utf-8")
