"""What more trials buy: the same contender searched with ever larger budgets, each choice tested on the outer split.

Every budget is a search of its own (its walk, its design and its boxes are as long as it), and trials that two of them
share are run once. Where the curve is still moving at 64, a comparison at 64 is about the search and not the systems.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recprivlib.evaluation import Nest
from recprivlib.parameters import UserError
from recprivlib.protocols import Array
from recprivlib.sweeps import complete, outcomes
from recprivlib.tuning.choices import Choice
from recprivlib.tuning.choose import Bench, Contender, applied, tuned
from recprivlib.tuning.gaps import Gap, gap
from recprivlib.tuning.space import Setting

BUDGETS = (8, 16, 32, 64, 128)


@dataclass(frozen=True)
class Bought:
    """What a budget bought; `curve` has an example.

    >>> Bought.__match_args__
    ('budget', 'choice', 'test', 'gain')
    """

    budget: int  #: trials that were allowed
    choice: Choice  #: what they led to, and how it validated
    test: Gap  #: the metric on the outer split, with its interval
    gain: Gap  #: how far that lies above the printed setting


def curve(
    contender: Contender, outer: int, bench: Bench, *, budgets: Sequence[int] = BUDGETS, seeds: Iterable[int] = range(5)
) -> list[Bought]:
    """The budget-against-quality curve of a contender on one outer split.

    Parameters
    ----------
    contender
        Who is searched for.
    outer
        The outer split: no search sees its test part.
    bench
        Where trials are run and kept.
    budgets
        Trials of each search, the printed setting among them; a paper's system is not given more.
    seeds
        Of the tests.

    Returns
    -------
    list of Bought
        One for each budget, in their order.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from recprivlib import load
    >>> data = load("synthetic", users=60, items=80)
    >>> one = Contender("item-mean", "synthetic", data.checksum, "kfold", users=60, items=80)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = curve(one, 0, Bench(Path(folder)), budgets=(1, 2), seeds=(0,))
    >>> [(each.budget, each.choice.trials) for each in found], found[0].gain.mean
    ([(1, 1), (2, 2)], 0.0)
    """
    if wrong := [one for one in budgets if one < 1]:
        raise UserError(f"a budget is {wrong[0]}, but must be at least 1: the printed setting")
    seeds = tuple(seeds)
    printed, found = tested(contender, {}, outer, seeds, bench, contender.judge), []
    for budget in budgets:
        choice = tuned(contender, outer, bench, budget=budget, most=budget)
        setting = applied(choice, len(contender.part(Nest(outer, population=contender.population)).train))
        values = tested(contender, setting, outer, seeds, bench, choice.metric)
        found.append(Bought(budget, choice, gap(values), gap(values, printed)))
        if bench.say:
            bench.say(f"{budget} trials: {choice.metric} {found[-1].test.mean:.4f}")
    return found


def tested(
    contender: Contender, setting: Setting, outer: int, seeds: Iterable[int], bench: Bench, metric: str
) -> list[list[list[Array]]]:
    """The values of all people at each training seed, on the outer split: what `gap` takes."""
    nest = Nest(outer, population=contender.population)
    cells = [contender.cell(setting, nest, seed) for seed in seeds]
    complete(cells, bench.folder, workers=bench.workers, dask=bench.dask, users=True)
    found = list(outcomes(cells, bench.folder, users=True))
    if wrong := [f"{one.cell} failed: {one.error}" for one in found if one.error]:
        raise UserError(wrong[0])
    return [[[one.report.per_user[metric] for one in found if one.report]]]


def rows(found: Iterable[Bought]) -> list[dict[str, object]]:
    """The curve as rows of a table."""
    return [
        {"system": one.choice.system, **one.choice.fixed, "data": one.choice.data, "protocol": one.choice.protocol,
         "outer": one.choice.outer, "budget": one.budget, "trial": one.choice.trial, "metric": one.choice.metric,
         "validated": one.choice.validated, "value": one.test.mean, "low": one.test.low, "high": one.test.high,
         "gain": one.gain.mean, "gain_low": one.gain.low, "gain_high": one.gain.high, "verb": one.gain.verb}
        for one in found
    ]  # fmt: skip
