"""What one run leaves to the next: caches, globals, attributes of classes; and what a run gives where nobody looks.

Each run is played in a child of this process, so that none of them is the first for another: A alone; and A after a
run on B has been there. Under one tape both must give the same; so must the first run of all, whose tape it is, and a
run that is on no tape, of which only the model is known.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from recprivlib.auditing.leaves import leaves
from recprivlib.auditing.overheard import alone
from recprivlib.auditing.replay import Played, Probe, play
from recprivlib.mechanisms.noise import Root, rooted
from recprivlib.protocols import Interactions, View
from recprivlib.streams import stream

Leaf = tuple[str, str]  # a name, and what stands there

PATIENCE = 120  # seconds for a child that may wait for a lock that nobody holds any more
REMEMBERS = "what one run gives hangs on the data of a run before it (a cache?)"
FIRST = "the first run of a process gives what the same run does not give again"
BEHAVES = "a run gives another model where it is on tape than where nobody looks"


def remembered(system: Any, base: Interactions, other: Interactions, view: View, seed: int) -> list[str] | None:
    """Whether a run on other data, in the same process before, changes what a run gives. None: not looked at."""
    if sys.platform == "emscripten" or not hasattr(os, "fork") or not alone():  # a browser names what it lacks
        return None
    probe = Probe.of(base, -1, base.n_users)

    def first() -> tuple[list[Leaf], list[str]]:
        live = play(system, base, seed, view)
        again = play(system, base, seed, view, live.calls, probe)
        notes = list(live.strange[:1])
        notes += [FIRST] if _model_of(live) != _model_of(again) else []
        return _words(again), notes + ([BEHAVES] if _unheard(system, base, seed) != _model_of(again) else [])

    def after() -> list[Leaf]:
        play(system, other, seed, view)
        return _words(play(system, base, seed, view, play(system, base, seed, view).calls, probe))

    one, two = in_child(first), in_child(after)
    if one is None or two is None:
        return None
    return one[1] + ([REMEMBERS] if one[0] != two else [])


def _words(now: Played) -> list[Leaf]:
    """All that a run gives, and what it asks."""
    asked = [(f"asked {turn}", repr(call.x)) for turn, call in enumerate(now.calls)]
    scores = [(f"scores {how}", value) for how, value in (now.scores or {}).items()]
    return [(name, _word(value)) for name, value in [*now.held.items(), *now.home.items(), *scores, *asked]]


def _model_of(now: Played) -> list[Leaf]:
    """What a model holds."""
    kept = [*now.held.items(), *now.home.items()]
    return sorted((name, _word(value)) for name, value in kept if name.startswith("the model"))


def _unheard(system: Any, base: Interactions, seed: int) -> list[Leaf]:
    """What a model holds after a run that is on no tape, and that nobody listens to."""
    with rooted(Root.of(seed)), warnings.catch_warnings(), open(os.devnull, "w") as away:  # noqa: PTH123
        warnings.simplefilter("ignore")
        with redirect_stdout(away), redirect_stderr(away):
            model = system.fit(base, stream(seed, "fit"))
    held = {name: value for name, value, _ in leaves(model, "the model")}  # of one name the last, as on a tape
    return sorted((name, _word(value)) for name, value in held.items())


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
