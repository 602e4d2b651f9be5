"""A plain static host, as strict as one may be: files under a path of its own, no other host, nothing run from text.

    with hosted(folder) as host:
        page = visit("/book/dplcf.html", site=host.address)
        ...
        host.log        # (path, status) of every request, in order
        host.sent       # bytes of the answers' bodies

It knows nothing of the project: files, validators, the .gz that lies beside a file, and a Content-Security-Policy in
which a page's own inline scripts are allowed by their hashes alone.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

UNDER = "/some/where/"
KINDS = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
    ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png",
    ".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf", ".zip": "application/zip",
}  # fmt: skip
INLINE = re.compile(rb"<script(?![^>]*\bsrc=)(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)
HANDLERS = re.compile(rb'\son\w+="([^"]*)"')


@dataclass
class Host:
    """A running host: its address without a slash at the end, and what it was asked."""

    address: str
    log: list[tuple[str, int]] = field(default_factory=list)
    sent: int = 0

    def asked(self, ending: str) -> int:
        """How often a file of this name was handed out whole."""
        return sum(path.endswith(ending) and status == 200 for path, status in self.log)


@contextlib.contextmanager
def hosted(folder: Path, under: str = UNDER) -> Iterator[Host]:
    """`folder` at a free port of this machine, under the path `under`."""
    host = Host("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self, folder, under, host)

        do_HEAD = do_GET

        def log_message(self, *words: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host.address = f"http://127.0.0.1:{server.server_port}{under.rstrip('/')}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def answer(handler: BaseHTTPRequestHandler, folder: Path, under: str, host: Host) -> None:
    """One request for one file."""
    path = unquote(urlsplit(handler.path).path)
    file = (folder / path.removeprefix(under)).resolve()
    if file.is_dir():
        file /= "index.html"
    status, body, headers = 404, b"no such file", {"Content-Type": "text/plain"}
    if path.startswith(under) and file.is_relative_to(folder.resolve()) and file.is_file():
        status, body, headers = whole(file, handler.headers)
    host.log.append((path, status))
    host.sent += len(body)
    handler.send_response(status)
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command == "GET":
        with contextlib.suppress(ConnectionError):
            handler.wfile.write(body)


def whole(file: Path, wanted: Any) -> tuple[int, bytes, dict[str, str]]:
    """A file as a host of files hands it out: not again to who has it, and small to who can unpack it."""
    about = file.stat()
    headers = {
        "Content-Type": KINDS.get(file.suffix, "application/octet-stream"),
        "ETag": f'"{about.st_mtime_ns:x}-{about.st_size:x}"',
        "Last-Modified": formatdate(about.st_mtime, usegmt=True),
        "X-Content-Type-Options": "nosniff",
    }
    if file.suffix in (".html", ".mjs", ".js"):  # a worker has a policy of its own, that of its script
        headers["Content-Security-Policy"] = policy(file, about.st_mtime_ns)
    if wanted.get("If-None-Match") == headers["ETag"]:
        return 304, b"", headers
    small = file.with_name(f"{file.name}.gz")
    if small.is_file() and "gzip" in wanted.get("Accept-Encoding", ""):
        return 200, small.read_bytes(), {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return 200, file.read_bytes(), headers


@lru_cache(maxsize=256)
def policy(file: Path, changed: int) -> str:
    """Everything from here, no text run as a script but a page's own, by its hash."""
    body = file.read_bytes() if file.suffix == ".html" else b""
    hashes = [f"'sha256-{_hash(text)}'" for text in {*INLINE.findall(body), *HANDLERS.findall(body)}]
    script = " ".join(["'self'", "'wasm-unsafe-eval'", *(["'unsafe-hashes'", *sorted(hashes)] if hashes else [])])
    return (
        f"default-src 'self'; object-src 'none'; script-src {script}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; "
        "font-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; "
        "base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    )


def _hash(text: bytes) -> str:
    return base64.b64encode(hashlib.sha256(text).digest()).decode()
