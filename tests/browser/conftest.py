"""The built pages on a server that computes nothing."""

from __future__ import annotations

import functools
import http.server
import threading

import pytest


@pytest.fixture(scope="session")
def still_site(book):
    """The same pages on a server that computes nothing."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(book))
    handler.func.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
