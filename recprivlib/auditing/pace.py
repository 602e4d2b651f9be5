"""How much of a run is played: as many of its rounds as there is time for, among as many people as it needs."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import replace
from typing import Any

from recprivlib.accounting import guarantee
from recprivlib.auditing.neighbours import ITEMS, Stage, meant_for
from recprivlib.auditing.replay import play
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions, Ledger, Relation, Sizes, Unit, View

SHORT = {"rounds": 4, "epochs": 4, "iterations": 4, "local_epochs": 1, "population": 1}
ROUNDS = ("rounds", "epochs", "iterations")
CAP = 150  # the longest that made-up people can be longer than
CROWD = 4000  # people, where a stage has to be as large as the data


def unhurried(
    system: Any, short: Any, data: Interactions, view: View, seed: int, seconds: float, plays: int = 10
) -> Any:
    """The system with as many of its rounds as `plays` runs in so many seconds allow: all of them, if possible."""
    if (longer := calmed(system)) == short:
        return short
    names = [name for name in settable(short) if name in ROUNDS]

    def part(share: float) -> Any:
        return replace(short, **{n: max(1, round(getattr(short, n) + share * (getattr(longer, n) - getattr(short, n))))
                                 for n in names})  # fmt: skip

    def seconds_of(one: Any) -> float:
        start = time.process_time()
        play(one, data, seed, view)
        return time.process_time() - start

    try:
        seconds_of(short)  # what is loaded once
        once, more = seconds_of(short), part(0.05)
        whole = once + max(seconds_of(more) - once, 0) * 20 if more != short else once * 5
    except UserError:
        raise
    except Exception:  # of a run that breaks, which is said when its scenes are played
        return short
    return longer if whole * plays <= seconds else part(max(0.0, (seconds / plays - once) / max(whole - once, 1e-9)))


def calmed(system: Any) -> Any:
    """The system with all its rounds, each as short as possible; a crowd's phones are people of their own."""
    names = settable(system)
    few = {name: min(most, getattr(system, name)) for name, most in SHORT.items()
           if name in names and name not in ROUNDS} | _cut(system)  # fmt: skip
    return replace(system, **few) if few else system


def shortened(system: Any) -> Any:
    """The same system with as few repetitions as show what one is like; a crowd's phones are people of their own."""
    names = settable(system)
    few = {name: min(most, getattr(system, name)) for name, most in SHORT.items() if name in names} | _cut(system)
    return replace(system, **few) if few else system


def settable(system: Any) -> tuple[str, ...]:
    """What of a system can be set anew: its fields; of one that is no dataclass nothing, so it is played as it is."""
    return tuple(one.name for one in dataclasses.fields(system)) if dataclasses.is_dataclass(system) else ()


def _cut(system: Any) -> dict[str, int]:
    """A cap that made-up people can be longer than."""
    cap = getattr(system, "cap", None)
    return {"cap": CAP} if "cap" in settable(system) and isinstance(cap, int) and cap > CAP else {}


def left_out(system: Any, played: Any) -> str:
    """What of the run was left out."""
    cut = [f"{getattr(played, name):,} of {getattr(system, name):,} {name}" for name in ROUNDS
           if getattr(played, name, None) != getattr(system, name, None)]  # fmt: skip
    return f" ({', '.join(cut)})" if cut else ""


def staged(system: Any, sizes: Sizes, unit: Unit, relation: Relation, view: View) -> Stage:
    """A few people; as many as the data have, where a run with few would be another (a cohort's rate, a crowd)."""
    cap = getattr(system, "cap", None)
    few = Stage(unit, relation, cap=cap, items=ITEMS if cap is None else max(ITEMS, 2 * cap + 20))
    crowd = replace(few, people=max(few.people, min(sizes.users, CROWD)))
    for stage in (few, crowd):
        small = dataclasses.replace(sizes, users=stage.people, items=stage.items)
        try:
            ledger = system.ledger(small)
            alike = replace(small, users=sizes.users)
            if stage is few and _price(ledger, stage, view) > _price(system.ledger(alike), stage, view) * (1 + 1e-9):
                continue
            play(system, stage.world(), 0, view)
        except UserError:
            if stage is crowd:
                raise
            continue
        except Exception:  # of a run that breaks, which is said when its scenes are played
            return stage
        return meant_for(stage, [release.mechanism for release in ledger.releases])
    return meant_for(crowd, [release.mechanism for release in system.ledger(sizes).releases])


def _price(ledger: Ledger, stage: Stage, view: View) -> float:
    return guarantee(ledger, stage.unit, stage.relation, 1e-6, view).epsilon
