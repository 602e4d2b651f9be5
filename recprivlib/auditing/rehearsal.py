"""A run in all the worlds that there is time for: what was found, and how far the check reached.

    made up     every scene of scenes.py, all rounds of the run if there is time      ──┐
    a crowd     more people than a block of phones has                                  ├──> Books: found, reached, in
    a catalogue as large as the public sizes say                                        │    which worlds
    elsewhere   streamed models, a population that is drawn, one person less            │    (played_scenes.py)
    to the end  all rounds once, with the smallest cohort and network                   │
    other terms that the ledger states                                                  │
    other luck: other random numbers, and so other answers                              │
    each mechanism by itself, asked as often as a rare answer needs                     │
    real        the data set one names (real_run.py)                                  ──┘
                                                                     (all but the first: other_worlds.py)

Budgets are seconds of the processor. What there was no time for is not in the words that say what was looked at.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from recprivlib.accounting.guarantee import told_apart
from recprivlib.auditing.leaves import identity
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.other_worlds import (
    asked_often,
    by_luck,
    catalogue,
    in_a_crowd,
    kept_hidden,
    left_behind,
    other_terms,
    other_ways,
    really,
    to_the_end,
)
from recprivlib.auditing.pace import calmed, left_out, shortened, staged, unhurried
from recprivlib.auditing.played_scenes import Act, Books, examined, once
from recprivlib.auditing.replay import MOVES
from recprivlib.auditing.verdicts import Checked
from recprivlib.protocols import Interactions, Ledger, Relation, Sizes, Unit, View

BRIEF, WHOLE = 0.1, 4.0  # seconds of work: beside a reader's slider, and for an audit
SHARES = {"made up": 0.5, "to the end": 2.5, "real": 2.0}  # of the budget that all rounds may take


@dataclass(frozen=True)
class Rehearsed:
    """A run, replayed and booked: nothing of it hangs on luck."""

    system: Any  # shortened, for an attack
    stage: Stage
    ledger: Ledger
    leaks: list[str]  # other ways by which data get out
    books: Books
    worlds: tuple[Interactions, Interactions]  # the neighbours that are attacked
    brief: bool = False  # no more was played than a reader waits for

    @property
    def found(self) -> list[str]:
        return once(self.leaks + self.books.found)

    @property
    def checked(self) -> Checked:
        """What was looked at of the code, and how far that reached."""
        reach = {check.what: check.reach for check in self.books.lines}
        never = {check.what: check.why_never for check in self.books.lines if check.why_never}
        return Checked(self.books.runs, self.books.said, tuple(self.found), reach, never)


def rehearse(
    system: Any, sizes: Sizes, unit: Unit, relation: Relation, view: View, seed: int,
    data: Interactions | None = None, budget: float = BRIEF,
) -> Rehearsed:  # fmt: skip
    """Play a run in all worlds that there is time for, and on `data`.

    `budget`: seconds of the processor; the real run on `data` has twice as many of its own.
    """
    brief = budget <= BRIEF
    short = shortened(system)
    stated = identity(short.ledger(sizes))
    kept = sharing_the_public(short.ledger(sizes), unit, relation)
    act = Act(*kept, view, seed, time.process_time() + (3 * budget if brief else budget), brief)
    left = None if brief else left_behind(short, act)  # before anything else of it has run here
    attacked = stage = staged(short, sizes, unit, relation, view)
    if kept != (unit, relation):
        stage = replace(stage, unit=kept[0], relation=kept[1])
    first = stage.first
    whole = short if brief else unhurried(system, short, first.base, view, seed, SHARES["made up"] * budget)
    books = _in_scenes(whole, short, stage, act, whole == calmed(system))
    made = (
        f"{books.runs} runs in made-up worlds of {stage.people} people × {stage.items} items{left_out(system, whole)}"
        f"{'' if stage is attacked else ', all with who rated what as it is'}"
    )
    books = replace(books, found=once([*(left or []), *books.found]), said=made)
    for beside in (asked_often, by_luck, kept_hidden, other_terms, other_ways, in_a_crowd, catalogue):
        if not brief and (beside in (asked_often, by_luck, kept_hidden) or not act.late):
            books += beside(short, stage, sizes, act)
    if whole != calmed(system) and not brief:
        books += to_the_end(system, stage, act, SHARES["to the end"] * budget)
    if data is not None:
        books += really(system, short, data, act, SHARES["real"] * budget)
    if identity(short.ledger(sizes)) != stated:
        books = replace(books, found=[*books.found, "the ledger is another after a run than it was before"])
    if left is None:
        books = replace(books, said=f"{books.said}; not what one run leaves to the next")
    leaks = [note for note in books.found if MOVES in note or note in (left or ())]
    if stage is not attacked:
        books = replace(books, place=0)
    pair = attacked.world(item=books.place), attacked.world(True, books.place)
    return Rehearsed(short, attacked, short.ledger(first.base.sizes), leaks, books, pair, brief)


def sharing_the_public(ledger: Ledger, unit: Unit, relation: Relation) -> tuple[Unit, Relation]:
    """The neighbours of these terms that share what everybody is taken to know.

    Whoever differs in that is told apart whatever a run does, and the bill says so: it is infinite. So nothing is
    promised of such neighbours, and no run can break it. What is left to check is all that remains secret: the values.
    """
    if told_apart(ledger, relation):
        return ("user" if unit == "user" else "rating"), "replace-value"
    return unit, relation


def _in_scenes(whole: Any, short: Any, stage: Stage, act: Act, all_of_it: bool) -> Books:
    """Every scene; where there is no time for all rounds, only the first has as many as there is time for."""
    scenes = stage.scenes()
    ledger = whole.ledger(stage.first.base.sizes)
    if all_of_it or act.brief or whole == short:
        return examined(whole, ledger, scenes, act)
    first = examined(whole, ledger, islice(scenes, 1), act)
    pairs = sum(near for _, _, near in stage.first.others)
    rest = examined(short, short.ledger(stage.first.base.sizes), scenes, act)
    farther = sum(check.reach for check in rest.lines) > sum(check.reach for check in first.lines)
    return replace(first + rest, place=pairs + rest.place if farther else first.place)
