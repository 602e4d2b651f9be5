"""A run, played again: one tape, two worlds. All that is not the input of an answer must be equal.

    fit on A ──tape──> answers ──┬─> fit on A, answers from the tape ──> here  ┐ who answers, how many are asked,
                                 └─> fit on B, answers from the tape ──> there ┴─ what is held, told, said: all equal

B may be any data that share what is public with A; if it is a neighbour, other people's scores and what their phones
keep may not move either, and inputs may move by what the ledger states (conformance.py). Where nothing moves, what was
looked at of these runs is made of the answers that passed the gate (mechanisms/gate.py): a check of this code in these
worlds, and no proof of what it does in others. What nobody can look into is refused (leaves.py).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.auditing.leaves import Closed, alike, identity, leaves, same
from recprivlib.auditing.overheard import overheard
from recprivlib.mechanisms.gate import Call, Tape, Torn, taped
from recprivlib.mechanisms.noise import Root, rooted
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, FoldsIn, Interactions, Iterative, View
from recprivlib.streams import stream

__all__ = ["MOVES", "Played", "Probe", "moved", "play", "same"]

MOVES = "moves with the data though all that passed the gate stays the same"


@dataclass(frozen=True, eq=False)
class Probe:
    """What a model is asked after a run: the lists of people whose data are the same in both worlds."""

    others: Array  # people of the run beside her
    newcomers: Interactions | None = None  # whom a model that folds in is asked to score

    @staticmethod
    def of(base: Interactions, who: int, most: int) -> Probe:
        """Of at most `most` people beside her, and of the first three as newcomers."""
        others = np.linspace(0, base.n_users - 1, min(base.n_users, most)).astype(int)
        kept = np.setdiff1d(others, [who])
        return Probe(kept, base.of(kept[:3]) if len(kept) else None)


@dataclass(frozen=True)
class Played:
    """A run: what passed the gate, what the world can see by name, what phones keep, and what it gives others."""

    calls: list[Call]
    held: dict[str, Any]
    home: dict[str, Any]
    scores: Any = None  # of people beside her, by how they were asked for
    strange: tuple[str, ...] = field(default=())  # what a run must not do, whatever the data


def play(
    system: Any, train: Interactions, seed: int, view: View = "server", tape: list[Call] | None = None,
    probe: Probe | None = None, streamed: bool = False,
) -> Played:  # fmt: skip
    """`fit`, for real or with the answers of `tape`; `streamed`: by way of `steps`, with every model on the way."""
    held: dict[str, Any] = {}
    root = Root.of(seed) if tape is None else Root.fresh()  # where all answers are given, noise has no say
    rng = stream(seed, "fit")  # as in a run at this seed
    given = _marked(train)
    with rooted(root), taped(tape) as now, overheard() as heard:
        if streamed and isinstance(system, Iterative):
            for turn, (progress, model) in enumerate(system.steps(train, rng)):
                held[f"model {turn} of the stream"] = f"{progress!r} {digest(model)}"
        else:
            model = system.fit(train, rng)
    if tape is not None and len(now.calls) != len(tape):
        raise Torn("how much is released depends on the data")
    home: dict[str, Any] = {}
    strange = [*heard.outside[:1], *_of_another_root(now.calls, root)]
    if given.items() - _marked(train).items():
        strange.append("a run changes the data that it is given")
    held["where the caller's random numbers stand"] = f"{rng.bit_generator.state} {_spawned(rng)}"
    for name, value, private in leaves(model, "the model"):
        if isinstance(value, Closed):
            strange.append(f"{name} is {value}, into which nobody can look")
        (home if private else held)[name] = value
    for number, (what, value) in enumerate(_shown(now, view)):
        held |= {name: part for name, part, _ in leaves(value, f"{what} {number}")}
    held |= {name: text for name, text in heard.said.items() if text}
    scores = None
    if probe is not None:
        with overheard() as asked:  # a model may speak when it is asked, too
            scores = _asked_for(model, probe.others, train)
            held |= _folded(model, probe.newcomers)
        if scores and not same(scores["all"], scores["all, once more"]):
            strange.append("a model gives other scores when it is asked a second time")
        strange += [f"{done} (where a model is asked for scores)" for done in asked.outside[:1]]
        held |= {f"{name} where a model is asked for scores": text for name, text in asked.said.items() if text}
    return Played(now.calls, held, home, scores, tuple(strange))


def _marked(train: Interactions) -> dict[str, int]:
    """Each part of the data in a number, with what was worked out from them and is kept beside."""
    parts = {name: value for name, value in vars(train).items() if isinstance(value, np.ndarray | int)}
    for name in ("user_features", "item_features"):
        parts |= {f"{name} {key}": value for key, value in getattr(train, name).items()}
    parts |= {f"{name} {part}": getattr(value, part) for name, value in vars(train).items() if sp.issparse(value)
              for part in ("data", "indices")}  # fmt: skip
    return {name: zlib.crc32(np.ascontiguousarray(value).tobytes()) for name, value in parts.items()}


def _spawned(rng: np.random.Generator) -> int:
    """How many streams were drawn from it."""
    seed = rng.bit_generator.seed_seq
    return seed.n_children_spawned if isinstance(seed, np.random.SeedSequence) else 0


def _of_another_root(calls: list[Call], root: Root) -> list[str]:
    """Who opens a root of its own, or takes one back, knows its noise."""
    seen: set[tuple[int, ...]] = set()
    for call in calls:
        if call.stream is not None:
            if call.stream.key != root.key or call.stream.path in seen:
                return [f"noise does not come from the root of the run, anew for every answer{where(call)}"]
            seen.add(call.stream.path)
    return []


def _shown(tape: Tape, view: View) -> list[tuple[str, Any]]:
    """What a server is handed is seen by nobody else."""
    return [(what, value) for what, value in tape.shown if view == "server" or what != "sums"]


def _asked_for(model: Any, people: Array, train: Interactions) -> dict[str, Any]:
    """Of every item, once more, of one item alone, and what is said of somebody and something that is not there."""
    if not len(people):
        return {}
    nobody, nothing = np.array([[train.n_users]]), np.array([[train.n_items]])
    return {
        "all": _scores(model, people, train.n_items),
        "all, once more": _scores(model, people, train.n_items),
        "of one item": _answered(model, people[:1], np.zeros(1, np.intp)),
        "of nobody": _answered(model, nobody, np.zeros((1, 1), np.intp)),
        "of nothing": _answered(model, people[:1, None], nothing),
    }


def _scores(model: Any, people: Array, items: int) -> Any:
    """Of every item; or what goes wrong."""
    return _answered(model, people[:, None], np.arange(items)[None, :]) if len(people) else None


def _answered(model: Any, people: Array, items: Array) -> Any:
    try:
        return np.asarray(model.score(people, items))
    except (IndexError, ValueError, KeyError, ArithmeticError, UserError) as failed:
        return f"{type(failed).__name__}: {failed}"


def _folded(model: Any, people: Interactions | None) -> dict[str, Any]:
    """What people that the training never saw are given: the same people, so it is the same."""
    if people is None or not isinstance(model, FoldsIn):
        return {}
    try:
        folded = model.fold_in(people)
    except (IndexError, ValueError, KeyError, ArithmeticError) as failed:
        return {"what a newcomer is given": f"{type(failed).__name__}: {failed}"}
    scores = _scores(folded, np.arange(people.n_users), people.n_items)
    return {"what a newcomer is given": digest(folded, home=True), "how a newcomer is scored": scores}


def digest(model: Any, home: bool = False) -> str:
    """One word for all that the world sees of a model; with `home` for all that it is."""
    total = hashlib.blake2b(digest_size=16)
    for name, value, private in leaves(model, ""):
        if home or not private:
            part = value.encode() if isinstance(value, str) else value
            total.update(f"{name} {np.shape(value)} ".encode())
            total.update(part if isinstance(part, bytes) else np.asarray(part).tobytes())
    return total.hexdigest()


# ------------------------------------------------------------------------------------------------ the comparison


def moved(here: Played, there: Played, who: int | None, people: int) -> list[str]:
    """What is not equal in two worlds under one tape, but for the inputs. `who`: in whose data alone they differ."""
    found = list(_asked(here.calls, there.calls))
    if list(here.held) != list(there.held):
        other = next(iter(here.held.keys() ^ there.held.keys()), "in what order")
        found.append(f"what a model holds ({other}) {MOVES}")
    found += [f"{name} {MOVES}" for name, value in here.held.items()
              if name in there.held and not alike(value, there.held[name])]  # fmt: skip
    if who is not None:
        found += [f"another person's {name} {MOVES}" for name, value in here.home.items()
                  if not _only_hers(value, there.home.get(name), who, people)]  # fmt: skip
        if here.scores is not None and any(not same(here.scores[how], there.scores[how]) for how in here.scores):
            found.append("what other people are recommended moves with one person's data, which stay at home")
    return found


def _asked(here: list[Call], there: list[Call]) -> Iterator[str]:
    """Who answers, and from how many people a cohort is drawn."""
    for a, b in zip(here, there, strict=True):
        if identity(a.mechanism) != identity(b.mechanism):
            yield f"which {type(a.mechanism).__name__} answers, or how loud its noise is, {MOVES}{where(a)}"
            return
    for a, b in zip(here, there, strict=True):
        if a.secret and not same(a.x, b.x):
            yield f"from how many people a cohort is drawn {MOVES}{where(a)}"
            return


def where(call: Call) -> str:
    """The file and line at which an answer was asked for, in brackets; empty where the tape does not know."""
    return f" ({call.where})" if call.where else ""


def _only_hers(here: Any, near: Any, who: int, people: int) -> bool:
    """Whether two at-home values of neighbours differ in her row alone."""
    if sp.issparse(here) and sp.issparse(near):
        here, near = here.toarray(), near.toarray()
    here, near = np.asarray(here), np.asarray(near)
    if here.ndim == 0 or len(here) != people or here.shape != near.shape:
        return same(here, near)
    return same(np.delete(here, who, axis=0), np.delete(near, who, axis=0))
