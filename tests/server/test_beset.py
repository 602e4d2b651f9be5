"""Thirty readers with settings of their own, and beside them somebody of each kind who means no good."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Callable

import psutil
import pytest

from tests.server.attacks import lingering, saying
from tests.server.attacks.stage import Stage
from tests.widgets.small import looped
from widgets.load import ROOM, Crowd, beset, walked

SECONDS = 20.0


def bombs(stage: Stage, until: float) -> None:
    """The messages that no page sends, one after the other, and again."""
    while time.monotonic() < until:
        for say in saying.SAYS.values():
            saying.spoken(stage, say)
            if time.monotonic() > until:
                return


def floods(stage: Stage, until: float) -> None:
    """A page that moves its slider as fast as it can say so."""

    async def talk() -> None:
        async with saying.opened(stage) as reader:
            await reader.walk(time.monotonic() + 0.1, random.Random(0))
            at = 0
            while time.monotonic() < until:
                at += 1
                change = {"kind": "ModelChanged", "model": {"id": reader.slider}, "attr": "value"}
                await reader._say("PATCH-DOC", {"events": [change | {"new": reader.stops[at % len(reader.stops)]}]})

    with contextlib.suppress(Exception):  # it may be hung up on: that is an answer too
        looped(talk())


def headers(stage: Stage, until: float) -> None:
    """Half requests, by the thousand."""
    while time.monotonic() < until:
        lingering.half_asked(stage, 1000)


def ghosts(stage: Stage, until: float) -> None:
    """Steps of a chapter that are full of comparisons."""
    with contextlib.suppress(Exception):
        looped(beset(stage.site, "dplcf", 7, until))


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.parametrize("abuse", [bombs, floods, headers, ghosts], ids=lambda abuse: abuse.__name__)
def test_thirty_readers_are_served_beside_one_who_means_no_good(serving, book, tmp_path, abuse: Callable):
    """p95 within two seconds, nobody without an answer, less than 1.2 GB in all."""
    said = tmp_path / "said.txt"
    with said.open("w") as console, serving(book, console=console) as (site, process):
        stage = Stage(site, process, said)
        crowd = Crowd("recommenders", "k", 30, own=True)
        looped(
            walked(site, psutil.Process(process.pid), Crowd("recommenders", "k", 2), 2.0)
        )  # what a first reader loads
        abuser = threading.Thread(target=abuse, args=(stage, time.monotonic() + SECONDS + 5), daemon=True)
        abuser.start()
        found = looped(walked(site, psutil.Process(process.pid), crowd, SECONDS))
        abuser.join(120)
        assert stage.answers()
        assert "Traceback" not in said.read_text()
    print({name: round(value) for name, value in found.items()})
    assert found["unanswered"] == 0, found
    assert found["p95"] <= 2000, found
    assert found["after"] < ROOM, found
