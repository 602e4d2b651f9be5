"""Who is let in: names, origins, sessions, headers, messages."""

from __future__ import annotations

import asyncio
import http.server
import json
import re
import subprocess
import sys
import time
from threading import Thread
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from bokeh.protocol import SPEC
from tornado.websocket import WebSocketHandler

from recprivlib.cli import main
from tests.server.attacks.asking import MODULES
from tests.server.talk import STEM, ask, finished, speak, token
from widgets import answers, messages, routes, server, sockets
from widgets import gatekeeper as door
from widgets.sockets import Socket

EVIL = "evil.example:8200"


# ---------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("path", ["/", "/book/intro.html", "/live.json", f"/apps/{STEM}", "/static/js/bokeh.min.js"])
def test_a_name_that_is_not_this_servers_is_refused(site, path):
    """DNS rebinding: a page of evil.example, whose name now points here, asks as if this were its own server."""
    status, _, text = ask(site, path, Host=EVIL)
    assert status == 421
    assert "does not answer to" in text
    assert "127.0.0.1" in text


def test_a_port_that_leads_here_from_elsewhere_is_fine(site):
    assert ask(site, "/", Host="localhost:9999")[0] == 200


def test_a_foreign_origin_that_equals_its_host_is_refused(site):
    """It was accepted, with both of them `evil.example:8200`."""
    assert speak(site, token(site), Host=EVIL, Origin=f"http://{EVIL}") == [421]


@pytest.mark.parametrize("origin", [f"http://{EVIL}", "null", "", "http://localhost:1", "file://", "http://127.0.0.1"])
def test_a_web_socket_from_another_site_is_refused(site, origin):
    assert speak(site, token(site), Origin=origin) == [403]


def test_a_page_under_another_name_of_this_server_may_speak_to_it(site):
    heard = speak(site, token(site), Origin=site.replace("127.0.0.1", "localhost"))
    assert json.loads(heard[0])["msgtype"] == "ACK"


def test_a_web_socket_without_an_origin_is_refused(site):
    assert speak(site, token(site)) == [403]


def test_a_proxys_name_is_let_in_where_it_was_named(serving, book, monkeypatch):
    monkeypatch.setenv("BOKEH_ALLOW_WS_ORIGIN", "book.school.example:443")
    with serving(book) as (address, _):
        assert ask(address, "/", Host="book.school.example:443")[0] == 200
        heard = speak(address, token(address), Origin="https://book.school.example:443")
        assert json.loads(heard[0])["msgtype"] == "ACK"
        assert speak(address, token(address), Origin="https://other.school.example") == [403]


# ------------------------------------------------------------------------------------------------- sessions


def test_a_session_is_entered_once_and_with_the_servers_signature(site):
    ticket = token(site)
    assert speak(site, ticket[:-4] + "AAAA", Origin=site) == [403]
    assert json.loads(speak(site, ticket, Origin=site)[0])["msgtype"] == "ACK"
    assert speak(site, ticket, Origin=site) == [403]
    assert speak(site, "eyJzZXNzaW9uX2lkIjoiYSJ9", Origin=site) == [403]
    assert speak(site, "", Origin=site) == [403]


def test_nobody_enters_a_session_by_its_name(site):
    assert ask(site, f"/apps/{STEM}?bokeh-session-id=abc")[0] == 403
    assert ask(site, f"/apps/{STEM}?bokeh-token=abc")[0] == 403
    assert ask(site, f"/apps/{STEM}", Bokeh_Session_Id="abc")[0] == 403


def test_a_ticket_of_one_dashboard_does_not_open_another(site):
    """Its session was made anew there, past the limit of readers."""
    assert speak(site, token(site, "privrec"), Origin=site) == [403]  # speaks to the first of them
    assert json.loads(speak(site, token(site), Origin=site)[0])["msgtype"] == "ACK"


def test_a_ticket_is_not_unpacked_before_its_signature_is_known(monkeypatch):
    unpacked: list[str] = []
    monkeypatch.setattr(door, "get_token_payload", unpacked.append)
    monkeypatch.setattr(door, "get_session_id", unpacked.append)
    application = SimpleNamespace(
        find_handler=None, add_transform=lambda _: None, secret_key="x", sign_sessions=True, applications={}
    )
    request = SimpleNamespace(headers={"Sec-WebSocket-Protocol": "bokeh, eyJhIjoxfQ.AAAA"})
    assert not door.Door(application, ["localhost"], 1)._enter(request, STEM)
    assert unpacked == []


# ---------------------------------------------------------------------------------------------- other sites


def fetched(path: str, place: str, mode: str = "navigate", site: str = "cross-site") -> SimpleNamespace:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": place}
    return SimpleNamespace(path=path, headers=headers)


@pytest.mark.parametrize("path", [f"/apps/{STEM}", "/", "/book/intro.html"])
def test_other_sites_may_link_to_pages_and_frame_them_where_that_was_asked_for(path):
    assert not routes.foreign(fetched(path, "document"), framed=False)
    assert routes.foreign(fetched(path, "iframe"), framed=False)
    assert not routes.foreign(fetched(path, "iframe"), framed=True)
    assert routes.foreign(fetched(path, "image", "no-cors"), framed=True)
    for site in ("same-origin", "same-site", "none"):
        assert not routes.foreign(fetched(path, "image", "no-cors", site), framed=False)


def test_a_link_on_a_page_of_another_site_opens_the_book(site):
    cross = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert ask(site, "/book/intro.html", **cross)[0] == 200
    assert ask(site, f"/apps/{STEM}", **cross)[0] == 200
    assert ask(site, f"/scenes/{STEM}", **cross)[0] == 403


ELSEWHERE = """<!doctype html><title>elsewhere</title><body>
<img src="{site}/components/unittest.__main__/X/css/y"><img src="{site}/favicon.ico">
<script src="{site}/static/js/bokeh.min.js"></script><iframe src="{site}/apps/dplcf"></iframe>
<a href="{site}/apps/dplcf">the book</a>"""


def test_a_picture_on_a_page_of_another_host_does_not_end_the_server(browser, serving, book):
    """Panel's handler imported the module that the address named: `unittest.__main__` left the process."""

    class Evil(http.server.BaseHTTPRequestHandler):
        timeout = 2  # a browser opens connections that it does not use

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(ELSEWHERE.format(site=site).encode())

        def log_message(self, *_):
            pass

    with serving(book) as (site, process), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as evil:
        evil.daemon_threads = False  # they are waited for
        Thread(target=evil.serve_forever, daemon=True).start()
        page, wanted, answers = browser.new_page(), set(), {}
        page.on("request", lambda sent: wanted.add(sent.url))
        page.on("response", lambda said: answers.update({said.url: said.status}))
        here = f"http://localhost:{evil.server_port}/"  # another host than 127.0.0.1
        page.goto(here, wait_until="load")
        assert {f"{site}/components/{MODULES[0]}", f"{site}/apps/dplcf"} < wanted
        assert set(answers.items()) - {(here, 200)} == {(f"{site}/apps/dplcf", 403)}  # the others are not even told
        page.get_by_role("link").click()
        page.locator("main[data-state=ready]").wait_for()
        page.close()
        evil.shutdown()
        assert process.poll() is None
        assert ask(site, "/live.json")[0] == 200


# -------------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize("path", ["/", f"/apps/{STEM}", "/live.json", "/nowhere", "/static/js/bokeh.min.js", "/a%00b"])
def test_every_answer_says_what_it_may_be_made_of_and_not_what_made_it(site, path):
    headers = ask(site, path)[1]
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'self'"
    assert policy["object-src"] == "'none'"
    hosts = set(re.findall(r"(?:wss?|https?)://([^ ;]+)", headers["Content-Security-Policy"]))
    assert hosts == {urlsplit(site).netloc}
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "Server" not in headers


def policy(site: str, path: str) -> tuple[list[str], str]:
    """What may run in a page, and the page."""
    _, headers, text = ask(site, path)
    parts = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    return parts["script-src"].split(), text


def test_in_a_dashboard_runs_what_stood_in_its_page_and_nothing_that_comes_later(site):
    pages = [policy(site, f"/apps/{STEM}") for _ in range(2)]
    for allowed, text in pages:
        own, nonce = allowed
        assert (own, nonce[:7]) == ("'self'", "'nonce-")
        run = re.findall(r"<script([^>]*)>", text)
        assert {nonce[7:-1]} == {re.search(r'nonce="([^"]+)"', tag)[1] for tag in run if "application/json" not in tag}
    assert pages[0][0] != pages[1][0]


def test_in_a_page_of_the_book_run_its_own_lines_only(site):
    allowed, _ = policy(site, "/book/dplcf.html")
    assert allowed[:2] == ["'self'", "'unsafe-hashes'"]  # its button for the full screen is written so
    assert len(allowed) > 3
    assert all(word.startswith("'sha256-") for word in allowed[2:])
    assert policy(site, "/nowhere")[0] == ["'self'"]


def test_the_files_that_are_given_are_those_that_pages_name(site):
    """A newer Panel names others: this says which."""
    named = set()
    for stem in server.stems():
        text = ask(site, f"/apps/{stem}")[2]
        named |= {path.partition("?")[0] for path in re.findall(r"(?<![\w/])/?static/[\w./@%^-]+", text)}
    given = {path.removeprefix("/").replace("%5E", "^") for path in routes.FILES}
    assert {path.removeprefix("/").replace("%5E", "^") for path in named} <= given
    for path in routes.FILES:
        assert ask(site, path)[0] == 200, path


@pytest.mark.parametrize(
    "path", ["/%00", "/a%00b", "/components/..%2f..", "/static/..%2f..%2fx", "/apps/%00", f"/apps/{STEM}%00", "/%0a"]
)
def test_a_path_that_is_none_is_not_found(site, path):
    status, _, text = ask(site, path)
    assert status == 404
    assert "Traceback" not in text


def test_head_on_a_dashboard_answers_without_making_one(site):
    status, headers, text = ask(site, f"/apps/{STEM}", "HEAD")
    assert (status, text, headers["Content-Type"]) == (200, "", "text/html")
    assert ask(site, "/book/intro.html", "HEAD")[0] == 200
    assert ask(site, "/apps/nowhere", "HEAD")[0] == 404


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_dashboard_with_a_slash_at_its_end_is_led_to_without_one(site, method):
    """As people type it; the parts of its page have addresses that go from there."""
    for path, to in ((f"/apps/{STEM}/", f"/apps/{STEM}"), (f"/apps/{STEM}/?k=3&seed=2", f"/apps/{STEM}?k=3&seed=2")):
        status, headers, text = ask(site, path, method)
        assert (status, headers["Location"], text) == (301, to, "")
        assert "Content-Security-Policy" in headers
    for path in ("/apps/nowhere/", f"/apps/{STEM}//", f"/apps/{STEM}/x/", f"//apps/{STEM}/"):
        assert ask(site, path, method)[0] == 404
    cross = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert ask(site, f"/apps/{STEM}/", method, **cross, Sec_Fetch_Dest="document")[0] == 301
    assert ask(site, f"/apps/{STEM}/", method, **cross, Sec_Fetch_Dest="iframe")[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_is_sent_to_this_server_but_through_its_sockets(site, method):
    assert ask(site, f"/apps/{STEM}", method)[0] == 405


def test_a_script_for_pages_of_other_sites_is_not_given(site):
    assert ask(site, f"/apps/{STEM}/autoload.js?bokeh-autoload-element=1")[0] == 404


def test_another_site_frames_it_only_where_that_was_asked_for(capsys):
    request = SimpleNamespace(host="127.0.0.1:8000")
    standing = SimpleNamespace(ours=lambda _: True, framed=("https://school.example",))
    _, headers, _ = answers.Manners(request, standing).transform_first_chunk(200, {}, b"", True)
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'self' https://school.example")
    assert main(["serve", "--embed", "https://school.example; script-src *"]) == 2
    assert "must be like https://school.example" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------- messages


def test_a_message_larger_than_a_dashboard_needs_closes_the_socket(site):
    heard = speak(site, token(site), "x" * (messages.MESSAGE + 1), Origin=site)
    assert heard[-2] is None
    assert heard[-1] in (1009, None)  # a socket torn down has no time to say why
    assert ask(site, "/live.json")[0] == 200


def test_a_nested_message_closes_the_socket_and_nothing_else(site):
    """It made the server log a RecursionError and all of the message."""
    heard = speak(site, token(site), "[" * 10_000, Origin=site)
    assert heard[-2:] == [None, 1008]
    assert ask(site, "/live.json")[0] == 200


def test_what_may_be_said_is_what_the_scripts_of_the_pages_say():
    scripts = "\n".join(path.read_text("utf-8") for path in (server.HERE / "kit").glob("*.js"))
    assert set(re.findall(r"\bmodel\.(\w+) [+]?= ", scripts)) == set(messages.SET)
    assert set(re.findall(r"\bdo: \"(\w+)\"", scripts)) <= messages.DOES


def test_who_says_more_than_a_page_does_is_heard_later_and_others_in_between(monkeypatch):
    """A page that moved its slider as fast as it could held the loop on which all others are heard."""
    heard: list[str] = []

    async def hears(_: Any, fragment: str) -> None:
        heard.append(fragment)

    monkeypatch.setattr(sockets.WSHandler, "on_message", hears)
    monkeypatch.setattr(sockets, "RATE", 100.0)
    monkeypatch.setattr(sockets, "ATONCE", 100.0)

    def page() -> Any:
        socket = Socket.__new__(Socket)
        socket._ear = SimpleNamespace(hear=lambda fragment: None)
        socket.connection, socket.ws_connection = SimpleNamespace(), None
        return socket

    async def talks() -> float:
        loud, quiet, began = page(), page(), time.monotonic()

        async def says() -> None:
            for _ in range(100):
                await loud.on_message("loud")

        flood = asyncio.create_task(says())
        await asyncio.sleep(0)
        await quiet.on_message("quiet")
        assert heard.index("quiet") < 10, "it stood behind all that was read already"
        await flood
        for _ in range(50):
            await loud.on_message("loud")
        return time.monotonic() - began

    assert finished(talks()) >= 0.49  # a hundred at once, and half a second of what is let through
    assert len(heard) == 151
    loud = page()
    assert [loud._early() > 0 for _ in range(102)][:100] == [False] * 100


def test_an_error_of_the_server_is_told_without_its_traceback(monkeypatch):
    """Bokeh's own word for one is the traceback, with the paths of this machine."""
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        told = SPEC["ERROR"].create("1", "ZeroDivisionError()")
    assert "Traceback" in told.content["traceback"]
    said: list[Any] = []
    socket = Socket.__new__(Socket)
    monkeypatch.setattr(WebSocketHandler, "close", lambda _, *how: said.append(how))
    monkeypatch.setattr(socket, "write_message", said.append)
    finished(socket.send_message(told))
    assert said == [(1011, "something broke here; the log has it")]


def test_what_bokeh_says_of_an_error_as_it_hangs_up_stays_here(monkeypatch):
    """It closes a socket with a code that no RFC knows, and with the words of what was raised."""
    said: list[Any] = []
    socket = Socket.__new__(Socket)
    monkeypatch.setattr(WebSocketHandler, "close", lambda _, *how: said.append(how))
    socket._internal_error("in /home/me")
    socket._protocol_error("in /home/me")
    assert said == 2 * [(1011, "something broke here; the log has it")]
    finished(socket.on_message("and nothing more is heard"))


BREAKS = """
import asyncio, os
from pathlib import Path
from tornado.httpclient import AsyncHTTPClient
import widgets.dplcf
from widgets import server

def app():
    raise ZeroDivisionError("what nobody is to read")

async def main():
    widgets.dplcf.app = app
    made = server.create("127.0.0.1", 0, Path("."))
    made.start()
    told = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{made.port}/apps/dplcf", raise_error=False)
    print(told.code, told.body.decode(), flush=True)
    os._exit(0)

asyncio.run(main())
"""


def test_a_dashboard_that_cannot_be_made_says_so_and_no_more():
    """Panel put the traceback, with the paths of this machine, into the page."""
    done = subprocess.run(
        [sys.executable, "-c", BREAKS], capture_output=True, text=True, timeout=120, cwd=server.HERE.parent
    )
    assert done.stdout.startswith("500 "), done.stdout + done.stderr
    assert "could not answer" in done.stdout
    assert "nobody is to read" not in done.stdout
    assert "nobody is to read" in done.stderr  # the log has it


def test_a_socket_that_is_closed_from_both_ends_at_once_is_left_once(monkeypatch):
    """Bokeh has taken the session away at the first time; to ask for it again was a traceback on the console."""
    left = []
    monkeypatch.setattr(sockets.WSHandler, "on_close", lambda self: left.append(self))
    one = Socket.__new__(Socket)
    one.connection = SimpleNamespace(session=SimpleNamespace(request_expiration=lambda: None))
    one.on_close()
    one.connection = SimpleNamespace()  # what is left of it
    one.on_close()
    assert left == [one]
