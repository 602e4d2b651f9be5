"""How many readers a server bears: light clients over real web sockets, on this machine.

    python -m widgets.load [--readers 10,30,60] [--seconds 20] [--stem recommenders] [--costly]

A light reader opens a page, moves its axis-slider every `PAUSE` seconds and waits until the result is shown. Sharing
readers have the same settings, others a seed of their own. A step without an answer after `PATIENCE` s is unanswered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect

from widgets.bench import serving

PAUSE, PATIENCE, LONGEST, MOST = 0.3, 5.0, 120.0, 200
FRAMES = 3  # header, metadata, content


@dataclass
class Reader:
    """One page without a browser."""

    site: str
    path: str
    moved: str
    times: list[float] = field(default_factory=list)
    unanswered: int = 0

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
        await self._hear()
        await self._say("PULL-DOC-REQ", {})
        while True:
            kind, content = await self._hear()
            if kind == "PULL-DOC-REPLY":
                break
        models = {root["attributes"]["data"]["attributes"]["name"]: root for root in content["doc"]["roots"]}
        data = models[self.moved]["attributes"]["data"]
        self.slider, self.at = data["id"], data["attributes"]["value"]
        self.stops = [
            stop for stop in data["attributes"]["stops"] if stop != self.at
        ]  # a link leaves the usual one out
        shown = next(root["attributes"]["data"] for name, root in models.items() if name.startswith("Frame"))
        ready = {"type": "event", "name": "document_ready", "values": {"type": "map"}}
        await self._say(
            "PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": ready}]}
        )
        while not shown["attributes"].get("shown"):
            if await self._shown(60):
                break
        return time.monotonic() - start

    async def walk(self, until: float, chance: random.Random) -> None:
        """Moves the slider to and fro."""
        place, way = self.stops.index(min(self.stops, key=lambda stop: abs(stop - self.at))), 1
        await asyncio.sleep(PAUSE * chance.random())
        while time.monotonic() < until:
            if not 0 <= place + way < len(self.stops):
                way = -way
            place += way
            start = time.monotonic()
            wanted = f"{self.moved}={self.stops[place]:g}"
            change = {"kind": "ModelChanged", "model": {"id": self.slider}, "attr": "value", "new": self.stops[place]}
            await self._say("PATCH-DOC", {"events": [change]})
            if await self._shown(PATIENCE, wanted):
                self.times.append(time.monotonic() - start)
            else:
                self.unanswered += 1
            await asyncio.sleep(PAUSE * (0.75 + chance.random() / 2))

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


async def crowd(
    site: str, stem: str, moved: str, readers: int, seconds: float, own: bool, costly: str
) -> dict[str, Any]:
    """So many readers at once; with `costly`, one more at these settings, whose steps are not counted."""
    AsyncHTTPClient.configure(None, max_clients=MOST + 1)
    paths = [f"/apps/{stem}" + (f"?seed={i + 1}" if own else "") for i in range(readers)]
    chance = random.Random(1)
    everybody = [Reader(site, path, moved) for path in paths]
    opened = await asyncio.gather(*(reader.open() for reader in everybody))
    others = [Reader(site, f"/apps/{stem}?{costly}", moved)] if costly else []
    for other in others:
        await other.open()
    start = time.monotonic()
    walks = [reader.walk(start + seconds, random.Random(chance.random())) for reader in [*everybody, *others]]
    await asyncio.gather(*walks)
    took = time.monotonic() - start
    for reader in [*everybody, *others]:
        reader.socket.close()
    times = np.array([t for reader in everybody for t in reader.times] or [np.nan])
    quantiles = {f"p{q}": float(np.quantile(times, q / 100)) for q in (50, 95, 99)}
    return quantiles | {
        "opened": max(opened),
        "steps": len(times),
        "unanswered": sum(reader.unanswered for reader in everybody),
        "rate": sum(len(reader.times) for reader in everybody) / took,
    }


def main() -> int:
    """Prints a line for each crowd; exits 1 where a step stayed unanswered."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readers", default="10,30,60", help="how many at once (10,30,60; at most 200)")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--stem", default="recommenders")
    parser.add_argument("--settings", choices=("own", "shared", "both"), default="both")
    parser.add_argument("--costly", default="", metavar="QUERY", help="one reader more, at expensive settings")
    asked = parser.parse_args()
    from recprivlib.live import explorer

    moved = next(c.name for c in explorer(asked.stem).controls if c.place == "axis")
    kinds = {"own": (True,), "shared": (False,), "both": (False, True)}[asked.settings]
    bad = 0
    for own in kinds:
        for readers in (min(int(text), MOST) for text in asked.readers.split(",")):
            with serving(asked.stem) as (site, process):
                before, worked = process.memory_info().rss, sum(process.cpu_times()[:2])
                seconds = min(asked.seconds, LONGEST)
                found = asyncio.run(crowd(site, asked.stem, moved, readers, seconds, own, asked.costly))
                worked, after = sum(process.cpu_times()[:2]) - worked, process.memory_info().rss
            print(
                f"{readers:3d} readers, {'own settings' if own else 'shared':12}  p50 {1000 * found['p50']:5.0f} ms  "
                f"p95 {1000 * found['p95']:5.0f} ms  p99 {1000 * found['p99']:5.0f} ms  "
                f"unanswered {found['unanswered']}  {found['rate']:5.1f} steps/s  all open in {found['opened']:.1f} s  "
                f"server {before / 2**20:.0f} -> {after / 2**20:.0f} MB, "
                f"{1000 * worked / max(1, found['steps']):.0f} ms "
                "of its processor a step with opening",
                flush=True,
            )
            bad += found["unanswered"]
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
