"""Whether a mechanism that stands alone draws what it says: its law at each of its inputs, call by call and in bulk."""

from __future__ import annotations

from typing import Any

import numpy as np

from recprivlib.auditing.distribution import JointDraw, departures, on_doubles
from recprivlib.auditing.draws import randomness
from recprivlib.auditing.redraw import Passage
from recprivlib.mechanisms.gate import Call, released, taped
from recprivlib.mechanisms.noise import rooted
from recprivlib.protocols import Array, HasBitChannel, HasInputs

CALLS, WIDE, BULK = 400, 40, 100_000  # calls; answers of one of them; answers to one input, all in one call


def lies(mechanism: Any, trials: int, rng: np.random.Generator) -> list[str]:
    """In what the answers of a mechanism differ from what it states, in words."""
    inputs = _inputs(mechanism)
    found = _randomness(mechanism, inputs, rng)
    event = Passage(mechanism, np.resize(inputs, WIDE), np.resize(inputs, WIDE))
    laws = event.laws(0, np.arange(WIDE)) if inputs.ndim == 1 else None
    if laws is None:
        return found
    name, finite = type(event.real).__name__, not on_doubles(mechanism)
    few = event.answers(0, CALLS, rng, True)
    if not event.plain(few):
        return found
    found += departures(JointDraw(name, _flat(event, few), laws, finite))
    each = np.resize(inputs, len(inputs) * min(trials, BULK))
    many = Passage(mechanism, each, each)
    column = _flat(many, many.answers(0, 1, rng, True))[0]
    for at, law in enumerate(laws[: len(inputs)]):
        found += departures(JointDraw(name, column[at :: len(inputs)][:, None], [law], finite))
    return list(dict.fromkeys(found))


def _inputs(mechanism: Any) -> Array:
    """Inputs to try: all symbols, or the ends and what lies between; rows stay as they are."""
    real = Passage(mechanism, 0, 0).real
    low, high = (np.asarray(end) for end in real.worst_pair())
    if isinstance(real, HasBitChannel):
        return np.array([0, 1], low.dtype)
    if low.ndim:
        return np.stack([low, high])
    stated = np.asarray(real.inputs if isinstance(real, HasInputs) else ())
    if stated.ndim == 1 and 2 <= len(stated) <= 32:
        return stated.astype(low.dtype)
    if low.dtype.kind == "f":
        return low + (high - low) * np.array([0.0, 0.137, 0.5, 1.0])
    return np.array([low, high], low.dtype)


def _flat(event: Passage, y: Array) -> Array:
    """One column for each answer; of a set, whether it holds the truth."""
    held = event.entrywise and y.ndim > 2
    return event.codes(y, np.arange(np.size(event.low))) > 0 if held else y.reshape(len(y), -1)


def _randomness(mechanism: Any, inputs: Array, rng: np.random.Generator) -> list[str]:
    """Whether its noise comes from the random numbers that it is given."""
    runs: list[list[Call]] = []
    for stream in rng.spawn(2):
        with rooted(int(stream.integers(2**63))), taped() as tape:
            for _ in range(3):
                released(mechanism, np.resize(inputs, WIDE) if inputs.ndim == 1 else inputs)
        runs.append(tape.calls)
    return [found for calls in runs for found in randomness(calls)]
