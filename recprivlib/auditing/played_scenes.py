"""The scenes of a run, played one after another under one tape: what was found, and how far the check reached.

    a base ──its own run──> tape ──┬─> the base   ┐  what must be equal (replay.py), what goes in beside what the
                                   └─> each other ┘  ledger states (conformance.py), what is drawn (draws.py) ──> Books

Budgets are seconds of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from recprivlib.auditing.conformance import LedgerCheck, apart_in_one_partition, lines, unknown
from recprivlib.auditing.draws import cohorts, randomness, turned
from recprivlib.auditing.neighbours import PEOPLE
from recprivlib.auditing.replay import Played, Probe, moved, play
from recprivlib.auditing.scenes import Scene
from recprivlib.auditing.verdicts import ENOUGH
from recprivlib.mechanisms.gate import Torn
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Ledger, Relation, Unit, View

REFUSES, FAILS = "whether training works at all depends on the data", "in some worlds a run fails"
PATIENCE = 2.0  # seconds of work more, where a brief look has moved nothing of a line yet
ASKED = 12  # people whose lists are looked at in a large world


@dataclass(frozen=True)
class Act:
    """What is played, at which terms, and until when."""

    unit: Unit
    relation: Relation
    view: View
    seed: int
    until: float
    brief: bool = False  # no more than is needed to reach enough

    @property
    def late(self) -> bool:
        return time.process_time() > self.until

    def done(self, checks: Sequence[LedgerCheck]) -> bool:
        """Whether no further scene is played.

        A slow Python, as a browser's is, has time for one scene. Where nothing moved in it, another is played all the
        same: else it would say `open` of what is broken.
        """
        if not self.late:
            return self.brief and reached(checks)
        still = any(check.reach == 0 and not check.why_never for check in farthest(checks))
        return not (self.brief and still) or time.process_time() > self.until + PATIENCE


@dataclass(frozen=True)
class Books:
    """What does not agree with the ledger; the most that a change moved, line by line; and where it moved most."""

    found: list[str]
    lines: list[LedgerCheck]
    place: int = 0  # the pair of the stage
    runs: int = 0
    said: str = ""  # in which worlds

    def __add__(self, other: Books) -> Books:
        said = "; ".join(part for part in (self.said, other.said) if part)
        return Books(once(self.found + other.found), farthest([*self.lines, *other.lines]), self.place,
                     self.runs + other.runs, said)  # fmt: skip


def once(notes: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(notes))


def farthest(checks: Iterable[LedgerCheck]) -> list[LedgerCheck]:
    """Of each line of the ledger the check that reached most."""
    most: dict[str, LedgerCheck] = {}
    for check in checks:
        most[check.what] = max(most.get(check.what, check), check, key=lambda one: one.reach)
    return list(most.values())


def reached(checks: Sequence[LedgerCheck]) -> bool:
    """Whether every line that can be was moved far enough."""
    return min((check.reach for check in farthest(checks)), default=1.0) >= ENOUGH


def examined(system: Any, ledger: Ledger, scenes: Iterable[Scene], act: Act, told: bool = True) -> Books:
    """Every scene under one tape: what may not move does not, and what may moves no farther than the ledger states.

    `told`: with the ledger. Without it only what must be equal is looked at.
    """
    found: list[str] = []
    checks: list[LedgerCheck] = []
    runs, pair, best = 0, 0, (-1.0, 0)
    live: tuple[Interactions, Played] | None = None
    for scene in scenes:
        near = sum(is_near for _, _, is_near in scene.others)
        if runs and act.done(checks):
            break
        try:
            if live is None or live[0] is not scene.base:
                live = scene.base, play(system, scene.base, act.seed, act.view)
                runs += 1
                found += [*live[1].strange, *(unknown(ledger, live[1].calls) if told else ())]
                found += [*randomness(live[1].calls), *cohorts(live[1].calls)]
            one = one_tape(system, ledger, scene, live[1], act, told)
        except UserError as refused:
            if runs == 0 or not told:
                raise
            found.append(f"{REFUSES} ({refused})")
            pair += near
            continue
        except Exception as failed:
            found.append(f"{FAILS} ({type(failed).__name__}: {failed})")
            pair += near
            continue
        runs += one.runs
        found += one.found
        checks += one.lines
        if (score := sum(check.reach for check in one.lines)) > best[0]:
            best = score, pair + one.place
        pair += near
    return Books(once(found), farthest(checks), best[1], runs)


def one_tape(system: Any, ledger: Ledger, scene: Scene, live: Played, act: Act, told: bool) -> Books:
    """One base and its others, with the answers of its own run; she is in every cohort."""
    found: list[str] = []
    checks: list[LedgerCheck] = []
    people, runs, best = scene.base.n_users, 0, (-1.0, 0)
    probe = Probe.of(scene.base, scene.who, people if people <= PEOPLE else ASKED)
    tape = [turned(call, people, True, scene.who) for call in live.calls]

    def again(world: Interactions) -> Played | str:
        try:
            return play(system, world, act.seed, act.view, tape, probe)
        except Torn as torn:
            return str(torn)
        except UserError as refused:
            return f"{REFUSES} ({refused})"
        except Exception as failed:  # a run that breaks in some worlds tells that it did
            return f"{FAILS} ({type(failed).__name__}: {failed})"

    here, near_ones = again(scene.base), 0
    if isinstance(here, str):
        return Books([here], [], 0, 1)
    for _, world, near in scene.others:
        if runs and act.late:
            break
        runs += 1
        near_ones += near
        there = again(world)
        if isinstance(there, str):
            found.append(there)
            continue
        found += [*there.strange, *moved(here, there, scene.who if near else None, people)]
        if not (near and told):
            continue
        try:
            now = lines(ledger, act.unit, act.relation, here.calls, there.calls)
        except (ValueError, TypeError) as failed:
            found.append(f"the form of what is released depends on the data ({failed})")
            continue
        found += [
            *apart_in_one_partition(ledger, now, act.unit, act.relation),
            *(check.excess for check in now if not check.kept),
        ]
        checks += now
        if (score := sum(check.reach for check in now)) > best[0]:
            best = score, near_ones - 1
    return Books(once(found), farthest(checks), best[1], runs + 1)
