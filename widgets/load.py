"""How many readers a server bears: light clients over real web sockets, on this machine.

    python -m widgets.load [--readers 10,30,60] [--seconds 20] [--stem recommenders] [--costly QUERY] [--dear 6]

All readers open their pages at the same moment. Then each moves the axis-slider every `PAUSE` seconds and waits until
the result is shown. Sharing readers have the same settings, others a seed of their own. A step without an answer after
`PATIENCE` seconds is unanswered. In the last line there is one reader more, who has an expensive setting trained anew
all the time.

Who has settings of his own and comes back to one finds it there, and few readers come back sooner than many: between
crowds of different size only the steps to new settings are the same work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import psutil
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from widgets.bench import serving
from widgets.kit.controls import EpsilonSlider

PAUSE, PATIENCE, LONGEST, MOST = 0.3, 5.0, 120.0, 200
ROOM = 1200  # MB that a server and its helpers may hold
FRAMES = 3  # header, metadata, content
COSTLY = "data=ml-1m&system=ease"  # 6,040 people, and a model as wide as their 3,706 films is long
OWN = {"shared": (False,), "own": (True,), "both": (False, True)}


@dataclass
class FakeReader:
    """One page without a browser."""

    site: str
    path: str
    moved: str
    times: list[float] = field(default_factory=list)
    unanswered: int = 0
    been: dict[float, float] = field(default_factory=dict)  # stop -> when it was answered first
    socket: Any = None

    async def open(self) -> float:
        """Opens the page and its socket; seconds until its first figure."""
        start = time.monotonic()
        answer = await AsyncHTTPClient().fetch(self.site + self.path, request_timeout=60)
        found = re.search(r'"token":"([^"]+)"', answer.body.decode())
        if found is None:
            raise RuntimeError(f"{self.path} is no dashboard: {answer.body[:200]!r}")
        address = self.site.replace("http", "ws") + self.path.partition("?")[0] + "/ws"
        request = HTTPRequest(address, headers={"Origin": self.site}, request_timeout=60)
        self.socket = await websocket_connect(request, subprotocols=["bokeh", found[1]], max_message_size=1 << 26)
        if self.socket.protocol is not None:
            self.socket.protocol.set_nodelay(True)  # as browsers do
        await self._hear()
        await self._say("PULL-DOC-REQ", {})
        while True:
            kind, content = await self._hear()
            if kind == "PULL-DOC-REPLY":
                break
        models = {root["attributes"]["data"]["attributes"]["name"]: root for root in content["doc"]["roots"]}
        data = models[self.moved]["attributes"]["data"]
        usual = {name: known.default for name, known in EpsilonSlider.shared().items()}  # is not sent
        known = usual | data["attributes"]
        self.slider, self.at = data["id"], known["value"]
        self.stops = [stop for stop in known["stops"] if stop != self.at]  # a link leaves the usual one out
        frame = models["frame"]
        self.frame, shown = frame["id"], frame["attributes"]["data"]
        self.frame_data = shown["id"]
        await self._happens("document_ready", [])
        while not shown["attributes"].get("shown"):
            if await self._shown(60):
                break
        return time.monotonic() - start

    def close(self) -> None:
        """Hangs up, also where the server was first."""
        if self.socket is not None:
            self.socket.close()

    async def walk(self, until: float, chance: random.Random) -> None:
        """Moves the slider to and fro."""
        place, way = self.stops.index(min(self.stops, key=lambda stop: abs(stop - self.at))), 1
        await asyncio.sleep(PAUSE * chance.random())
        while time.monotonic() < until:
            if not 0 <= place + way < len(self.stops):
                way = -way
            place += way
            self.at = self.stops[place]  # another walk goes on from here: to stay where one is has no answer
            start = time.monotonic()
            wanted = f"{self.moved}={self.stops[place]:g}"
            change = {"kind": "ModelChanged", "model": {"id": self.slider}, "attr": "value", "new": self.stops[place]}
            await self._say("PATCH-DOC", {"events": [change]})
            if await self._shown(PATIENCE, wanted):
                self.times.append(time.monotonic() - start)
                self.been.setdefault(self.stops[place], time.monotonic())
            else:
                self.unanswered += 1
            await asyncio.sleep(PAUSE * (0.75 + chance.random() / 2))

    async def strain(self, until: float) -> None:
        """Asks for new noise as soon as the last is there: another split, another training."""
        asks = ["data", {"type": "map", "entries": [["do", "noise"]]}]
        while time.monotonic() < until:
            await self._happens("data_event", [["model", {"id": self.frame}], asks])
            await self._shown(until - time.monotonic())

    async def _happens(self, name: str, values: list[Any]) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": values}}
        await self._say(
            "PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}]}
        )

    async def _shown(self, patience: float, wanted: str = "") -> bool:
        """Whether a result has come within so many seconds: that of the setting `wanted`."""
        end = time.monotonic() + patience
        while (left := end - time.monotonic()) > 0:
            try:
                kind, content = await asyncio.wait_for(self._hear(), left)
            except TimeoutError:
                return False
            if kind == "PATCH-DOC" and any(
                event.get("attr") == ("query" if wanted else "shown") and wanted in [*str(event["new"]).split("&"), ""]
                for event in content["events"]
            ):
                return True
        return False

    async def _hear(self) -> tuple[str, Any]:
        frames: list[Any] = []
        while len(frames) < FRAMES:
            said = await self.socket.read_message()
            if said is None:
                raise RuntimeError("the server hung up")
            frames.append(json.loads(said))
        for _ in range(2 * frames[0].get("num_buffers", 0)):
            await self.socket.read_message()
        return frames[0]["msgtype"], frames[2]

    async def _say(self, kind: str, content: Any) -> None:
        for part in ({"msgid": f"{time.monotonic_ns()}", "msgtype": kind}, {}, content):
            await self.socket.write_message(json.dumps(part))


@dataclass(frozen=True)
class Crowd:
    """So many readers at once, who move the same control."""

    stem: str
    moved: str
    readers: int
    own: bool = False  # settings of their own, by the seed
    costly: str = ""  # the settings of one reader more, whose steps are not counted
    dear: int = 0  # others who ask all the time for chapter steps that are full of comparisons

    def paths(self) -> list[str]:
        """The address of each."""
        return [f"/apps/{self.stem}" + (f"?seed={i + 1}" if self.own else "") for i in range(self.readers)]

    def named(self) -> str:
        """How the table calls it."""
        kind = "settings of their own" if self.own else "sharing settings"
        beside = (" + a costly one" if self.costly else "") + (f" + {self.dear} with dear steps" if self.dear else "")
        return f"{self.readers:3d} readers {kind}{beside}"


async def beset(site: str, stem: str, number: int, until: float, asks: Callable[[], Any] = lambda: None) -> None:
    """Asks for the dearest step there is, with as many comparisons as may be, and for the next with other noise."""
    from recprivlib.dashboard import explorer
    from widgets.kit.drawn import GHOSTS

    which = explorer(stem)
    axis = next(control for control in which.controls if control.place == "axis")
    most = {c.name: c.choices[-1][0] for c in which.controls if c.name == "people"}
    most = most or {c.name: "ml-1m" for c in which.controls if c.name == "data"}
    ghosts = [("ghost", f"{axis.name}={value:g}") for value in axis.steps[:GHOSTS]]
    while (left := until - time.monotonic()) > 0:
        number += 100
        query = urlencode([*most.items(), ("seed", number), *ghosts])
        asks()
        with suppress(HTTPClientError, OSError):  # refused, or cut off at the end
            await AsyncHTTPClient().fetch(f"{site}/scenes/{stem}?{query}", request_timeout=left)


async def walked(site: str, process: psutil.Process, crowd: Crowd, seconds: float) -> dict[str, float]:
    """Opens all pages at once, then has everybody drag for so long."""
    AsyncHTTPClient.configure(None, max_clients=MOST + 1)
    chance, before, began = random.Random(1), _memory(process), _work(process)
    everybody = [FakeReader(site, path, crowd.moved) for path in crowd.paths()]
    opened = await asyncio.gather(*(reader.open() for reader in everybody))
    others = [FakeReader(site, f"/apps/{crowd.stem}?{crowd.costly}", crowd.moved)] if crowd.costly else []
    for other in others:
        await other.open()
    start, ready = time.monotonic(), _work(process)
    walks = [reader.walk(start + seconds, random.Random(chance.random())) for reader in everybody]
    dear = [beset(site, crowd.stem, number, start + seconds) for number in range(crowd.dear)]
    await asyncio.gather(*walks, *(other.strain(start + seconds) for other in others), *dear)
    took, worked, after = time.monotonic() - start, _work(process) - ready, _memory(process)
    for reader in [*everybody, *others]:
        reader.close()
    times = np.array([t for reader in everybody for t in reader.times] or [np.nan])
    return {f"p{q}": 1000 * float(np.quantile(times, q / 100)) for q in (50, 95, 99)} | {
        "unanswered": sum(reader.unanswered for reader in everybody),
        "rate": sum(len(reader.times) for reader in everybody) / took,
        "new": sum(len(r.been) / (max(r.been.values()) - start) for r in everybody if r.been),  # until all were seen
        "step": 1000 * worked / max(1, sum(len(reader.times) for reader in everybody)),
        "opened": max(opened),
        "page": 1000 * (ready - began) / len([*everybody, *others]),
        "before": before / 2**20,
        "after": after / 2**20,
    }


def _family(process: psutil.Process) -> list[psutil.Process]:
    """The server, and all that compute for it."""
    return [process, *process.children(recursive=True)]


def _work(process: psutil.Process) -> float:
    """Seconds of a processor so far, with those of helpers who have ended."""
    found = 0.0
    for one in _family(process):
        with suppress(psutil.NoSuchProcess):
            found += sum(one.cpu_times()[:4])
    return found


def _memory(process: psutil.Process) -> int:
    """Bytes that all of them hold together: what several share is counted once, where the system can tell."""
    found = 0
    for one in _family(process):
        with suppress(psutil.NoSuchProcess):
            about = one.memory_full_info()
            found += getattr(about, "pss", about.rss)
    return found


HEAD = (
    f"{'':46}  p50 ms  p95 ms  p99 ms  unanswered  steps/s   new/s  server's work: a step, a page  all open in  memory"
)


def told(crowd: Crowd, found: dict[str, float]) -> str:
    """One line of the table."""
    return (
        f"{crowd.named():46}  {found['p50']:6.0f}  {found['p95']:6.0f}  {found['p99']:6.0f}"
        f"  {found['unanswered']:10.0f}"
        f"  {found['rate']:7.1f}  {found['new']:6.1f}"
        f"  {found['step']:16.1f} ms {found['page']:6.0f} ms  {found['opened']:9.1f} s"
        f"  {found['before']:.0f} -> {found['after']:.0f} MB"
    )


def goals(table: dict[Crowd, dict[str, float]]) -> list[tuple[str, bool]]:
    """What a class of thirty on two cores may expect, and whether it held."""
    held = [("nobody stays unanswered", all(found["unanswered"] == 0 for found in table.values()))]
    for readers, own, p50, p95 in ((30, True, 1000, 2000), (60, False, np.inf, 300)):
        for crowd, found in table.items():
            if (crowd.readers, crowd.own, crowd.costly) == (readers, own, ""):  # beside dear steps, too
                median = "" if p50 == np.inf else f"p50 at most {p50} ms, "
                held.append((f"{crowd.named().strip()}: {median}p95 at most {p95} ms",
                             found["p50"] <= p50 and found["p95"] <= p95))  # fmt: skip
    for own in (False, True):
        what = "steps to new settings" if own else "steps"
        crowds = sorted(
            (c for c in table if c.own == own and not c.costly and not c.dear), key=lambda crowd: crowd.readers
        )
        rates = [table[crowd]["new" if own else "rate"] for crowd in crowds]
        if len(rates) > 1:
            kind = "of their own" if own else "shared"
            sentence = f"settings {kind}: more readers are never served less than 80 % of the best {what} per second"
            held.append((sentence, all(rate >= 0.8 * max(rates[: at + 1]) for at, rate in enumerate(rates))))
    held += [(f"{crowd.named().strip()}: less than {ROOM} MB in all", found["after"] < ROOM)
             for crowd, found in table.items() if crowd.dear]  # fmt: skip
    for crowd, found in table.items():
        calm = table.get(replace(crowd, costly=""))
        if crowd.costly and calm is not None:
            held.append((f"{crowd.named().strip()}: nobody waits more than twice as long",
                         found["p50"] <= 2 * calm["p50"] and found["p95"] <= 2 * calm["p95"]))  # fmt: skip
    return held


def main() -> int:
    """Prints a line for each crowd and what was aimed at; exits 1 where a step stayed unanswered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readers", default="10,30,60", help="how many at once (10,30,60; at most 200)")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--stem", default="recommenders")
    parser.add_argument("--settings", choices=("own", "shared", "both"), default="both")
    parser.add_argument("--dear", type=int, default=0, help="others who ask for steps full of comparisons all the time")
    parser.add_argument("--costly", default=COSTLY, metavar="QUERY", help="one reader more beside the smallest crowd")
    asked = parser.parse_args()
    from recprivlib.dashboard.catalogue import explorer

    moved = next(c.name for c in explorer(asked.stem).controls if c.place == "axis")
    many = [min(int(text), MOST) for text in asked.readers.split(",")]
    crowds = [Crowd(asked.stem, moved, readers, own) for own in OWN[asked.settings] for readers in many]
    if asked.dear:
        crowds.append(replace(crowds[-1], dear=min(asked.dear, MOST)))
    if asked.costly:
        crowds.append(replace(crowds[0], costly=asked.costly))
    table: dict[Crowd, dict[str, float]] = {}
    print(HEAD)
    for crowd in crowds:
        with serving(asked.stem) as (site, process):
            table[crowd] = asyncio.run(walked(site, process, crowd, min(asked.seconds, LONGEST)))
        print(told(crowd, table[crowd]), flush=True)
    for sentence, held in goals(table):
        print("holds " if held else "MISSED", sentence)
    print("load of this machine over the last 1, 5, 15 minutes:", *(f"{load:.1f}" for load in psutil.getloadavg()))
    return min(1, int(sum(found["unanswered"] for found in table.values())))


if __name__ == "__main__":
    sys.exit(main())
