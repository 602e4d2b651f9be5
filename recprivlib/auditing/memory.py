"""What one run leaves to the next: caches, globals, attributes of classes.

Each run is played in a child of this process, so that none of them is the first for another: A alone; and A after a
run on B has been there. Under one tape both must give the same.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.auditing.overheard import alone
from recprivlib.auditing.replay import Probe, play
from recprivlib.mechanisms.gate import Call
from recprivlib.protocols import Interactions, View

PATIENCE = 120  # seconds for a child that may wait for a lock that nobody holds any more
REMEMBERS = "what one run gives hangs on the data of a run before it (a cache?)"


def remembered(system: Any, base: Interactions, other: Interactions, view: View, seed: int) -> list[str] | None:
    """Whether a run on other data, in the same process before, changes what a run gives. None: not looked at."""
    if sys.platform == "emscripten" or not hasattr(os, "fork") or not alone():  # a browser names what it lacks
        return None
    probe = Probe.of(base, -1, base.n_users)

    def after(first: Interactions) -> list[tuple[str, str]]:
        tape = play(system, base, seed, view).calls if first is base else _taped(system, base, view, seed, first)
        now = play(system, base, seed, view, tape, probe)
        asked = [(f"asked {turn}", repr(call.x)) for turn, call in enumerate(now.calls)]
        seen = [*now.held.items(), *now.home.items(), ("scores", now.scores), *asked]
        return [(name, _word(value)) for name, value in seen]

    one, two = in_child(lambda: after(base)), in_child(lambda: after(other))
    if one is None or two is None:
        return None
    return [] if one == two else [REMEMBERS]


def _taped(system: Any, base: Interactions, view: View, seed: int, before: Interactions) -> list[Call]:
    """The tape of a run on `base`, where there has been another run before it."""
    play(system, before, seed, view)
    return play(system, base, seed, view).calls


def _word(value: Any) -> str:
    return repr(value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


def in_child(work: Callable[[], Any]) -> Any:
    """What `work` gives in a child of this process; None where it fails, or waits too long."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of a linear algebra library, which survive this
        child = os.fork()
    if not child:
        try:
            os.close(read)
            with os.fdopen(write, "wb") as out:
                pickle.dump(work(), out)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as back:
        told = back.read() if select.select([back], [], [], PATIENCE)[0] else b""
    if not told:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        return pickle.loads(told)
    except (EOFError, pickle.UnpicklingError):
        return None
