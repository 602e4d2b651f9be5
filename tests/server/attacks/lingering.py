"""Clients that are slow: bodies and lines without an end, half a request, answers that nobody reads."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator

from tests.server.attacks.saying import opened, patch
from tests.server.attacks.stage import MB, Stage
from tests.server.talk import PATIENCE, finished
from widgets import connections as gate

MOMENT = 20.0  # seconds until an answer; on a machine that has nothing else to do it is less than one


def bodies(stage: Stage, lines: str) -> str:
    """Four that begin to send 95 MB and never end."""
    before, chunk = stage.memory(), b"x" * MB
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            one = stack.enter_context(socket.create_connection(stage.address, PATIENCE))
            one.settimeout(5)
            with contextlib.suppress(OSError):
                one.sendall(f"POST / HTTP/1.1\r\nHost: {stage.address[0]}\r\n{lines}\r\n\r\n".encode())
                for _ in range(94):
                    one.sendall(chunk)
        grown = stage.memory() - before
    return "" if grown < 20 else f"{grown:.0f} MB more"


def half_asked(stage: Stage, many: int) -> str:
    """So many who write a line of a request and no more; readers come in, and later all are gone."""
    with contextlib.ExitStack() as stack:
        crowd = []
        for _ in range(many):
            one = stack.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(stage.address)
            crowd.append(one)
            if len(crowd) % 100 == 0:
                time.sleep(0.05)  # the queue of a listening socket is short
        for one in crowd:
            with contextlib.suppress(OSError):
                one.send(b"GET / HTTP/1.1\r\nX: ")
        start = time.monotonic()
        if not stage.answers():
            return "no answer beside them"
        took, left = time.monotonic() - start, stage.connections()
        if left > gate.capacity(60) or took > MOMENT:
            return f"{left} are open beside a reader who waited {took:.1f} s"
        end = time.monotonic() + gate.SLOW + PATIENCE
        while time.monotonic() < end and stage.connections():
            for one in crowd:  # a letter now and then
                with contextlib.suppress(OSError):
                    one.send(b"x")
            time.sleep(2)
        return f"{stage.connections()} are open for good" if stage.connections() else ""


def long_lines(stage: Stage, lines: Callable[[], Iterator[bytes]]) -> str:
    """Lines of a request without an end."""
    before = stage.memory()
    with socket.create_connection(stage.address, PATIENCE) as one:
        one.settimeout(5)
        with contextlib.suppress(OSError):
            one.sendall(b"GET / HTTP/1.1\r\n")
            for line in lines():
                one.sendall(line)
            if one.recv(1 << 16).startswith(b"HTTP/1.1 200"):
                return "it was answered"
    grown = stage.memory() - before
    return "" if grown < 20 else f"{grown:.0f} MB more"


BODIES = {
    "announced": f"Content-Length: {95 * MB}",
    "in chunks": "Transfer-Encoding: chunked\r\n\r\n5f00000",
}
LINES: dict[str, Callable[[], Iterator[bytes]]] = {
    "one long line": lambda: iter([b"X: "] + [b"x" * 4096] * 4096),
    "many lines": lambda: iter([b"X: y\r\n" * 1000] * 1000),
    "a long path": lambda: iter([b"X: y\r\n\r\nGET /" + b"x" * MB]),
}


def unread(stage: Stage, wish: str) -> str:
    """Somebody asks for another look at all figures, again and again, and reads no answer."""

    async def talk() -> str:
        async with opened(stage) as reader:
            stream, before, most = reader.socket.protocol.stream, stage.memory(), 0.0
            stream.io_loop.remove_handler(stream.fileno())  # nothing is taken from the wire any more
            raw = stream.socket
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.setblocking(True)
            raw.settimeout(2)
            try:
                for at in range(1500):
                    for fragment in patch({"kind": "ModelChanged", "model": {"id": reader.frame_data},
                                           "attr": "theme", "new": ("dark", "light")[at % 2]}):  # fmt: skip
                        raw.sendall(_masked(str(fragment).encode()))
                    if at % 50 == 0:
                        most = max(most, stage.memory() - before)
                        if most > 100:
                            break
                        time.sleep(0.2)
            except OSError:  # it has hung up
                pass
            most = max(most, stage.memory() - before)
            with contextlib.suppress(OSError):
                raw.close()
            return "" if most < 100 else f"{most:.0f} MB more"

    return str(finished(talk()))


def _masked(text: bytes) -> bytes:
    """A frame of a web socket, masked with zeros."""
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return b"\x81" + size + bytes(4) + text
