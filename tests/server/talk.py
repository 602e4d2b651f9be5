"""Speaking to a server without a browser: requests exactly as they are written, and web sockets."""

from __future__ import annotations

import asyncio
import gc
import http.client
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from widgets import server

STEM = server.stems()[0]
PATIENCE = 60.0  # seconds until an answer: the machine of a CI run is busy with other tests


def finished(talk):
    """What a coroutine gives, in a thread of its own: another test of this process may have left a loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, talk).result()


def ask(site: str, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """The answer to a request exactly as it is written."""
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")
    connection.close()
    return found


def token(site: str, stem: str = STEM) -> str:
    """That of a page which has just been opened."""
    found = re.search(r'"token":"([^"]+)"', ask(site, f"/apps/{stem}")[2])
    assert found
    return found[1]


def speak(site: str, token: str, *messages: str, **headers: str) -> list[Any]:
    """What a web socket answers: the status that refused it, or its messages until it is closed or silent."""

    async def talk() -> list[Any]:
        request = HTTPRequest(f"{site.replace('http', 'ws')}/apps/{STEM}/ws", headers=headers)
        try:
            socket = await websocket_connect(request, subprotocols=["bokeh", token])
        except Exception as error:
            return [getattr(error, "code", repr(error))]
        heard: list[Any] = [await asyncio.wait_for(socket.read_message(), PATIENCE)]
        for message in messages:
            await socket.write_message(message)
        if messages:
            while heard[-1] is not None:
                heard.append(await asyncio.wait_for(socket.read_message(), PATIENCE))
            heard.append(socket.close_code)
        socket.close()
        await asyncio.sleep(0.1)  # the other side hangs up too
        return heard

    with warnings.catch_warnings():  # Tornado leaves the socket of a refused handshake to be collected
        warnings.simplefilter("ignore", ResourceWarning)
        heard = finished(talk())
        gc.collect()
    return heard
