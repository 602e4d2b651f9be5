"""One bill for all: systems are turned until their counted ε is the one that is asked for, at one set of terms.

calibrated   by name or value, in a reader's hands        restated   a report whose bill is at other terms
Total        of a comparison: what splits ε is turned, and after each turn the price is restored
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recprivlib.accounting.bills import bill, stated
from recprivlib.parameters import UserError, configured, values
from recprivlib.protocols import Entry, Relation, Report, Sizes, Unit, View
from recprivlib.registry import get, name_of
from recprivlib.tuning.inverse import Terms, paid, paying, stated_terms

NOMINAL = Sizes(10_000, 1_000, grid=(1.0, 2.0, 3.0, 4.0, 5.0))  # where terms are asked before data are there


def calibrated(
    system: Any, epsilon: float, *, sizes: Sizes, settings: Mapping[str, Any] | None = None,
    delta: float | None = None, unit: Unit | None = None, relation: Relation | None = None, view: View | None = None,
) -> Any:  # fmt: skip
    """The system whose counted bill is this ε: the accountant inverted by the dial that the system is paid with.

    Parameters
    ----------
    system
        A name that `systems()` lists, or a system value; what it is not paid with stays as it is.
    epsilon
        The bill to meet, above 0.
    sizes
        Of the people that it is trained on: `split(…)[0].train.sizes`.
    settings
        Parameter name to value, over those of `system`.
    delta, unit, relation, view
        The terms, as in `guarantee`; unless given, the system's own.

    Returns
    -------
    A value of the same class. Its counted bill at these terms is at most ε, and at most 1 % below.

    Raises
    ------
    UserError
        There is none, with the reason: nothing is promised, no ε is finite at these terms, a dial ends before (at which
        ε), or the bill jumps.

    Examples
    --------
    >>> calibrated("dplcf-sp", 1.0, unit="interaction", relation="swap", sizes=Sizes(943, 1682)).epsilon
    0.5
    >>> calibrated("fmf-ldp", 5000, sizes=Sizes(943, 1682)).epsilon
    2.5
    """
    name, entry = _entry(system)
    made = configured(entry.system, dict(settings or {}))
    if not made.ledger(sizes):
        raise UserError(f"{name} promises nothing about privacy, so no ε is its bill")
    terms = stated_terms(entry, made, sizes, delta=delta, unit=unit, relation=relation, view=view)
    found = paid(name, made, sizes, terms, epsilon)
    if found.why:
        raise UserError(f"{name} does not cost ε = {epsilon:g} at any setting: {found.why}")
    return found.system


@dataclass(frozen=True)
class Total:
    """What each contender of a comparison may cost, and at which terms.

    >>> Total(50.0, Terms("user", "replace", "server", 0.0)).said["unit"]
    'user'
    """

    epsilon: float  #: ε
    terms: Terms  #: the unit, the relation, the view and δ

    @property
    def said(self) -> dict[str, Any]:
        """As it stands in a file of choices."""
        return {"epsilon": self.epsilon, **dataclasses.asdict(self.terms)}


def restored(name: str, params: Mapping[str, Any], total: Total, sizes: Sizes, least: float = 0.0) -> dict[str, Any]:
    """The parameters with the price restored: the bill is at most the total, below it where a dial ends.

    It is refused where the cheapest setting costs more, or what is paid would be below `least`.

    >>> total = Total(50.0, Terms("user", "replace", "server", 0.0))
    >>> restored("item-sign", {"k": 2, "epochs": 5}, total, Sizes(943, 1682))["epsilon"]
    5.0
    """
    found = values(_restored(name, tuple(params.items()), total, sizes))
    for dial in paying(get(name).system):
        if found[dial] < least:
            raise UserError(f"{dial} of {name} would be {found[dial]:g} at a total of {total.epsilon:g}, below the "
                            f"{least:g} that are the least to be tried")  # fmt: skip
    return found


@functools.lru_cache(maxsize=4096)
def _restored(name: str, params: tuple[tuple[str, Any], ...], total: Total, sizes: Sizes) -> Any:
    system = configured(get(name).system, dict(params))
    if not system.ledger(sizes):
        raise UserError(f"{name} promises nothing about privacy, so it has no total")
    return paid(name, system, sizes, total.terms, total.epsilon).system


def private(name: str, params: Mapping[str, Any] | None = None) -> bool:
    """Whether anything is promised about privacy."""
    return bool(configured(get(name).system, dict(params or {})).ledger(NOMINAL))


def terms_of(name: str, params: Mapping[str, Any], **asked: Any) -> Terms | None:
    """At what terms a system is billed, whatever the data; None where nothing is promised."""
    entry = get(name)
    system = configured(entry.system, dict(params))
    return stated_terms(entry, system, NOMINAL, **asked) if system.ledger(NOMINAL) else None


def restated(report: Report, sizes: Sizes, *, delta: float | None = None, unit: Unit | None = None,
             relation: Relation | None = None, view: View | None = None) -> Report:  # fmt: skip
    """A report whose bill is at these terms; one that promises nothing stays as it is. `sizes` are of all people."""
    if report.guarantee is None:
        return report
    entry = get(report.system)
    system = stated(configured(entry.system, dict(report.params)), relation)
    learnt = dataclasses.replace(sizes, users=report.users)
    found = bill(entry, system, learnt, delta=delta, unit=unit, relation=relation, view=view)
    mode = {"mode": report.guarantee["mode"]} if "mode" in report.guarantee else {}
    return dataclasses.replace(report, guarantee=found | mode)


def _entry(system: Any) -> tuple[str, Entry]:
    """The registry's entry of a system, with the given value in it; a value of one's own needs none."""
    if isinstance(system, str):
        return system, get(system)
    known = name_of(system)
    if known is None:
        return type(system).__name__, Entry(system, "ranking", "beyond", "")
    return known, dataclasses.replace(get(known), system=system)
