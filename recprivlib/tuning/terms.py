"""A comparison is at one set of terms: the total that all meet, what a row costs at it, and what is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from recprivlib.experiment import priced
from recprivlib.parameters import UserError
from recprivlib.protocols import Report
from recprivlib.sweeps.cells import dataset
from recprivlib.tuning.choose import Contender
from recprivlib.tuning.inverse import Terms, paying
from recprivlib.tuning.totals import Total, restated, terms_of

Held = tuple[str, Callable[[], Terms | None]]  # who is held against whom: a name, and the terms of the bill


def total_of(contenders: Iterable[Contender], epsilon: Any, asked: Mapping[str, Any]) -> Total:
    """The one bill of these contenders: what is left out of its terms must be the same of all that promise anything."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not epsilon > 0:
        raise UserError(f"total is {epsilon!r}, but must be a number above 0")
    found = {one.system: terms for one in contenders if (terms := terms_of(one.system, one.fixed, **asked))}
    if not found:
        raise UserError("a total is there, but none of the systems promises anything about privacy")
    (first, terms), *others = found.items()
    for name, other in others:
        if other != terms:
            raise UserError(f"{first} is counted at {terms} and {name} at {other}: say unit, relation, view and delta "
                            "of the total")  # fmt: skip
    return Total(float(epsilon), terms)


def at_total(contenders: Sequence[Contender], total: Total | None, least: Mapping[str, float]) -> list[Contender]:
    """The contenders as they enter a comparison at one bill: all that promise anything meet it."""
    if unknown := [name for name in least if name not in {one.system for one in contenders}]:
        raise UserError(f"least names {unknown[0]!r}, which is none of the systems")
    return [_at(one, total, least.get(one.system, 0.0)) for one in contenders]


def _at(one: Contender, total: Total | None, least: float) -> Contender:
    if total is None or terms_of(one.system, one.fixed) is None:
        return one
    dials = paying(one.entry.system)
    if given := [name for name in one.fixed if name in dials]:
        raise UserError(f"{given[0]} of {one.system} is given, but it follows from the total; leave it out")
    return dataclasses.replace(one, total=total, least=least)


def held(one: Contender) -> Held:
    """A contender as it is held against another."""
    return one.name, lambda: one.total.terms if one.total else terms_of(one.system, one.fixed)


def refuse_mixed(pairs: Iterable[tuple[Held, Held]]) -> None:
    """Refuses two private systems that are held against each other at different terms."""
    for (name, mine), (rival, others) in pairs:
        if (theirs := others()) and (own := mine()) and own != theirs:
            raise UserError(f"{name} is counted at {own} and {rival} at {theirs}: they are not held against each other "
                            "unless the table says `mixed = true`")  # fmt: skip


def cost_of(one: Contender, report: Report) -> dict[str, Any]:
    """What a run costs, as fields of a row: at a total, at its terms."""
    if one.total is None:
        return priced(report)
    sizes = dataset(one.data, one.users, one.items, one.reading, one.population).interactions.sizes
    return priced(restated(report, sizes, **dataclasses.asdict(one.total.terms)))
