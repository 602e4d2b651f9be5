"""How people's data is divided into what a system learns from and what it is tested on.

`loo-latest`, `loo-random`: one interaction of each user is held out and ranked against 99 items she never met.
`kfold`: five folds of ratings. `user-split`: a fifth of the users is never trained on.
A split that leaks cannot be made: it checks itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Interactions
from recprivlib.streams import stream

NEGATIVES = 99
FOLDS = 5
TEST_SHARE = 0.2  # of the users, under user-split
BLOCK = 1 << 22  # entries of the largest dense users × items block held at once


@dataclass(frozen=True, eq=False)
class RankingSplit:
    """Leave one out: `held_out[j]` of user `users[j]` is to be found among `negatives[j]`, or the whole catalogue."""

    train: Interactions
    users: Array  # int32 (n,)
    held_out: Array  # int32 (n,)
    negatives: Array  # int32 (n, 99): items the user never met; -1 fills up where there are fewer
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if _met(self.train.matrix, self.users, self.held_out).any():
            raise AssertionError("leak: a held-out item is in the training data of its user")
        real = self.negatives >= 0
        row = np.nonzero(real)[0]
        negatives = self.negatives[real]
        if _met(self.train.matrix, self.users[row], negatives).any() or (negatives == self.held_out[row]).any():
            raise AssertionError("leak: a negative is an item that its user has met")


@dataclass(frozen=True, eq=False)
class RatingSplit:
    """One fold: the clean ratings of the pairs (`users`, `items`) are to be predicted."""

    train: Interactions
    users: Array  # int32 (n,)
    items: Array  # int32 (n,)
    ratings: Array  # float32 (n,)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if _met(self.train.matrix, self.users, self.items).any():
            raise AssertionError("leak: a test rating is in the training data")


@dataclass(frozen=True, eq=False)
class UserSplit:
    """People the training never saw. Row j of `histories` and `held_out` is the person who was user `users[j]`."""

    train: Interactions  # of the other users alone, numbered anew
    users: Array  # int32 (n,)
    histories: Interactions  # n people: what they tell a finished model
    held_out: sp.csr_array  # n × items: what it must find
    n_users: int  # in the whole data set
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.histories.matrix.multiply(self.held_out).nnz:
            raise AssertionError("leak: a held-out item is in the history of its user")


Split = RankingSplit | RatingSplit | UserSplit


def split(interactions: Interactions, protocol: str = "loo-latest", seed: int = 0) -> tuple[Split, ...]:
    """Divide people's data into what a system learns from and what it is tested on.

    Parameters
    ----------
    interactions
        Of everybody, in canonical order: `load(…).interactions`.
    protocol
        "loo-latest" or "loo-random": one interaction of each user is held out, the latest or any. "kfold": five
        folds of the ratings. "user-split": a fifth of the users is never trained on, and half the history of each
        of them is held out.
    seed
        A whole number from 0. Every system at one seed meets the same split.

    Returns
    -------
    tuple of RankingSplit, RatingSplit or UserSplit
        One split, or five under "kfold"; `train` of each holds nothing that is tested.

    Raises
    ------
    UserError
        The protocol is unknown, or the data are empty, unsorted, or hold a (user, item) pair twice.

    Examples
    --------
    >>> from recprivlib.data import load
    >>> (held_out,) = split(load("synthetic", users=60, items=100).interactions)
    >>> held_out.users.size, held_out.negatives.shape
    (60, (60, 99))
    """
    if protocol not in PROTOCOLS:
        raise UserError(f"there is no protocol {protocol!r}; choose from {', '.join(PROTOCOLS)}")
    if not isinstance(interactions, Interactions):
        raise UserError(f"split takes interactions (load(…).interactions), but got a {type(interactions).__name__}")
    if not len(interactions):
        raise UserError("the data set is empty: there is nothing to split")
    if (np.diff(interactions.users) < 0).any():
        raise UserError("the rows of the data set are not sorted by user")
    for what, found, size in (("user", interactions.users, interactions.n_users),
                              ("item", interactions.items, interactions.n_items)):  # fmt: skip
        if found.min() < 0 or found.max() >= size:
            bad = found.min() if found.min() < 0 else found.max()
            raise UserError(f"the data set has {what} {bad}, but its {what}s are numbered from 0 to {size - 1}")
    if not interactions.matrix.has_canonical_format:
        raise UserError("the data set has a (user, item) pair twice; each may occur once")
    return PROTOCOLS[protocol](interactions, stream(seed, "split"))


# --------------------------------------------------------------------------------------- leave one out


def _loo_latest(x: Interactions, rng: np.random.Generator) -> tuple[Split, ...]:
    last = np.zeros(x.n_users, x.times.dtype)
    np.maximum.at(last, x.users, x.times)
    latest = x.times == last[x.users]
    notes = ("no times are known: a random interaction of each user is held out",) if not np.ptp(x.times) else ()
    return _leave_one_out(x, np.flatnonzero(latest), notes, rng)


def _loo_random(x: Interactions, rng: np.random.Generator) -> tuple[Split, ...]:
    return _leave_one_out(x, np.arange(len(x)), (), rng)


def _leave_one_out(
    x: Interactions, eligible: Array, notes: tuple[str, ...], rng: np.random.Generator
) -> tuple[Split, ...]:
    """Hold out one of the `eligible` rows of each user (grouped by user), each with the same chance."""
    seen = np.bincount(x.users, minlength=x.n_users)
    choices = np.bincount(x.users[eligible], minlength=x.n_users)
    pick = np.cumsum(choices) - choices + (rng.random(x.n_users) * choices).astype(np.int64)
    users, said = _testable(seen, x.n_items)
    rows = eligible[pick[users]]
    kept = np.ones(len(x), bool)
    kept[rows] = False
    negatives = _negatives(x.matrix, users, rng)
    short = (negatives < 0).any(axis=1)
    if short.any():
        fewest = int((negatives >= 0).sum(axis=1).min())
        said += (f"{_people(short.sum())} ranked against fewer than {NEGATIVES} items (as few as {fewest}): "
                 "no more are left that they never met",)  # fmt: skip
    return (RankingSplit(x.take(kept), users, x.items[rows], negatives, notes + said),)


def _testable(seen: Array, n_items: int) -> tuple[Array, tuple[str, ...]]:
    """The users that can be tested, and words about those that cannot."""
    few, full = seen < 2, seen >= n_items
    notes = []
    if few.any():
        notes.append(f"{_people(few.sum())} not tested: fewer than two interactions")
    if (full & ~few).any():
        notes.append(f"{_people((full & ~few).sum())} not tested: every item was met, nothing is left to rank against")
    users = np.flatnonzero(~few & ~full).astype(np.int32)
    if not len(users):
        raise UserError(f"no user can be tested, of {len(seen)}: each needs two interactions and an item never met")
    return users, tuple(notes)


def _people(number: int) -> str:
    return "1 user is" if number == 1 else f"{number} users are"


def _negatives(met: sp.csr_array, users: Array, rng: np.random.Generator) -> Array:
    """Items each user never met, uniformly without replacement; -1 where there are not enough."""
    drawn = np.full((len(users), NEGATIVES), -1, np.int32)
    step = max(1, BLOCK // met.shape[1])
    for start in range(0, len(users), step):
        rows = met[users[start : start + step]]
        taken = np.zeros(rows.shape, bool)
        taken[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices] = True
        free = rows.shape[1] - np.diff(rows.indptr)
        crowded = free < max(2 * NEGATIVES, rows.shape[1] // 2)
        block = drawn[start : start + step]
        block[crowded] = _sorted_keys(taken[crowded], rng)
        _rejection(block, taken, np.flatnonzero(~crowded), rng)
    return drawn


def _sorted_keys(taken: Array, rng: np.random.Generator) -> Array:
    """For users with few items left: the free items in the order of random keys."""
    keys = np.where(taken, 2.0, rng.random(taken.shape))
    order = np.argsort(keys, axis=1)[:, :NEGATIVES].astype(np.int32)
    order[np.take_along_axis(keys, order, axis=1) == 2.0] = -1
    return np.pad(order, ((0, 0), (0, NEGATIVES - order.shape[1])), constant_values=-1)


def _rejection(drawn: Array, taken: Array, rows: Array, rng: np.random.Generator) -> None:
    """Fill `drawn[rows]`: draw for all open places at once, keep what is new, draw again for the rest.

    No step looks at an item's number, so every set of free items is equally likely.
    """
    owner = np.empty(taken.shape, np.int32)
    row, place = np.repeat(rows, NEGATIVES), np.tile(np.arange(NEGATIVES), len(rows))
    while len(row):
        item = rng.integers(0, taken.shape[1], len(row), dtype=np.int32)
        ticket = np.arange(len(row), dtype=np.int32)
        owner[row, item] = ticket  # two places of one user that drew the same item: one of them gets it
        won = (owner[row, item] == ticket) & ~taken[row, item]
        drawn[row[won], place[won]] = item[won]
        taken[row[won], item[won]] = True
        row, place = row[~won], place[~won]


# ------------------------------------------------------------------------------------ ratings, new users


def _kfold(x: Interactions, rng: np.random.Generator) -> tuple[Split, ...]:
    if x.grid is None:
        raise UserError("kfold needs ratings in stars, and this data set has none; choose loo-latest or user-split")
    if len(x) < FOLDS:
        raise UserError(f"kfold needs {FOLDS} ratings or more; there are {len(x)}")
    fold = rng.permutation(len(x)) % FOLDS
    splits = []
    for number in range(FOLDS):
        test = fold == number
        splits.append(RatingSplit(x.take(~test), x.users[test], x.items[test], x.ratings[test]))
    return tuple(splits)


def _user_split(x: Interactions, rng: np.random.Generator) -> tuple[Split, ...]:
    test = np.zeros(x.n_users, bool)
    test[rng.permutation(x.n_users)[: round(TEST_SHARE * x.n_users)]] = True
    if not test.any():
        raise UserError(f"user-split needs 3 users or more; there are {x.n_users}")
    seen = np.bincount(x.users, minlength=x.n_users)
    users, notes = _testable(np.where(test, seen, 2), x.n_items)
    users = users[test[users]]
    if not len(users):
        raise UserError("user-split: none of the test users has two interactions and an item never met")
    people = x.of(users)
    order = np.lexsort((rng.random(len(people)), people.users))
    count = np.bincount(people.users, minlength=len(users))
    place = np.arange(len(people)) - np.repeat(np.cumsum(count) - count, count)
    kept = np.zeros(len(people), bool)
    kept[order] = place < np.repeat((count + 1) // 2, count)
    train = x.of(np.flatnonzero(~test))
    return (UserSplit(train, users, people.take(kept), people.take(~kept).matrix, x.n_users, notes),)


def _met(matrix: sp.csr_array, users: Array, items: Array) -> Array:
    """Whether `matrix` has an entry at each pair."""
    if not len(users):  # here SciPy would answer with a matrix
        return np.zeros(0, bool)
    return np.asarray(matrix[users, items]).ravel() != 0


PROTOCOLS: dict[str, Callable[[Interactions, np.random.Generator], tuple[Split, ...]]] = {
    "loo-latest": _loo_latest,
    "loo-random": _loo_random,
    "kfold": _kfold,
    "user-split": _user_split,
}
