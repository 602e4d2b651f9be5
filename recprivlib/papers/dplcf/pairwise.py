"""Factor models trained by stochastic gradients on a matrix of zeros and ones that may be dense with false ones.

bpr  Rendle et al. 2009: a one should score above a zero, −ln σ(p_u·q_i − p_u·q_j)
gmf  He et al. 2017: a one should look like a one, cross-entropy of σ(h·(p_u ∘ q_i)), four zeros sampled for each one

Both are mini-batch Adam (Kingma & Ba 2015) on rows gathered from the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from recprivlib.models.rows import pick
from recprivlib.protocols import Array

BATCH = 1024
NEGATIVES = 4


@dataclass(frozen=True, eq=False)
class Weighted:
    """s(u, i) = Σ_f h_f p_uf q_if (h is all ones for bpr)."""

    users: Array  # p, float32 (n_users, factors)
    items: Array  # q, float32 (n_items, factors)
    weights: Array  # h, float32 (factors,)

    def score(self, users: Array, items: Array) -> Array:
        return pick(lambda u: (self.users[u] * self.weights) @ self.items.T, users, items, len(self.items))


@dataclass(frozen=True)
class Training:
    """How long and how fast."""

    factors: int
    epochs: int
    learning_rate: float
    regularization: float


def bpr(ones: Array, training: Training, rng: np.random.Generator) -> Iterator[tuple[float, Weighted]]:
    """One model an epoch; `ones` is the boolean users × items matrix."""
    model, adam = _start(ones.shape, training, rng), _Adam(training.learning_rate)
    users, items = np.nonzero(ones)
    for epoch in range(training.epochs):
        for u, i in _batches(users, items, rng):
            j = _zeros(ones, u, rng)
            p, difference = model.users[u], model.items[i] - model.items[j]
            pull = _sigmoid(-(p * difference).sum(axis=1))[:, None]
            adam.descend(model.users, u, training.regularization * p - pull * difference)
            for item, sign in ((i, -1), (j, 1)):
                adam.descend(model.items, item, training.regularization * model.items[item] + sign * pull * p)
        yield (epoch + 1) / training.epochs, _frozen(model)


def gmf(ones: Array, training: Training, rng: np.random.Generator) -> Iterator[tuple[float, Weighted]]:
    """One model an epoch; `ones` is the boolean users × items matrix."""
    model, adam = _start(ones.shape, training, rng), _Adam(training.learning_rate)
    users, items = np.nonzero(ones)
    for epoch in range(training.epochs):
        for u, i in _batches(users, items, rng):
            u = np.repeat(u, NEGATIVES + 1)
            i = np.concatenate([i[:, None], _zeros(ones, u, rng).reshape(len(i), -1)[:, 1:]], axis=1).ravel()
            p, q = model.users[u], model.items[i]
            wrong = (_sigmoid((p * q) @ model.weights) - ones[u, i])[:, None]
            slope = (wrong * p * q).mean(axis=0)
            adam.descend(model.users, u, wrong * q * model.weights + training.regularization * p)
            adam.descend(model.items, i, wrong * p * model.weights + training.regularization * q)
            adam.descend(model.weights, slice(None), slope)
        yield (epoch + 1) / training.epochs, _frozen(model)


def _start(shape: tuple[int, int], training: Training, rng: np.random.Generator) -> Weighted:
    users, items = (rng.normal(0, 0.1, (n, training.factors)).astype(np.float32) for n in shape)
    return Weighted(users, items, np.ones(training.factors, np.float32))


def _frozen(model: Weighted) -> Weighted:
    return replace(model, users=model.users.copy(), items=model.items.copy(), weights=model.weights.copy())


def _batches(users: Array, items: Array, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    order = rng.permutation(len(users))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        yield users[rows], items[rows]


def _zeros(ones: Array, users: Array, rng: np.random.Generator) -> Array:
    """An item that each user has a zero for; after ten draws without one, the last draw stands."""
    drawn = rng.integers(0, ones.shape[1], len(users))
    for _ in range(10):
        again = np.flatnonzero(ones[users, drawn])
        if not len(again):
            break
        drawn[again] = rng.integers(0, ones.shape[1], len(again))
    return drawn


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


class _Adam:
    """Adam whose moments live beside each table; rows met twice in a batch add their gradients."""

    def __init__(self, rate: float):
        self.rate = rate
        self.moments: dict[int, tuple[Array, Array, list[int]]] = {}

    def descend(self, table: Array, rows: Array | slice, gradient: Array) -> None:
        if not isinstance(rows, slice):
            rows, gradient = _summed(rows, gradient)
        first, second, steps = self.moments.setdefault(id(table), (np.zeros_like(table), np.zeros_like(table), [0]))
        steps[0] += 1
        first[rows] = 0.9 * first[rows] + 0.1 * gradient
        second[rows] = 0.999 * second[rows] + 0.001 * gradient**2
        scale = self.rate * np.sqrt(1 - 0.999 ** steps[0]) / (1 - 0.9 ** steps[0])
        table[rows] -= scale * first[rows] / (np.sqrt(second[rows]) + 1e-8)


def _summed(rows: Array, gradient: Array) -> tuple[Array, Array]:
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    return rows[starts], np.add.reduceat(gradient[order], starts, axis=0)
