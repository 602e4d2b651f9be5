"""Learning from answers of a noisy channel: the ratings behind them are stars, and the server knows the channel.

A rating x on the star grid is drawn around the taste η = μ + b_u + b_i + p_u·q_i,

    p(x|η) ∝ exp(−(x−η)²/2s²),        P(y|η) = Σ_x C(y|x) p(x|η)

and an answer y moves η by Fisher scoring. With m(y, η) = E[x | y, η] and e(η) = E[x|η]:

    I(η) = Var_y m(y, η) / s⁴        z = η + (m(y, η) − e(η)) / (s² I(η))

so each round is a least-squares fit of z with weights I, solved by alternation with ridges 1/τ² (the width of the
biases and tastes that are expected). All of it is post-processing of the answers: it costs no privacy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from recprivlib.models.biased import Biased
from recprivlib.protocols import Array

SPREAD = 0.9  # s, stars
STEPS = 256  # places at which the tables of η are kept
BEYOND = 1.5  # stars that η may leave the grid by
FLAT = 1e-4  # the least weight: an answer that tells nothing must not divide by zero


@dataclass(frozen=True, eq=False)
class Tables:
    """m(y, η), e(η) and I(η) at STEPS places of η."""

    low: float
    step: float
    posterior: Array  # m, float32 (answers, STEPS)
    prior: Array  # e, float32 (STEPS,)
    information: Array  # I, float32 (STEPS,)

    def place(self, eta: Array) -> Array:
        return np.clip(np.rint((eta - self.low) / self.step), 0, STEPS - 1).astype(np.int32)

    def eta(self, place: Array) -> Array:
        return (self.low + self.step * place).astype(np.float32)


def tables(channel: Array, grid: tuple[float, ...]) -> Tables:
    """What every answer of a channel (stars × answers) says at every η."""
    stars = np.asarray(grid, float)
    low, high = stars[0] - BEYOND, stars[-1] + BEYOND
    eta = np.linspace(low, high, STEPS)
    drawn = np.exp(-((stars[:, None] - eta) ** 2) / (2 * SPREAD**2))
    drawn /= drawn.sum(axis=0)  # p(x|η), stars × STEPS
    heard = channel.T @ drawn  # P(y|η), answers × STEPS
    posterior = (channel.T @ (stars[:, None] * drawn)) / np.maximum(heard, 1e-300)
    prior = stars @ drawn
    information = (heard * (posterior - prior) ** 2).sum(axis=0) / SPREAD**4
    parts = (part.astype(np.float32) for part in (posterior, prior, np.maximum(information, FLAT)))
    return Tables(low, (high - low) / (STEPS - 1), *parts)


@dataclass(frozen=True, eq=False)
class Expected:
    """Predicts e(η), the rating expected of a taste."""

    tastes: Biased
    known: Tables

    def score(self, users: Array, items: Array) -> Array:
        eta = (self.tastes.score(users, items) - np.float32(self.known.low)) / np.float32(self.known.step)
        eta = np.clip(eta, 0, STEPS - 1.001)
        place = eta.astype(np.int32)
        share = eta - place
        return self.known.prior[place] * (1 - share) + self.known.prior[place + 1] * share


@dataclass(frozen=True)
class Fit:
    """How much taste is looked for: τ_b and τ_f are its expected widths in stars."""

    factors: int
    iterations: int
    bias_width: float = 0.45
    factor_width: float = 0.3


def learn(
    users: Array, items: Array, answers: Array, shape: tuple[int, int], known: Tables, how: Fit,
    rng: np.random.Generator,
) -> Iterator[tuple[float, Expected]]:  # fmt: skip
    """One model a round of Fisher scoring."""
    of_users, of_items = Pairs.of(users, items, shape), Pairs.of(items, users, shape[::-1])
    mean = _mean(answers, known)
    bu, bi = (np.zeros(n, np.float32) for n in shape)
    p, q = (rng.normal(0, 0.1, (n, how.factors)).astype(np.float32) for n in shape)
    eta, taste = np.full(len(users), mean, np.float32), np.einsum("nf,nf->n", p[users], q[items])
    ridge = how.bias_width**-2
    for turn in range(how.iterations):
        z, weight = _working(eta, answers, known)
        mean += _average(z - mean - bu[users] - bi[items] - taste, weight)
        bi = _biases(items, weight, z - mean - bu[users] - taste, shape[1], ridge)
        bu = _biases(users, weight, z - mean - bi[items] - taste, shape[0], ridge)
        if how.factors:
            rest = z - mean - bu[users] - bi[items]
            p = _vectors(of_users, q, weight, rest, how)
            q = _vectors(of_items, p, weight, rest, how)
            taste = np.einsum("nf,nf->n", p[users], q[items])
        eta = mean + bu[users] + bi[items] + taste
        yield (turn + 1) / how.iterations, Expected(Biased(float(mean), bu, bi, p, q), known)


def refit(
    model: Expected, users: Array, items: Array, answers: Array, n_users: int, known: Tables, how: Fit
) -> Expected:
    """The users' part of a model anew, from other answers about the same pairs; the items' part stays."""
    tastes = model.tastes
    of_users = Pairs.of(users, items, (n_users, len(tastes.items)))
    bu, p = np.zeros(n_users, np.float32), np.zeros((n_users, how.factors), np.float32)
    base = np.float32(tastes.mean) + tastes.item_bias[items]
    for _ in range(how.iterations):
        taste = np.einsum("nf,nf->n", p[users], tastes.items[items])
        z, weight = _working(base + bu[users] + taste, answers, known)
        bu = _biases(users, weight, z - base - taste, n_users, how.bias_width**-2)
        if how.factors:
            p = _vectors(of_users, tastes.items, weight, z - base - bu[users], how)
    return Expected(replace(tastes, user_bias=bu, users=p), model.known)


def _working(eta: Array, answers: Array, known: Tables) -> tuple[Array, Array]:
    """z and its weight."""
    place = known.place(eta)
    weight = known.information[place]
    step = (known.posterior[answers, place] - known.prior[place]) / (SPREAD**2 * weight)
    return known.eta(place) + step, weight


def _mean(answers: Array, known: Tables) -> float:
    """The one η that makes all answers together most likely: ten steps of Fisher scoring from the middle."""
    count = np.bincount(answers, minlength=len(known.posterior)).astype(float)
    eta = known.low + known.step * (STEPS - 1) / 2
    for _ in range(10):
        place = int(known.place(np.array(eta)))
        score = count @ (known.posterior[:, place] - known.prior[place]) / count.sum()
        eta += float(score / (SPREAD**2 * known.information[place]))
        eta = float(np.clip(eta, known.low + BEYOND, known.low + known.step * (STEPS - 1) - BEYOND))
    return eta


def _average(values: Array, weight: Array) -> float:
    return float((values * weight).sum(dtype=np.float64) / weight.sum(dtype=np.float64))


def _biases(rows: Array, weight: Array, rest: Array, n: int, ridge: float) -> Array:
    return (np.bincount(rows, weight * rest, minlength=n) / (np.bincount(rows, weight, minlength=n) + ridge)).astype(
        np.float32
    )


@dataclass(frozen=True, eq=False)
class Pairs:
    """Who met what, sorted by one of the two sides: the rows."""

    order: Array
    others: Array  # what each pair meets, in that order
    starts: Array  # where each row begins, and the end
    shape: tuple[int, int]

    @classmethod
    def of(cls, rows: Array, others: Array, shape: tuple[int, int]) -> Pairs:
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))]).astype(np.int32)
        return cls(order, others[order], starts, shape)

    def sums(self, values: Array, table: Array) -> Array:
        """For each row, the sum over its pairs of the pair's value times the other side's line of `table`."""
        matrix = sp.csr_array((values[self.order], self.others, self.starts), shape=self.shape)
        return matrix @ table


def _vectors(pairs: Pairs, other: Array, weight: Array, rest: Array, how: Fit) -> Array:
    """One ridge regression a row, all solved at once."""
    f = how.factors
    squares = (other[:, :, None] * other[:, None, :]).reshape(len(other), f * f)
    left = pairs.sums(weight, squares).reshape(-1, f, f)
    left += np.eye(f, dtype=np.float32) * np.float32(how.factor_width**-2)
    right = pairs.sums(weight * rest, other)
    return np.linalg.solve(left, right[:, :, None])[:, :, 0]
