"""Requests: routes of the framework, paths, methods, tokens, and what pages of other sites have a browser ask."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from tests.server.attacks.stage import MB, ROOT, Stage
from tests.server.talk import STEM, ask, speak, token
from widgets import routes, server


@cache
def table() -> tuple[tuple[str, str], ...]:
    """The routes of the server, as Bokeh and Panel are installed: pattern and handler."""
    code = (
        "import asyncio, json; from pathlib import Path; from widgets import server\n"
        "async def main():\n"
        "    made = server.create('127.0.0.1', 0, Path('.'))\n"
        "    rules = [*made._tornado.default_router.rules, *made._tornado.wildcard_router.rules]\n"
        "    kind = lambda rule: f'{rule.target.__module__}.{rule.target.__name__}'\n"
        "    known = {(rule.matcher.regex.pattern, kind(rule)) for rule in rules if isinstance(rule.target, type)}\n"
        "    print(json.dumps(sorted(known)))\n"
        "asyncio.run(main())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple((pattern, handler) for pattern, handler in json.loads(done.stdout.splitlines()[-1]))


def sample(pattern: str) -> str:
    """A path that a route answers to."""
    for of, put in (
        ("$", ""),
        ("/?", ""),
        ("(?!static/|components/)", ""),
        (r"([\w-]+)", STEM),
        (r"([\w.]+)", "phone.mjs"),
        ("(.*)", "x/y.js"),
    ):
        pattern = pattern.replace(of, put)
    return pattern.replace("\\", "")


GIVEN = {  # handlers that may answer, and what they answer to the sample of their route
    "panel.io.server.DocHandler": 200,
    "panel.io.server.WSHandler": 404,  # without a handshake
    "bokeh.server.views.ico_handler.IcoHandler": 200,
    "bokeh.server.views.static_handler.StaticHandler": 404,  # but for the files that pages name
    "bokeh.server.views.multi_root_static_handler.MultiRootStaticHandler": 404,
    "widgets.server.Live": 200,
    "widgets.server.Page": 404,  # there is no such page
    "widgets.kit.scenes.Scenes": 200,
    "widgets.classroom.pages.Page": 200,
    "widgets.classroom.lines.PhoneLine": 404,  # without a handshake
    "widgets.classroom.lines.WallLine": 404,
}
REFUSED = {
    "panel.io.server.AutoloadJsHandler",
    "panel.io.server.ComponentResourceHandler",
    "bokeh.server.views.metadata_handler.MetadataHandler",
}
MODULES = ("unittest.__main__/X/css/y", "this/X/css/y", "antigravity/X/css/y", "widgets.load/main/x/y", "os/x")
PATHS = (
    *(f"/components/{rest}" for rest in MODULES),
    *(f"{where}components/{MODULES[0]}" for where in ("/./", "//", "/x/../", "/static/../", "/apps/../")),
    f"/%63omponents/{MODULES[0]}", f"/Components/{MODULES[0]}",
    "/static/extensions/panel/../../../etc/passwd", "/static/extensions/x/y.js", "/static/js/bokeh.js",
    "/static/js/compiler.js", "/static/..%2f..%2fx", "/static/extensions/panel/panel.min.js.map", "/static/",
    f"/apps/{STEM}/static/js/bokeh.min.js", f"/apps/{STEM}/metadata", f"/apps/{STEM}/autoload.js", f"/apps/{STEM}/x",
    f"/apps/%{ord(STEM[0]):x}{STEM[1:]}", "/apps", "/apps/", "/scenes/", "/scenes/nowhere", "/rest/session_info",
    "/liveness", "/login", "/logout", "/admin", "/panel-preview", "/autoload.js", "/metadata", "/ws",
    "/class/", "/class/phone.html", "/class/pages.py", "/class/wall/", "/class/../widgets/routes.py",
)  # fmt: skip


def routed(stage: Stage, one: tuple[str, str]) -> str:
    """A route of the installed tables: given if it is known to be needed, and not there otherwise."""
    pattern, handler = one
    if handler not in {*GIVEN, *REFUSED}:
        return f"{handler} at {pattern} is new: is it needed?"
    path, wanted = sample(pattern), 404 if handler in REFUSED else GIVEN[handler]
    if f"/apps/{STEM}" not in path and "/apps/" in path:  # as of the first dashboard; a page of each is not made again
        return ""
    if path.startswith(f"/apps/{STEM}/static"):
        wanted = 404
    return _is(ask(stage.site, path), wanted)


def nowhere(stage: Stage, path: str) -> str:
    """A path that nothing answers to, whatever is named in it."""
    status, _, text = ask(stage.site, path)
    return "" if status == 404 and "first page of the book" in text else f"{status}: {text[:80]}"


def _is(answer: tuple[int, dict[str, str], str], wanted: int) -> str:
    status, _, text = answer
    return "" if status == wanted and "Traceback" not in text else f"{status}, not {wanted}"


ASKED = {
    "page": f"/apps/{STEM}", "book": "/", "scene": f"/scenes/{STEM}", "live": "/live.json", "icon": "/favicon.ico",
    "wall": "/class/wall", "file": routes.FILES[0], "component": f"/components/{MODULES[0]}",
}  # fmt: skip
USES = {
    "image": ("no-cors", "image"), "script": ("no-cors", "script"), "style": ("no-cors", "style"),
    "fetch": ("cors", "empty"), "frame": ("navigate", "iframe"), "object": ("navigate", "object"),
    "embed": ("navigate", "embed"), "worker": ("same-origin", "worker"), "old": ("navigate", ""),
}  # fmt: skip


USED = tuple((what, use) for what in ASKED for use in USES)


def elsewhere(stage: Stage, one: tuple[str, str]) -> str:
    """What a page of another site has a reader's browser ask."""
    path, (mode, place) = ASKED[one[0]], USES[one[1]]
    how = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": mode, "Sec_Fetch_Dest": place}
    status = ask(stage.site, path, Origin="https://evil.example", **how)[0]
    return "" if status == 403 else str(status)


def asks(stage: Stage, one: tuple[str, dict[str, Any], int]) -> str:
    """A request that is refused with one sentence."""
    path, how, wanted = one
    status, headers, text = ask(stage.site, path, **how)
    own = "first page of the book" in text or how.get("method") == "HEAD"
    return "" if status == wanted and own and "Server" not in headers else f"{status}: {text[:80]}"


REQUESTS: dict[str, tuple[str, dict[str, Any], int]] = {
    **{method: ("/", {"method": method}, 405) for method in ("TRACE", "CONNECT", "FOO", "get", "PROPFIND", "POST")},
    "TRACE at a page": (f"/apps/{STEM}", {"method": "TRACE"}, 405),
    "a session's name in a cookie": (f"/apps/{STEM}", {"Cookie": "a=b; bokeh-session-id=abc"}, 403),
    "a session's token in a cookie": (f"/apps/{STEM}", {"Cookie": "bokeh-token=abc"}, 403),
    "a session's name in a header": (f"/apps/{STEM}", {"Bokeh_Session_Id": "abc"}, 403),
    "a session's token in a header": (f"/apps/{STEM}", {"Bokeh_Token": "abc"}, 403),
    "a session's name in the address": (f"/apps/{STEM}?bokeh-session-id=abc", {}, 403),
    "a socket that is none": (f"/apps/{STEM}/ws", {"Upgrade": "foo", "Origin": "x"}, 404),
    "a socket of nobody": ("/apps/nowhere/ws", {"Upgrade": "websocket", "Origin": "http://["}, 403),
    "another host": ("/", {"Host": "evil.example"}, 421),
    "a host that is none": ("/", {"Host": "[::1"}, 421),
}


def tokens(stage: Stage, made: Callable[[Stage], tuple[str, str]]) -> str:
    """A web socket entered with what is no token of a page of this dashboard."""
    ticket, origin = made(stage)
    heard = speak(stage.site, ticket, Origin=origin)
    return "" if heard == [403] else str(heard)


def _swelling(stage: Stage) -> tuple[str, str]:
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * (12 * MB), 9)).decode().rstrip("=")
    told = json.dumps({"session_id": "a", "session_expiry": 2e9, "__bk__zlib_": bomb})
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=") + ".AAAA", stage.site


TOKENS: dict[str, Callable[[Stage], tuple[str, str]]] = {
    "of another dashboard": lambda stage: (token(stage.site, server.stems()[1]), stage.site),
    "with another signature": lambda stage: (token(stage.site)[:-4] + "AAAA", stage.site),
    "of nobody": lambda stage: ("eyJzZXNzaW9uX2lkIjoiYSJ9", stage.site),
    "that is none": lambda stage: ("", stage.site),
    "that swells": _swelling,
    "from another site": lambda stage: (token(stage.site), "https://evil.example"),
    "from an address that is none": lambda stage: (token(stage.site), "http://["),
}
