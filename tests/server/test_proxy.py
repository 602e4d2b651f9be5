"""Two servers behind HAProxy, with the file that the appendix prints: who was answered by one stays with it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.conftest import free_port

ROOT = Path(__file__).resolve().parents[2]
NAME = "book.school.example"
PAGE = "/apps/recommenders"


@pytest.fixture
def proxy(tmp_path, serving, book, monkeypatch):
    """`(port, servers)` of a proxy that two servers stand behind, by the name of its cookie."""
    if shutil.which("haproxy") is None:
        missing = "NO HAPROXY FOUND: THE APPENDIX ON PROXIES WAS NOT TRIED (Debian: apt install haproxy)"
        (pytest.fail if os.environ.get("RECPRIV_REQUIRE_BROWSER") else pytest.skip)(missing)
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", NAME)
    text, port = (ROOT / "book" / "haproxy.cfg").read_text("utf-8"), free_port()
    with contextlib.ExitStack() as stack:
        servers = {}
        for name, printed in (("one", "127.0.0.1:8001"), ("two", "127.0.0.1:8002")):
            address, servers[name] = stack.enter_context(serving(book))
            assert text.count(f" {printed} ") == 1
            text = text.replace(printed, address.removeprefix("http://"))
        assert text.count("bind :8080") == 1
        config = tmp_path / "haproxy.cfg"
        config.write_text(text.replace("bind :8080", f"bind 127.0.0.1:{port}"))
        with subprocess.Popen(["haproxy", "-db", "-q", "-f", config]) as process:
            try:
                up(port)
                yield port, servers
            finally:
                process.terminate()


def up(port: int) -> None:
    """Waits until the proxy answers."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if ask(port, "/live.json")[0] == 200:
                return
        time.sleep(0.1)
    pytest.fail("the proxy never answered")


def ask(port: int, path: str, cookie: str = "", host: str = NAME) -> tuple[int, str, str]:
    """Status, the server that a cookie names, and the text."""
    headers = {"Host": host} | ({"Cookie": f"BOOK={cookie}"} if cookie else {})
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            set_to = re.match(r"BOOK=(\w+)", answer.headers.get("Set-Cookie", ""))
            return answer.status, set_to[1] if set_to else cookie, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, cookie, ""


def enter(port: int, token: str, cookie: str) -> str:
    """The first word of a web socket, or the status that it was refused with."""

    async def talk() -> str:
        headers = {"Host": NAME, "Origin": f"http://{NAME}", "Cookie": f"BOOK={cookie}"}
        request = HTTPRequest(f"ws://127.0.0.1:{port}{PAGE}/ws", headers=headers)
        try:
            socket = await websocket_connect(request, subprotocols=["bokeh", token])
        except Exception as error:
            return str(getattr(error, "code", error))
        heard = await asyncio.wait_for(socket.read_message(), 10)
        socket.close()
        await asyncio.sleep(0.1)
        return str(heard)

    with warnings.catch_warnings():  # Tornado leaves the socket of a refused handshake to be collected
        warnings.simplefilter("ignore", ResourceWarning)
        with ThreadPoolExecutor(1) as thread:
            heard = thread.submit(asyncio.run, talk()).result()
        gc.collect()
    return heard


def opened(port: int, cookie: str = "") -> tuple[str, str]:
    """The server that gave a page, and the page's token."""
    status, server, text = ask(port, PAGE, cookie)
    assert status == 200
    return server, re.search(r'"token":"([^"]+)"', text)[1]


def test_a_page_and_its_socket_meet_the_same_server_and_a_lost_one_is_replaced(proxy):
    port, servers = proxy
    firsts = {opened(port)[0] for _ in range(6)}
    assert firsts == {"one", "two"}, "new readers are not shared out"
    server, token = opened(port)
    other = {"one": "two", "two": "one"}[server]
    assert enter(port, token, other) == "403", "a server lets in what another has signed"
    assert "ACK" in enter(port, token, server)
    assert all(opened(port, server)[0] == server for _ in range(3))
    assert ask(port, "/book/intro.html", host="evil.example")[0] == 421
    servers[server].send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while ask(port, PAGE, server)[0] != 200:  # until the proxy has noticed
        assert time.monotonic() < end
        time.sleep(0.2)
    moved, token = opened(port, server)
    assert moved == other
    assert "ACK" in enter(port, token, moved)
