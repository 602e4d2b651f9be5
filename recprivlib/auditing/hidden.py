"""What nobody is said to see: who was drawn, and the answers that a ledger hides from some.

Put another draw, or another answer, in its place, with all else on the tape as it is. Whoever is said not to see it
must see the same as before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from recprivlib.auditing.conformance import answering
from recprivlib.auditing.draws import turned
from recprivlib.auditing.leaves import alike, identity
from recprivlib.auditing.replay import play
from recprivlib.mechanisms.gate import Call, Torn
from recprivlib.protocols import Interactions, Ledger

LOUD = 1e4  # times an answer, so that it stands out from whatever noise a model waits for


def shown_all_the_same(system: Any, ledger: Ledger, base: Interactions, seed: int) -> list[str] | None:
    """In what a run tells who was drawn, or what a line says that the world does not see. None: nothing is hidden."""
    kinds = {identity(line.mechanism): line.what for line in ledger.releases if "model" not in line.seen_by}
    tape = play(system, base, seed, "model").calls
    found, looked = [], False
    if any(call.secret for call in tape):
        looked = True
        inside, outside = ([turned(call, base.n_users, drawn) for call in tape] for drawn in (True, False))
        found += [f"{name} tells who was drawn" for name in _differing(system, base, seed, inside, outside)]
    if kinds:
        looked = True
        other = play(system, base, seed + 1, "model").calls
        what = " and ".join(kinds.values())
        for factor in (1, LOUD):
            both = zip(tape, other, strict=True)
            hidden = [_answered(one, two.y, factor) if _of(one, kinds, ledger) else one for one, two in both]
            found += [f"{name} tells of {what}, which the ledger says that nobody sees of it"
                      for name in _differing(system, base, seed, tape, hidden)]  # fmt: skip
    return list(dict.fromkeys(found)) if looked else None


def _answered(call: Call, y: Any, factor: float) -> Call:
    """The call with another answer; numbers so many times as large."""
    return replace(call, y=factor * y if isinstance(y, np.ndarray) and y.dtype.kind == "f" else y)


def _of(call: Call, kinds: dict[Any, str], ledger: Ledger) -> bool:
    return not call.secret and answering(call.mechanism, ledger) in kinds


def _differing(system: Any, base: Interactions, seed: int, one: list[Call], other: list[Call]) -> list[str]:
    """The first of what the world sees that is not the same with either tape."""
    try:
        here, there = (play(system, base, seed, "model", tape).held for tape in (one, other))
    except Torn:
        return ["how much is released"]
    return [name for name, value in here.items() if not alike(value, there.get(name))][:1]
