"""`make site`: the same bytes each time, every file checked, nothing fetched twice, no address but its own."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import shutil
import zipfile
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from plotly.offline import get_plotlyjs_version

from tools import pyodide, site

SIX = "six-1.17.0-py2.py3-none-any.whl"


def quiet(line: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def page(tmp_path):
    """A book of one page."""
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>a book</title>" + "<p>words</p>" * 200)
    return folder


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A user who has fetched nothing yet, and a network that reaches nobody."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PYODIDE_MIRROR", raising=False)
    monkeypatch.setattr(pyodide, "ARCHIVE", "http://127.0.0.1:9/nobody.tgz")
    monkeypatch.setattr(pyodide, "WHEELS", "http://127.0.0.1:9/")
    return pyodide.folder()


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_two_builds_are_the_same_to_the_byte_and_the_manifest_tells_the_truth(wheels, page, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    total = site.assemble(page, one, quiet)
    site.assemble(page, two, quiet)
    assert contents(one) == contents(two)
    lab = one / "lab"
    manifest = json.loads((lab / "manifest.json").read_text())
    listed = [*manifest["wheels"], manifest["kit"]]
    listed += [{**one, "file": manifest["pyodide"]["path"] + one["name"]} for one in manifest["pyodide"]["files"]]
    for entry in listed:
        body = (lab / entry["file"]).read_bytes()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (entry["bytes"], entry["sha256"]), entry["file"]
    assert sum(entry["bytes"] for entry in listed) == manifest["total"] == total
    sent = sum(min(path.stat().st_size for path in lab.glob(f"{entry['file']}*")) for entry in listed)
    assert f"about {sent / 1e6:.0f} MB" in (site.ROOT / "book" / "many.md").read_text("utf-8")
    assert [wheel["name"] for wheel in manifest["wheels"]][:2] == ["numpy", "scipy"]
    assert manifest["wheels"][-1]["name"] == "pandas", "what a first result does not need comes last"
    lock = json.loads((lab / manifest["pyodide"]["path"] / pyodide.LOCK).read_text())
    assert {w["sha256"] for w in manifest["wheels"]} == {entry["sha256"] for entry in lock["packages"].values()}


def test_figures_are_drawn_by_a_part_of_the_very_script_that_the_server_has_whole(wheels, page, tmp_path):
    site.assemble(page, tmp_path / "site", quiet)
    script = (tmp_path / "site" / "_static" / "plotly.min.js").read_text("utf-8")
    assert f"plotly.js (cartesian - minified) v{get_plotlyjs_version()}" in script[:200]
    assert len(script) < 1.6e6


def test_the_kit_holds_the_project_and_nothing_else(wheels, page, tmp_path):
    site.assemble(page, tmp_path / "site", quiet)
    (kit,) = (tmp_path / "site" / "lab").glob("kit-*.zip")
    with zipfile.ZipFile(kit) as pack:
        names = set(pack.namelist())
        assert pack.read("recprivlib/registry.py") == (site.ROOT / "recprivlib" / "registry.py").read_bytes()
    assert {
        "recprivlib/papers/dplcf/results/dplcf.csv",
        "recprivlib/papers/dplcf/screen/dashboard.py",
        "widgets/kit/session.py",
    } <= names
    assert {name.split("/")[0] for name in names} == {"recprivlib", "widgets"}
    assert not [name for name in names if "__pycache__" in name or name.startswith("recprivlib/cli") or "bench" in name]


def test_a_changed_wheel_is_refused_and_the_last_site_stays(wheels, page, tmp_path, empty, monkeypatch):
    mirror = tmp_path / "mirror"
    shutil.copytree(wheels, mirror, ignore=shutil.ignore_patterns("*.part"))
    monkeypatch.setenv("PYODIDE_MIRROR", str(mirror))
    target = tmp_path / "site"
    site.assemble(page, target, quiet)
    before = contents(target)
    for folder in (mirror, empty):
        body = bytearray((folder / SIX).read_bytes())
        body[1000] ^= 1
        (folder / SIX).write_bytes(body)
    with pytest.raises(pyodide.Changed, match=rf"{SIX} is not the file that is pinned: its SHA256 differs"):
        site.assemble(page, target, quiet)
    assert contents(target) == before
    shutil.copy(wheels / SIX, mirror)
    site.assemble(page, target, quiet)
    assert contents(target) == before
    assert hashlib.sha256((empty / SIX).read_bytes()).digest() == hashlib.sha256((wheels / SIX).read_bytes()).digest()


def test_a_site_is_built_again_without_any_network(wheels, page, tmp_path, empty):
    with pytest.raises(pyodide.Missing, match=r"cannot be had .*PYODIDE_MIRROR"):
        site.assemble(page, tmp_path / "site", quiet)
    assert not (tmp_path / "site").exists()
    shutil.rmtree(empty)
    shutil.copytree(wheels, empty)
    site.assemble(page, tmp_path / "site", quiet)
    assert (tmp_path / "site" / "lab" / "manifest.json").is_file()


@pytest.fixture
def flaky(wheels, empty, monkeypatch):
    """A mirror at an address, which breaks off its first answer in the middle; the ranges that it was asked for."""
    asked: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (wheels / self.path.lstrip("/")).read_bytes()
            asked.append(self.headers["Range"])
            start = int(re.sub(r"\D", "", self.headers["Range"] or "0"))
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            self.wfile.write(body[start:] if len(asked) > 1 else body[: len(body) // 3])

        def log_message(self, *words: object) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PYODIDE_MIRROR", f"http://127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    server.server_close()


@pytest.fixture
def pin(wheels):
    digest = base64.b64encode(hashlib.sha256((wheels / SIX).read_bytes()).digest()).decode()
    return pyodide.Pin(SIX, pyodide.WHEELS + SIX, f"sha256-{digest}")


def test_a_transfer_that_was_cut_short_goes_on_where_it_stopped(wheels, empty, flaky, pin):
    empty.mkdir(parents=True)
    with pytest.raises(pyodide.Missing, match="cut short"):
        pyodide.had(pin, quiet)
    half = (empty / f"{SIX}.part").stat().st_size
    assert 0 < half < (wheels / SIX).stat().st_size
    assert pyodide.had(pin, quiet).read_bytes() == (wheels / SIX).read_bytes()
    assert flaky == [None, f"bytes={half}-"]
    pyodide.had(pin, quiet)
    assert len(flaky) == 2, "what is there is not fetched again"


def test_what_a_killed_transfer_left_is_never_believed(wheels, empty, flaky, pin):
    empty.mkdir(parents=True)
    flaky.append("an answer before")
    (empty / f"{SIX}.part").write_bytes(b"half of something else")
    assert pyodide.had(pin, quiet).read_bytes() == (wheels / SIX).read_bytes()
    assert flaky[1:] == ["bytes=22-", None]


class Addresses(HTMLParser):
    """What a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        about = dict(attributes)
        if tag in ("script", "img", "iframe", "source") and about.get("src"):
            self.found.append(about["src"] or "")
        if tag == "link" and about.get("rel") != "canonical" and about.get("href"):
            self.found.append(about["href"] or "")


def test_no_page_loads_anything_by_an_absolute_address(published):
    pages = sorted(published.rglob("*.html"))
    assert len(pages) > 8
    for page in pages:
        read = Addresses()
        read.feed(page.read_text("utf-8"))
        far = [one for one in read.found if re.match(r"[a-z]+:|/", one) and not one.startswith("data:")]
        assert not far, f"{page.name}: {far}"


def test_what_is_small_beside_a_file_is_that_file(published):
    packed = sorted(published.rglob("*.gz"))
    assert published / "lab" / "manifest.json.gz" in packed
    for path in packed:
        assert gzip.decompress(path.read_bytes()) == path.with_suffix("").read_bytes(), path.name
