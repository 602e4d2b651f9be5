"""From a contender to its choice on one outer split: a search on one draw of validation, finalists on fresh ones.

    search ──first scores──> six finalists, the printed setting among them ──three fresh draws──> the best mean

The first score of a finalist picked it, so it is too good by luck: it is not counted again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recprivlib.data import Reading
from recprivlib.evaluation import Nest, Split
from recprivlib.parameters import UserError, configured, dials, values
from recprivlib.protocols import Entry, HearsRatings
from recprivlib.registry import get
from recprivlib.sweeps import Say, complete, outcomes
from recprivlib.sweeps.cells import Cell, fold
from recprivlib.tuning.choices import Choice
from recprivlib.tuning.search import Search, doubled, searched
from recprivlib.tuning.space import Setting, Space, space
from recprivlib.tuning.totals import Total, restored

TRIALS = 64  # of every contender; trial 0 is the printed setting
MOST = 256  # that a paper's system comes to by doubling
FINALISTS = 6  # the printed setting is always among them
AGAIN = 3  # fresh draws of validation for each finalist
METRIC = {"kfold": "rmse", "user-split": "hr@10/full"}  # that chooses, where it is not hr@10


@dataclass(frozen=True)
class Contender:
    """A system as it enters a comparison: what is paid and which variant it is stand in `fixed`, all dials are open.

    At a `total` what is paid is not given: it follows from the dials.

    >>> from recprivlib import load
    >>> data = load("synthetic", users=60, items=80)
    >>> one = Contender("item-mean", "synthetic", data.checksum, "kfold", users=60, items=80)
    >>> one.name, one.judge
    ('item-mean@', 'rmse')
    """

    system: str  #: its name
    data: str  #: that it is searched on
    checksum: str  #: of these data
    protocol: str  #: how it is validated and tested
    fixed: Mapping[str, Any] = field(default_factory=dict)  #: parameters that are given and not searched
    metric: str = ""  #: that chooses; "": that of the protocol
    users: int | None = None  #: of a synthetic population
    items: int | None = None  #: and its items
    population: int = 0  #: which population, where it is invented
    price: str = "public"  #: how the search is paid for (price.py)
    reading: Reading = Reading()  #: of a file of one's own
    total: Total | None = None  #: what splits ε is turned too, and after each turn the bill is restored to this one
    least: float = 0.0  #: of what is paid: settings that would be left with less are not tried

    @property
    def entry(self) -> Entry:
        return get(self.system)

    @property
    def judge(self) -> str:
        """The metric that chooses."""
        return self.metric or METRIC.get(self.protocol, "hr@10")

    @property
    def name(self) -> str:
        """What the random numbers of the search belong to."""
        said = ", ".join(f"{key}={value}" for key, value in sorted(self.fixed.items()))
        if self.total:
            said += f"{', ' * bool(said)}total={self.total.epsilon:g}"
        return f"{self.system}@{said}"

    def cell(self, setting: Setting, nest: Nest, seed: int = 0) -> Cell:
        """One trial.

        Parameters
        ----------
        setting
            Of the dials: what stands elsewhere than printed.
        nest
            On which split of which split.
        seed
            Of the training, in a test; a validation has its own.

        Returns
        -------
        Cell
            What a sweep computes, keeps and finds again.
        """
        params = self.params(setting, nest)
        return Cell(self.system, params, self.data, self.users, self.items, self.checksum, self.protocol,
                    nest.seed(seed), None if nest.draw is None else self._ks, self.reading, nest)  # fmt: skip

    def params(self, setting: Setting, nest: Nest) -> Mapping[str, Any]:
        """All parameters of a trial, with the price restored where there is a total.

        Parameters
        ----------
        setting, nest
            As in `cell`. The bill counts the people that the trial learns from.

        Returns
        -------
        mapping of str to Any
            Parameter name to value; refused (UserError) where the setting cannot have the total.
        """
        made = values(configured(self.entry.system, {**self.fixed, **setting}))
        if self.total is None:
            return made
        return restored(self.system, made, self.total, self.part(nest).train.sizes, self.least)

    def payable(self, setting: Setting, nest: Nest) -> bool:
        """Whether a setting of the dials can have the total.

        Parameters
        ----------
        setting, nest
            As in `cell`.

        Returns
        -------
        bool
            True also where there is no total.
        """
        try:
            return self.total is None or bool(self.params(setting, nest))
        except UserError:
            return False

    @property
    def _ks(self) -> tuple[int, ...] | None:
        found = self.judge.partition("@")[2].partition("/")[0]
        return (int(found),) if found else None

    def nest(self, outer: int, draw: int) -> Nest:
        """Where a trial of validation stands.

        Parameters
        ----------
        outer
            The outer split.
        draw
            Which split of its training part.

        Returns
        -------
        Nest
            With what this contender is judged by.
        """
        return Nest(outer, draw, self.price == "reports", "/full" in self.judge, self.population)

    def part(self, nest: Nest) -> Split:
        """The split that a trial sees."""
        return fold((self.data, self.users, self.items, self.reading, nest.population), self.protocol, nest)


@dataclass(frozen=True)
class Bench:
    """Where trials are run: finished ones are kept in the folder and are not run again.

    >>> Bench(Path("trials"), workers=2).folder.name
    'trials'
    """

    folder: Path  #: where finished trials are kept
    workers: int = 1  #: processes that run at once
    dask: str | None = None  #: the address of a Dask cluster that runs them instead
    say: Say | None = None  #: called with each line of progress

    def scores(self, contender: Contender, settings: Sequence[Setting], nest: Nest) -> list[float]:
        """What settings score on one draw of validation.

        Parameters
        ----------
        contender
            Whose they are.
        settings
            Of its dials.
        nest
            The draw.

        Returns
        -------
        list of float
            One each, better the lower; infinity: it came to nothing, or cannot have the total.
        """
        payable = [at for at, setting in enumerate(settings) if contender.payable(setting, nest)]
        cells = [contender.cell(settings[at], nest) for at in payable]
        complete(cells, self.folder, workers=self.workers, dask=self.dask)
        sign, scores = (1 if contender.judge == "rmse" else -1), [math.inf] * len(settings)
        for at, one in zip(payable, outcomes(cells, self.folder), strict=True):
            if one.report is None:
                raise UserError(f"{one.cell} failed: {one.error}")
            scores[at] = sign * one.report.metrics.get(contender.judge, sign * math.inf)
        return scores


def tuned(contender: Contender, outer: int, bench: Bench, *, budget: int = TRIALS, most: int = MOST) -> Choice:
    """Search on the training part of one outer split, and choose.

    Parameters
    ----------
    contender
        Who is searched for.
    outer
        The outer split: its test part is never handed to anything here.
    bench
        Where trials are run and kept.
    budget
        Trials, the printed setting among them.
    most
        Up to which the budget of a paper's system is doubled, while it still gains more than a standard error by the
        second half of it.

    Returns
    -------
    Choice
        What was chosen, and how it was found.

    Examples
    --------
    >>> import tempfile
    >>> from recprivlib import load
    >>> data = load("synthetic", users=60, items=80)
    >>> one = Contender("item-mean", "synthetic", data.checksum, "kfold", users=60, items=80)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     choice = tuned(one, 0, Bench(Path(folder)), budget=2)
    >>> choice.trials, choice.price
    (2, 'public')
    """
    _refuse(contender)
    nests = [contender.nest(outer, draw) for draw in range(1 + AGAIN)]
    sizes = contender.part(Nest(outer, population=contender.population)).train.sizes
    axes = space(contender.entry, sizes, contender.fixed, restored=contender.total is not None)
    base = configured(contender.entry.system, dict(contender.fixed))
    contender.params({}, nests[0])  # where the printed setting cannot have the total, it is said
    again: dict[int, list[float]] = {}

    def score(settings: Sequence[Setting]) -> Sequence[float]:
        found = bench.scores(contender, settings, nests[0])
        if bench.say and len(axes):
            bench.say(f"{contender.name}: {len(found)} more trials, the best of them {abs(min(found)):.4f}")
        return found

    search = searched(contender.name, axes, values(base), budget, score, lambda one: contender.payable(one, nests[0]))
    if not np.isfinite(search.found).any():
        raise _none(contender, search.trials[0], nests[0], bench)
    best = _chosen(contender, search, len(search.trials), nests, bench, again)
    spread = budget // 4
    while contender.entry.role in ("paper", "repaired") and 2 * len(search.trials) <= most and axes:
        before = _chosen(contender, search, len(search.trials) // 2, nests, bench, again)
        if not _moved(again[before], again[best]):
            break
        many = len(search.trials)
        doubled(search, spread)
        spread += many // 2
        if len(search.trials) == many:  # every setting there is has been tried
            break
        best = _chosen(contender, search, len(search.trials), nests, bench, again)
    return _choice(contender, outer, search, best, again, axes)


def _none(contender: Contender, printed: Setting, nest: Nest, bench: Bench) -> UserError:
    """Why nothing at all could be scored."""
    (first,) = outcomes([contender.cell(printed, nest)], bench.folder)
    metrics = first.report.metrics if first.report else {}
    if metrics:
        return UserError(f"there is no metric {contender.judge!r} here; choose from {', '.join(metrics)}")
    why = first.report.notes[0] if first.report else first.error
    return UserError(f"no setting of {contender.system} can be tried here: {why}")


def _chosen(contender: Contender, search: Search, first: int, nests: Sequence[Nest], bench: Bench,
            again: dict[int, list[float]]) -> int:  # fmt: skip
    """The best of the first so many trials: by the mean over fresh draws, which `again` keeps."""
    order = sorted(range(first), key=lambda at: (search.found[at], at))
    finalists = sorted({*order[:FINALISTS], 0})
    fresh = [at for at in finalists if at not in again]
    for nest in nests[1:] if len(search.trials) > 1 and fresh else ():
        for at, score in zip(fresh, bench.scores(contender, [search.trials[at] for at in fresh], nest), strict=True):
            again.setdefault(at, []).append(score)
    return min(finalists, key=lambda at: (float(np.mean(again.get(at, [search.found[at]]))), at))


def _moved(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether the gain is more than its standard error over the fresh draws."""
    with np.errstate(invalid="ignore"):
        gains = np.array(before) - np.array(after)
        return bool(gains.mean() > gains.std(ddof=1) / math.sqrt(len(gains)))


def _choice(
    contender: Contender, outer: int, search: Search, best: int, again: Mapping[int, Sequence[float]], axes: Space
) -> Choice:
    nothing = {key: search.printed[key] for key in axes}
    chosen = {key: value for key, value in search.trials[best].items() if value != nothing[key]}
    sign = 1 if contender.judge == "rmse" else -1
    validated, printed = (sign * float(np.mean(again.get(at, [search.found[at]]))) for at in (best, 0))
    return Choice(
        contender.system, dict(contender.fixed), contender.data, contender.users, contender.items, contender.checksum,
        contender.protocol, contender.judge, outer, contender.population, contender.price if axes else "none", chosen,
        best, len(search.trials), round(validated, 6), round(printed, 6),
        len(contender.part(Nest(outer, 0, population=contender.population)).train),
        contender.total.said if contender.total else None,
    )  # fmt: skip


def applied(choice: Choice, learns_from: int) -> Setting:
    """The chosen setting for training data of this size: a step along a sum over ratings shrinks as they grow."""
    open_, system = dials(get(choice.system).system), get(choice.system).system
    out = {}
    for key, value in choice.chosen.items():
        if open_[key].shrinks:
            low, high = system.__dataclass_fields__[key].metadata["parameter"].ends
            value = min(max(value * choice.ratings / learns_from, low), high)
        out[key] = value
    return out


def _refuse(contender: Contender) -> None:
    if contender.price == "reports" and not isinstance(contender.entry.system, HearsRatings):
        raise UserError(
            f"{contender.system} is not validated on reports: its server hears none that is right on average"
        )
