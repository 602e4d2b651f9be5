"""How far two systems are apart, with an interval that holds all that varies, and the verbs that it earns.

Runs are nested: populations (independent worlds) × outer splits (of the same people, each with its own search) ×
training seeds. Each run is the values of all people.

    SE² = people² + rest²            rest: between outer splits where there are two or more, else between seeds
    several populations              the spread between them holds all others, so it is used alone where it is larger

People's part is by the delta method, and people are shared by all runs of a population. Student's t has the degrees of
freedom of Welch and Satterthwaite: a bootstrap over five seeds is too narrow by a tenth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recprivlib.parameters import UserError
from recprivlib.protocols import Array

Runs = Sequence[Sequence[Sequence[Array]]]  # [population][outer split][seed]: (users,) or (users, folds, 2)
LEVEL = 0.95
STARS, SHARE = 0.002, 0.005  # a gap that somebody would notice: in RMSE, and in shares of people


@dataclass(frozen=True)
class Gap:
    """A difference with its 95 % interval, and where the width comes from.

    >>> Gap(0.02, 0.01, 0.03).verb, Gap(0.004, 0.003, 0.005).verb, Gap(0.02, -0.01, 0.05).verb
    ('beats', 'is level with', 'is level with')
    """

    mean: float  #: the difference
    low: float  #: where the interval begins
    high: float  #: and where it ends
    lower_is_better: bool = False  #: as of an RMSE
    people: float = 0.0  #: standard errors, by where they come from: of people
    seeds: float = 0.0  #: of training seeds
    splits: float = 0.0  #: of outer splits
    populations: float = 0.0  #: of invented populations

    @property
    def least(self) -> float:
        """Below which nobody would notice."""
        return STARS if self.lower_is_better else SHARE

    @property
    def verb(self) -> str:
        """What may be said: only where the interval leaves 0 out and the gap is one that somebody would notice."""
        low, high = (-self.high, -self.low) if self.lower_is_better else (self.low, self.high)
        if abs(self.mean) < self.least or low <= 0 <= high:
            return "is level with"
        return "beats" if low > 0 else "loses to"


def gap(a: Runs, b: Runs | None = None) -> Gap:
    """How much larger the metric of `a` is than that of `b` on the same people and splits; without `b`, how large.

    Parameters
    ----------
    a, b
        The values of each run, `Report.per_user[metric]`, nested: populations, outer splits, training seeds. `b` may
        have fewer seeds, as what draws nothing has one.

    Returns
    -------
    Gap
        The difference, its 95 % interval and the standard errors that it is made of.

    Raises
    ------
    UserError
        The two sides have other populations or splits, or there are no runs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> better, worse = ([[[rng.random(500) < p for seed in range(5)] for split in range(5)]] for p in (0.6, 0.5))
    >>> gap(better, worse).verb
    'beats'
    """
    if not a or any(not splits or any(not seeds for seeds in splits) for splits in a):
        raise UserError("an interval needs at least one run of each population and split")
    if b is not None and [len(splits) for splits in a] != [len(splits) for splits in b]:
        raise UserError("a difference needs the same populations and the same splits on both sides")
    lower = np.ndim(a[0][0][0]) == 3
    worlds = [_world(one, None if b is None else b[at]) for at, one in enumerate(a)]
    many, mean = len(worlds), float(np.mean([world.mean for world in worlds]))
    people, seeds, splits, inside = (
        math.sqrt(sum(value**2 for value in part)) / many
        for part in zip(*((w.people, w.seeds, w.splits, w.error) for w in worlds), strict=True)
    )
    if many == 1:
        error, free, between = worlds[0].error, worlds[0].free, 0.0
    else:
        between = float(np.std([world.mean for world in worlds], ddof=1)) / math.sqrt(many)
        error, free = max(between, inside), many - 1.0
    reach = _quantile(free) * error
    return Gap(mean, mean - reach, mean + reach, lower, people, seeds, splits, between)


@dataclass(frozen=True)
class _World:
    """One population: the difference and its standard errors."""

    mean: float
    people: float
    seeds: float
    splits: float
    crowd: int  # people
    many: tuple[int, int]  # splits, and seeds of each

    @property
    def rest(self) -> float:
        """What is not people: splits hold their seeds."""
        return self.splits if self.many[0] > 1 else self.seeds

    @property
    def error(self) -> float:
        return math.hypot(self.people, self.rest)

    @property
    def free(self) -> float:
        """Degrees of freedom (Welch–Satterthwaite)."""
        splits, seeds = self.many
        rest = self.rest**4 / max((splits if splits > 1 else seeds) - 1, 1)
        below = self.people**4 / max(self.crowd - 1, 1) + rest
        return self.error**4 / below if below > 0 else math.inf


def _world(a: Sequence[Sequence[Array]], b: Sequence[Sequence[Array]] | None) -> _World:
    differences, moved, noise = [], [], []
    for at, runs in enumerate(a):
        values, others = np.array([_value(run) for run in runs]), np.zeros(1)
        part = np.mean([_influence(run) for run in runs], axis=0)
        if b is not None:
            others = np.array([_value(run) for run in b[at]])
            part = part - np.mean([_influence(run) for run in b[at]], axis=0)
        differences.append(float(values.mean() - others.mean()))
        moved.append(part)
        noise.append(_noise(values, others))
    many, seeds = len(differences), min(len(runs) for runs in a)
    people = np.mean(moved, axis=0)
    return _World(
        float(np.mean(differences)), float(np.sqrt((people**2).sum())), math.sqrt(sum(noise)) / many,
        float(np.std(differences, ddof=1)) / math.sqrt(many) if many > 1 else 0.0, int((people != 0).sum()),
        (many, seeds),
    )  # fmt: skip


def _noise(values: Array, others: Array) -> float:
    """Squared standard error of a mean over seeds; the same seeds are paired."""
    if len(values) == len(others):
        values, others = values - others, np.zeros(1)
    return sum(float(one.var(ddof=1)) / len(one) for one in (values, others) if len(one) > 1)


def _value(run: Array) -> float:
    """The metric of one run."""
    if run.ndim == 3:
        return float(np.sqrt(run[..., 0].sum(0) / np.maximum(run[..., 1].sum(0), 1)).mean())
    return float(np.nanmean(run))


def _influence(run: Array) -> Array:
    """How far each person moves the metric of one run (delta method); who was not tested moves nothing."""
    if run.ndim == 3:
        sums, counts = run[..., 0], run[..., 1]
        total = np.maximum(counts.sum(0), 1)
        root = np.maximum(np.sqrt(sums.sum(0) / total), 1e-300)
        return ((sums - counts * root**2) / (2 * root * total)).mean(axis=1)
    tested = np.isfinite(run)
    return np.where(tested, run - np.nanmean(run), 0.0) / tested.sum()


def _quantile(free: float) -> float:
    """Student's t that holds LEVEL in the middle."""
    from scipy.special import stdtrit

    return float(stdtrit(min(free, 1e9), (1 + LEVEL) / 2))
