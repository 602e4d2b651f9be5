"""Whose phone is it? Two thousand bits of one phone in a real run of fmf_ldp, weighed between two people.

The run is the library's: 943 phones, one of them with Ada's films, everything that leaves a phone taped at the gate.
Then somebody else's films take the place of Ada's, and the same tape is played: the phone's other histories meet the
same cells and the same bits. What Ada's history makes likelier than the other's, bit by bit, is the stranger's odds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.dashboard.folds import dataset, holdout
from recprivlib.dashboard.people import adas
from recprivlib.evaluation import stream
from recprivlib.living.films import DATA
from recprivlib.mechanisms.gate import Call, taped
from recprivlib.mechanisms.noise import rooted
from recprivlib.protocols import Array, Interactions

SEED = 0


@dataclass(frozen=True)
class Weighed:
    """One run: the ε of a bit, how many films the other met, the log odds for Ada after each bit, and the bits."""

    epsilon: float
    other: int
    odds: Array  # (bits,)
    signs: Array  # (bits,), −1 or +1


def weighed(system: Any, talkative: float = 0.5) -> Weighed:
    """Ada against whoever stands at this quantile of how many films people met."""
    train = holdout(dataset(DATA), SEED).train
    lengths = np.bincount(train.users, minlength=train.n_users)
    place = int(np.argsort(lengths, kind="stable")[round(talkative * (train.n_users - 1))])
    hers = played(system, exchanged(train, place, adas(dataset(DATA))))
    theirs = played(system, train, hers)
    odds = [_odds(one, other, place) for one, other in zip(hers, theirs, strict=True)]
    signs = np.concatenate([one.y[place] for one in hers])
    return Weighed(hers[0].mechanism.epsilon, int(lengths[place]), np.cumsum(np.concatenate(odds)), signs)


def exchanged(train: Interactions, user: int, items: Sequence[int] | Array) -> Interactions:
    """The same people, but one of them met these films and no others."""
    kept = train.users != user
    before = int((train.users < user).sum())
    new = np.sort(np.asarray(items, np.int32))

    def put(column: Array, value: Any) -> Array:
        return np.insert(column[kept], before, np.full(len(new), value, column.dtype))

    users, found = put(train.users, user), put(train.items, 0)
    found[before : before + len(new)] = new
    return Interactions(users, found, put(train.ratings, 1), put(train.times, 0), train.n_users, train.n_items,
                        train.grid, train.user_features, train.item_features)  # fmt: skip


def played(system: Any, train: Interactions, answers: Sequence[Call] | None = None) -> Sequence[Call]:
    """A run as the gate taped it, one passage an epoch; with `answers`, what was released in another run."""
    with rooted(SEED), taped(answers) as tape:
        system.fit(train, stream(SEED, "fit"))
    return tape.calls


def _odds(one: Call, other: Call, phone: int) -> Array:
    """How much likelier each bit of this phone is under the one history than under the other."""
    bits: Array = one.y[phone]
    found: Array = one.mechanism.log_density(bits, one.x[phone]) - one.mechanism.log_density(bits, other.x[phone])
    return found
