"""What is left to chance: percentile bootstrap over users, alone and paired.

Per-user values come in two forms. (users,): one number a user, NaN where she was not tested; the metric is their
mean. (users, folds, 2): sums of squared errors and counts; the metric is the RMSE, averaged over the folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from recprivlib.parameters import UserError
from recprivlib.protocols import Array
from recprivlib.streams import checked, stream

DRAWS = 1000
LEVEL = 0.95
BLOCK = 1 << 21  # resampled users held at once
KEPT = 64  # resamples held for who asks again: a class with a seed each


@dataclass(frozen=True)
class Difference:
    """One system's metric less another's on the same people, with its 95 % interval."""

    mean: float
    low: float
    high: float
    lower_is_better: bool = False

    @property
    def verb(self) -> str:
        """What may be said: a verb is earned only if the interval excludes 0.

        >>> Difference(0.02, 0.01, 0.03).verb, Difference(0.02, -0.01, 0.05).verb
        ('beats', 'is level with')
        """
        low, high = (-self.high, -self.low) if self.lower_is_better else (self.low, self.high)
        return "beats" if low > 0 else "loses to" if high < 0 else "is level with"


def total(per_user: Array) -> float:
    """The metric itself: the mean over users, or the RMSE averaged over folds."""
    return _Sums.of(per_user).total


def interval(per_user: Array | Sequence[Array], seed: int = 0, draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of a metric over resampled users (percentile bootstrap).

    Parameters
    ----------
    per_user
        The values of one run, `Scores.per_user[metric]`: (users,), or (users, folds, 2) for "rmse". A sequence of
        them is one run a seed: the interval is then of the mean over the seeds.
    seed
        Of the resampling, a whole number from 0.
    draws
        How often the users are resampled.

    Returns
    -------
    tuple of float
        (low, high).

    Raises
    ------
    UserError
        Nobody was tested, or the values have another shape.

    Examples
    --------
    >>> low, high = interval(np.array([0.0, 1.0] * 50))
    >>> 0.35 < low < 0.5 < high < 0.65
    True
    """
    return _intervals({"": _Sums.stacked(_runs(per_user))}, seed, draws)[""]


def intervals(per_user: Mapping[str, Array], seed: int = 0, draws: int = DRAWS) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each metric; the metrics share the resampled users."""
    return _intervals({name: _Sums.of(values) for name, values in per_user.items()}, seed, draws)


def _intervals(sums: dict[str, _Sums], seed: int, draws: int) -> dict[str, tuple[float, float]]:
    """All columns go through one product, since reading the weights is what takes the time."""
    n = len(next(iter(sums.values())).sums)
    columns = np.hstack([column for part in sums.values() for column in (part.sums, part.counts)])
    drawn = np.vstack([weights @ columns for weights in _weights(n, draws, seed)])
    values, at = [], 0
    for part in sums.values():
        width = part.sums.shape[1]
        own, counts = drawn[:, at : at + width], drawn[:, at + width : at + 2 * width]
        values.append(_ratio(own, counts, part.root))
        at += 2 * width
    return dict(zip(sums, _percentiles(np.array(values)), strict=True))


def paired(a: Array | Sequence[Array], b: Array | Sequence[Array], seed: int = 0, draws: int = DRAWS) -> Difference:
    """How much better or worse `a` is than `b` for the same users on the same split.

    Parameters
    ----------
    a, b
        The values of one run each, `Scores.per_user[metric]`, or a sequence of them, one a seed: then the metrics
        are averaged over the seeds, and a user is resampled together with all her seeds.
    seed
        Of the resampling, a whole number from 0.
    draws
        How often the users are resampled.

    Returns
    -------
    Difference
        `mean`, `low` and `high` of a less b, and `verb`, what may be said of it.

    Raises
    ------
    UserError
        The two sides have other users, seeds or splits.

    Examples
    --------
    >>> a, b = np.array([1.0, 1.0, 0.0, 1.0] * 25), np.array([0.0, 1.0, 0.0, 0.0] * 25)
    >>> found = paired(a, b)
    >>> found.mean, found.verb
    (0.5, 'beats')
    """
    runs_a, runs_b = _runs(a), _runs(b)
    shapes = {run.shape for run in runs_a + runs_b}
    if len(runs_a) != len(runs_b) or len(shapes) != 1:
        raise UserError("a paired difference needs the same users and the same seeds on both sides")
    left, right = _Sums.stacked(runs_a), _Sums.stacked(runs_b)
    if (left.counts != right.counts).any():
        raise UserError("a paired difference needs the same split on both sides: other users or ratings were tested")
    drawn = [
        _statistic(weights, left) - _statistic(weights, right) for weights in _weights(len(left.sums), draws, seed)
    ]
    ((low, high),) = _percentiles(np.concatenate(drawn)[None, :])
    return Difference(left.total - right.total, low, high, lower_is_better=left.root)


@dataclass(frozen=True, eq=False)
class _Sums:
    """A metric as ratios of sums over users, one a column, averaged over the columns (folds, seeds)."""

    sums: Array  # (users, columns)
    counts: Array  # (users, columns)
    root: bool  # RMSE: the root of the ratio

    @classmethod
    def of(cls, values: Array) -> _Sums:
        if values.ndim == 3:
            return cls(values[..., 0], values[..., 1], root=True)
        tested = np.isfinite(values)
        return cls(np.where(tested, values, 0.0)[:, None], tested.astype(float)[:, None], root=False)

    @classmethod
    def stacked(cls, runs: list[Array]) -> _Sums:
        parts = [cls.of(run) for run in runs]
        return cls(np.hstack([p.sums for p in parts]), np.hstack([p.counts for p in parts]), parts[0].root)

    @property
    def total(self) -> float:
        """The metric of everybody."""
        sums, counts = (column.sum(axis=0, keepdims=True) for column in (self.sums, self.counts))
        return float(_ratio(sums, counts, self.root)[0])


def _runs(values: Array | Sequence[Array]) -> list[Array]:
    runs = [values] if isinstance(values, np.ndarray) else [np.asarray(run) for run in values]
    if not runs or any(run.ndim not in (1, 3) or not np.isfinite(run).any() for run in runs):
        raise UserError("an interval needs the values of at least one tested user: an array, or one array a seed")
    return runs


def _statistic(weights: Array, part: _Sums) -> Array:
    """The metric under each row of weights."""
    return _ratio(weights @ part.sums, weights @ part.counts, part.root)


def _ratio(sums: Array, counts: Array, root: bool) -> Array:
    """Sums over counts, averaged over the columns; a column that a draw leaves empty is left out of its mean."""
    ratio = sums / np.maximum(counts, 1.0)
    ratio = np.sqrt(ratio) if root else ratio
    return ratio.sum(axis=1) / np.maximum((counts > 0).sum(axis=1), 1)


def _weights(n: int, draws: int, seed: int) -> Iterator[Array]:
    """How often each user is drawn, in blocks of resamples; a single block is kept, for who asks again."""
    if draws < 1:
        raise UserError(f"draws is {draws}, but must be a whole number from 1 on")
    blocks = iter((_kept(n, draws, checked(seed)),)) if n * draws <= BLOCK else _drawn(n, draws, seed)
    return (weights.astype(np.float64) for weights in blocks)


@lru_cache(maxsize=KEPT)
def _kept(n: int, draws: int, seed: int) -> Array:
    """A byte a user: hardly anybody is drawn more than ten times."""
    (weights,) = _drawn(n, draws, seed)
    small = weights.astype(np.min_scalar_type(weights.max(initial=0)))
    small.setflags(write=False)
    return small


def _drawn(n: int, draws: int, seed: int) -> Iterator[Array]:
    rng = stream(seed, "bootstrap")
    step = max(1, BLOCK // n)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        cells = rng.integers(0, n, (rows, n), dtype=np.int32) + (np.arange(rows, dtype=np.int32) * n)[:, None]
        yield np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n)


def _percentiles(rows: Array) -> list[tuple[float, float]]:
    """The ends of the interval in each row of draws."""
    low, high = np.quantile(rows, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))
