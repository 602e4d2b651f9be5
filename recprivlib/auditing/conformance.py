"""The books of a run: what passed the gate, held against what the ledger states.

who answered          no mechanism that the ledger does not name, each with the noise it names
what neighbours moved no more inputs, and none farther, than the ledger's `Change`
random numbers        every answer is what its mechanism gives from the numbers of the gate, and from no others
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing.neighbours import ITEMS, WHO, Stage
from recprivlib.auditing.replay import Played, play, same
from recprivlib.mechanisms.gate import Call, Torn, answer
from recprivlib.mechanisms.losses import NoBound, NotKnown
from recprivlib.mechanisms.secure import Secure
from recprivlib.protocols import (
    Array,
    Change,
    Clips,
    DrawsPeople,
    HasSensitivity,
    HasSigma,
    HasWorstPair,
    Ledger,
    Relation,
    Unit,
    View,
)

PLACES = (0, 7, 23, ITEMS - 1)  # items at which the change is tried
HAIR = 1 + 1e-6  # sums of floats


@dataclass(frozen=True)
class LedgerCheck:
    """One mechanism of the ledger: how many inputs of it a change moved, and how far, beside what is stated."""

    mechanism: Any
    stated: int
    distance: float
    moved: int  # inputs that differ, over the whole run
    far: float  # altogether, in units of the mechanism's sensitivity: the norm that its noise is made for
    farthest: float  # one input
    norm: int  # 1: what is moved adds up; 2: its squares do
    calls: int  # answers in which the neighbours differ

    @property
    def kept(self) -> bool:
        """Whether this is no more than is stated."""
        within = self.far <= self.stated ** (1 / self.norm) * self.distance * HAIR
        return within and self.farthest <= self.distance * HAIR and self.calls <= self.stated


def price(mechanism: Any) -> Any:
    """What a mechanism is, up to its scale: a clipping bound that is learnt on the way scales reach and noise alike,
    and how far inputs move is counted in the scale of the mechanism that answered."""
    return type(mechanism).__name__, _frozen(mechanism.loss(1.0))


def _frozen(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        parts = (getattr(thing, one.name) for one in dataclasses.fields(thing))
        return type(thing).__name__, *(_frozen(part) for part in parts)
    return f"{thing:.12g}" if isinstance(thing, float) else thing


def priceless(mechanism: Any) -> bool:
    """Whether one release of it costs everything there is, or nobody knows what."""
    return isinstance(mechanism.loss(1.0), NoBound | NotKnown)


def apart(mechanism: Any, a: Any, b: Any) -> tuple[int, float, float, int]:
    """Two inputs of one call: how many parts differ, how far all together and the farthest, and in which norm."""
    mechanism = mechanism.mechanism if isinstance(mechanism, Secure) else mechanism
    if isinstance(a, tuple):  # a joint event: one row a member
        rows = np.zeros(max(len(part) for part in a), bool)
        for one, other in zip(a, b, strict=True):
            rows |= (one != other).reshape(len(one), -1).any(axis=1)
        moved = int(rows.sum())
        return moved, math.sqrt(moved), float(moved > 0), 2
    if isinstance(mechanism, Clips):
        steps = np.linalg.norm(np.subtract(mechanism.clipped(a), mechanism.clipped(b)), axis=-1) / mechanism.clip
        return _sizes(steps, 2)
    if isinstance(mechanism, HasSensitivity):
        steps = np.abs(np.subtract(a, b, dtype=float)) / mechanism.sensitivity
        return _sizes(steps, 2) if isinstance(mechanism, HasSigma) else _sizes(steps, 1)
    return _sizes(rows_of(mechanism, np.asarray(a) != np.asarray(b)).astype(float), 1)


def rows_of(mechanism: Any, differs: Array) -> Array:
    """Which inputs differ: numbers and symbols, or whole rows where a row is one input."""
    row = isinstance(mechanism, HasWorstPair) and np.ndim(mechanism.worst_pair()[0]) > 0
    return np.asarray(differs.any(axis=-1)) if row and differs.ndim else differs


def _sizes(steps: Array, norm: int) -> tuple[int, float, float, int]:
    steps = np.asarray(steps, float)
    if steps.size == 0:
        return 0, 0.0, 0.0, norm
    # coordinates of one vector under Gaussian noise have one length
    longest = float(np.linalg.norm(steps.ravel())) if norm == 2 else float(steps.max())
    return int(np.count_nonzero(steps)), float(np.linalg.norm(steps.ravel(), norm)), longest, norm


def lines(
    ledger: Ledger, unit: Unit, relation: Relation, here: Sequence[Call], there: Sequence[Call]
) -> list[LedgerCheck]:
    """What one change moved, mechanism by mechanism; only those whose change is bounded and has a price."""
    out = []
    prices = [price(call.mechanism) for call in here]
    for kind, mechanism in {price(release.mechanism): release.mechanism for release in ledger.releases}.items():
        if priceless(mechanism):
            continue
        known = [(r.count, r.neighbours.get((unit, relation))) for r in ledger.releases if price(r.mechanism) == kind]
        changes = [(count * c.inputs, c.distance) for count, c in known if isinstance(c, Change)]
        if len(changes) < len(known):
            continue
        both = [(a, b) for a, b, other in zip(here, there, prices, strict=True) if other == kind and not a.secret]
        steps = [apart(a.mechanism, a.x, b.x) for a, b in both]
        norm = steps[0][3] if steps else 1
        far = float(np.linalg.norm([step[1] for step in steps], norm)) if steps else 0.0
        out.append(LedgerCheck(
            mechanism, sum(inputs for inputs, _ in changes), max(distance for _, distance in changes),
            sum(step[0] for step in steps), far, max((step[2] for step in steps), default=0.0), norm,
            sum(step[0] > 0 for step in steps),
        ))  # fmt: skip
    return out


@dataclass(frozen=True)
class Books:
    """What does not agree with the ledger; the most that a change moved, line by line; and where it moved most."""

    found: list[str]
    lines: list[LedgerCheck]
    place: int


def bookkeeping(system: Any, ledger: Ledger, stage: Stage, view: View, seed: int) -> Books:
    """What passed the gate in runs on neighbours, against the ledger. A change may move nothing (a phone that is asked
    about few items): then it is tried elsewhere."""
    calls = play(system, stage.world(), seed, view).calls
    found = [*_unknown(ledger, calls), *randomness(calls)]
    most: dict[Any, LedgerCheck] = {}
    reach, best = 0.0, 0
    for place in dict.fromkeys((*PLACES, *range(ITEMS)) if stage.unit != "user" else (0,)):
        if reach and place not in PLACES:
            break
        try:
            here, there = _neighbours(system, stage, view, seed, place)
        except Torn as torn:
            return Books([*found, str(torn)], list(most.values()), best)
        now = lines(ledger, stage.unit, stage.relation, here.calls, there.calls)
        for line in now:
            kind = price(line.mechanism)
            if kind not in most or line.far > most[kind].far:
                most[kind] = line
        moved = sum(not _alike(a.x, b.x) for a, b in zip(here.calls, there.calls, strict=True))
        reach, best = max((reach, best), (float(moved), place), key=lambda one: one[0])
    found += [_excess(line) for line in most.values() if not line.kept]
    return Books(list(dict.fromkeys(found)), list(most.values()), best)


def _alike(a: Any, b: Any) -> bool:
    return all(same(one, other) for one, other in zip(_parts(a), _parts(b), strict=True))


def _neighbours(system: Any, stage: Stage, view: View, seed: int, place: int) -> tuple[Played, Played]:
    tape = [turned(call, stage.people, True) for call in play(system, stage.world(item=place), seed, view).calls]
    here, there = (play(system, stage.world(moved, place), seed, view, tape) for moved in (False, True))
    return here, there


def turned(call: Call, people: int, drawn: bool) -> Call:
    """A draw with or without her; where the size is fixed she and another change places."""
    if not call.secret:
        return call
    others = call.y[call.y != WHO]
    fixed = isinstance(call.mechanism, DrawsPeople) and call.mechanism.sampling == "fixed-size"
    spare = np.setdiff1d(np.arange(people), np.append(others, WHO))
    if fixed and len(others) == len(call.y):
        others = others[1:]
        spare = call.y[:1]
    members = np.append(others, WHO) if drawn else np.append(others, spare[: int(fixed)])
    return dataclasses.replace(call, y=np.sort(members).astype(call.y.dtype))


def _excess(line: LedgerCheck) -> str:
    return (
        f"neighbours differ in {line.moved:,} inputs to {line.calls:,} answers of {line.mechanism}, {line.far:.3g} "
        f"sensitivities in all, but the ledger states {line.stated:,} of at most {line.distance:.3g}"
    )


def _unknown(ledger: Ledger, calls: Sequence[Call]) -> list[str]:
    """Mechanisms that no line of the ledger names; a line that nobody can count may have been drawn by any."""
    known = {price(release.mechanism): release.mechanism for release in ledger.releases}
    if any(isinstance(mechanism.loss(1.0), NotKnown) for mechanism in known.values()):
        return []
    used = {price(call.mechanism): call.mechanism for call in calls}
    strange = [f"{used[kind]} answers, but the ledger does not name it" for kind in used if kind not in known]
    idle = [f"the ledger names {known[kind]}, which never answers" for kind in known if kind not in used]
    return strange[:1] + idle[:1]


# --------------------------------------------------------------------------------------- random numbers


def randomness(calls: Sequence[Call]) -> list[str]:
    """Every answer is made of the numbers that the gate gave it, and of no others."""
    return list(dict.fromkeys(_drawn(calls)))


def _drawn(calls: Sequence[Call]) -> Iterator[str]:
    for call in calls:
        if call.stream is None or not _noisy(call):
            continue
        if not call.drew:
            yield f"{call.mechanism} draws no random numbers"
        again = answer(call.mechanism, call.x, call.stream.generator(), call.secret)
        if not all(same(a, b) for a, b in zip(_parts(again), _parts(call.y), strict=True)):
            yield f"{call.mechanism} does not answer twice alike from the same random numbers"


def _parts(y: Any) -> tuple:
    return y if isinstance(y, tuple) else (np.asarray(y),)


def _noisy(call: Call) -> bool:
    size = sum(np.size(part) for part in _parts(call.x))
    return bool(size) and (call.secret or not priceless(call.mechanism) or call.drew)
