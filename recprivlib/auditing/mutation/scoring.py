"""The score of the audit: every bug of this package, put into every private system at its defaults.

    operator ──> mutated system ──audit──> caught (by what is found) │ holds (missed) │ open (missed, nothing promised)
                                           "": the bug does not apply to this system

A system that claims nothing of its own is given its own bill as a claim, so that `holds` can be said of it. A bug is
caught where the audit finds what it does not find in the system without the bug, certifies more than is counted, or
no longer says `holds`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from recprivlib.accounting import guarantee, small_delta
from recprivlib.accounting.bills import default_view, usual_delta
from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.mutation import answers, digits, ledgers, lies, models, sides
from recprivlib.auditing.mutation.blind import SPOTS
from recprivlib.auditing.mutation.grafts import planted
from recprivlib.auditing.mutation.operator import Operator
from recprivlib.auditing.rehearsal import BRIEF, WHOLE, rehearse
from recprivlib.parameters import UserError
from recprivlib.protocols import Claim, Entry, HasDelta, Relation, Unit

OPERATORS: dict[str, Operator] = {
    name: replace(one, blind=SPOTS.get(name, ""))
    for part in (models, digits, answers, lies, ledgers, sides) for name, one in part.OPERATORS.items()
}  # fmt: skip
FILE = Path(__file__).with_name("score.csv")
TRIALS = 2000
CAUGHT, HOLDS, OPEN, NONE = "caught", "holds", "open", ""


@dataclass(frozen=True)
class Cell:
    """One bug in one system, and what the audit said."""

    operator: str
    system: str
    outcome: str  #: "caught"; "holds" or "open": missed; "": it does not apply
    by: str  #: what was found; of a miss, why


def base(entry: Entry) -> Any:
    """The system of an entry, with its own bill as its claim if it can be paid."""
    assert entry.terms
    unit, relation = entry.terms
    ledger = entry.system.ledger(USUAL)
    own = ledger.claimed.delta if ledger.claimed else None
    if own is None:
        own = entry.system.delta if isinstance(entry.system, HasDelta) else None
    view = default_view(ledger)
    delta = usual_delta(ledger, unit, relation, view, small_delta(USUAL.users)) if own is None else own
    bill = guarantee(ledger, unit, relation, delta, view)
    if bill.epsilon == float("inf"):
        return planted(entry.system)
    claim = Claim(bill.epsilon * (1 + 1e-9), delta, unit, relation, "its own bill")
    return planted(entry.system, states=lambda ledger: replace(ledger, claimed=claim))


@dataclass(frozen=True)
class Heard:
    """What an audit says, as far as it decides a cell."""

    found: tuple[str, ...]
    verdict: str = ""
    reason: str = ""
    above: bool = False  # the attack certified more than is counted

    def beside(self, honest: Heard) -> list[str]:
        """What is found here and not in the system without the bug."""
        known = {_words(one) for one in honest.found}
        return [one for one in self.found if _words(one) not in known]


def heard(make: Callable[[], Any], terms: tuple[Unit, Relation], honest: Heard | None = None, seed: int = 0) -> Heard:
    """An audit at these terms; beside an honest one no attack is made where the replay has found something.

    `make` gives the system, anew for each replay: what a bug keeps from one run for the next must not be there before.
    """
    unit, relation = terms
    try:
        with sides.tidied():
            for budget in (BRIEF, WHOLE) if honest else (WHOLE,):  # most bugs are found in a moment
                system = make()
                view = default_view(system.ledger(USUAL))
                run = rehearse(system, USUAL, unit, relation, view, seed, budget=budget)
                early = Heard(tuple(run.found))
                if honest and early.beside(honest):
                    return early
            said = audit(system, unit=unit, relation=relation, trials=TRIALS, seed=seed, rehearsed=run)
    except UserError as refused:
        return Heard((f"refused: {refused}",), "refused", str(refused))
    above = said.attacked.decisive > said.counted.epsilon
    return Heard(said.attacked.found, said.verdict, said.reason, above)


@lru_cache(maxsize=64)
def _base(name: str, entry: Entry) -> tuple[Any, Heard]:
    """The system without a bug, and what is said of it."""
    honest = base(entry)
    return honest, heard(lambda: honest, _terms(honest, entry))


def _terms(system: Any, entry: Entry) -> tuple[Unit, Relation]:
    claim = system.ledger(USUAL).claimed
    assert entry.terms
    return (claim.unit, claim.relation) if claim else entry.terms


def cell(operator: str, name: str, entry: Entry) -> Cell:
    """One bug in one system."""
    honest, before = _base(name, entry)
    build = OPERATORS[operator].build
    if (mutated := build(honest)) is None:
        return Cell(operator, name, NONE, "")
    now = heard(lambda: build(honest), _terms(mutated, entry), before)
    if new := now.beside(before):
        return Cell(operator, name, CAUGHT, short(new[0]))
    if now.above:
        return Cell(operator, name, CAUGHT, "the attack certifies more than is counted")
    if before.verdict == HOLDS != now.verdict:
        return Cell(operator, name, CAUGHT, short(now.reason))
    return Cell(operator, name, HOLDS if now.verdict == HOLDS else OPEN, OPERATORS[operator].blind)


def _words(found: str) -> str:
    return re.sub(r"[\d.,e+-]+", "#", found)


def short(found: str) -> str:
    """A finding as it stands in the table: without what differs from machine to machine."""
    line = re.sub(r"\S*/\S+", "…", " ".join(found.split()))
    return line if len(line) <= 100 else f"{line[:99]}…"


def score(entries: Mapping[str, Entry], operators: Iterable[str] = ()) -> Iterator[Cell]:
    """The cells of these systems, one after the other."""
    for name, entry in entries.items():
        if entry.terms:
            for operator in operators or OPERATORS:
                yield cell(operator, name, entry)


# ---------------------------------------------------------------------------------------------- the table


def write(cells: Iterable[Cell], path: Path = FILE) -> None:
    """The cells as a .csv, by operator and system; what it says of other systems stays."""
    order = {name: at for at, name in enumerate(OPERATORS)}
    cells = list(cells)
    new = {one.system for one in cells}
    kept = [one for one in committed(path) if one.system not in new and one.operator in order] if path.exists() else []
    cells = sorted(kept + cells, key=lambda one: one.system)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, [one.name for one in fields(Cell)], lineterminator="\n")
        out.writeheader()
        out.writerows(asdict(one) for one in sorted(cells, key=lambda one: order[one.operator]))


def committed(path: Path = FILE) -> list[Cell]:
    """The cells that are committed beside this module."""
    with path.open(encoding="utf-8", newline="") as file:
        return [Cell(**row) for row in csv.DictReader(file)]


def missed(cells: Iterable[Cell]) -> list[Cell]:
    """Those that nothing was found against."""
    return [one for one in cells if one.outcome in (HOLDS, OPEN)]


@dataclass(frozen=True)
class Line:
    """One bug over all systems that it applies to."""

    operator: str
    applies: int
    caught: int
    holds: tuple[str, ...]  # systems in which it passes as `holds`
    open: tuple[str, ...]  # systems in which nothing is found, and nothing was promised
    blind: str


def summary(cells: Sequence[Cell]) -> list[Line]:
    """The table, a line an operator."""
    out = []
    for name, operator in OPERATORS.items():
        mine = [one for one in cells if one.operator == name and one.outcome]
        passed = [tuple(one.system for one in mine if one.outcome == word) for word in (HOLDS, OPEN)]
        caught = sum(one.outcome == CAUGHT for one in mine)
        out.append(Line(name, len(mine), caught, passed[0], passed[1], operator.blind))
    return out
