"""A process that does nothing else, for what one run leaves to the next: no child is forked where other threads run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


@contextmanager
def processes(*modules: str) -> Iterator[Callable[..., Any]]:
    """`aside(work, *about)`: what `work` gives in a process that ends then. Each is a fork of one that has imported
    these modules: to import what they need takes seven times as long as an audit."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        yield lambda work, *about: pool.submit(work, *about).result()
