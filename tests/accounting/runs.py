"""Random runs: a few releases of any loss, and what either of two neighbours looks like in each, in cells.

Outputs are cut into cells, which is post-processing: what is said of the cells is a lower bound on what is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from scipy.special import log_ndtr

from recprivlib.mechanisms import DiscreteLaplace, losses

LOSSES = set(get_args(losses.Loss)) - {losses.NoBound, losses.NotKnown}
CELLS = 3000


@dataclass(frozen=True)
class Release:
    """A loss, how often it occurs, and what either world looks like: ln P and ln Q of every cell."""

    loss: Any
    count: int
    p: np.ndarray
    q: np.ndarray
    one_order: bool = False  # the cells are of one order of two neighbours; an adversary may choose it anew
    closed: float = 0.0  # μ, where it is Gaussian noise alone
    cohort: tuple[float, float] | None = None  # (σ, q) of a Poisson cohort under add-remove
    other: tuple[np.ndarray, np.ndarray] | None = None  # another pair of neighbours, where none is the worst of all


@dataclass(frozen=True)
class Setting:
    releases: tuple[Release, ...]
    relation: str
    delta: float

    def __str__(self) -> str:
        said = " + ".join(f"{r.count} × {r.loss}" for r in self.releases)
        return f"{said}, {self.relation}, δ = {self.delta:.3g}".replace("\n", "")


# ------------------------------------------------------------------------------------------ settings


def any_setting(rng: np.random.Generator) -> Setting:
    """One random setting; two in five of several releases, one in ten of different kinds."""
    relation = str(rng.choice(["add-remove", "replace"]))
    kinds = int(rng.choice([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]))
    count = 1 if rng.random() < 0.4 else int(np.exp(rng.uniform(0, 3.6)))
    if kinds == 1 and rng.random() < 0.12:
        return many(rng)
    releases = tuple(replace(any_release(rng, relation), count=count) for _ in range(kinds))
    lowest = -12 if count * kinds == 1 else -7
    return Setting(releases, relation, float(10 ** rng.uniform(lowest, -0.7)))


def many(rng: np.random.Generator) -> Setting:
    """Gaussian noise or Poisson cohorts, up to thousands of them."""
    count, delta = int(np.exp(rng.uniform(2, 8))), float(10 ** rng.uniform(-11, -2))
    none = np.zeros(0)
    if rng.random() < 0.5:
        mu = float(np.exp(rng.uniform(-7, 1.5)))
        return Setting((Release(losses.GaussianShift(mu), count, none, none, closed=mu),), "replace", delta)
    sigma, rate = float(np.exp(rng.uniform(-0.5, 1.5))), float(np.exp(rng.uniform(-9, -0.5)))
    loss = losses.SubsampledGaussian(sigma, rate, "poisson")
    return Setting((Release(loss, count, none, none, cohort=(sigma, rate)),), "add-remove", delta)


def any_release(rng: np.random.Generator, relation: str) -> Release:
    makers = (gauss, laplace, whole, whole_laplace, response, channel, channel, sampled_gauss, sampled_laplace,
              sampled_whole, sampled_whole_laplace, sampled_response, sampled_channel, records)  # fmt: skip
    return makers[int(rng.integers(len(makers)))](rng, relation)


def gauss(rng: np.random.Generator, _: str) -> Release:
    mu = float(np.exp(rng.uniform(-6, 3.5)))
    return Release(losses.GaussianShift(mu), 1, *normal_cells([(1.0, mu)], [(1.0, 0.0)]))


def laplace(rng: np.random.Generator, _: str) -> Release:
    each = float(np.exp(rng.uniform(-6, 2.5)))
    return Release(losses.LaplaceShift(each), 1, *laplace_cells([(1.0, each)], [(1.0, 0.0)]))


def whole(rng: np.random.Generator, _: str) -> Release:
    sigma, shift = float(np.exp(rng.uniform(-1.5, 3.5))), int(np.exp(rng.uniform(0, 3.5)))
    return Release(losses.DiscreteGaussianShift(sigma, shift), 1, *whole_cells(sigma, [(1.0, shift)], [(1.0, 0)]))


def response(rng: np.random.Generator, _: str) -> Release:
    each = float(np.exp(rng.uniform(-6, 3.5)))
    p = np.array([0.0, -each]) - math.log1p(math.exp(-each))
    return Release(losses.Pure(each), 1, p, p[::-1])


def channel(rng: np.random.Generator, _: str) -> Release:
    """Two rows with equal or very different chances, sometimes with an output that only one of them gives."""
    spread, outputs = float(np.exp(rng.uniform(-4, 1.5))), int(rng.integers(2, 6))
    rows = rng.dirichlet(np.ones(outputs), 1) * np.exp(spread * rng.standard_normal((2, outputs)))
    if rng.random() < 0.1:
        rows[int(rng.integers(2)), 0] = 0.0
    p, q = rows / rows.sum(axis=1, keepdims=True)
    loss = losses.Channel(np.array([p, q]), ((0, 1),))
    return Release(loss, 1, *_log(loss.matrix), one_order=True)


def scheme_of(rng: np.random.Generator, relation: str) -> str:
    return "poisson" if relation == "add-remove" or rng.random() < 0.6 else "fixed-size"


def worlds(rate: float, relation: str, scheme: str, move: Any) -> tuple[list, list]:
    """(weight, place) of both mixtures. A fixed cohort where all the others are like the one who comes."""
    if relation == "add-remove" or scheme == "fixed-size":
        far = move if relation == "add-remove" else 2 * move
        return [(1 - rate, 0 * move), (rate, far)], [(1.0, 0 * move)]
    return [(1 - rate, 0 * move), (rate, move)], [(1 - rate, 0 * move), (rate, -move)]


def a_rate(rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(-8, 0))) if rng.random() < 0.9 else 1 - float(np.exp(rng.uniform(-8, -1)))


def sampled_gauss(rng: np.random.Generator, relation: str) -> Release:
    mu, rate, scheme = float(np.exp(rng.uniform(-4, 3))), a_rate(rng), scheme_of(rng, relation)
    move = mu if relation == "add-remove" else 2 * mu
    loss = losses.SubsampledGaussian(1 / move, rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, *normal_cells(*worlds(rate, relation, scheme, mu)))


def sampled_laplace(rng: np.random.Generator, relation: str) -> Release:
    each, rate, scheme = float(np.exp(rng.uniform(-4, 2))), a_rate(rng), scheme_of(rng, relation)
    loss = losses.Sampled(losses.LaplaceShift(each), losses.LaplaceShift(2 * each), rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, *laplace_cells(*worlds(rate, relation, scheme, each)))


def sampled_whole(rng: np.random.Generator, relation: str) -> Release:
    sigma, shift, rate = float(np.exp(rng.uniform(-1, 3))), int(np.exp(rng.uniform(0, 3))), a_rate(rng)
    scheme = scheme_of(rng, relation)
    one, two = losses.DiscreteGaussianShift(sigma, shift), losses.DiscreteGaussianShift(sigma, 2 * shift)
    cells = whole_cells(sigma, *worlds(rate, relation, scheme, shift))
    return Release(losses.Sampled(one, two, rate, scheme), 1, *cells)  # type: ignore[arg-type]


def whole_laplace(rng: np.random.Generator, _: str) -> Release:
    """Each output on its own; what the mechanism states has merged those that are alike."""
    noise = a_whole_laplace(rng)
    cells = whole_laplace_cells(noise, [(1.0, noise.sensitivity)], [(1.0, 0)])
    return Release(noise.loss(), 1, *cells)


def sampled_whole_laplace(rng: np.random.Generator, relation: str) -> Release:
    """As a mechanism on a sample states it: values of at most half the sensitivity, where one is replaced."""
    noise, rate, scheme = a_whole_laplace(rng), a_rate(rng), scheme_of(rng, relation)
    twice = replace(noise, epsilon=2 * noise.epsilon, sensitivity=2 * noise.sensitivity)
    loss = losses.Sampled(noise.loss(), twice.loss(), rate, scheme)  # type: ignore[arg-type]
    cells = whole_laplace_cells(noise, *worlds(rate, relation, scheme, noise.sensitivity))
    return Release(loss, 1, *cells)


def a_whole_laplace(rng: np.random.Generator) -> DiscreteLaplace:
    return DiscreteLaplace(float(np.exp(rng.uniform(-4, 2))), int(np.exp(rng.uniform(0, 3))))


def sampled_response(rng: np.random.Generator, relation: str) -> Release:
    each, rate, scheme = float(np.exp(rng.uniform(-5, 2.5))), a_rate(rng), scheme_of(rng, relation)
    away = np.array([-each, 0.0]) - math.log1p(math.exp(-each))
    base = losses.Pure(each)
    loss = losses.Sampled(base, base, rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, mixed(rate, away[::-1], away), away)


def sampled_channel(rng: np.random.Generator, relation: str) -> Release:
    """Who takes her place, where she is replaced, answers as if she were away."""
    base, rate, scheme = channel(rng, relation), a_rate(rng), scheme_of(rng, relation)
    loss = losses.Sampled(base.loss, base.loss, rate, scheme)  # type: ignore[arg-type]
    here, there = base.p, base.q
    return Release(loss, 1, mixed(rate, here, there), there, other=(mixed(rate, there, here), here))


def mixed(rate: float, here: np.ndarray, away: np.ndarray) -> np.ndarray:
    return np.logaddexp(math.log1p(-rate) + away, math.log(rate) + here)


def _log(x: Any) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(x)


def records(rng: np.random.Generator, relation: str) -> Release:
    mu, rate, n = float(np.exp(rng.uniform(-3, 0.7))), float(np.exp(rng.uniform(-6, -0.3))), int(rng.integers(2, 12))
    shares = [math.comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(n + 1)]
    here = [(w, j * mu) for j, w in enumerate(shares)]
    there = [(1.0, 0.0)] if relation == "add-remove" else [(w, -j * mu) for j, w in enumerate(shares)]
    loss = losses.Sampled(losses.GaussianShift(mu), losses.GaussianShift(2 * mu), rate, "poisson", n)
    return Release(loss, 1, *normal_cells(here, there))


# --------------------------------------------------------------------------------------------- cells


def cut(edges: np.ndarray, below: Any, parts: list) -> np.ndarray:
    """ln of the chance of every cell under a mixture, from `below`, ln of a distribution; in the upper half by the
    tail above, so that no digits are lost, and nothing that can happen is a 0."""
    each, none, all_ = [], np.array([-np.inf]), np.zeros(1)
    for weight, place in parts:
        low = np.concatenate([none, below(edges - place), all_])
        high = np.concatenate([all_, below(place - edges), none])
        left = low[1:] < math.log(0.5)
        more, less = np.where(left, low[1:], high[:-1]), np.where(left, low[:-1], high[1:])
        each.append(_log(weight) + more + _log(-np.expm1(np.minimum(less - more, 0.0))))
    return np.logaddexp.reduce(each)


def normal_cells(here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    places = [place for _, place in here + there]
    edges = np.linspace(min(places) - 9, max(places) + 9, CELLS)
    return cut(edges, log_ndtr, here), cut(edges, log_ndtr, there)


def laplace_cells(here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    """Beyond the outermost place nothing changes any more: two cells hold all of it."""
    places = sorted({float(place) for _, place in here + there})
    edges = np.linspace(places[0], places[-1], CELLS)

    def below(z: np.ndarray) -> np.ndarray:
        return np.where(z < 0, np.minimum(z, 0) - math.log(2), np.log1p(-np.exp(-np.maximum(z, 0)) / 2))

    return cut(edges, below, here), cut(edges, below, there)


def whole_cells(sigma: float, here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    reach = math.ceil(14 * sigma) + max(abs(int(place)) for _, place in here + there)
    n = np.arange(-reach, reach + 1)
    around = np.arange(-math.ceil(40 * sigma), math.ceil(40 * sigma) + 1)
    total = math.log(np.exp(-0.5 * (around / sigma) ** 2).sum())
    return tuple(  # type: ignore[return-value]
        np.logaddexp.reduce([_log(w) - 0.5 * ((n - place) / sigma) ** 2 - total for w, place in parts])
        for parts in (here, there)
    )


def whole_laplace_cells(noise: DiscreteLaplace, here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    """Beyond the outermost place nothing changes any more: as many cells as e^−40 of the noise needs."""
    decay, far = noise.epsilon / noise.sensitivity, max(abs(int(place)) for _, place in here + there)
    reach = min(math.ceil(40 / decay), 60_000)
    n = np.arange(-far - reach, far + reach + 1)
    total = math.log(math.tanh(decay / 2))
    return tuple(  # type: ignore[return-value]
        np.logaddexp.reduce([_log(w) - decay * np.abs(n - place) + total for w, place in parts])
        for parts in (here, there)
    )
