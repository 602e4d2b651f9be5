"""Which dashboards there are: `dashboard.py` in the folder of a chapter, found by listing.

The one place of this package that imports by name: it stands apart, so that who needs a part of the kit alone is not
made of every dashboard (closure.py).

One thread imports at a time: of two that begin at different ends of a package, Python lets one see the half of it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from threading import RLock

from recprivlib.closure import PACKAGE
from recprivlib.dashboard.contract import Explorer
from recprivlib.parameters import UserError

IMPORTING = RLock()
PLACES = ("papers/*/screen/dashboard.py", "primers/*/dashboard.py")


def places() -> dict[str, str]:
    """The dashboards by name, and the module that holds each as `EXPLORER`."""
    found = {path.relative_to(PACKAGE).parts[1]: path for pattern in PLACES for path in PACKAGE.glob(pattern)}
    return {stem: _dotted(found[stem]) for stem in sorted(found)}


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
    with IMPORTING:
        found: Explorer = import_module(known[stem]).EXPLORER
    return found


def _dotted(path: Path) -> str:
    return ".".join(("recprivlib", *path.relative_to(PACKAGE).with_suffix("").parts))
