"""A class on the wire, behind the door of the served book."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from types import SimpleNamespace
from typing import Any

from recprivlib.cli import main, serve
from tests.classroom.people import Phone, Wall, key
from tests.conftest import free_port
from tests.server.talk import ask, finished
from widgets import address, server
from widgets.classroom import group, pages
from widgets.classroom.lines import Line

BEGIN = {"do": "begin", "kind": "crowd", "eps": 1, "cards": False}


def test_the_pages_of_a_class_run_nothing_but_their_own_files_and_are_framed_nowhere(site):
    for path in ("/class", "/class/wall", *(f"/class/{name}" for name in pages.FILES)):
        status, headers, text = ask(site, path)
        assert status == 200, path
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        host = site.partition("//")[2]
        assert policy == {
            "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "data:",
            "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
            "connect-src": f"'self' ws://{host} wss://{host}",
        }  # fmt: skip
        assert (headers["Referrer-Policy"], headers["Cache-Control"]) == ("no-referrer", "no-cache")
        assert "<script>" not in text
        assert " style=" not in text


def test_a_phone_is_sent_less_than_30_kB():
    assert sum((pages.PAGES / name).stat().st_size for name in pages.PHONE) < 30_000
    assert {path.name for path in pages.PAGES.iterdir()} == {*pages.PHONE, *pages.WALL}


def test_the_walls_key_is_told_on_this_machine_alone(site):
    assert key(site)
    for name in ("X_Forwarded_For", "Forwarded", "Via", "X_Real_IP"):
        assert "wall" not in json.loads(ask(site, "/live.json", **{name: "192.0.2.1"})[2])
    near = SimpleNamespace(remote_ip="::1", headers={})
    assert address.at_home(near)
    assert not address.at_home(SimpleNamespace(remote_ip="192.0.2.7", headers={}))


def test_nor_where_readers_come_through_a_proxy(monkeypatch):
    monkeypatch.setenv(address.PROXIED, "book.school.example")
    assert not address.at_home(SimpleNamespace(remote_ip="127.0.0.1", headers={}))


def test_a_class_from_its_first_phone_to_its_end(site):
    """Limits of an address, a seat that comes back, a late one, a bill that is kept, and a room that forgets."""

    async def talk() -> None:
        wall = await Wall(site).enter(key(site))
        code = wall.told["code"]
        phones = [await Phone(site, "192.0.2.50").join(code) for _ in range(3)]
        fourth = Phone(site, "192.0.2.50")
        await fourth.open({"join": code, "token": ""})
        assert await fourth.end() == 4002
        await wall.until(lambda told: told["away"] == 1)
        await wall.do({"do": "widen"}, lambda told: told["away"] == 0)
        phones.append(await Phone(site, "192.0.2.50").join(code))
        await wall.do(BEGIN, lambda told: told["kind"] == "crowd")
        await phones[0].until(lambda told: told["kind"] == "crowd")
        await phones[0].answer(random.Random(1))
        phones[0].say({"r": phones[0].told["r"], "lies": "00000000"})
        while not phones[0].said:
            await asyncio.sleep(0.01)
        assert phones[0].said == ["You have answered already."]
        phones[0].close()
        await wall.until(lambda told: told["here"] == 3)
        again = Phone(site, "192.0.2.50")
        again.token = phones[0].token
        await again.join(code)
        assert again.token == phones[0].token
        assert (again.told["sent"], again.told["ledger"]["film"]) == (True, 1.0)
        late = await Phone(site, "192.0.2.51").join(code)
        await late.answer(random.Random(2))
        assert (await wall.until(lambda told: len(told["lists"]) == 2))["here"] == 5
        wall.say({"do": "reset"})
        assert {await each.end() for each in (*phones[1:], again, late)} == {4003}
        told = await wall.until(lambda told: told["code"] != code)
        assert (told["seats"], told["kind"]) == (0, "lobby")
        old = Phone(site, "192.0.2.51")
        await old.open({"join": code, "token": late.token})
        assert await old.end() == 4001
        new = Phone(site, "192.0.2.51")
        new.token = late.token
        await new.join(told["code"])
        assert new.token != late.token
        for each in (new, wall):
            each.close()
        await asyncio.sleep(0.1)

    finished(talk())


class Quiet:
    def say(self, told: str) -> None:
        """Nobody looks."""


def test_a_wall_shows_the_address_under_which_it_was_opened_itself():
    async def talk() -> None:
        made = group.Class("http://192.0.2.9:8000")
        made.asking = True
        line: Any = Quiet()
        made.wall(line, "http://127.0.0.1:8000")
        assert made.about()["address"] == "192.0.2.9:8000/class"
        made.wall(line, "https://book.school.example")
        assert made.about()["address"] == "https://book.school.example/class"
        assert not made.about()["alone"]
        assert group.Class("http://127.0.0.1:1").about()["alone"]

    finished(talk())


def test_who_says_nothing_at_first_is_sent_away_and_who_has_joined_is_not():
    said: list[int] = []
    line = Line.__new__(Line)
    line.sorry = said.append
    for known in (True, False):
        line.known = known
        line._silent()
    assert said == [4009]


def test_a_class_that_everybody_has_left_is_forgotten(monkeypatch):
    made = group.Class("http://127.0.0.1:1")
    seat = made.room.join("")
    seat.sent["votes"] += 1
    made.room.left(seat)
    code = made.room.code
    made.tidy()
    assert made.room.seats
    monkeypatch.setattr(group, "IDLE", -1.0)
    made.tidy()
    assert made.room.seats == {}
    assert made.room.code != code


def test_a_class_is_served_with_its_wall_open_and_not_the_book(monkeypatch, capsys):
    """The address that is opened holds the key; a plain `serve` opens the book, and prints no key."""
    opened: list[str] = []
    monkeypatch.setattr(serve, "_building", lambda: contextlib.nullcontext(lambda: None))
    monkeypatch.setattr(serve, "_has_screen", lambda: True)
    monkeypatch.setattr(serve.webbrowser, "open", opened.append)
    monkeypatch.setattr(server, "warm_up", lambda: None)
    monkeypatch.setattr(server, "serve", lambda host, port, ready, **_: ready())
    port = str(free_port())
    for words in (["--class"], []):
        assert main(["serve", "--port", port, "--json", *words]) == 0
    told = capsys.readouterr()
    assert re.fullmatch(rf"http://127.0.0.1:{port}/class/wall#[\w-]{{24}}", opened[0])
    assert opened[1] == f"http://127.0.0.1:{port}"
    with_wall, without = map(json.loads, told.out.splitlines())
    assert with_wall["wall"] == opened[0]
    assert "wall" not in without
    assert told.err.count("#") == 1
