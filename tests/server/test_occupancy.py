"""How many dashboards are open at once, whose turn it is, and what is given back."""

from __future__ import annotations

import asyncio
import re
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import psutil
import pytest
from tornado.httpclient import HTTPClientError

from recprivlib.cli import main
from tests.server.talk import ask
from tests.widgets.small import SMALL, looped
from widgets.kit.pool import Lane, Pool
from widgets.load import FakeReader
from widgets.occupancy import READERS, Room

ROOT = Path(__file__).resolve().parents[2]


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def asked(path: str, method: str = "GET", at: str = "127.0.0.1", **headers: str) -> SimpleNamespace:
    return SimpleNamespace(path=path, method=method, remote_ip=at, headers=headers)


def seen(at: str) -> SimpleNamespace:
    """A dashboard that is open in a browser there."""
    context = SimpleNamespace(request=asked("/apps/dplcf", at=at))
    return SimpleNamespace(document=SimpleNamespace(session_context=context), expiration_requested=False)


def test_one_address_has_half_of_the_room():
    open_ = [seen("192.0.2.7")] * 3
    room = Room(SimpleNamespace(get_sessions=lambda: open_), 6)
    status, sentence = room.full(asked("/apps/dplcf", at="192.0.2.7"))
    assert status == 503
    assert "3 dashboards are open already at your address, 192.0.2.7" in sentence
    assert room.full(asked("/apps/dplcf", at="192.0.2.8")) is None
    assert room.full(asked("/apps/dplcf")) is None  # this machine itself: a proxy, perhaps
    open_.pop()
    assert room.full(asked("/apps/dplcf", at="192.0.2.7")) is None


def test_a_full_room_says_so_and_lets_the_book_be_read():
    open_ = [seen("127.0.0.1")] * 3
    room = Room(SimpleNamespace(get_sessions=lambda: open_), 3)
    status, sentence = room.full(asked("/apps/dplcf"))
    assert status == 503
    assert "3 dashboards are open already" in sentence
    assert "looks again every ten seconds" in sentence
    for other in (
        asked("/book/intro.html"),
        asked("/apps/dplcf", "HEAD"),
        asked("/apps/dplcf/ws", Upgrade="websocket"),
    ):
        assert room.full(other) is None
    open_[0].expiration_requested = True  # its page was closed: it kept its place for up to 47 seconds
    assert room.full(asked("/apps/dplcf")) is None


def test_a_full_room_is_not_entered_with_a_header():
    """110 of 110 got in where 55 were to: the room looked whether there was an `Upgrade`, the door what it said."""
    room = Room(SimpleNamespace(get_sessions=lambda: [seen("127.0.0.1")] * 3), 3)
    for word in ("foo", "h2c", "websocket", "WebSocket", ""):
        full = room.full(asked("/apps/dplcf", Upgrade=word))
        assert full, word
        assert full[0] == 503


def test_a_full_house_stays_full_whatever_a_request_calls_itself(serving, tmp_path):
    words = ["foo", "websocket"] * 3
    with serving(tmp_path, readers=2) as (site, _):
        statuses = [ask(site, "/apps/dplcf", Upgrade=word, Connection="Upgrade", Origin=site)[0] for word in words]
    assert statuses == [200, 200, 503, 503, 503, 503]


def test_a_server_knows_where_its_readers_sit_and_when_they_have_left(serving, tmp_path):
    """Through a proxy on this machine, which says for whom it asks."""

    def opened(site: str, address: str) -> tuple[int, str]:
        request = urllib.request.Request(f"{site}/apps/dplcf", headers={"X-Forwarded-For": address})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()

    def half_is_taken(site: str) -> bool:
        status, said = opened(site, "192.0.2.7")
        assert status == 503
        return "1 dashboard is open already at your address, 192.0.2.7" in said

    async def seen_and_left(site: str) -> None:
        reader, end = FakeReader(site, "/apps/dplcf", "epsilon"), time.monotonic() + 60
        while True:
            try:
                await reader.open()
                break
            except HTTPClientError:  # whoever left before is still here, until the server has heard it
                assert time.monotonic() < end
                await asyncio.sleep(0.2)
        reader.close()
        await asyncio.sleep(0.2)  # it is said

    with serving(tmp_path, readers=2) as (site, _):
        for _ in range(3):
            looped(seen_and_left(site))  # one place after the other, and there are two
        assert opened(site, "192.0.2.7") == (200, "")
        until(lambda: half_is_taken(site))  # the last may not have left yet: then the room is full
        assert opened(site, "192.0.2.8") == (200, "")


@pytest.mark.parametrize("readers", ["0", "-1", "1001", "many"])
def test_a_number_of_readers_that_cannot_be_is_refused(capsys, readers):
    assert main(["serve", "--readers", readers]) == 2
    assert "a whole number" in capsys.readouterr().err


def test_a_reader_with_a_costly_setting_keeps_nobody_else_waiting():
    """With as many of them as there are workers, everybody waited; now they have a line of their own."""
    hold, started = Event(), Event()

    def compute(people: int, who: int) -> int:
        if people > 1:
            started.set()
            hold.wait(120)
        return people

    explorer = replace(SMALL, compute=compute)
    pool, told = Pool(workers=2), []
    try:
        for who in range(4):
            pool.costs.note(explorer, "result", {"people": 80, "who": who}, 60.0)  # it took a minute of a processor
            Lane(explorer, pool, lambda update: None).ask({"people": 80, "who": who})
        assert started.wait(60)
        lane, done = Lane(explorer, pool, lambda update: (told.append(update.result), done.set())), Event()
        lane.ask({"people": 1, "who": 9})
        assert done.wait(60), "the others are waited for"
        assert told == [1]
    finally:
        hold.set()


def test_no_figure_needs_webgl():
    """A browser has some sixteen WebGL contexts at best, and many class rooms none."""
    kinds = r"scattergl|scatterpolargl|heatmapgl|scatter3d|surface|mesh3d|parcoords|splom|scattermap\w*|cone|volume"
    for folder, ending in (("recprivlib", "*.py"), ("widgets", "*.*s"), ("book", "*.js"), ("book", "*.md")):
        for path in (ROOT / folder).rglob(ending):
            found = re.search(rf"""['"]({kinds})['"]""", path.read_text("utf-8"))
            assert found is None, f"{path}: {found and found[0]}"


@pytest.mark.slow
def test_two_hundred_dashboards_opened_and_closed_leave_less_than_thirty_megabytes(serving, book):
    """Over the warm state: what a full room of sixty left. A closed page makes room for the next at once."""

    async def visit(site: str, many: int) -> None:
        readers = [FakeReader(site, "/apps/recommenders", "k") for _ in range(many)]
        await asyncio.gather(*(reader.open() for reader in readers))
        for reader in readers:
            reader.close()
        await asyncio.sleep(0.05)  # until the server has heard it

    with serving(book) as (site, process), ThreadPoolExecutor(1) as aside:  # a browser's loop may run in this thread
        held = []
        for many, times in ((READERS, 1), (1, 200)):
            for _ in range(times):
                aside.submit(asyncio.run, visit(site, many)).result()
            time.sleep(20)  # closed pages go after 5 s; the room tidies every 10
            held.append(psutil.Process(process.pid).memory_info().rss / 2**20)
    print(f"after a full room {held[0]:.1f} MB, after two hundred more {held[1]:.1f} MB")
    assert held[1] - held[0] < 30, held
