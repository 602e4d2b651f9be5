"""The lines of a class: sentences that nobody says there, and codes that are guessed."""

from __future__ import annotations

import asyncio
import gc
import json
import warnings
from typing import Any

from tornado.httpclient import HTTPClientError

from tests.classroom.people import Client, Phone, Wall, key, socket
from tests.server.attacks.stage import MB, Stage
from tests.server.talk import finished

VOTE = '{"r":0,"vote":0}'
SAYS: dict[str, list[str | bytes]] = {
    "a flood": [VOTE] * 60,
    "a novel": ["x" * 100_000],
    "a megabyte": ["x" * MB],
    "brackets": ["[" * 500],
    "bytes": [b"\x00\xff"],
    "nothing": [""],
    "a script": ["<script>alert(1)</script>"],
    "a number without an end": ['{"r":1,"vote":1e999}'],
    "a second hello": ['{"join":"BCDFGH","token":""}'],
    "a command of the wall": ['{"do":"reset"}'],
    "a class of Python": ['{"__class__":"os"}'],
}


def spoken(stage: Stage, said: list[str | bytes]) -> str:
    """A phone that has joined as it should, and a wall: each is sent away for it, in a plain word."""

    async def talk() -> str:
        wall = await Wall(stage.site).enter(key(stage.site))
        phone = await Phone(stage.site).join(wall.told["code"])
        other = await Phone(stage.site).join(wall.told["code"])
        for message in said:
            phone.say(message)
        code = await phone.end()
        wrong = "" if code in (4008, 4009, 1009, None) else f"a phone: {code}"
        if '{"do":"reset"}' not in said:
            for message in said:
                wall.say(message)
            code = await wall.end()
            wrong += "" if code in (4001, 4008, 4009, 1009, None) else f" the wall: {code}"
        if other.closed is not None:
            wrong += " others were sent away too"
        for each in (wall, phone, other):
            each.close()
        await asyncio.sleep(0.1)
        return wrong

    return str(finished(talk()))


GUESSED: dict[str, tuple[type[Client], Any]] = {
    "codes": (Phone, lambda at: {"join": f"BBBB{'BCDFGHJKLMNPQRST'[at]}B", "token": ""}),
    "keys": (Wall, lambda at: {"key": f"guess-{at}"}),
    "the right key, after too many": (Wall, None),
    "from another site": (Phone, "https://evil.example"),
    "the wall, from another site": (Wall, "https://evil.example"),
}


def guessed(stage: Stage, one: tuple[type[Client], Any]) -> str:
    """Ten of an address are told that they are wrong; then nobody there is told anything."""
    kind, said = one
    address = f"192.0.2.{10 + [*GUESSED.values()].index(one)}"

    async def talk() -> str:
        if isinstance(said, str):
            try:
                await socket(stage.site, kind.where, address, Origin=said)
            except HTTPClientError as refused:
                return "" if refused.code == 403 else str(refused.code)
            return "it was let in"
        codes = []
        for at in range(13):
            client = kind(stage.site, address)
            right = said is None and at == 12
            await client.open({"key": key(stage.site) if right else "x"} if said is None else said(at))
            codes.append(await client.end())
        return "" if codes == 10 * [4001] + 3 * [4010] else json.dumps(codes)

    with warnings.catch_warnings():  # Tornado leaves the socket of a refused handshake to be collected
        warnings.simplefilter("ignore", ResourceWarning)
        said_of_it = str(finished(talk()))
        gc.collect()
    return said_of_it
