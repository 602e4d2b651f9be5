"""Thirty readers with settings of their own, and beside them somebody of each kind who means no good."""

from __future__ import annotations

import asyncio

import psutil
import pytest

from tests.server.attacks.besetting import DEAR, KINDS, besetting
from tests.server.attacks.stage import Stage
from tests.widgets.small import looped
from widgets.load import ROOM, Crowd, walked

SECONDS = 15.0
PATIENCE = 45.0  # until all of it has ended, the thirty pages opened too


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.parametrize("kind", KINDS)
def test_thirty_readers_are_served_beside_one_who_means_no_good(serving, tmp_path, kind: str):
    """p95 within two seconds, nobody without an answer, less than 1.2 GB in all."""
    said = tmp_path / "said.txt"
    with said.open("w") as console, serving(tmp_path, console=console) as (site, process):
        about = psutil.Process(process.pid)
        looped(walked(site, about, Crowd("recommenders", "k", 2), 2.0))  # what a first reader loads
        with besetting(kind, site) as done:
            beside = walked(site, about, Crowd("recommenders", "k", 30, own=True), SECONDS)
            found = looped(asyncio.wait_for(beside, PATIENCE))
            assert Stage(site, process, said).answers()
            many = done()
        assert "Traceback" not in said.read_text()
    print(f"{many:,} {kind}:", *(f"{name} {value:,.1f}" for name, value in found.items()))
    assert many >= DEAR, "nobody was there who meant no good"
    assert found["unanswered"] == 0, found
    assert found["p95"] <= 2000, found
    assert found["after"] < ROOM, found
