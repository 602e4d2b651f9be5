"""Names for contents: what a page was made from, in sixteen letters. Standard library only, since it is asked often."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Said by the build when a server may show the pages: until the frames are there, it draws their figures itself.
READABLE = "book: the pages can be read; computing the frames that move without a server"


def digest(paths: list[Path], *more: str) -> str:
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
    """The name of everything outside a chapter that its outputs depend on."""
    places = [ROOT / "recprivlib", ROOT / "book" / "results", ROOT / "requirements.lock"]
    return digest([place for place in places if place.exists()], *map(str, sys.version_info[:2]))
