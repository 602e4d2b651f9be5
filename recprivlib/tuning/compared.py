"""A comparison in which all are tuned alike: what a `[[tuned]]` of a table's .toml asks for, planned, searched, tested.

    [[tuned]]
    systems = ["uniform-similarity", "dpsgd-pnbm"]
    parameters = { epsilon = [1.0, 3.0] }   # what is paid, and which variant: given, not searched; with a system's name
                                            # before it, "dpsgd-pnbm.iterations" = [1], of that system alone
    against = "uniform-similarity"          # adds differences, each setting to its own, with their verbs; whom of
                                            # several is said by more words: "optimal-mf mechanism=laplace"
    data = "ml-100k"                        # with users = … and items = … for synthetic
    protocol = "kfold"                      # default: by the system's task
    splits = "0-4"                          # outer splits, each with a search of its own
    seeds = "0-4"                           # training seeds on each
    populations = "0-4"                     # of synthetic: all are tested with what was chosen on population 1000
    searched_on = "ml-100k"                 # other data: tested with what was chosen there on outer split 0, frozen,
                                            # in whichever table it was searched for
    metric = "rmse"                         # that chooses; default: by the protocol
    trials = 64
    most = 256                              # to which the trials of a paper's system may double
    price = "public"                        # "reports": validated on reports; data that are not public are "private"

    total = [50.0, 250.0]                   # one bill for all, in place of what is paid: a comparison at each. What
    unit = "user"                           #   splits ε is searched too, the price restored after every turn. Its terms
    relation = "replace"                    #   are those of all: what is left out must be the same of them,
    view = "server"
    delta = 0.0                             #   and δ is 0
    least = { item-sign = 2.0 }             # of what is paid by a system: what would leave it less is not searched
    mixed = true                            # private systems are held against each other at several terms

Each contender has two runs of rows: setting "as printed" and setting "tuned". What stands elsewhere than printed is in
the file of choices, for it differs from split to split; in the rows of "tuned" such parameters are empty. At a total
both have that bill, or a smaller one where a dial ends before; "as printed" is then all but what is paid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recprivlib.data import pinned
from recprivlib.evaluation import Nest
from recprivlib.experiment import protocol_of
from recprivlib.parameters import UserError, configured, dials, values
from recprivlib.protocols import Relation, Unit, View
from recprivlib.registry import get
from recprivlib.sweeps import Row, outcomes, settings_of
from recprivlib.sweeps.cells import Cell, Outcome, dataset
from recprivlib.tuning.choices import Choice, key
from recprivlib.tuning.choose import MOST, TRIALS, Bench, Contender, applied, tuned
from recprivlib.tuning.gaps import Gap, gap
from recprivlib.tuning.inverse import paying
from recprivlib.tuning.price import PRICES, PUBLIC
from recprivlib.tuning.terms import Held, at_total, cost_of, held, refuse_mixed, total_of
from recprivlib.tuning.totals import Total

OPTIONS = ("systems", "parameters", "against", "data", "users", "items", "protocol", "splits", "seeds", "populations",
           "searched_on", "metric", "trials", "most", "price", "slow", "total", "unit", "relation", "view", "delta",
           "least", "mixed")  # fmt: skip
ABOUT = ("setting", "splits", "populations", "price", "trials")  # of a row, beside those of every table
PRINTED, TUNED = "as printed", "tuned"
OWN = 1000  # the invented population that is searched on: none that is tested
Choices = Mapping[tuple[Any, ...], Choice]
Cells = list[list[list[Cell]]]  # [population][outer split][seed]


@dataclass(frozen=True)
class Comparison:
    """A `[[tuned]]`, planned."""

    contenders: tuple[Contender, ...]
    against: str | None
    splits: tuple[int, ...]
    seeds: tuple[int, ...]
    populations: tuple[int, ...]
    trials: int
    searched_on: str | None
    slow: bool
    total: Total | None = None  # one bill for all
    most: int = MOST  # trials that a paper's system comes to by doubling

    def searches(self) -> Iterator[tuple[Contender, int]]:
        """Who is searched for on which outer split; nobody, where choices of other data are taken as they stand."""
        for one in self.contenders if self.searched_on is None else ():
            if one.data == "synthetic":
                yield replace(one, population=OWN, checksum=_checksum(one, OWN)), 0
            else:
                yield from ((one, outer) for outer in self.splits)

    def choice(self, contender: Contender, outer: int, choices: Choices) -> Choice:
        """What was chosen for a contender that is tested on this outer split."""
        where, outer, population = self.searched_on or contender.data, outer, 0
        if self.searched_on or where == "synthetic":
            outer, population = 0, OWN if where == "synthetic" else 0
        size = (contender.users, contender.items) if where == contender.data else (None, None)
        wanted = key(contender.system, contender.fixed, where, *size, contender.protocol, contender.judge, outer,
                     population, _total(contender))  # fmt: skip
        if wanted not in choices:
            raise UserError(f"nothing was chosen for {contender.name} on {where}, outer split {outer}: run `make tune`")
        return choices[wanted]

    def cells(self, contender: Contender, setting: str, choices: Choices) -> Cells:
        """All tests of a contender at one setting."""
        return [[self._tests(contender, setting, choices, population, outer) for outer in self.splits]
                for population in self.populations]  # fmt: skip

    def _tests(self, contender: Contender, setting: str, choices: Choices, population: int, outer: int) -> list[Cell]:
        nest, chosen = Nest(outer, population=population), dict[str, Any]()
        one = replace(contender, population=population, checksum=_checksum(contender, population))
        if setting == TUNED:
            choice = self.choice(contender, outer, choices)
            shrinks = any(dials(one.entry.system)[name].shrinks for name in choice.chosen)
            chosen = dict(applied(choice, len(one.part(nest).train) if shrinks else choice.ratings))
        return [one.cell(chosen, nest, seed) for seed in self.seeds]

    def rival(self, contender: Contender) -> Contender | None:
        """Whom a contender is held against: that of the same fixed parameters, as far as both have them.

        What `against` says of itself is as it says, whatever the contender has.
        """
        if self.against is None:
            return None
        system, said = named(self.against)
        rivals = [one for one in self.contenders if one.system == system and said.items() <= one.fixed.items()]
        if contender in rivals or (not said and contender.system == system):
            return None
        found = [one for one in rivals
                 if all(name in said or contender.fixed.get(name, value) == value
                        for name, value in one.fixed.items())]  # fmt: skip
        if len(found) != 1:
            raise UserError(f"{self.against} is there {len(found)} times for {contender.name}, so nothing can be held "
                            "against it")  # fmt: skip
        return found[0]


def comparison(
    *,
    systems: Sequence[str],
    parameters: Mapping[str, Sequence[Any]] | None = None,
    against: str | None = None,
    data: str = "ml-100k",
    users: int | None = None,
    items: int | None = None,
    protocol: str | None = None,
    splits: str = "0-4",
    seeds: str = "0-4",
    populations: str = "0",
    searched_on: str | None = None,
    metric: str = "",
    trials: int = TRIALS,
    most: int = MOST,
    price: str | None = None,
    slow: bool = False,
    total: float | None = None,
    unit: Unit | None = None,
    relation: Relation | None = None,
    view: View | None = None,
    delta: float | None = None,
    least: Mapping[str, float] | None = None,
    mixed: bool = False,
) -> Comparison:
    """Plan what a `[[tuned]]` asks for; every mistake in it is said here."""
    price = price or ("public" if (searched_on or data) in PUBLIC else "private")
    if price not in PRICES:
        raise UserError(f"price is {price!r}, but must be one of {', '.join(PRICES)}")
    if against is not None and named(against)[0] not in systems:
        raise UserError(f"against is {against!r}, but must be one of the systems")
    people = numbers("populations", populations)
    if data != "synthetic" and people != (0,):
        raise UserError(f"{data} is one population; only synthetic has several")
    if OWN in people:
        raise UserError(f"population {OWN} is the one that is searched on, so it is not tested")
    for name, number in (("trials", trials), ("most", most)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise UserError(f"{name} is {number!r}, but must be a whole number from 1")
    found = []
    for name in systems:
        for fixed in settings_of(name, parameters or {}):
            how = protocol_of(name, get(name), protocol)
            one = Contender(name, data, "", how, fixed, metric, users, items, 0, price)
            found.append(replace(one, checksum=_checksum(one, 0)))
    asked = {"unit": unit, "relation": relation, "view": view, "delta": delta}
    one_bill = None if total is None else total_of(found, total, {**asked, "delta": delta or 0.0})
    if one_bill is None and (extra := [name for name, value in {**asked, "least": least}.items() if value is not None]):
        raise UserError(f"{extra[0]} says the terms of a total, and there is no total")
    unique = {one.name: one for one in at_total(found, one_bill, least or {})}
    plan = Comparison(tuple(unique.values()), against, numbers("splits", splits), numbers("seeds", seeds), people,
                      trials, searched_on, slow, one_bill, most)  # fmt: skip
    if not mixed:
        refuse_mixed(_held(plan))
    return plan


def _held(plan: Comparison) -> Iterator[tuple[Held, Held]]:
    """Who is held against whom; where that is not clear, it is said where rows are made."""
    for one in plan.contenders:
        with suppress(UserError):
            if rival := plan.rival(one):
                yield held(one), held(rival)


def comparisons(*, total: Any = None, **asked: Any) -> list[Comparison]:
    """All that a `[[tuned]]` plans: a comparison, or one at each total."""
    totals = total if isinstance(total, list | tuple) else [total]
    if not totals:
        raise UserError("total is [], but must be the bills to meet, like [50.0, 250.0]")
    return [comparison(total=one, **asked) for one in totals]


def named(against: str) -> tuple[str, dict[str, Any]]:
    """A system, and the parameters that are said of it.

    >>> named("dpsgd-pnbm noise_only=true")
    ('dpsgd-pnbm', {'noise_only': True})
    """
    system, *said = against.split()
    pairs = [one.partition("=") for one in said]
    now = values(configured(get(system).system, {name: value for name, _, value in pairs}))
    return system, {name: now[name] for name, *_ in pairs}


def numbers(what: str, text: Any) -> tuple[int, ...]:
    """The whole numbers of a word like "0-4"."""
    first, _, last = str(text).partition("-")
    if re.fullmatch(r"\d{1,9}(-\d{1,9})?", str(text)) is None or int(last or first) < int(first):
        raise UserError(f'{what} is {text!r}, but must be like "3" or "0-4"')
    return tuple(range(int(first), int(last or first) + 1))


def _checksum(one: Contender, population: int) -> str:
    known = pinned(one.data, one.users, one.items) if population == 0 else None
    return known or dataset(one.data, one.users, one.items, one.reading, population).checksum


# ------------------------------------------------------------------------------------------------- searched


def search(plans: Sequence[Comparison], bench: Bench, old: Choices, keep: Callable[[list[Choice]], None]) -> None:
    """Search for everybody. After each choice `keep` gets all there are, the old ones of who is still to come."""
    asked: dict[tuple[Any, ...], tuple[Contender, int, Comparison]] = {}
    for plan in plans:
        for one, outer in plan.searches():
            asked.setdefault(_key(one, outer), (one, outer, plan))  # as it is asked for first
    found: dict[tuple[Any, ...], Choice] = {}
    for number, (name, (one, outer, plan)) in enumerate(asked.items(), 1):
        if bench.say:
            bench.say(f"{number} of {len(asked)}: {one.name} on {one.data}, outer split {outer}")
        found[name] = tuned(one, outer, bench, budget=plan.trials, most=plan.most)
        keep([{**old, **found}[other] for other in asked if other in found or other in old])


def missing(plan: Comparison, choices: Choices) -> list[str]:
    """For whom nothing was chosen, one sentence each."""
    wrong = []
    for one in plan.contenders:
        for outer in plan.splits:
            try:
                plan.choice(one, outer, choices)
            except UserError as error:
                wrong.append(str(error))
    return list(dict.fromkeys(wrong))


def _key(one: Contender, outer: int) -> tuple[Any, ...]:
    return key(one.system, one.fixed, one.data, one.users, one.items, one.protocol, one.judge, outer, one.population,
               _total(one))  # fmt: skip


def _total(one: Contender) -> Mapping[str, Any] | None:
    return one.total.said if one.total else None


# -------------------------------------------------------------------------------------------------- tested


def tests(plan: Comparison, choices: Choices) -> dict[tuple[int, str], Cells]:
    """All tests: by the contender's number and the setting. A cell that both settings share is one."""
    return {(number, setting): plan.cells(one, setting, choices)
            for number, one in enumerate(plan.contenders) for setting in (PRINTED, TUNED)}  # fmt: skip


def flat(cells: Iterable[Cells]) -> list[Cell]:
    """Each cell once."""
    every = [one for group in cells for population in group for seeds in population for one in seeds]
    return list({one.address(): one for one in every}.values())


def rows(plan: Comparison, choices: Choices, folder: Path) -> Iterator[Row]:
    """What was found: a row for each metric of each contender at each setting."""
    planned = tests(plan, choices)
    for (number, setting), cells in planned.items():
        one = plan.contenders[number]
        rival = plan.rival(one)
        others = None if rival is None else _found(planned[plan.contenders.index(rival), setting], folder)
        yield from _rows(plan, one, setting, choices, _found(cells, folder), others)


def _found(cells: Cells, folder: Path) -> list[list[list[Outcome]]]:
    out = [[list(outcomes(seeds, folder, users=True)) for seeds in splits] for splits in cells]
    for one in (one for splits in out for seeds in splits for one in seeds):
        if one.report is None:
            raise UserError(f"{one.cell} failed: {one.error}")
    return out


def _rows(plan: Comparison, one: Contender, setting: str, choices: Choices, found: list[list[list[Outcome]]],
          others: list[list[list[Outcome]]] | None) -> Iterator[Row]:  # fmt: skip
    cell, report = found[0][0][0].cell, found[0][0][0].report
    assert report is not None
    chosen = [plan.choice(one, outer, choices) for outer in plan.splits]
    moved = {name for choice in chosen for name in choice.chosen} if setting == TUNED else set()
    moved |= set(paying(one.entry.system)) if moved and one.total else set()
    size = dataset(*cell.source).interactions
    about = {
        "system": one.system, "data": one.data, "users": size.n_users, "items": size.n_items, "checksum": cell.checksum,
        "protocol": one.protocol, "seeds": _span(plan.seeds), "setting": setting, "splits": _span(plan.splits),
        "populations": _span(plan.populations), "price": chosen[0].price if setting == TUNED else "none",
        "trials": max(choice.trials for choice in chosen) if setting == TUNED else 1,
    }  # fmt: skip
    about |= {name: None if name in moved else value for name, value in cell.params.items()}
    if plan.total:
        about |= {"total": plan.total.epsilon}
    cost = cost_of(one, report)
    for metric in report.metrics:
        mine = _values(found, metric)
        level = gap(mine)
        row: Row = {"metric": metric, "value": level.mean, "low": level.low, "high": level.high,
                    "first": report.metrics[metric]}  # fmt: skip
        if others is not None:
            apart: Gap = gap(mine, _values(others, metric))
            row |= {"against": plan.against, "difference": apart.mean, "difference_low": apart.low,
                    "difference_high": apart.high, "verb": apart.verb}  # fmt: skip
        yield about | row | cost


def _values(found: list[list[list[Outcome]]], metric: str) -> list[list[list[Any]]]:
    return [[[one.report.per_user[metric] for one in seeds if one.report] for seeds in splits] for splits in found]


def _span(numbers: Sequence[int]) -> str:
    return f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
