"""Python for a browser, every file of it checked: the core from npm, the wheels that npm's own lock names.

What was fetched is kept in the user's cache, so that it is fetched once; a transfer that was cut short goes on where it
stopped. PYODIDE_MIRROR names a folder or an address that holds the same files, for a machine without the internet.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tarfile
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recprivlib.data.sources import cache_folder
from tools.book import lock

VERSION = "314.0.3"
INTEGRITY = "sha512-sK40My6m8tmBUYtYH9au9rXUeh9x0wfahtHdOlGmJxZDsKBGKtP6KznyFB2+u/klbQTdDionR0uaVd176zVQzQ=="
ARCHIVE = f"https://registry.npmjs.org/pyodide/-/pyodide-{VERSION}.tgz"
WHEELS = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PACKAGES = ("numpy", "scipy", "pandas")  # in the order in which they are loaded: what a dashboard needs first
WAIT = 20.0  # seconds without a byte

Say = Callable[[str], None]


class Missing(Exception):
    """A file cannot be had; the text says what to do."""


class Changed(Missing):
    """A file is not the one that it is called."""


@dataclass(frozen=True)
class Pin:
    """A file by name, where it is published, and what its bytes must add up to."""

    name: str
    address: str
    digest: str  # algorithm-base64, as in npm's locks and in pages

    def fits(self, path: Path) -> bool:
        """Is this file the one that was meant?"""
        algorithm, _, expected = self.digest.partition("-")
        with path.open("rb") as file:
            return hashlib.file_digest(file, algorithm).digest() == base64.b64decode(expected)


def obtain(say: Say = print) -> tuple[dict[str, Path | bytes], dict[str, Any]]:
    """The core's files by name, and the lock cut down to what the laboratory loads, in that order."""
    folder().mkdir(parents=True, exist_ok=True)
    with lock(folder() / "lock"):  # of two who fetch at once the second finds it done
        files, pins = core(say)
        chosen = needed(pins)
        for entry in chosen.values():
            files[entry["file_name"]] = had(wheel(entry), say)
    return files, {**pins, "packages": chosen}


def folder() -> Path:
    """Where fetched files are kept for this user."""
    return cache_folder() / "pyodide"


def core(say: Say = print) -> tuple[dict[str, Path | bytes], dict[str, Any]]:
    """The interpreter's files, and the whole lock."""
    archive = had(Pin(f"pyodide-{VERSION}.tgz", ARCHIVE, INTEGRITY), say)
    with tarfile.open(archive) as pack:
        read = {name: pack.extractfile(f"package/{name}") for name in (*CORE, LOCK)}
        bodies = {name: file.read() for name, file in read.items() if file is not None}
    return {name: bodies[name] for name in CORE}, json.loads(bodies[LOCK])


def wheel(entry: dict[str, Any]) -> Pin:
    """What the lock says of one package."""
    digest = base64.b64encode(bytes.fromhex(entry["sha256"])).decode()
    return Pin(entry["file_name"], WHEELS + entry["file_name"], f"sha256-{digest}")


def needed(pins: dict[str, Any]) -> dict[str, Any]:
    """The lock's entries of what the laboratory loads, each after all that it needs."""
    chosen: dict[str, Any] = {}

    def add(name: str) -> None:
        for other in pins["packages"][name]["depends"]:
            add(other)
        chosen.setdefault(name, pins["packages"][name])

    for package in PACKAGES:
        add(package)
    return chosen


# --------------------------------------------------------------------------------------------- downloads


def had(pin: Pin, say: Say = print) -> Path:
    """The file in the user's cache, fetched unless it is there; its bytes are checked each time."""
    path = folder() / pin.name
    if path.is_file() and pin.fits(path):
        return path
    mirror, reasons = os.environ.get("PYODIDE_MIRROR", "").rstrip("/"), []
    for source in [f"{mirror}/{pin.name}", pin.address] if mirror else [pin.address]:
        try:
            _fetched(source, pin, path.with_name(f"{pin.name}.part"), say).replace(path)
        except (OSError, ValueError) as error:
            reasons.append(f"{source}: {getattr(error, 'reason', None) or error}")
        else:
            return path
    raise Missing(
        f"{pin.name} cannot be had ({'; '.join(reasons)}); run this again where the internet is, or let "
        "PYODIDE_MIRROR name a folder or an address that holds it"
    )


def _fetched(source: str, pin: Pin, draft: Path, say: Say) -> Path:
    """The whole file as `draft`; what an older transfer left and does not fit is fetched anew, once."""
    resumed = draft.is_file() and draft.stat().st_size > 0
    say(f"  {'going on with' if resumed else 'fetching'} {source}")
    _transfer(source, draft)
    if pin.fits(draft):
        return draft
    draft.unlink()
    if resumed:
        return _fetched(source, pin, draft, say)
    raise Changed(f"{source} is not the file that is pinned: its {pin.digest.partition('-')[0].upper()} differs")


def _transfer(source: str, draft: Path) -> None:
    """Copy a file or an address into `draft`, from where an earlier transfer stopped."""
    if "://" not in source:
        shutil.copyfile(source, draft)
        return
    start = draft.stat().st_size if draft.is_file() else 0
    request = urllib.request.Request(source, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        answer = urllib.request.urlopen(request, timeout=WAIT)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is missing, or what is there is none of it: the check will tell
            return
        raise
    with answer, draft.open("ab" if answer.status == 206 else "wb") as file:
        shutil.copyfileobj(answer, file, 1 << 20)
        size = answer.headers.get("Content-Length")
        if size is not None and file.tell() < int(size) + (start if answer.status == 206 else 0):
            raise OSError("the transfer was cut short; run the same command again")
