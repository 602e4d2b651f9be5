"""A phone and a wall without a browser, on real web sockets; and a room of them in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from tests.server.talk import ask


async def socket(site: str, where: str, address: str = "", **headers: str) -> Any:
    """A line to the class, from `address` as a proxy on this machine would say it."""
    headers = {"Origin": site} | ({"X-Forwarded-For": address} if address else {}) | headers
    return await websocket_connect(HTTPRequest(site.replace("http", "ws") + where, headers=headers))


def key(site: str) -> str:
    """That of the wall, as this machine is told it."""
    return str(json.loads(ask(site, "/live.json")[2])["wall"]).partition("#")[2]


class Client:
    """Keeps the last word of one kind that it has heard."""

    where, word = "", ""

    def __init__(self, site: str, address: str = ""):
        self.site, self.address, self.told, self.at = site, address, {}, 0.0
        self.got, self.closed = asyncio.Event(), None
        self.said: list[str] = []  # sentences of refusal

    async def open(self, hello: dict[str, Any]) -> None:
        self.socket = await socket(self.site, self.where, self.address)
        self.reading = asyncio.create_task(self.read())
        self.say(hello)

    async def read(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            self.hear(json.loads(text))
            self.got.set()
        self.closed = self.socket.close_code
        self.socket.close()  # on this side too
        self.got.set()

    def hear(self, news: dict[str, Any]) -> None:
        self.said += [news["no"]] if "no" in news else []
        if self.word in news:
            self.told, self.at = news[self.word], time.time()

    def say(self, message: Any) -> None:
        text = message if isinstance(message, (str, bytes)) else json.dumps(message)
        self.socket.write_message(text, binary=isinstance(text, bytes))

    async def until(self, what: Any, seconds: float = 20.0) -> dict[str, Any]:
        """What it is told, as soon as that is so."""
        async with asyncio.timeout(seconds):
            while not (self.told and what(self.told)) and self.closed is None:
                self.got.clear()
                await self.got.wait()
        return self.told

    async def end(self) -> int | None:
        """With which code the other side closes."""
        async with asyncio.timeout(20):
            await self.reading
        return self.closed

    def close(self) -> None:
        self.socket.close()


class Phone(Client):
    where, word = "/class/ws", "state"
    token = ""

    async def join(self, code: str) -> Phone:
        await self.open({"join": code, "token": self.token})
        await self.until(lambda state: True)
        return self

    def hear(self, news: dict[str, Any]) -> None:
        self.token = news.get("you", self.token)
        super().hear(news)

    async def answer(self, chance: random.Random, pause: float = 0.0) -> float:
        """What somebody does in this round, after a while: when it was sent."""
        await asyncio.sleep(chance.random() * pause)
        s = self.told
        r = {"r": s["r"]}
        if s["kind"] == "crowd":
            bits = s["card"] or [chance.getrandbits(1) for _ in s["films"]]
            said = {"lies": "".join(str(int(chance.random() < s["p" if bit else "q"])) for bit in bits)}
        elif s["kind"] == "sketch":
            top, bend = chance.uniform(55, 95), chance.uniform(0.6, 2.5)
            said = {"line": [round(top * x**bend + chance.uniform(0, 4)) for x in s["places"]]}
        elif s["kind"] == "vote":
            said = {"vote": chance.randrange(len(s["answers"]))}
        else:
            said = {"t": s["t"], "guess": s["answer"]}
        sent = time.time()
        self.say(r | said)
        await self.until(lambda now: now.get("sent") or now.get("vote") is not None or now.get("guess") is not None)
        return sent


class Wall(Client):
    where, word = "/class/wall/ws", "wall"

    async def enter(self, secret: str) -> Wall:
        await self.open({"key": secret})
        await self.until(lambda wall: True)
        return self

    async def do(self, message: dict[str, Any], until: Any) -> dict[str, Any]:
        self.say(message)
        return await self.until(until)


class Pupils(threading.Thread):
    """A loop of their own, so that a test can look at browsers meanwhile."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.loop = asyncio.new_event_loop()
        self.phones: list[Phone] = []
        self.chance = random.Random(7)

    def run(self) -> None:
        self.loop.run_forever()

    def do(self, coroutine: Any, seconds: float = 60.0) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)

    def join_class(self, site: str, code: str, many: int) -> None:
        async def all_of_them() -> None:
            self.phones += await asyncio.gather(*(Phone(site).join(code) for _ in range(many)))

        self.do(all_of_them())

    def answer(self, kind: str, phase: str = "open", turn: int = 0, pause: float = 0.5) -> list[float]:
        """All of them, once they have been asked; when each was sent, in order."""

        async def each(phone: Phone) -> float:
            await phone.until(lambda s: s["kind"] == kind and s["phase"] == phase and s.get("t", 0) == turn)
            return await phone.answer(self.chance, pause)

        async def all_of_them() -> list[float]:
            return list(await asyncio.gather(*map(each, self.phones)))

        return sorted(self.do(all_of_them()))

    def leave(self) -> None:
        async def all_of_them() -> None:
            for phone in self.phones:
                phone.close()
            await asyncio.sleep(0.2)

        self.do(all_of_them())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.join(10)
        self.loop.close()
