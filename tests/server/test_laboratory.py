"""A server beside a built site hands out Python for the readers' browsers, and nothing else of that site."""

from __future__ import annotations

import json

import pytest

from tests.server.talk import STEM, ask
from widgets import routes, server

GIVEN = ("manifest.json", "exercise.mjs", "worker.mjs", "steps.css", "kit-0123abcd.zip",
         "pyodide-0123abcd/pyodide.asm.wasm", "pyodide-0123abcd/numpy-2.4.3-cp314-cp314-x_y.whl")  # fmt: skip
KEPT = (
    "dplcf.html",
    "notes.txt",
    ".inputs",
    "kit/frame.js",
    "kit-old.zip",
    "pyodide-0123abcd/.hidden",
    "worker.mjs.gz",
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "lab"
    for name in (*GIVEN, *KEPT):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder.parent / "secret.mjs").write_text("beside it")
    return folder


@pytest.fixture(scope="module")
def beside(serving, lab):
    pages = lab.parent / "html"
    pages.mkdir()
    (pages / "index.html").write_text("<!doctype html><title>a book</title>")
    with serving(pages, lab=lab) as (site, _):
        yield site


def test_pages_learn_of_it_and_its_files_are_given_as_they_are(beside):
    told = json.loads(ask(beside, "/live.json")[2])
    assert (told["live"], told["lab"]) == (True, "lab/")
    for name in GIVEN:
        status, headers, text = ask(beside, f"/lab/{name}")
        assert (status, text) == (200, name)
        assert headers["Cache-Control"] == "no-cache"
    kinds = {name: ask(beside, f"/lab/{name}", "HEAD")[1]["Content-Type"] for name in GIVEN}
    assert kinds["worker.mjs"].endswith("javascript")
    assert kinds["pyodide-0123abcd/pyodide.asm.wasm"] == "application/wasm"


def test_what_no_page_of_the_book_needs_of_it_is_not_given(beside):
    for name in (*KEPT, "", "nowhere.mjs", "../secret.mjs", "..%2fsecret.mjs", "pyodide-0123abcd/../notes.txt"):
        assert ask(beside, f"/lab/{name}")[0] == 404, name


def test_its_worker_alone_may_compile_and_no_page_may(beside):
    def scripts(path):
        policy = ask(beside, path)[1]["Content-Security-Policy"]
        return next(part for part in policy.split("; ") if part.startswith("script-src "))

    assert scripts("/lab/worker.mjs") == "script-src 'self' 'wasm-unsafe-eval'"
    for path in ("/", "/lab/exercise.mjs", f"/apps/{STEM}"):
        assert "wasm" not in scripts(path)
        assert "'unsafe-eval'" not in scripts(path)


def test_another_site_gets_none_of_it_and_nothing_is_sent_to_it(beside):
    other = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors", "Sec_Fetch_Dest": "script"}
    assert ask(beside, "/lab/worker.mjs", **other)[0] == 403
    assert ask(beside, "/lab/worker.mjs", "POST")[0] == 405


def test_a_server_without_a_built_site_has_none(lab, tmp_path):
    assert server.laboratory(lab) == lab
    assert server.laboratory(tmp_path) is None
    (tmp_path / "manifest.json").write_text("of an older site, without exercises")
    assert server.laboratory(tmp_path) is None


def test_a_path_is_of_it_by_its_name_alone():
    class Request:
        headers: dict[str, str] = {}  # noqa: RUF012

        def __init__(self, path):
            self.path = path

    assert routes.asked(Request("/lab/worker.mjs")).kind == "laboratory"
    for path in ("/lab", "/lab/", "/lab/x.html", "/Lab/worker.mjs\n"):
        assert routes.asked(Request(path)).kind != "laboratory"
    assert not routes.asked(Request("/lab/x.html")).kind
