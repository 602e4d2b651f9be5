"""Files kept between builds: written whole, under the checksum of what is in them.

One that says something else than was written (cut short, emptied, overwritten) is put aside and made anew: once, and
said. Standard library only.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from pathlib import Path

ASIDE = "damaged"  # the folder, beside what is kept, of what could not be read
KEPT = 3  # states of a thing that are remembered, so that going back costs nothing
tell = logging.getLogger("course.progress")


def write(path: Path, body: bytes) -> None:
    """Keep `body`: whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def read(path: Path, top: Path) -> bytes | None:
    """What was kept, or None; what is damaged is moved to a folder under `top`."""
    if not path.is_file():
        return None
    name, _, body = path.read_bytes().partition(b"\n")
    if name.decode("latin-1") == hashlib.sha256(body).hexdigest():
        return body
    put_aside(path, top)
    return None


def put_aside(path: Path, top: Path) -> None:
    """Out of the way, under `top`, and said in one line."""
    place = top / ASIDE / path.relative_to(top)
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        shutil.rmtree(place)
    path.replace(place)
    tell.info(f"book: {path.name} of an earlier build is damaged; it lies in {place.parent} now, and is made anew")


def forget(folder: Path, pattern: str = "*", keep: int = KEPT) -> None:
    """Drop all but the newest few of what lies in a folder."""
    for old in sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)[:-keep]:
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)
