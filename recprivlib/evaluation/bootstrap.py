"""What is left to chance: percentile bootstrap over users, alone and paired.

Per-user values come in two forms. (users,): one number a user, NaN where she was not tested; the metric is their
mean. (users, folds, 2): sums of squared errors and counts; the metric is the RMSE, averaged over the folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recprivlib.evaluation.streams import stream
from recprivlib.parameters import UserError
from recprivlib.protocols import Array

DRAWS = 1000
LEVEL = 0.95
BLOCK = 1 << 21  # resampled users held at once


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
    return float(_statistic(np.ones((1, len(per_user))), _Sums.of(per_user))[0])


def interval(per_user: Array | Sequence[Array], seed: int = 0, draws: int = DRAWS) -> tuple[float, float]:
    """The 95 % interval of a metric over resampled users; of its mean over seeds, if given one run a seed."""
    return _intervals({"": _Sums.stacked(_runs(per_user))}, seed, draws)[""]


def intervals(per_user: Mapping[str, Array], seed: int = 0, draws: int = DRAWS) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each metric; the metrics share the resampled users."""
    return _intervals({name: _Sums.of(values) for name, values in per_user.items()}, seed, draws)


def _intervals(sums: dict[str, _Sums], seed: int, draws: int) -> dict[str, tuple[float, float]]:
    n = len(next(iter(sums.values())).sums)
    drawn: dict[str, list[Array]] = {name: [] for name in sums}
    for weights in _weights(n, draws, stream(seed, "bootstrap")):
        for name, part in sums.items():
            drawn[name].append(_statistic(weights, part))
    return {name: _percentiles(np.concatenate(values)) for name, values in drawn.items()}


def paired(a: Array | Sequence[Array], b: Array | Sequence[Array], seed: int = 0, draws: int = DRAWS) -> Difference:
    """How much better or worse `a` is than `b` for the same users on the same split.

    Each is one run's per-user values, or a sequence of them, one a seed: then the metrics are averaged over the
    seeds and a user is resampled together with all her seeds.
    """
    runs_a, runs_b = _runs(a), _runs(b)
    shapes = {run.shape for run in runs_a + runs_b}
    if len(runs_a) != len(runs_b) or len(shapes) != 1:
        raise UserError("a paired difference needs the same users and the same seeds on both sides")
    left, right = _Sums.stacked(runs_a), _Sums.stacked(runs_b)
    if (left.counts != right.counts).any():
        raise UserError("a paired difference needs the same split on both sides: other users or ratings were tested")
    drawn = [
        _statistic(weights, left) - _statistic(weights, right)
        for weights in _weights(len(left.sums), draws, stream(seed, "bootstrap"))
    ]
    low, high = _percentiles(np.concatenate(drawn))
    whole = np.ones((1, len(left.sums)))
    mean = float((_statistic(whole, left) - _statistic(whole, right))[0])
    return Difference(mean, low, high, lower_is_better=left.root)


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


def _runs(values: Array | Sequence[Array]) -> list[Array]:
    return [values] if isinstance(values, np.ndarray) else [np.asarray(run) for run in values]


def _statistic(weights: Array, part: _Sums) -> Array:
    """The metric under each row of weights; a column that a draw leaves empty is left out of its mean."""
    counts = weights @ part.counts
    ratio = (weights @ part.sums) / np.maximum(counts, 1.0)
    ratio = np.sqrt(ratio) if part.root else ratio
    return ratio.sum(axis=1) / np.maximum((counts > 0).sum(axis=1), 1)


def _weights(n: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """How often each user is drawn, in blocks of resamples."""
    step = max(1, BLOCK // n)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        cells = rng.integers(0, n, (rows, n), dtype=np.int32) + (np.arange(rows, dtype=np.int32) * n)[:, None]
        yield np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _percentiles(values: Array) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
