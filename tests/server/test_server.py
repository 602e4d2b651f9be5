"""The server as a browser and a teacher meet it, without a browser."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from recprivlib.parameters import UserError
from widgets import address, server

ROOT = Path(__file__).resolve().parents[2]


def get(address: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an address."""
    request = urllib.request.Request(address, headers={key.replace("_", "-"): value for key, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode("utf-8", "replace")


def raw(site: str, path: str, **headers: str) -> int:
    """The status of a path exactly as it is written, dots and all."""
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)
    connection.putrequest("GET", path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_every_page_and_every_dashboard_answers(site):
    addresses = ["/", "/book/intro.html", "/book/recommenders.html", "/search.html"]
    addresses += [f"/apps/{stem}" for stem in server.stems()]
    assert {address: get(site + address)[0] for address in addresses} == dict.fromkeys(addresses, 200)


def test_pages_learn_that_somebody_computes(site, book):
    told = json.loads(get(f"{site}/live.json")[2])
    assert re.fullmatch(r"/class/wall#[\w-]{24}", told.pop("wall"))  # asked on this machine itself
    assert told == {"live": True, "apps": list(server.stems())}
    assert json.loads((book / "live.json").read_text("utf-8")) == {"live": False, "apps": []}


@pytest.mark.parametrize("path", ["/nowhere", "/book", "/book/nowhere.html", "/apps/nowhere", "/.inputs", "/static"])
def test_what_is_not_there_says_so_and_shows_the_way_back(site, path):
    status, _, text = get(site + path)
    assert status == 404
    assert "first page of the book" in text


def test_an_address_is_never_printed_as_code(site):
    assert "<script>" not in get(f"{site}/%3Cscript%3E")[2]


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/../../etc/passwd", "/%2e%2e/pyproject.toml", "/book/..%2f..%2f..%2fpyproject.toml",
     "//etc/passwd", "/book/../../../pyproject.toml", "/_static/../../work/doctrees/environment.pickle"],
)  # fmt: skip
def test_nothing_outside_the_book_is_served(site, path):
    assert raw(site, path) in (400, 403, 404)


def test_an_unchanged_page_is_not_sent_again_and_a_rebuilt_one_is(serving, tmp_path):
    """Tornado's own handler remembers a file's hash for good: it would answer 304 to the second question."""
    page = tmp_path / "index.html"
    page.write_text("old")
    with serving(tmp_path) as (site, _):
        status, headers, text = get(f"{site}/index.html")
        assert (status, text, headers["Cache-Control"]) == (200, "old", "no-cache")
        assert get(f"{site}/index.html", If_None_Match=headers["Etag"])[0] == 304
        time.sleep(0.01)
        page.write_text("new")
        assert get(f"{site}/index.html", If_None_Match=headers["Etag"])[::2] == (200, "new")


def test_a_classroom_reaches_the_server_by_every_name_of_the_machine():
    assert address.names("127.0.0.1") == ("127.0.0.1", "localhost")
    assert address.names("192.0.2.7") == ("192.0.2.7",)
    everywhere = address.names("0.0.0.0")
    assert {"127.0.0.1", "localhost", socket.gethostname()} <= set(everywhere)
    assert "0.0.0.0" not in everywhere


# ------------------------------------------------------------------------------- starting and ending


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "recprivlib", "serve", "--no-open", *options]


def test_a_taken_port_is_said_in_one_sentence_with_the_way_out():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(command("--port", str(port)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"port {port} on 127.0.0.1 is taken" in done.stderr
    assert f"--port {port + 1}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--port", "0"], "port is 0, but must be a whole number from 1 to 65535"),
        (["--port", "70000"], "port is 70000"),
        (["--port", "8e3"], "8e3"),
        (["--host", "198.51.100.1"], "host is '198.51.100.1', but must be an address of this machine"),
        (["--host", "no such host"], "host is 'no such host'"),
        (["--host", ""], "host is '', but must be an address of this machine"),
        (["--host", "x" * 5000], "… (5,000 characters)', but must be an address of this machine"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, sentence):
    done = subprocess.run(command(*options), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_outside_a_checkout_serve_says_what_it_needs(monkeypatch, tmp_path):
    from recprivlib import cli
    from recprivlib.cli import serve

    monkeypatch.setattr(serve, "ROOT", tmp_path)
    with pytest.raises(UserError, match="in a clone of the project"):
        cli._dispatch(["serve"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_and_ends_cleanly(book, number):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = command("--port", str(port), "--json")
    with subprocess.Popen(options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        ready = process.stdout.readline()
        if not ready:
            pytest.fail(process.stderr.read())
        assert json.loads(ready) == {"url": f"http://127.0.0.1:{port}", "apps": list(server.stems())}
        assert get(f"http://127.0.0.1:{port}/book/intro.html")[0] == 200
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "stopped" in said
    assert "Traceback" not in said


# ----------------------------------------------------------------------------------------- finding


def test_a_dashboard_is_a_file_that_defines_app():
    files = {path.stem: path.read_text("utf-8") for path in Path(server.HERE).glob("*.py")}
    assert set(server.stems()) == {stem for stem, text in files.items() if re.search(r"(?m)^def app\(", text)}
    assert "server" not in server.stems()


def test_only_widgets_know_panel():
    """The library must run where Panel is not installed."""
    for path in (ROOT / "recprivlib").rglob("*.py"):
        assert not re.search(r"(?m)^\s*(import|from) (panel|bokeh|param|tornado)\b", path.read_text("utf-8")), path
