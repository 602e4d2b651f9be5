"""Names for contents: what a page, its outputs, a frame and its results are made from, in sixteen letters.

`digest` and `library` need the standard library only, since they are asked at each build; the others read the package.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recprivlib.definitions import Reach

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK = ROOT / "requirements.lock"
PYTHON = tuple(map(str, sys.version_info[:2]))
# Said by the build when a server may show the pages: until the frames are there, it draws their figures itself.
READABLE = "book: the pages can be read; computing the frames that move without a server"
STEERED = re.compile(r"^`{3,}\{path\} +([\w-]+)", re.MULTILINE)
PICTURED = re.compile(r"^`{3,}\{living\} +(\w+)", re.MULTILINE)
OBEYED = ("raises-exception", "skip-execution")  # tags that change what a cell does
MAGIC = re.compile(r"^\s*[!%]|\bget_ipython\b", re.MULTILINE)


def digest(paths: Iterable[Path], *more: str) -> str:
    """A short name for the contents of `paths` (files, or folders with all they hold) and for `more`."""
    total = hashlib.sha256(repr(more).encode())
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"{file.relative_to(ROOT).as_posix()}\0{file.stat().st_size}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()[:16]


def library() -> str:
    """The name of everything outside a chapter that its outputs may depend on."""
    return digest([place for place in (ROOT / "recprivlib", LOCK) if place.exists()], *PYTHON)


# ----------------------------------------------------------------------------------- of what is run and drawn


def cells_of(notebook: Any) -> list[str]:
    """The code of a notebook, and the tags that are more than looks."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"] if notebook else []
    return ["\n".join([*(f"# {tag}" for tag in OBEYED if tag in cell.metadata.get("tags", [])), cell.source])
            for cell in code]  # fmt: skip


@cache
def reached(program: str) -> Reach | None:
    """All of the library that a chapter's cells reach; None: it may be anything."""
    from recprivlib.definitions import reach

    return None if MAGIC.search(program) else reach(program)


def outputs(cells: Sequence[str]) -> str:
    """The name of all that the outputs of a chapter depend on: its cells, what they reach, the lock, Python."""
    return _short(_behind("\n".join(cells)), *map(repr, cells), *_surroundings())


@cache
def _behind(program: str) -> str:
    from recprivlib.definitions import fingerprint

    found = reached(program)
    return library() if found is None else fingerprint(found)


@cache
def definitions(*names: str) -> str:
    """The name of all that these definitions, "module:name", are made of."""
    from recprivlib.definitions import fingerprint, reach

    found = reach(names=names)
    return _short(library() if found is None else fingerprint(found), *_surroundings())


def drawn(stem: str) -> str:
    """The name of all that a dashboard draws and says."""
    from recprivlib.dashboard.catalogue import places

    return definitions(f"{places()[stem]}:EXPLORER", "recprivlib.dashboard.frames:", "recprivlib.dashboard.steps:")


def first_page() -> str:
    """The name of all that the figure of the first page shows."""
    return definitions(
        "recprivlib.primers.first_page.tenseconds:measure", "recprivlib.primers.first_page.tenseconds:html"
    )


def living(name: str) -> str:
    """The name of all that a living picture shows."""
    return definitions(f"recprivlib.living.{name}:")


def page(chapter: str, cells: Sequence[str]) -> str:
    """The name of all that the library puts into a page: what it runs, the dashboards that it steers or shows."""
    from recprivlib.dashboard.catalogue import stems

    steered = stems() if "{explore}" in chapter else sorted(set(STEERED.findall(chapter)) & set(stems()))
    first = first_page() if "{tenseconds}" in chapter else ""
    pictures = map(living, sorted(set(PICTURED.findall(chapter))))
    asked = digest([ROOT / "recprivlib" / "exercises"]) if "{exercise}" in chapter else ""
    return _short(outputs(cells) if cells else "", *map(drawn, steered), first, asked, *pictures)


@cache
def _surroundings() -> tuple[str, ...]:
    return (digest([LOCK] if LOCK.exists() else []), *PYTHON)


def _short(*parts: str) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
