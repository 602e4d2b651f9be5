"""Reading the data sets: text parsed for the first time, and the arrays from the cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from recprivlib.bench import Setup, Timing
from recprivlib.data import load
from recprivlib.parameters import UserError


def cells() -> list[Timing]:
    return [
        Timing("ML-100K, first time", None, first("ml-100k")),
        Timing("ML-1M, first time", 1.5, first("ml-1m")),
        Timing("ML-1M, from the cache", 0.2, again("ml-1m")),
        Timing("synthetic, 6,000 people", None, lambda: lambda: load("synthetic", users=6000, items=3000)),
    ]


def first(name: str) -> Setup:
    """Parsed with an empty cache."""

    def setup() -> Callable[[], Any]:
        if not os.environ.get("RECPRIV_DATA"):
            raise UserError("needs the files in $RECPRIV_DATA; otherwise the network would be measured")

        def fresh() -> None:
            with empty_cache():
                load(name)

        return fresh

    return setup


def again(name: str) -> Setup:
    """From this user's cache, which the unmeasured first call fills."""
    return lambda: lambda: load(name)


@contextmanager
def empty_cache() -> Iterator[None]:
    """The user cache in a folder of its own, for as long as the block runs."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before
