"""Pages that open quickly: one context of the browser for all widths and themes, emptied between tests.

What a page costs is its process: it reads and compiles five megabytes of scripts before it draws. Chromium keeps one
process for all pages of a site in a context (`--process-per-site`) as long as one of them is open; so an anchor stays
open, and a new page finds the scripts compiled. The page itself is new, with a width and a theme of its own, and what
could be stored is emptied.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

STORES = "local_storage,indexeddb,cache_storage,service_workers,file_systems"


@dataclass
class Shared:
    """A context, its anchors by site, and the addresses that may have stored something in it."""

    context: Any
    anchors: dict[str, Any] = field(default_factory=dict)
    origins: set[str] = field(default_factory=set)
    pages: list[Any] = field(default_factory=list)

    def page(self, url: str, anchor: str) -> Any:
        """A new page for `url`; `anchor` is a small file beside it."""
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.hostname}"
        if site not in self.anchors:
            self.anchors[site] = self.context.new_page()
            self.anchors[site].goto(anchor)
        self.origins.add(f"{parts.scheme}://{parts.netloc}")
        self.pages.append(self.context.new_page())
        return self.pages[-1]

    def empty(self) -> None:
        """As if nobody had been here; scripts stay compiled, and files in the cache."""
        for page in self.context.pages:  # those that a page opened too
            if page not in self.anchors.values():
                page.close()
        self.pages.clear()
        self.context.clear_cookies()
        self.context.clear_permissions()
        if self.anchors:
            devtools = self.context.new_cdp_session(next(iter(self.anchors.values())))
            for origin in self.origins:
                devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORES})
            devtools.detach()
        self.origins.clear()


class Pool:
    """`pool.page(url, anchor, **look)` during a test, `pool.rest()` after it."""

    def __init__(self, browser: Any):
        self.browser = browser
        self.shared: dict[str, Shared] = {}

    def page(self, url: str, anchor: str, viewport: Any = None, color_scheme: Any = None, **look: Any) -> Any:
        """A new page for `url` of this width and theme; what else makes a look is for a context to have."""
        name = repr(sorted(look.items()))
        if name not in self.shared:
            self.shared[name] = Shared(self.browser.new_context(**look))
        page = self.shared[name].page(url, anchor)
        if viewport:
            page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        return page

    def rest(self) -> None:
        """Closes the pages of a test and empties what they may have left; a context that cannot be is given up."""
        for name, shared in list(self.shared.items()):
            if not shared.pages:
                continue
            try:
                shared.empty()
            except Exception:
                del self.shared[name]
                shared.context.close()

    def close(self) -> None:
        for shared in self.shared.values():
            shared.context.close()
