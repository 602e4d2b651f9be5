"""Ratings from biases and tastes, r̂ = μ + b_u + b_i + p_u·q_i, by stochastic gradients (Koren, Bell & Volinsky 2009).

Gradients are taken in batches: within one, a row that is met several times moves by the sum of its steps, as
sequential steps do to first order. The largest batch that keeps their RMSE is what NumPy is fast at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.protocols import Array

BATCH = 4096


@dataclass(frozen=True, eq=False)
class Biased:
    """μ + b_u + b_i + p_u·q_i, cut to [low, high]; who or what was never met has no bias and no taste."""

    mean: float
    user_bias: Array  # float32 (n_users,)
    item_bias: Array  # float32 (n_items,)
    users: Array  # p, float32 (n_users, factors)
    items: Array  # q, float32 (n_items, factors)
    low: float = -np.inf
    high: float = np.inf

    def score(self, users: Array, items: Array) -> Array:
        users, items = np.asarray(users), np.asarray(items)
        out = self.mean + self.user_bias[users] + self.item_bias[items]
        if self.users.shape[1]:
            out = out + self._tastes(users, items)
        return np.clip(out, self.low, self.high).astype(np.float32, copy=False)

    def _tastes(self, users: Array, items: Array) -> Array:
        if users.ndim == 2 and users.shape[1] == 1 and items.shape[0] == 1:
            return self.users[users[:, 0]] @ self.items[items[0]].T
        return np.einsum("...f,...f->...", self.users[users], self.items[items])


@dataclass(frozen=True)
class Descent:
    """How the gradients are followed."""

    factors: int
    epochs: int
    learning_rate: float
    regularization: float


def descend(
    users: Array, items: Array, ratings: Array, shape: tuple[int, int], how: Descent, rng: np.random.Generator
) -> Iterator[tuple[float, Biased]]:
    """One model an epoch. The caller checks that it has not diverged."""
    mean = float(ratings.mean(dtype=np.float64))
    rest = (ratings - mean).astype(np.float32)
    tastes = [rng.normal(0, 0.1, (n, how.factors)).astype(np.float32) for n in shape]
    p, q = (np.pad(side, ((0, 0), (0, 2))) for side in tastes)
    p[:, -1] = q[:, -2] = 1  # (p_u, b_u, 1)·(q_i, 1, b_i) = b_u + b_i + p_u·q_i
    rate, pull, ones = np.float32(how.learning_rate), np.float32(how.regularization), np.ones(p.shape[1], np.float32)
    errors, by_user = Errors(shape), np.argsort(users, kind="stable")
    for epoch in range(how.epochs):
        for rows in _batches(by_user, rng):
            u, i = users[rows], items[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                error = rest[rows] - (p.take(u, axis=0) * q.take(i, axis=0)) @ ones
                of_user, of_item = errors.fill(u, i, rate * error)
                to_p, to_q = of_user @ q, of_item @ p
                for side, met, step in ((p, u, to_p), (q, i, to_q)):
                    side *= 1 - rate * pull * np.bincount(met, minlength=len(side)).astype(np.float32)[:, None]
                    side += step
                p[:, -1] = q[:, -2] = 1
        bu, bi = p[:, -2].copy(), q[:, -1].copy()
        yield (epoch + 1) / how.epochs, Biased(mean, bu, bi, p[:, :-2].copy(), q[:, :-2].copy())


def _batches(by_user: Array, rng: np.random.Generator) -> list[Array]:
    """The lines in random batches. Within one their order is free, so they stay sorted by user."""
    batch = np.empty(len(by_user), np.min_scalar_type(len(by_user) // BATCH))
    batch[rng.permutation(len(by_user))] = np.arange(len(by_user)) // BATCH
    lines = by_user[np.argsort(batch[by_user], kind="stable")]
    return np.split(lines, range(BATCH, len(lines), BATCH))


class Errors:
    """A batch as a sparse matrix of its errors: times q it adds up the users' steps, transposed times p the items'.

    Both forms are made once and refilled, for making a small sparse matrix takes as long as multiplying with it.
    """

    def __init__(self, shape: tuple[int, int]):
        self.of_user, self.of_item = sp.csr_array(shape, dtype=np.float32), sp.csc_array(shape[::-1], dtype=np.float32)

    def fill(self, users: Array, items: Array, errors: Array) -> tuple[sp.csr_array, sp.csc_array]:
        """(users × items, items × users) of lines that are sorted by user; who meets twice counts twice."""
        starts = np.zeros(self.of_user.shape[0] + 1, items.dtype)
        np.bincount(users, minlength=len(starts) - 1).cumsum(out=starts[1:])
        for form in (self.of_user, self.of_item):
            form.data, form.indices, form.indptr = errors, items, starts
        return self.of_user, self.of_item


def finite(model: Biased) -> bool:
    """Whether training has stayed in the realm of numbers."""
    parts = (model.user_bias, model.item_bias, model.users, model.items)
    return all(bool(np.isfinite(part).all()) for part in parts)
