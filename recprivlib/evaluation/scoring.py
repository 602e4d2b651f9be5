"""Ask a model for its scores on a split and turn them into per-user metrics.

Sampled ranking (`hr@10`): the held-out item among at most 99 items its user never met. Full catalogue
(`hr@10/full`): among all items except those of the user's training history, as is usual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.evaluation.bootstrap import intervals, total
from recprivlib.evaluation.metrics import gains, squared_errors
from recprivlib.evaluation.splits import RankingSplit, RatingSplit, Split, UserSplit
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, FoldsIn, Model

KS = (2, 5, 10)
KS_NEW_USERS = (5, 10, 20, 30)
BLOCK = 1 << 21  # scores held at once


@dataclass(frozen=True, eq=False)
class Scores:
    """How well a model did for each user of the data set; forms of the values: see bootstrap.py."""

    per_user: Mapping[str, Array]
    notes: tuple[str, ...] = ()

    @cached_property
    def metrics(self) -> dict[str, float]:
        return {name: total(values) for name, values in self.per_user.items()}

    def intervals(self, seed: int = 0) -> dict[str, tuple[float, float]]:
        """95 % intervals over resampled users."""
        return intervals(self.per_user, seed)


def evaluate(model: Model, split: Split, ks: Sequence[int] | None = None, *, full: bool = True) -> Scores:
    """A model's metrics on a split, user by user.

    Parameters
    ----------
    model
        What `fit` gave for `split.train`.
    split
        One of those that `split` gave. Under "user-split" the model must be able to fold in new people.
    ks
        List lengths, whole numbers from 1; those of the protocol unless given. Ratings have none.
    full
        Whether a held-out item is also ranked among the whole catalogue; under "user-split" it always is, and
        nowhere else.

    Returns
    -------
    Scores
        `metrics` (name to mean), `per_user` (name to one value a user, NaN where she was not tested; for "rmse"
        squared errors and counts, (users, 1, 2)) and `intervals(seed)`. "hr@10" ranks a held-out item among 99 that
        its user never met, "hr@10/full" among all; ties count in expectation. "rmse" is in stars.

    Raises
    ------
    UserError
        A list length is no whole number from 1, the model cannot fold in new people, or a score is no finite number.
    ValueError
        The model gives another number of scores than it was asked for.

    Examples
    --------
    >>> from recprivlib import get, load, split, stream
    >>> (held_out,) = split(load("synthetic", users=60, items=100).interactions)
    >>> model = get("random").system.fit(held_out.train, stream(0, "fit"))
    >>> list(evaluate(model, held_out, ks=[10]).metrics)
    ['hr@10', 'ndcg@10', 'hr@10/full', 'ndcg@10/full']
    """
    if isinstance(split, RatingSplit):
        return _evaluate_ratings(model, split)
    chosen = (KS_NEW_USERS if isinstance(split, UserSplit) else KS) if ks is None else _lengths(ks)
    if isinstance(split, UserSplit):
        return _evaluate_new_users(model, split, chosen)
    sampled, whole = _ranks(model, split, full)
    values = gains(sampled[0], sampled[1], chosen)
    if full:
        values |= gains(whole[0], whole[1], chosen, suffix="/full")
    return Scores(
        {name: _spread(value, split.users, split.train.n_users) for name, value in values.items()}, split.notes
    )


def _lengths(ks: Any) -> tuple[int, ...]:
    chosen = tuple(ks) if isinstance(ks, Iterable) else (ks,)
    if not chosen or not all(isinstance(k, int | np.integer) and k is not True and k >= 1 for k in chosen):
        raise UserError(f"the list lengths are {ks!r}, but must be whole numbers from 1 on")
    return chosen


def merged(folds: Sequence[Scores]) -> Scores:
    """The folds of one run together."""
    if len(folds) == 1:
        return folds[0]
    notes = tuple(dict.fromkeys(note for fold in folds for note in fold.notes))
    return Scores({name: np.concatenate([f.per_user[name] for f in folds], axis=1) for name in folds[0].per_user},
                  notes)  # fmt: skip


def _ranks(model: Model, split: RankingSplit, full: bool) -> tuple[Array, Array]:
    """(above, tied) of each held-out item, among the negatives and in the whole catalogue: two (2, n) arrays.

    Where the catalogue is scored anyway, the negatives are read off these scores.
    """
    sampled, whole = np.zeros((2, 2, len(split.users)), np.int64)
    catalogue = np.arange(split.train.n_items, dtype=np.int32)[None, :]
    for rows in _blocks(len(split.users), catalogue.size if full else split.negatives.shape[1] + 1):
        users, target, negatives = split.users[rows, None], split.held_out[rows, None], split.negatives[rows]
        real = negatives >= 0
        candidates = np.hstack([target, np.where(real, negatives, target)])  # the target is never above itself
        if full:
            scores = _scores(model, users, catalogue)
            whole[:, rows] = _in_catalogue(scores, target, split.train.matrix[split.users[rows]])
            among = np.take_along_axis(scores, candidates, axis=1)
        else:
            among = _scores(model, users, candidates)
        sampled[0, rows] = (among[:, 1:] > among[:, :1]).sum(axis=1)
        sampled[1, rows] = ((among[:, 1:] == among[:, :1]) & real).sum(axis=1)
    return sampled, whole


def _in_catalogue(scores: Array, target: Array, known: sp.csr_array) -> tuple[Array, Array]:
    """(above, tied) of each `target` item among all items but those of its user's training history."""
    mark = np.take_along_axis(scores, target, axis=1)
    person, item = _pairs(known)
    lead = scores[person, item] - mark[person, 0]
    above = (scores > mark).sum(axis=1, dtype=np.int32) - np.bincount(person[lead > 0], minlength=len(mark))
    tied = (scores == mark).sum(axis=1, dtype=np.int32) - np.bincount(person[lead == 0], minlength=len(mark))
    return above, tied - 1  # it ties with itself


def _evaluate_new_users(model: Any, split: UserSplit, ks: tuple[int, ...]) -> Scores:
    """Each held-out item against all items its user never met; a user counts once, however many she has."""
    if not isinstance(model, FoldsIn):
        raise UserError("user-split scores people the training never saw, and this system cannot fold them in")
    model = model.fold_in(split.histories)
    n, n_items = split.held_out.shape
    catalogue = np.arange(n_items, dtype=np.int32)[None, :]
    found = []
    for rows in _blocks(n, n_items):
        scores = _scores(model, np.arange(rows.start, rows.stop, dtype=np.int32)[:, None], catalogue)
        seen, sought = _rows(split.histories.matrix[rows]), _rows(split.held_out[rows])
        found += [_among_unmet(*one) for one in zip(scores, seen, sought, strict=True)]
    above, tied = np.concatenate(found, axis=1)
    person, _ = _pairs(split.held_out)
    count = np.bincount(person, minlength=n)
    values = {
        name: np.bincount(person, gain, minlength=n) / count
        for name, gain in gains(above, tied, ks, suffix="/full").items()
    }
    return Scores({name: _spread(value, split.users, split.n_users) for name, value in values.items()}, split.notes)


def _among_unmet(scores: Array, seen: Array, sought: Array) -> Array:
    """(above, tied) of each `sought` item of one person among the items that are neither seen nor sought."""
    rivals = np.sort(np.delete(scores, np.concatenate([seen, sought])))
    upper = np.searchsorted(rivals, scores[sought], side="right")
    return np.stack([len(rivals) - upper, upper - np.searchsorted(rivals, scores[sought], side="left")])


def _evaluate_ratings(model: Model, split: RatingSplit) -> Scores:
    predicted = _scores(model, split.users, split.items)
    errors = predicted - split.ratings
    return Scores({"rmse": squared_errors(split.users, errors, split.train.n_users)}, split.notes)


def _scores(model: Model, users: Array, items: Array) -> Array:
    """The model's scores; what is not a finite number has no rank, so it is refused rather than ranked last."""
    scores = np.asarray(model.score(users, items))
    shape = np.broadcast_shapes(users.shape, items.shape)
    if scores.shape != shape:
        raise ValueError(f"{type(model).__name__}.score gave shape {scores.shape}, not {shape}")
    if not np.isfinite(scores).all():
        where = tuple(np.argwhere(~np.isfinite(scores))[0])
        user, item = np.broadcast_to(users, shape)[where], np.broadcast_to(items, shape)[where]
        raise UserError(f"the score of user {user} for item {item} is {scores[where]}: the model has diverged, "
                        "so it has no metrics; try other parameters")  # fmt: skip
    return scores


def _blocks(n: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK // width)
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _pairs(matrix: sp.csr_array) -> tuple[Array, Array]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices


def _rows(matrix: sp.csr_array) -> list[Array]:
    return np.split(matrix.indices, matrix.indptr[1:-1])


def _spread(values: Array, users: Array, n_users: int) -> Array:
    """One value for every user of the data set: NaN for those who were not tested."""
    everybody = np.full(n_users, np.nan)
    everybody[users] = values
    return everybody
