"""Who is let in: names, origins, sessions, headers, messages."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from recprivlib.cli import main
from tests.server.talk import STEM, ask, speak, token
from widgets import answers, messages

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
