"""Factor models whose noise is put into the training: r̂ = m + b_u + b_i + p_u·q_i, m the middle of the scale.

All ratings move the model together in every pass. Nothing of the data enters but errors that somebody noised
(`descend`), or it is one sample of a scaled posterior (`sampled`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.models.biased import Biased
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Interactions


@dataclass(frozen=True)
class Descent:
    """How errors are followed."""

    factors: int
    passes: int
    learning_rate: float
    regularization: float


@dataclass(frozen=True)
class Langevin:
    """How a sample is walked to: step t is learning_rate·t^−decay long; the drift is scaled, the noise cooled."""

    factors: int
    passes: int
    learning_rate: float
    regularization: float
    temperature: float
    decay: float
    drift: float


@dataclass(frozen=True, eq=False)
class _State:
    """Everybody's part and every item's, the bias first: float32 (users, 1 + k) and (items, 1 + k)."""

    users: Array
    items: Array

    def errors(self, train: Interactions, middle: float) -> Array:
        """r − r̂ of every rating, in doubles: two ratings under one r̂ are as far apart as before, but for a last bit."""
        u, i = self.users[train.users], self.items[train.items]
        return (train.ratings - np.float64(middle)) - (u[:, 0] + i[:, 0] + np.einsum("nf,nf->n", u[:, 1:], i[:, 1:]))

    def slopes(self, train: Interactions, errors: Array) -> tuple[Array, Array]:
        """Σ over ratings of error times what it multiplies, for users and for items."""
        starts = np.searchsorted(train.users, np.arange(train.n_users + 1))
        table = sp.csr_array((errors.astype(np.float32), train.items, starts), shape=(train.n_users, train.n_items))
        one, other = (np.column_stack([np.ones(len(x), np.float32), x[:, 1:]]) for x in (self.items, self.users))
        return table @ one, table.T @ other

    def model(self, stars: tuple[float, float]) -> Biased:
        u, i = self.users, self.items
        return Biased(sum(stars) / 2, u[:, 0], i[:, 0], u[:, 1:], i[:, 1:], *stars)


def _random(train: Interactions, k: int, rng: np.random.Generator) -> _State:
    parts = []
    for n in (train.n_users, train.n_items):
        part = rng.normal(0, 0.1, (n, 1 + k)).astype(np.float32)
        part[:, 0] = 0
        parts.append(part)
    return _State(*parts)


def descend(
    train: Interactions, stars: tuple[float, float], how: Descent, heard: Callable[[Array], Array],
    rng: np.random.Generator,
) -> Iterator[tuple[float, Biased]]:  # fmt: skip
    """One model a pass; what the errors are taken for is `heard(errors)`."""
    state, rate, pull = _random(train, how.factors, rng), np.float32(how.learning_rate), np.float32(how.regularization)
    for turn in range(1, how.passes + 1):
        errors = np.clip(state.errors(train, sum(stars) / 2), stars[0] - stars[1], stars[1] - stars[0])
        to_users, to_items = state.slopes(train, heard(errors))
        state = _State(
            state.users + rate * (to_users - pull * state.users), state.items + rate * (to_items - pull * state.items)
        )
        yield turn / how.passes, finite(state).model(stars)


def sampled(
    train: Interactions, stars: tuple[float, float], how: Langevin, shaken: Callable[[Array, float], Array],
    rng: np.random.Generator,
) -> Iterator[tuple[float, Biased]]:  # fmt: skip
    """One model a step; what is seen of each is `shaken(everybody's part above every item's, by how much)`."""
    state = _random(train, how.factors, rng)
    for turn in range(1, how.passes + 1):
        step = how.learning_rate * turn**-how.decay
        slopes = state.slopes(train, state.errors(train, sum(stars) / 2))
        parts = []
        for part, slope in zip((state.users, state.items), slopes, strict=True):
            parts.append(part + np.float32(how.drift * step) * (slope - np.float32(how.regularization) * part))
        seen = shaken(np.concatenate(parts), math.sqrt(how.temperature * step))
        state = finite(_State(*np.split(seen, [train.n_users])))
        yield turn / how.passes, state.model(stars)


def finite(state: _State) -> _State:
    """The state, if training has stayed in the realm of numbers."""
    if not (np.isfinite(state.users).all() and np.isfinite(state.items).all()):
        raise UserError("the training diverged; try a smaller learning_rate")
    return state
