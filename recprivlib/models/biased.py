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
    bu, bi = (np.zeros(n, np.float32) for n in shape)
    p, q = (rng.normal(0, 0.1, (n, how.factors)).astype(np.float32) for n in shape)
    rate, pull = np.float32(how.learning_rate), np.float32(how.regularization)
    for epoch in range(how.epochs):
        order = rng.permutation(len(rest))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            u, i = users[rows], items[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                pu, qi = p[u], q[i]
                error = rest[rows] - bu[u] - bi[i] - np.einsum("nf,nf->n", pu, qi)
                to_users, to_items = _adder(u, shape[0]), _adder(i, shape[1])
                bu += rate * (to_users @ (error - pull * bu[u]))
                bi += rate * (to_items @ (error - pull * bi[i]))
                if how.factors:
                    p += rate * (to_users @ (error[:, None] * qi - pull * pu))
                    q += rate * (to_items @ (error[:, None] * pu - pull * qi))
        yield (epoch + 1) / how.epochs, Biased(mean, bu.copy(), bi.copy(), p.copy(), q.copy())


def _adder(rows: Array, n: int) -> sp.csc_array:
    """The matrix that adds the lines of a batch to the rows they belong to."""
    ones = np.ones(len(rows), np.float32)
    return sp.csc_array((ones, rows, np.arange(len(rows) + 1)), shape=(n, len(rows)))


def finite(model: Biased) -> bool:
    """Whether training has stayed in the realm of numbers."""
    parts = (model.user_bias, model.item_bias, model.users, model.items)
    return all(bool(np.isfinite(part).all()) for part in parts)
