"""Rényi divergences of one release, D_α, at an array of orders α > 1 (Mironov 2017)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from recprivlib.protocols import Array

ORDERS: Array = np.concatenate([1 + np.geomspace(1e-4, 0.9, 40), np.arange(2, 65), np.geomspace(65, 2e5, 80).round()])
"""Where curves are looked at: near 1 for large ε, up to 200,000 for tiny ones."""


def randomized_response(orders: Array, epsilon: float) -> Array:
    """Mironov 2017, Proposition 5, which bounds every ε-DP mechanism."""
    p, q = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    both = np.logaddexp(orders * p + (1 - orders) * q, orders * q + (1 - orders) * p)
    return np.minimum(both / (orders - 1), epsilon)


def laplace(orders: Array, epsilon: float) -> Array:
    """Mironov 2017, Proposition 6."""
    a = orders
    near = np.log(a / (2 * a - 1)) + (a - 1) * epsilon
    far = np.log((a - 1) / (2 * a - 1)) - a * epsilon
    return np.minimum(np.logaddexp(near, far) / (a - 1), epsilon)


def gaussian(orders: Array, mu: float) -> Array:
    """α·μ²/2."""
    return orders * mu**2 / 2


@lru_cache(maxsize=8)
def _binomials(top: int) -> tuple[Array, Array, Array]:
    """(α as a column, j as a row, ln C(α, j)) for whole orders 2 … top; −∞ beyond α."""
    a, j = np.arange(2, top + 1)[:, None], np.arange(top + 1)[None, :]
    log = scipy.special.gammaln(a + 1) - scipy.special.gammaln(j + 1) - scipy.special.gammaln(np.maximum(a - j, 0) + 1)
    return a, j, np.where(j <= a, log, -np.inf)


def _at_whole(orders: Array, values: Array) -> Array:
    """`values` (at 2, 3, …) at `orders`; D_α grows with α, so an order in between takes the next one's."""
    index = np.ceil(orders).astype(int) - 2
    return np.where(index < len(values), values[np.clip(index, 0, len(values) - 1)], np.inf)


def poisson_gaussian(orders: Array, mu: float, rate: float, top: int = 256) -> Array:
    """Poisson sampling, add-remove, both directions (Mironov, Talwar & Zhang 2019, eq. 6 and Theorem 5)."""
    if rate == 1:
        return gaussian(orders, mu)
    a, j, binomial = _binomials(top)
    terms = binomial + j * np.log(rate) + (a - j) * np.log1p(-rate) + (j * j - j) * mu**2 / 2
    return _at_whole(orders, scipy.special.logsumexp(terms, axis=1) / (a[:, 0] - 1))


def fixed_size_gaussian(orders: Array, mu: float, rate: float, top: int = 256) -> Array:
    """Sampling without replacement, replace-one (Wang, Balle & Kasiviswanathan 2019, Theorem 9; Gaussian noise).

    1/(α−1) · ln(1 + q²C(α,2)·min{4(e^D₂−1), 2e^D₂} + Σ_{j≥3} 2qʲC(α,j)e^{(j−1)D_j}), D_j = jμ²/2.
    """
    if rate == 1:
        return gaussian(orders, mu)
    a, j, binomial = _binomials(top)
    second = np.minimum(np.log(4) + mu**2 + np.log(-np.expm1(-(mu**2))), np.log(2) + mu**2)
    weight = np.log(2) + (j - 1) * j * mu**2 / 2
    weight[0, :3] = 0.0, -np.inf, second
    terms = binomial + j * np.log(rate) + weight
    return np.minimum(_at_whole(orders, scipy.special.logsumexp(terms, axis=1) / (a[:, 0] - 1)), gaussian(orders, mu))


def channel(orders: Array, rows: Array, others: Array) -> Array:
    """The largest D_α among pairs of rows of a finite mechanism."""
    worst = np.zeros_like(orders)
    for p, q in zip(rows, others, strict=True):
        used = p > 0
        if np.any(q[used] == 0):
            return np.full_like(orders, np.inf)
        logs = orders[:, None] * np.log(p[used]) + (1 - orders[:, None]) * np.log(q[used])
        np.maximum(worst, scipy.special.logsumexp(logs, axis=1) / (orders - 1), out=worst)
    return worst
