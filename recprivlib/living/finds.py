"""How far the list of a promise beats the chart, from the committed tables.

The chart is what anybody could print: what is popular, each film's mean, the mean and how you differ. Both are read
tuned alike where such a table is committed and has them (`<stem>_tuned`, tuning/compared.py), and as printed where not;
a number says which. A verb is earned by the rule of tuned tables (tuning/gaps.py): by the interval of the difference
itself where the table has it, else only where the two intervals lie apart; and by a gap that somebody would notice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.living.promises import Found, Priced, Promise
from recprivlib.parameters import BUDGET, UserError, parameters, values
from recprivlib.plots.numerals import bare, count, percent
from recprivlib.tables import names, results
from recprivlib.tuning.compared import TUNED
from recprivlib.tuning.gaps import Gap

Row = Any  # of a table of results
RATING = "rmse"


@dataclass(frozen=True)
class Beside:
    """What a list finds, beside the chart on the same people."""

    value: float
    chart: float
    gap: float  # how much better than the chart: shares of people, or stars
    verb: str  # "beats", "is level with", "loses to"
    rating: bool  # in stars, which are an error
    tuned: bool
    people: int
    invented: bool

    @property
    def short(self) -> str:
        """As it stands beside a row: "beats, 10 points"."""
        how = {"beats": "beats", "loses to": "loses"}.get(self.verb, "level")
        by = f"{stars(self.gap)} ★" if self.rating else f"{points(self.gap)} point{'s' * (points(self.gap) != '1')}"
        return how if how == "level" else f"{how}, {by}"

    @property
    def brief(self) -> str:
        """The same on a phone: "+10 pts"."""
        if self.verb not in ("beats", "loses to"):
            return "level"
        sign = "+" if self.gap > 0 else "−"
        return f"{sign}{stars(self.gap)} ★" if self.rating else f"{sign}{points(self.gap)} pts"

    @property
    def words(self) -> str:
        """As it stands in the table."""
        both = (f"{bare(self.value)} stars off, the chart {bare(self.chart)}" if self.rating
                else f"finds {percent(self.value)}, the chart {percent(self.chart)}")  # fmt: skip
        whom = f"{count(self.people)} {'invented ' if self.invented else ''}people"
        return f"{self.verb} the chart ({both}; {whom}, {'tuned alike' if self.tuned else 'as printed'})"


def points(gap: float) -> str:
    """A difference of shares in whole points; less than one says so."""
    return count(abs(100 * gap)) if round(abs(100 * gap)) else "<1"


def stars(gap: float) -> str:
    """A difference in stars; where it is small, in the digit in which it is seen."""
    return bare(abs(gap), 2 if abs(gap) >= 0.01 else 3)


def beside(promise: Promise, unit: str, crowd: str, alike: bool = True) -> Beside | None:
    """What this row finds, tuned alike if that is there and asked for; None where nobody has run it there."""
    asked = promise.whole_finds if unit == "whole" and promise.whole_finds else promise.finds
    return read(promise.priced(unit), asked[crowd], alike) if crowd in asked else None


def read(priced: Priced, found: Found, alike: bool = True) -> Beside:
    """Tuned alike if system and chart both are there, else as printed."""
    if alike and found.tuned and found.tuned in names():
        mine = tuned_row(priced, found)
        chart = None if mine is None else tuned_chart(mine, found)
        if chart is not None:
            return _beside(mine, chart, found, True)
    if not found.untuned:
        raise UserError(f"{found.tuned} has no tuned row of {priced.system} at {dict(priced.settings)}")
    about = {"metric": found.metric, **found.about}
    mine = row(found.untuned, priced.system, {**about, **values(priced.value), **found.settings})
    chart = row(found.untuned, found.chart, about)
    if mine is None or chart is None:
        missing = priced.system if mine is None else found.chart
        raise UserError(f"{found.untuned} has no row of {missing} at {dict(priced.settings)}: the board asks for it")
    return _beside(mine, chart, found, False)


def row(table: str, system: str, about: Mapping[str, Any]) -> Row | None:
    """The one row of a table that says this of itself; a field that the table does not have says nothing."""
    rows = results(table)
    rows = rows[rows["system"] == system]
    for name, value in about.items():
        if name in rows:
            rows = rows[rows[name].isna() if value is None else rows[name] == value]
    return _only(rows, table, system)


def tuned_row(priced: Priced, found: Found) -> Row | None:
    """The row of a system tuned at what is paid; a dial that was turned is empty there, any other is as printed.

    At a total what splits it is a dial too.
    """
    rows = _tuned(priced.system, found)
    known = parameters(priced.value)
    for name, value in values(priced.value).items():
        if name in rows:
            paid = known[name].tune == BUDGET and found.total is None
            same = rows[name].isna() if value is None else rows[name] == value
            rows = rows[same if paid else same | rows[name].isna()]
    return _only(rows, found.tuned, priced.system)


def tuned_chart(mine: Row, found: Found) -> Row | None:
    """The chart, tuned on the same splits."""
    rows = _tuned(found.chart, found)
    for name in ("splits", "seeds", "populations"):
        rows = rows[rows[name] == getattr(mine, name)]
    return _only(rows, found.tuned, found.chart)


def _tuned(system: str, found: Found) -> Any:
    rows = results(found.tuned)
    rows = rows[(rows["system"] == system) & (rows["setting"] == TUNED) & (rows["metric"] == found.metric)]
    about = dict(found.about) | ({} if found.total is None else {"total": found.total})
    for name, value in about.items():
        rows = rows[rows[name] == value]
    return rows


def _only(rows: Any, table: str, system: str) -> Row | None:
    """Two grids of a table may hold the same run twice; two that differ are one too many."""
    if len(rows) > 1 and np.ptp(rows["value"].to_numpy()) > 0:
        raise UserError(f"{table} has {len(rows)} rows of {system} where the board asks for one")
    return next(rows.itertuples(), None)


def _beside(mine: Row, chart: Row, found: Found, tuned: bool) -> Beside:
    rating = found.metric == RATING
    apart = difference(mine, chart, found.chart, rating)
    gap = -apart.mean if rating else apart.mean
    verb = mine.verb if tuned and mine.against == found.chart else apart.verb
    people = round(int(mine.users) * float(found.settings.get("population", 1)))
    return Beside(float(mine.value), float(chart.value), float(gap), verb, rating, tuned, people,
                  mine.data == "synthetic")  # fmt: skip


def difference(mine: Row, chart: Row, name: str, rating: bool) -> Gap:
    """Mine less the chart's: paired where the table holds it against the chart; else from two intervals, those of the
    differences to a rival that both have, or those of the values."""
    if mine.against == name:
        return Gap(mine.difference, mine.difference_low, mine.difference_high, rating)
    shared = isinstance(mine.against, str) and mine.against == chart.against
    (low, high), (bottom, top) = (
        (one.difference_low, one.difference_high) if shared else (one.low, one.high) for one in (mine, chart)
    )
    if any(map(math.isnan, (low, high, bottom, top))):
        raise UserError(f"{mine.system} and {name} have no intervals that could be held against each other")
    return Gap(mine.value - chart.value, low - top, high - bottom, rating)
