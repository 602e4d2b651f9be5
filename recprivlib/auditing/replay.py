"""A run, played again: what a server holds must be made of the answers that left the phones, and of nothing else.

    fit on data A ──tape──> answers ──┬─> fit on A, answers from the tape ──> held ┐
                                      └─> fit on B, answers from the tape ──> held ┴─ equal to the last bit?

If so, all that anybody sees is post-processing of what passed the gate (mechanisms/gate.py), whoever wrote it. If not,
data reach the server by another way. No luck is needed and no neighbours: B may be any other data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

import numpy as np
import scipy.sparse as sp

from recprivlib.auditing.neighbours import WHO, Stage
from recprivlib.data.synthetic import BLOCK
from recprivlib.mechanisms.gate import Call, Tape, Torn, taped
from recprivlib.parameters import UserError
from recprivlib.protocols import Federated, Interactions, View
from recprivlib.training import trained

MOVES = "moves with the data though all that passed the gate stays the same"


@dataclass(frozen=True)
class Played:
    """A run: what passed the gate, what the world can see by name, and what phones keep."""

    calls: list[Call]
    held: dict[str, Any]
    home: dict[str, Any]


def play(system: Any, train: Interactions, seed: int, view: View = "server", tape: list[Call] | None = None) -> Played:
    """`fit`, for real or with the answers of `tape`."""
    with taped(tape) as now:
        model = trained(system, train, seed)
    if tape is not None and len(now.calls) != len(tape):
        raise Torn("how much is released depends on the data")
    held: dict[str, Any] = {}
    home: dict[str, Any] = {}
    for name, value, private in leaves(model, "the model"):
        (home if private else held)[name] = value
    for number, (what, value) in enumerate(_shown(now, view)):
        held |= {name: part for name, part, _ in leaves(value, f"{what} {number}")}
    return Played(now.calls, held, home)


def _shown(tape: Tape, view: View) -> list[tuple[str, Any]]:
    """What a server is handed is seen by nobody else."""
    return [(what, value) for what, value in tape.shown if view == "server" or what != "sums"]


def leaves(thing: Any, name: str, private: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Every array and number within a value, whatever holds it, and whether it stays at home."""
    if isinstance(thing, np.ndarray | np.generic | int | float | str | bool | None):
        yield name, thing, private
    elif sp.issparse(thing):
        yield name, thing.toarray(), private
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield from leaves(value, f"{name}.{key}", private)
    elif isinstance(thing, list | tuple):
        yield from leaves(dict(enumerate(thing)), name, private)
    elif hasattr(thing, "__dict__") and not callable(thing):
        kinds = get_type_hints(type(thing), include_extras=True) if hasattr(thing, "__dataclass_fields__") else {}
        for key, value in vars(thing).items():
            at_home = private or hasattr(kinds.get(key), "__metadata__")
            yield from leaves(value, f"{name}.{key}", at_home)
    else:
        yield name, type(thing).__name__, private


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit; two that are not numbers are alike."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def interference(system: Any, stage: Stage, view: View, seed: int) -> list[str]:
    """By which other ways data reach what the world can see."""
    found = _moves(system, stage, view, seed)
    if not found and isinstance(system, Federated):  # more people than one block has
        found = _moves(system, Stage(stage.unit, stage.relation, BLOCK + stage.people, stage.ends), view, seed)
    return found


def _moves(system: Any, stage: Stage, view: View, seed: int) -> list[str]:
    base = stage.world()
    tape = play(system, base, seed, view).calls
    try:
        here, there, near = (
            play(system, one, seed, view, tape) for one in (base, stage.far(), stage.world(moved=True))
        )
    except Torn as torn:
        return [str(torn)]
    except UserError as refused:
        return [f"whether training works at all depends on the data ({refused})"]
    found = [f"{name} {MOVES}" for name, value in here.held.items()
             if not all(name in other.held and same(value, other.held[name]) for other in (there, near))]  # fmt: skip
    if not here.held.keys() >= there.held.keys() | near.held.keys():
        found.append(f"what a model holds {MOVES}")
    return found + [f"another person's {name} {MOVES}" for name, value in here.home.items()
                    if not _only_hers(value, near.home.get(name), stage.people)]  # fmt: skip


def _only_hers(here: Any, near: Any, people: int) -> bool:
    """Whether two at-home values of neighbours differ in her row alone."""
    here, near = np.asarray(here), np.asarray(near)
    if here.ndim == 0 or len(here) != people or here.shape != near.shape:
        return same(here, near)
    return same(np.delete(here, WHO, axis=0), np.delete(near, WHO, axis=0))
