"""What passed the gate in a run, held against what the ledger states.

who answered          no mechanism that the ledger does not name, each with the noise it names
what neighbours moved no more inputs, and none farther, than the ledger's `Change`; and what share of it was reached
partitions            one change moves one release of each partition alone
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing.leaves import identity
from recprivlib.auditing.replay import where
from recprivlib.mechanisms.gate import Call
from recprivlib.mechanisms.losses import NoBound, NotKnown
from recprivlib.mechanisms.secure import Secure
from recprivlib.protocols import (
    Array,
    Change,
    Clips,
    HasSensitivity,
    HasSigma,
    HasWorstPair,
    Ledger,
    Relation,
    Release,
    Unit,
)

HAIR = 1 + 1e-9  # our own sums; what rounding adds to the code's is stated and billed


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
    what: str = ""  # what the ledger calls it
    where: str = ""  # the file and line that asked for the first answer that moved
    why_never: str = ""  # why nothing reaches what is stated, if the ledger says so
    joint: bool = False  # one row a member of a cohort

    @property
    def reach(self) -> float:
        """What was moved, as a share of what is stated."""
        bound = self.stated ** (1 / self.norm) * self.distance
        return self.far / bound if bound else 1.0

    @property
    def kept(self) -> bool:
        """Whether this is no more than is stated."""
        within = self.far <= self.stated ** (1 / self.norm) * self.distance * HAIR
        few = not self.joint or self.moved <= self.stated
        return within and few and self.farthest <= self.distance * HAIR and self.calls <= self.stated

    @property
    def excess(self) -> str:
        """In what it is more, in words."""
        return (
            f"neighbours differ in {self.moved:,} inputs to {self.calls:,} answers of {self.mechanism}, {self.far:.3g} "
            f"sensitivities in all, but the ledger states {self.stated:,} of at most {self.distance:.3g}{self.where}"
        )


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


# ------------------------------------------------------------------------------------------ how far inputs moved


def apart(mechanism: Any, a: Any, b: Any, relation: Relation = "replace") -> tuple[int, float, float, int]:
    """Two inputs of one call: how many parts differ, how far all together and the farthest, and in which norm."""
    mechanism = mechanism.mechanism if isinstance(mechanism, Secure) else mechanism
    if isinstance(a, tuple):
        return _members(mechanism, a, b, relation)
    if isinstance(mechanism, Clips):
        steps = np.linalg.norm(np.subtract(mechanism.clipped(a), mechanism.clipped(b)), axis=-1) / mechanism.clip
        return _sizes(steps, 2)
    if isinstance(mechanism, HasSensitivity):
        steps = np.abs(np.subtract(a, b, dtype=float)) / mechanism.sensitivity
        return _sizes(steps, 2) if isinstance(mechanism, HasSigma) else _sizes(steps, 1)
    return _sizes(rows_of(mechanism, np.asarray(a) != np.asarray(b)).astype(float), 1)


def _members(event: Any, a: tuple, b: tuple, relation: Relation) -> tuple[int, float, float, int]:
    """Of a joint event: the members whose rows differ, and how far, each part in units of its noise and its clip. A
    contribution that is replaced moves by twice its length at most, one that comes or goes by its length."""
    rows = np.zeros(max(len(part) for part in a), bool)
    lengths = np.zeros(len(rows))
    for part, one, other in zip(event.parts, a, b, strict=True):
        rows |= (one != other).reshape(len(one), -1).any(axis=1)
        flat = (part.clipped(np.reshape(each, (len(each), -1))) for each in (one, other))
        lengths += (np.linalg.norm(np.subtract(*flat), axis=1) / part.sigma) ** 2
    most = event.mu * (2 if relation == "replace" else 1)
    steps = np.sqrt(lengths) / most
    return int(rows.sum()), float(np.linalg.norm(steps)), float(steps.max(initial=0.0)), 2


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


# ------------------------------------------------------------------------------------------------ line by line


def lines(
    ledger: Ledger, unit: Unit, relation: Relation, here: Sequence[Call], there: Sequence[Call]
) -> list[LedgerCheck]:
    """What one change moved, mechanism by mechanism; only those whose change is bounded and has a price."""
    out = []
    who = [answering(call.mechanism, ledger) for call in here]
    kinds = {identity(release.mechanism): release.mechanism for release in ledger.releases}
    for kind, mechanism in kinds.items():
        mine = [release for release in ledger.releases if identity(release.mechanism) == kind]
        known = [(release, release.neighbours.get((unit, relation))) for release in mine]
        changes = [(release, change) for release, change in known if isinstance(change, Change)]
        if priceless(mechanism) or len(changes) < len(known):
            continue
        both = [(a, b) for a, b, other in zip(here, there, who, strict=True) if other == kind and not a.secret]
        steps = [apart(a.mechanism, a.x, b.x, relation) for a, b in both]
        norm = steps[0][3] if steps else 1
        far = float(np.linalg.norm([step[1] for step in steps], norm)) if steps else 0.0
        first = next((where(a) for (a, _), step in zip(both, steps, strict=True) if step[0]), "")
        out.append(LedgerCheck(
            mechanism, billed(changes, relation), max(change.billed for _, change in changes),
            sum(step[0] for step in steps), far, max((step[2] for step in steps), default=0.0), norm,
            sum(step[0] > 0 for step in steps), mine[0].what, first, never_reached(mine),
            bool(both) and isinstance(both[0][0].x, tuple),
        ))  # fmt: skip
    return out


def answering(mechanism: Any, ledger: Ledger) -> Any:
    """Which line of the ledger a mechanism is: the very one, or one at another scale that was learnt on the way."""
    kinds = {identity(release.mechanism): release.mechanism for release in ledger.releases}
    own = identity(mechanism)
    if own in kinds:
        return own
    return next((kind for kind, other in kinds.items() if price(other) == price(mechanism)), None)


def billed(changes: Sequence[tuple[Release, Change]], relation: Relation) -> int:
    """How many inputs a bill is for: of the releases of one partition the dearest few, of others all."""
    inputs = [(release.partition, release.count * change.inputs) for release, change in changes]
    few = {release.partition: parts_of(change, relation) for release, change in changes}
    shared = (sorted((count for other, count in inputs if other == name), reverse=True)[: few[name]]
              for name in few if name)  # fmt: skip
    return sum(count for name, count in inputs if not name) + sum(sum(each) for each in shared)


def parts_of(change: Change, relation: Relation) -> int:
    """In how many releases of one partition neighbours may differ: whoever is another may leave one and join one."""
    return change.parts or (1 if relation == "add-remove" else 2)


def never_reached(releases: Sequence[Release]) -> str:
    """Why nothing reaches what these lines state, where the ledger says so."""
    return next((said for release in releases if (said := release.unreached)), "")


def apart_in_one_partition(ledger: Ledger, checks: Sequence[LedgerCheck], unit: Unit, relation: Relation) -> list[str]:
    """Releases of one partition of which one change moves more than the ledger says."""
    changed = {identity(check.mechanism) for check in checks if check.moved}
    parts: dict[str, dict[Any, int]] = {}
    for release in ledger.releases:
        change = release.neighbours.get((unit, relation))
        if release.partition and isinstance(change, Change) and identity(release.mechanism) in changed:
            few = parts_of(change, relation)
            parts.setdefault(release.partition, {})[identity(release.mechanism)] = few
    over = ((name, len(kinds), min(kinds.values())) for name, kinds in parts.items())
    return [f"one change moves {many} releases of the partition {name!r}, which are billed as {few}"
            for name, many, few in over if many > few]  # fmt: skip


def unknown(ledger: Ledger, calls: Sequence[Call]) -> list[str]:
    """Mechanisms that no line of the ledger names; a line that nobody can count may have been drawn by any."""
    known = {price(release.mechanism): release.mechanism for release in ledger.releases}
    if any(isinstance(mechanism.loss(1.0), NotKnown) for mechanism in known.values()):
        return []
    used = {price(call.mechanism): call for call in reversed(calls)}
    strange = [f"{used[kind].mechanism} answers, but the ledger does not name it{where(used[kind])}"
               for kind in used if kind not in known]  # fmt: skip
    idle = [f"the ledger names {known[kind]}, which never answers" for kind in known if kind not in used]
    return strange[:1] + idle[:1]
