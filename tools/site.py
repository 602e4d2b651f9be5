"""Make `_build/site`: the book and its laboratory, ready to be copied to any static host, under any path.

    python -m tools.site

`lab/manifest.json` names every file that the laboratory loads, with its size and SHA-256, in the order in which it is
loaded. The same sources give the same bytes. A build that fails or is killed leaves the last good site in place.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tools import book, pyodide
from tools.book import digest

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "_build" / "site"
SCRIPTS = ROOT / "widgets" / "site"
SHRINKS = {".css", ".csv", ".html", ".js", ".json", ".mjs", ".svg", ".txt", ".wasm"}
SMALL = 1024  # bytes below which a smaller copy saves nothing
OURS = {".py", ".js", ".css", ".html", ".txt", ".csv", ".toml"}
# folder of the project -> its place in Python's path, and what of it no page needs
KIT = (
    ("recprivlib", "recprivlib", ("bench", "bench.py", "cli", "__main__.py", "definitions.py")),
    ("widgets/__init__.py", "widgets/__init__.py", ()),
    ("widgets/kit", "widgets/kit", ()),
    ("widgets/site", "widgets/site", ()),
)
# The part of plotly.js that draws all figures of the book, in the version that the package plotly brings whole.
PLOTLY_VERSION = "4.1.1"
PLOTLY = pyodide.Pin(
    f"plotly.js-cartesian-dist-min-{PLOTLY_VERSION}.tgz",
    f"https://registry.npmjs.org/plotly.js-cartesian-dist-min/-/plotly.js-cartesian-dist-min-{PLOTLY_VERSION}.tgz",
    "sha512-o8GrFeusncwBIxbBynRJpY4pkgVB6caM+JLpwrLYbbsO7dZ8FJ+SVN2Fr+L7kiG/Z6w4P5O0Jus/Qr5EefHVeg==",
)
# What of SciPy nothing of the project imports, at no setting of any dashboard (tests/laboratory runs them all).
UNUSED = {"cluster", "datasets", "differentiate", "fftpack", "integrate", "interpolate", "io", "misc", "ndimage", "odr",
          "signal", "stats"}  # fmt: skip


def build(target: Path = SITE, say: book.Say = book.tell) -> Path:
    """The folder of the site, made anew if anything it depends on has changed."""
    html = book.build(say)
    for page in book.unfinished():
        say(f"site: {page.relative_to(ROOT)} is a draft, and is published as one: its page says so on top")
    with book.lock(target.parent / f"{target.name}.lock"):
        if fresh(target):
            say("site: up to date")
            return target
        name, mark = inputs(), marked(target)
        mark.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as pages:
            drawn(Path(pages))
            total = assemble(html, target, say, Path(pages))
        mark.write_text(name, encoding="utf-8")
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    say(f"site: {size / 1e6:.0f} MB, of which the laboratory loads {total / 1e6:.1f} MB -> {target}")
    return target


def fresh(target: Path = SITE) -> bool:
    """Whether the site is there, and is what a build would make of the present sources."""
    mark = marked(target)
    return target.is_dir() and mark.is_file() and mark.read_text("utf-8") == inputs()


def marked(target: Path) -> Path:
    """The file that names what a site was made from."""
    return target.with_name(f"{target.name}.inputs")


def drawn(folder: Path) -> None:
    """The page of each dashboard, with a first picture in it, and the kit's scripts."""
    from widgets.site.pages import write

    write(folder)


def assemble(html: Path, target: Path, say: book.Say, pages: Path | None = None) -> int:
    """The site around these pages, whole or not at all; returns the bytes that its laboratory loads."""
    fresh, old = (target.with_name(f"{target.name}.{end}") for end in ("new", "old"))
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(html, fresh, ignore=shutil.ignore_patterns(".inputs", "*.map", "*.po"))
    (fresh / ".nojekyll").touch()  # GitHub's pages leave out folders like _static without it
    total = laboratory(fresh / "lab", say)
    (fresh / "_static").mkdir(exist_ok=True)
    (fresh / "_static" / "plotly.min.js").write_bytes(plotly(say))
    (fresh / "lab" / "sw.js").rename(fresh / "sw.js")  # it can keep what lies beside and below it, no more
    if pages is not None:
        shutil.copytree(pages, fresh / "lab", dirs_exist_ok=True)
    (fresh / "live.json").write_text(json.dumps({"live": False, "apps": [], "lab": "lab/"}), encoding="utf-8")
    for path in sorted(fresh.rglob("*")):
        precompress(path)
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    return total


def inputs() -> str:
    """The name of all that the site is made from: the book (with the library) and the kit."""
    return digest([ROOT / "tools", ROOT / "widgets"], book.inputs())


# ------------------------------------------------------------------------------------------ the laboratory


def laboratory(folder: Path, say: book.Say) -> int:
    """`lab/`: Python, the wheels, the project's own code, the scripts, and the manifest that names them."""
    files, lock = pyodide.obtain(say)
    name = lock["packages"]["scipy"]["file_name"]
    files[name] = small = slim(Path(str(files[name])), lock["packages"]["scipy"]["sha256"])
    lock["packages"]["scipy"] |= {"sha256": hashlib.sha256(small).hexdigest()}
    text = json.dumps(lock, indent=1, sort_keys=True).encode()
    # Named by what is in it, so that whatever a browser kept of another version is never taken for this one.
    home = folder / f"pyodide-{hashlib.sha256(text).hexdigest()[:8]}"
    home.mkdir(parents=True)
    for name, body in {**files, pyodide.LOCK: text}.items():
        if isinstance(body, Path):
            shutil.copyfile(body, home / name)
        else:
            (home / name).write_bytes(body)
    kit = packed(KIT)
    kit_name = f"kit-{hashlib.sha256(kit).hexdigest()[:8]}.zip"
    (folder / kit_name).write_bytes(kit)
    for script in own(SCRIPTS, {".js", ".mjs", ".css", ".html"}):
        place = folder / script.relative_to(SCRIPTS)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(script, place)
    wheels = [
        {"name": name, **described(home / entry["file_name"], folder)} for name, entry in lock["packages"].items()
    ]
    core = [{"name": name, **described(home / name, home)} for name in (*pyodide.CORE, pyodide.LOCK)]
    for one in core:
        one.pop("file")
    manifest: dict[str, Any] = {
        "pyodide": {"path": f"{home.name}/", "files": core},
        "wheels": wheels,
        "kit": described(folder / kit_name, folder),
    }
    manifest["total"] = sum(one["bytes"] for one in (*core, *wheels, manifest["kit"]))
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return int(manifest["total"])


def plotly(say: book.Say) -> bytes:
    """The script that draws figures: a third of the whole, and half a second less until the first picture."""
    pyodide.folder().mkdir(parents=True, exist_ok=True)
    with book.lock(pyodide.folder() / "lock"), tarfile.open(pyodide.had(PLOTLY, say)) as pack:
        file = pack.extractfile("package/plotly-cartesian.min.js")
        assert file is not None
        return file.read()


def described(path: Path, folder: Path) -> dict[str, Any]:
    """A file's name in `folder`, its size and its SHA-256."""
    body = path.read_bytes()
    name = path.relative_to(folder).as_posix()
    return {"file": name, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}


def own(folder: Path, endings: set[str], without: Iterable[str] = ()) -> Iterator[Path]:
    """The project's files of these kinds under a folder, or the one file that it is, in a fixed order."""
    for path in sorted([folder] if folder.is_file() else folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.suffix in endings and "__pycache__" not in parts and not {*parts[:1], path.name} & set(without):
            yield path


def packed(kit: Iterable[tuple[str, str, tuple[str, ...]]]) -> bytes:
    """A zip of the project's own code and committed results, the same bytes for the same files."""
    pack = io.BytesIO()
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for source, place, without in kit:
            for path in own(ROOT / source, OURS, without):
                name = (Path(place) / path.relative_to(ROOT / source)).as_posix()
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return pack.getvalue()


SLIM: dict[str, bytes] = {}  # by what it was made from


def slim(wheel: Path, digest: str) -> bytes:
    """SciPy without its tests and what no page needs: a third less to load and to unpack, the same bytes each time."""
    if digest not in SLIM:
        SLIM[digest] = _slimmed(wheel)
    return SLIM[digest]


def _slimmed(wheel: Path) -> bytes:
    small = io.BytesIO()
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as pack:
        for inside in whole.infolist():
            parts = inside.filename.split("/")
            if "tests" in parts or (parts[0] == "scipy" and parts[1] in UNUSED) or inside.is_dir():
                continue
            entry = zipfile.ZipInfo(inside.filename, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = inside.external_attr
            pack.writestr(entry, whole.read(inside), zipfile.ZIP_DEFLATED, 6)
    return small.getvalue()


def precompress(path: Path) -> None:
    """Lay a .gz beside what shrinks, for servers that hand it out."""
    if path.suffix not in SHRINKS or path.stat().st_size < SMALL:
        return
    body = path.read_bytes()
    small = gzip.compress(body, 9, mtime=0)
    if len(small) < 0.9 * len(body):
        path.with_name(f"{path.name}.gz").write_bytes(small)


def main() -> int:
    try:
        build()
    except (book.BookError, pyodide.Missing) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
