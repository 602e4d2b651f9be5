"""What a computation will take about, before it begins: what the same one took, else what its explorer says of it.

    note(…, seconds)  ──>  of(…)     seconds of a processor

Of the same settings with other noise the most counts, and less the longer ago it was: what is remembered somewhere
takes nothing now, and may be forgotten by then. An explorer's word is put right by what its computations took, and
stands where these took not less than half of it: near a bound the same settings would fall now on one side of it, now
on the other.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from recprivlib.dashboard import Explorer
from recprivlib.dashboard.contract import Values
from widgets.kit.work import Part

QUICK = 0.3  # seconds of a computation up to which it waits for nothing that takes longer
COSTLY = 2.0  # seconds of a computation from which it waits in a line of its own
KEPT = 5000  # settings whose seconds are remembered
FADES = 0.8  # what is left of an earlier one, each time it takes less
ROUGH = 0.5, 20.0  # how far an explorer's word may be from the truth, either way


class Costs:
    """What has been seen in one process."""

    def __init__(self) -> None:
        self._seen: OrderedDict[Any, float] = OrderedDict()
        self._rough: dict[tuple[str, Part], float] = {}
        self._lock = Lock()

    def note(self, explorer: Explorer, part: Part, values: Values, seconds: float, whole: bool = True) -> None:
        """It took so long; where not all of it was made, it would have taken longer."""
        key, said = _key(explorer, part, values), self._said(explorer, values)
        with self._lock:
            before = self._seen.pop(key, 0.0)
            if whole or seconds > before:
                before = max(seconds, FADES * before)
            if before:
                self._seen[key] = before
            if len(self._seen) > KEPT:
                self._seen.popitem(last=False)
            if said and (whole or seconds > said):
                kind = explorer.stem, part
                rough = max(seconds / said, FADES * self._rough.get(kind, 1.0))
                self._rough[kind] = min(max(rough, ROUGH[0]), ROUGH[1])

    def of(self, explorer: Explorer, part: Part, values: Values) -> float:
        """What it will take; 0 where nobody knows."""
        with self._lock:
            seen = self._seen.get(_key(explorer, part, values))
            rough = self._rough.get((explorer.stem, part), 1.0)
        said = self._said(explorer, values)
        if seen is None:
            return rough * said
        return said if said / 2 <= seen < said else seen

    @staticmethod
    def _said(explorer: Explorer, values: Values) -> float:
        return explorer.effort(explorer.defaults | dict(values)) if explorer.effort else 0.0


def _key(explorer: Explorer, part: Part, values: Values) -> Any:
    chosen = {name: value for name, value in values.items() if name != explorer.reseed}
    kind = "curve" if part == "curve" else "result"
    return explorer.stem, kind, tuple(sorted(chosen.items()))
