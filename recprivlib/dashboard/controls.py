"""The controls that several dashboards share: data, seed, the steps of ε and the words at its ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recprivlib.dashboard.contract import Control, Cost, Values
from recprivlib.parameters import UserError, dials, parameters
from recprivlib.registry import get

EPSILONS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 1.7, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8)
ENDS = ("more privacy, more noise", "less privacy, less noise")
DATA = {"ml-100k": "MovieLens 100K", "ml-1m": "MovieLens 1M", "synthetic": "1 000 invented people"}


def data(*names: str) -> Control:
    """Which people: the first named is the default."""
    choices = tuple((name, DATA[name]) for name in names)
    return Control("data", "Data", "choice", names[0], place="more", cost="on release", choices=choices,
                   needs={name: name for name in names})  # fmt: skip


def seed(cost: Cost | Callable[[Values], Cost] = "live") -> Control:
    """Which draw of the noise and the split."""
    return Control("seed", "Draw", "seed", 0, 0, 9999, place="more", cost=cost)


def unit(*choices: tuple[str, str]) -> Control:
    """What the bill is for; the first is the default."""
    return Control("unit", "The bill is for", "choice", choices[0][0], place="under", choices=choices)


def turned(system: str, name: str, label: str, stops: int = 32, **more: Any) -> Control:
    """A dial of a system as a control: its slider goes where a search goes, its number box as far as the parameter.

    >>> turned("dpsgd-pnbm", "floor", "Floor C", 4).steps
    (1.0, 4.162, 10.0, 17.32, 72.08, 300.0)
    """
    value, meta = get(system).system, parameters(get(system).system)[name]
    one = dials(value).get(name)
    if one is None:
        raise UserError(f"{name} of {system} is no dial: {meta.tune}")
    now = getattr(value, name)
    if meta.kind is bool:
        return Control(name, label, "switch", now, **more)
    if one.values:
        return Control(name, label, "choice", now, choices=tuple((value, str(value)) for value in one.values), **more)
    found = {one.at(stop / stops, meta.kind) for stop in range(stops + 1)} | ({now} - {None})
    low, high = meta.ends
    return Control(name, label, "integer" if meta.kind is int else "number", min(found) if now is None else now, low,
                   high, steps=tuple(sorted(found)), log=one.scale == "log", **more)  # fmt: skip
