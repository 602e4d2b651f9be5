"""What a search of one system may turn: the dials that its parameters declare, less what is fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from recprivlib.parameters import Dial, UserError, dials, parameters
from recprivlib.protocols import Entry, Sizes

Setting = Mapping[str, Any]


@dataclass(frozen=True)
class Axis:
    """A dial with the type of its values."""

    dial: Dial
    kind: type

    def at(self, share: float) -> Any:
        return self.dial.at(share, self.kind)

    def share(self, value: Any) -> float:
        return self.dial.share(value)


Space = Mapping[str, Axis]


def space(entry: Entry, sizes: Sizes, fixed: Iterable[str] = (), *, restored: bool = False) -> Space:
    """The axes of a system's search, the one that is walked alone in front.

    `fixed` parameters are given and not searched. Dials that move the bill are turned only where there is none, or
    where the price is `restored` after every turn.
    """
    kinds, found = parameters(entry.system), {}
    for name, one in dials(entry.system).items():
        if name in fixed or (one.splits and entry.terms is not None and not restored):
            continue
        if one.items:
            one = replace(one, high=max(min(one.high, sizes.items - 1), one.low + 1))
        found[name] = Axis(one, kinds[name].kind)
    return found


def refused(entry: Entry, names: Iterable[str]) -> None:
    """Says in words why something that is asked to be searched is no dial."""
    known = parameters(entry.system)
    for name in names:
        if name not in known:
            raise UserError(f"there is no parameter {name!r}; choose from {', '.join(known) or 'none at all'}")
        if not isinstance(known[name].tune, Dial):
            raise UserError(f"{name} is never searched: {known[name].tune}")
