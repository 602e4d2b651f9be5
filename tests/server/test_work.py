"""Work without a bound, asked of a real server: it holds up whoever asked for it, and nobody else."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time

import psutil
import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError

from tests.widgets.small import looped
from widgets.load import PATIENCE, FakeReader

MOMENT = 20.0  # seconds; on a machine that has nothing else to do it is less than two
GHOSTS = "&".join(f"ghost=people%3D80%26epsilon%3D{at / 10}" for at in range(1, 9))


def helpers(process) -> list[psutil.Process]:
    """Those that compute: copies of the one that has loaded the library."""
    family = psutil.Process(process.pid).children(recursive=True)
    return [one for one in family if one.is_running() and one.ppid() != process.pid]


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


async def scene(site: str, query: str, seconds: float = 120.0) -> tuple[int, dict]:
    """Status and answer."""
    try:
        answer = await AsyncHTTPClient(force_instance=True).fetch(
            f"{site}/scenes/dplcf?{query}", request_timeout=seconds
        )
    except HTTPClientError as refused:
        if refused.response is None:
            return refused.code, {}
        answer = refused.response
    return answer.code, json.loads(answer.body)


def test_six_scenes_full_of_comparisons_keep_no_reader_waiting(serving, tmp_path):
    """As many stopped every new scene for four minutes."""

    async def walked(site: str) -> tuple[float, float]:
        reader = FakeReader(site, "/apps/dplcf?seed=3", "epsilon")
        await reader.open()
        asks = [asyncio.create_task(scene(site, f"people=80&seed={at}&{GHOSTS}", 300)) for at in range(6)]
        await asyncio.sleep(3)
        began = time.monotonic()
        status, told = await scene(site, "epsilon=3&seed=11", MOMENT)
        took = time.monotonic() - began
        assert (status, set(told) >= {"say", "figures"}) == (200, True), told
        assert not any(ask.done() and ask.result()[0] == 200 for ask in asks), "they were not under way"
        await reader.walk(time.monotonic() + 10, random.Random(1))
        for ask in asks:
            ask.cancel()
        reader.close()
        assert reader.unanswered == 0
        return took, max(reader.times)

    with serving(tmp_path) as (site, _):
        took, worst = looped(asyncio.wait_for(walked(site), 240))
    print(f"a new scene took {took:.2f} s, the reader waited {worst:.2f} s at most")
    assert worst < PATIENCE


def test_more_comparisons_than_a_chapter_asks_for_are_refused_in_a_sentence(serving, tmp_path):
    many = "&".join(f"ghost=epsilon%3D{at / 100}" for at in range(20, 29))
    with serving(tmp_path) as (site, _):
        status, told = looped(scene(site, many))
        assert (status, told["what"]) == (422, "9 comparisons are asked for, but a step has at most 8.")
        dear = "&".join(f"ghost=people%3D80%26epsilon%3D{at / 10}%26server%3Dap" for at in range(1, 9))
        assert looped(scene(site, f"people=80&seed=1&{dear}", 2.0))[0] in (200, 599)  # it is let in


def test_helpers_are_killed_again_and_again_and_nobody_loses_a_session(serving, tmp_path):
    """A killed helper costs at most the one reader it works for one sentence: the next step is answered."""

    async def dragged(site: str, process) -> tuple[int, int]:
        reader = FakeReader(site, "/apps/dplcf?seed=5", "epsilon")
        await reader.open()
        socket, killed = reader.socket, 0
        for _ in range(4):
            for one in helpers(process):
                os.kill(one.pid, signal.SIGKILL)
                killed += 1
            await reader.walk(time.monotonic() + 4, random.Random(killed))
        assert reader.socket is socket
        reader.close()
        return killed, len(reader.times)

    with serving(tmp_path) as (site, process):
        until(lambda: len(helpers(process)) >= 2)
        killed, answered = looped(asyncio.wait_for(dragged(site, process), 120))
        assert killed >= 6
        assert answered >= 4
        status, told = looped(scene(site, "seed=77"))  # that nobody has asked for yet
        assert status == 200, told
        until(lambda: len(helpers(process)) >= 2)  # others have taken their places


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_helpers_end_with_their_server(serving, tmp_path, number):
    with serving(tmp_path) as (_, process):
        until(lambda: len(helpers(process)) >= 2)
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        process.wait(30)
    assert psutil.wait_procs(family, timeout=30)[1] == []
