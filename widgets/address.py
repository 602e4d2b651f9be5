"""Where the server listens, and by which names browsers may know it. Quick to import: it is asked before all else."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import re
import socket
import sys
from typing import Any

from recprivlib.parameters import UserError

LOOPBACK = ("127.0.0.1", "localhost")
EVERYWHERE = "0.0.0.0"
PROXIED = "BOKEH_ALLOW_WS_ORIGIN"  # set where readers come through a proxy: the hosts that browsers see


def check_address(host: str, port: int) -> None:
    """Refuse now, in one sentence, what would fail after the book is built."""
    if not re.fullmatch(r"[\w.:%-]{1,253}", host, re.ASCII):
        raise UserError(refusal(host, port, OSError()))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, UnicodeError) as error:
            raise UserError(refusal(host, port, error)) from None


def refusal(host: str, port: int, error: Exception) -> str:
    """Why an address cannot be had, and the way out."""
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"port {port} on {host} is taken; choose another: make serve PORT={port + 1}, or --port {port + 1}"
    if number == errno.EACCES:
        return f"port {port} needs administrator rights; choose one from 1024 to 65535"
    return f"host is {host!r}, but must be an address of this machine, such as 127.0.0.1 or 0.0.0.0 (everybody nearby)"


def names(host: str) -> tuple[str, ...]:
    """The names under which a browser may know this server: its web sockets answer to these only."""
    if host in LOOPBACK:
        return LOOPBACK
    if host != EVERYWHERE:
        return (host,)
    own = socket.gethostname()
    found = [outward(), own, own.partition(".")[0], f"{own.partition('.')[0]}.local"]
    with contextlib.suppress(OSError):
        found += socket.gethostbyname_ex(own)[2]
    return tuple(dict.fromkeys(name for name in (*LOOPBACK, *found) if name))


def outward() -> str | None:
    """This machine's address on its network. Nothing is sent: connecting a datagram socket only picks a route."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return None


def site(host: str, port: int) -> str:
    """Where others in the network find it; where none can, this machine itself."""
    known = [name for name in names(host) if name not in LOOPBACK]
    return f"http://{known[0] if known else LOOPBACK[0]}:{port}"


def at_home(request: Any) -> bool:
    """Whether it is asked on this machine itself, and through no proxy.

    >>> from types import SimpleNamespace as Request
    >>> at_home(Request(remote_ip="127.0.0.1", headers={})), at_home(Request(remote_ip="192.0.2.7", headers={}))
    (True, False)
    """
    forwarded = any(name.lower().startswith(("x-forwarded", "x-real", "forwarded", "via")) for name in request.headers)
    with contextlib.suppress(ValueError):
        near = ipaddress.ip_address(request.remote_ip or "").is_loopback
        return near and not forwarded and PROXIED not in os.environ
    return False


def seat(request: Any) -> str:
    """The address that a request comes from; "" for this machine itself, or a proxy that does not say for whom it asks.

    >>> from types import SimpleNamespace as Request
    >>> seat(Request(remote_ip="192.0.2.7", headers={"X-Forwarded-For": "192.0.2.8"}))
    '192.0.2.7'
    >>> seat(Request(remote_ip="127.0.0.1", headers={"X-Forwarded-For": "made up, 192.0.2.8"}))
    '192.0.2.8'
    """
    last = getattr(request, "headers", {}).get("X-Forwarded-For", "").rpartition(",")[2].strip()  # the proxy's own word
    with contextlib.suppress(ValueError):
        asks = ipaddress.ip_address(getattr(request, "remote_ip", None) or "")
        if not asks.is_loopback and PROXIED not in os.environ:
            return str(asks)
        return str(ipaddress.ip_address(last))
    return ""
