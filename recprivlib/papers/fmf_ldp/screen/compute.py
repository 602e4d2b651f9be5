"""What a move at dashboard `fmf_ldp` computes: settings become a `Result`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting.bills import small_delta
from recprivlib.dashboard import bills
from recprivlib.dashboard.bills import BillLabel, ThreeNumbers
from recprivlib.dashboard.contract import Values
from recprivlib.dashboard.folds import beside, tidy
from recprivlib.evaluation import Difference, Scores
from recprivlib.papers.fmf_ldp.screen import epochs
from recprivlib.papers.fmf_ldp.screen import figures as plots
from recprivlib.papers.fmf_ldp.screen.epochs import CROWDS, HIT, PROTOCOL, Point
from recprivlib.parameters import configured
from recprivlib.plots import committed
from recprivlib.plots.frontier import Series
from recprivlib.protocols import Sizes
from recprivlib.registry import get

# variant -> (system, role of its line, name)
VARIANTS = {
    "printed": ("fmf-ldp", "paper", "as printed"),
    "stable": ("fmf-ldp-stable", "repaired", "thawed"),
    "sign": ("item-sign", "beyond", "item and sign"),
}


YOU = BillLabel("user", "replace", "all of yours, exchanged for another's", tries=1000)


SET = ("epsilon", "k", "epochs", "factors")
DIAL = "learning_rate"  # γ of the printed system; the others keep their own


# What `compute` takes where nothing else is said; the controls stand there when a page is opened.
DEFAULTS: dict[str, Any] = {
    "epochs": 20,
    "variant": "printed",
    "epsilon": 2.5,
    "k": 100,
    "people": 943,
    "factors": 5,
    "learning_rate": 0.001,
    "seed": 0,
}


@dataclass(frozen=True)
class Result:
    """Everything the screen shows after some epochs."""

    variant: str
    epsilon: float
    k: int
    epochs: int
    people: int
    factors: int
    learning_rate: float
    seed: int
    films: int
    points: tuple[Point, ...]
    interval: tuple[float, float]  # of the last hit rate, over those asked
    versus: Difference | None  # less popular, same people; None while epochs are still to come
    levels: Mapping[str, float]  # role -> hit rate of a yardstick
    everywhere: float  # popularity in the whole catalogue
    course: Mapping[str, tuple[float, ...]]  # the bill after each epoch, in four currencies
    delta: float
    bill: ThreeNumbers

    @property
    def done(self) -> int:
        return len(self.points)


def compute(**moved: Any) -> Result:
    """Train over all epochs, ask everybody for bits in each, and look after each how good the lists are."""
    *_, (_, result) = steps(**moved)
    return result


def steps(**moved: Any) -> Iterator[tuple[float, Result]]:
    """The same, epoch by epoch."""
    values = DEFAULTS | moved
    system = _system(values)
    for progress, points, found in epochs.epoch_by_epoch(system, values["people"], values["seed"]):
        yield progress, _result(values, system, points, found)


def settings_of(values: Values) -> tuple[str, dict[str, Any]]:
    dials = (DIAL,) if values["variant"] == "printed" else ()
    return VARIANTS[values["variant"]][0], {name: values[name] for name in (*SET, *dials)}


def _system(values: Values) -> Any:
    name, settings = settings_of(values)
    return configured(get(name).system, settings)


def _result(values: Values, system: Any, points: tuple[Point, ...], found: Scores) -> Result:
    """All of the screen. Intervals are for what stands still."""
    people, seed, last = values["people"], values["seed"], len(points) == system.epochs
    popular, sizes = epochs.yardstick(people, seed, "popularity"), epochs.held_out(people, seed).train.sizes
    interval, versus = (points[-1].sampled,) * 2, None
    if last:
        interval, versus = beside(found.per_user[HIT], popular.per_user[HIT], seed)
    return Result(
        **values, films=sizes.items, points=points, interval=interval, versus=versus,
        levels=epochs.levels(people, seed), everywhere=popular.metrics[f"{HIT}/full"],
        course=epochs.course(system, sizes), delta=small_delta(sizes.users),
        bill=_bill(system, VARIANTS[values["variant"]][0], sizes, last),
    )  # fmt: skip


def _bill(system: Any, name: str, sizes: Sizes, last: bool) -> ThreeNumbers:
    """Claimed and counted for a whole person, at the δ of the course; the attack plays when the run is over."""
    claimed = system.ledger(sizes).claimed
    other = claimed.counts if claimed and claimed.counts != "whole run" else ""
    terms = replace(YOU, other=other, delta=small_delta(sizes.users))
    return bills.of_system(system, name, sizes, terms) if last else bills.promised(system, sizes, terms)


def curve(values: Values) -> Series | None:
    """The committed learning curve at these settings, from several draws."""
    name, settings = settings_of(values)
    data, sizes = CROWDS[values["people"]]
    about = {"system": name, "metric": HIT, "data": data, "protocol": PROTOCOL}
    table = "fmf_ldp" if not sizes else "fmf_ldp_users"
    where = about | ({"users": sizes["users"], "items": sizes["items"]} if sizes else {})
    label, role = VARIANTS[values["variant"]][2], VARIANTS[values["variant"]][1]
    return committed.curve(table, where, settings, "epochs", f"{label}, mean", role, "mean of the seeds")


def table(result: Result) -> Any:
    """Every number on the screen as tidy rows."""
    rows: list[tuple] = []
    for epoch, point in enumerate(result.points, 1):
        ends = result.interval if epoch == result.done else (np.nan, np.nan)
        rows.append(("found in the top 10 of 100", "this server", epoch, point.sampled, *ends))
        rows.append(("found in the top 10 of all", "this server", epoch, point.full))
        sizes = (("films", point.items), ("people", point.users), ("clipped share", point.clipped))
        rows += [("sizes", name, epoch, value) for name, value in sizes]
    rows += [("found in the top 10 of 100", plots.NAMES[role], np.nan, value) for role, value in result.levels.items()]
    rows.append(("found in the top 10 of all", plots.NAMES["popularity"], np.nan, result.everywhere))
    for name, values in result.course.items():
        rows += [("bill", plots.CURRENCIES[name], epoch, value) for epoch, value in enumerate(values, 1)]
    return tidy(rows + result.bill.climbed())


def role(result: Result) -> tuple[str, str]:
    """Role and name of the variant on show."""
    return VARIANTS[result.variant][1:]
