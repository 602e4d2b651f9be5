"""From the loss of one release to everything a method of composition asks about it.

A `Pair` stands for a dominating pair of output distributions (P, Q): what an attacker sees with a record and
without it, in the worst case. `profile` is δ(ε) of P against Q, `reverse` of Q against P.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from recprivlib.accounting import profiles, renyi
from recprivlib.mechanisms.losses import (
    Channel,
    CohortGaussian,
    DiscreteGaussianShift,
    GaussianShift,
    LaplaceShift,
    Pure,
    SubsampledGaussian,
)
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Relation

Curve = Callable[[Array], Array]

NEVER_PURE = "Gaussian noise has no pure ε"
INDEPENDENT = "everybody joins each cohort independently, with the stated rate"


@dataclass(frozen=True, eq=False)
class Pair:
    """The worst pair of one release. `words` says what it is, for a bill."""

    words: str
    profile: Curve
    reverse: Curve
    pure: float  # smallest ε at δ = 0
    divergence: Curve | None  # D_α at orders α; None: no bound is implemented
    rho: float = math.inf  # zCDP (Bun & Steinke 2016); inf: none
    mean: float = 0.0  # of the privacy loss, roughly: they set the grid, never the result
    variance: float = 0.0
    largest: float = math.inf  # finite loss that occurs
    lattice: float = 0.0  # if positive, every loss is a whole multiple of it
    binary: bool = False  # it is ± `pure` with the odds of a randomised response
    mu: float = 0.0  # for Gaussian noise alone: shift over deviation
    unbounded: str = ""  # why there is no pure ε
    several: bool = False  # the worst of more than one pair: other methods may then be tighter than its profile
    certain: bool = False  # some output proves an input: no δ that means anything gives a finite ε
    crowd: int = 1  # that a shuffler hides it in
    note: str = ""  # what a reader must know about the bound

    @property
    def symmetric(self) -> bool:
        return self.profile is self.reverse


@lru_cache(maxsize=256)
def pair(loss: Any, relation: Relation) -> Pair | None:
    """The worst pair of `loss` under `relation`; None where neighbours are not told apart at all."""
    make = MAKERS.get(type(loss))
    if make is None:
        raise UserError(f"no accountant reads a loss of type {type(loss).__name__}")
    return make(loss, relation)


def _randomized_response(epsilon: float, words: str) -> Pair | None:
    if epsilon == 0:
        return None
    profile = partial(profiles.randomized_response, epsilon=epsilon)
    mean = epsilon * math.tanh(epsilon / 2)
    return Pair(
        words, profile, profile, epsilon, partial(renyi.randomized_response, epsilon=epsilon), epsilon**2 / 2,
        mean, epsilon**2 - mean**2, largest=epsilon, lattice=epsilon, binary=True,
    )  # fmt: skip


def _pure(loss: Pure, _: Relation) -> Pair | None:
    if math.isinf(loss.epsilon):
        raise UserError("a pure loss has a finite ε; what has none is a NoBound with its reason")
    return _randomized_response(loss.epsilon, f"pure ε = {loss.epsilon:.4g}")


def _channel(loss: Channel, _: Relation) -> Pair | None:
    """Both orders of every pair count: in one world a bit rises, in another it falls, and a swap does both."""
    matrix = np.asarray(loss.matrix, float)
    first, second = (matrix[[pair[side] for pair in loss.pairs]] for side in (0, 1))
    rows, others = np.concatenate([first, second]), np.concatenate([second, first])
    rows, others = _distinct(rows, others)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(rows > 0, np.log(rows) - np.log(others), -math.inf)
    pure = float(ratios.max(initial=0.0))
    if pure < 1e-12:
        return None
    if matrix.shape[1] == 2 and np.allclose(np.abs(ratios[0]), pure, rtol=1e-12, atol=0) and math.isfinite(pure):
        return _randomized_response(pure, f"randomised response (ε = {pure:.4g})")
    profile = partial(profiles.channel, rows=rows, others=others)
    finite = np.where((rows > 0) & (others > 0), ratios, 0.0)
    means, largest = (rows * finite).sum(axis=1), float(finite.max())
    words, unbounded = f"finite channel (ε = {pure:.4g})", ""
    if math.isinf(pure):
        words, unbounded = "finite channel with certain outputs", "an output that one of two neighbours never gives"
    return Pair(
        words, profile, profile, pure,
        partial(renyi.channel, rows=rows, others=others), pure**2 / 2,
        float(means.max()), float(((rows * finite**2).sum(axis=1) - means**2).max()),
        largest=largest, lattice=largest if _on_lattice(finite, largest) else 0.0, unbounded=unbounded,
        certain=math.isinf(pure),
        several=len(rows) > 2,
    )  # fmt: skip


def _distinct(rows: Array, others: Array) -> tuple[Array, Array]:
    """Pairs without repetitions and without those that are the same row twice."""
    both = np.unique(np.concatenate([rows, others], axis=1), axis=0)
    rows, others = both[:, : rows.shape[1]], both[:, rows.shape[1] :]
    told = (rows != others).any(axis=1)
    return rows[told], others[told]


def _on_lattice(losses: Array, largest: float) -> bool:
    """Every loss is a whole multiple of the largest, that is, −1, 0 or 1 times it."""
    return largest > 0 and bool(np.allclose(losses / largest, np.round(losses / largest), rtol=0, atol=1e-12))


def _laplace(loss: LaplaceShift, _: Relation) -> Pair | None:
    epsilon = loss.epsilon
    if epsilon == 0:
        return None
    profile = partial(profiles.laplace, epsilon=epsilon)
    # Loss: +ε₀ with probability ½, −ε₀ with ½e^−ε₀, spread in between; mean ε₀ − 1 + e^−ε₀.
    mean = epsilon + math.expm1(-epsilon)
    return Pair(
        f"Laplace noise (ε = {epsilon:.4g})", profile, profile, epsilon,
        partial(renyi.laplace, epsilon=epsilon), epsilon**2 / 2, mean, min(epsilon**2, 2 * mean),
        largest=epsilon,
    )  # fmt: skip


def _gaussian(loss: GaussianShift, _: Relation) -> Pair | None:
    return gaussian_pair(loss.mu)


def gaussian_pair(mu: float) -> Pair | None:
    """Gaussian noise that moves by `mu` deviations."""
    if mu == 0:
        return None
    profile = partial(profiles.gaussian, mu=mu)
    return Pair(
        f"Gaussian noise (μ = {mu:.4g})", profile, profile, math.inf, partial(renyi.gaussian, mu=mu), mu**2 / 2,
        mu**2 / 2, mu**2, mu=mu, unbounded=NEVER_PURE,
    )  # fmt: skip


def _discrete_gaussian(loss: DiscreteGaussianShift, _: Relation) -> Pair | None:
    if loss.shift == 0:
        return None
    sigma, shift, mu = loss.sigma, abs(loss.shift), abs(loss.shift) / loss.sigma
    reach = math.ceil(20 * sigma + shift)
    n = np.arange(reach, -reach - 1, -1)  # so that losses rise
    masses = np.exp(-0.5 * (n / sigma) ** 2)
    profile = profiles.atomic(shift * (shift - 2 * n) / (2 * sigma**2), masses / masses.sum())
    return Pair(
        f"discrete Gaussian noise (μ = {mu:.4g})", profile, profile, math.inf, partial(renyi.gaussian, mu=mu),
        mu**2 / 2, mu**2 / 2, mu**2, unbounded=NEVER_PURE,
    )  # fmt: skip


def _subsampled(loss: SubsampledGaussian, relation: Relation) -> Pair | None:
    """`noise` is relative to the move under the stated relation: S for add-remove, 2S for any replacement."""
    mu, rate = 1.0 / loss.noise, loss.rate
    if rate in (0, 1):
        return gaussian_pair(mu) if rate else None
    words = f"Gaussian noise ({loss.noise:.4g} × the move) on a {loss.scheme} cohort (rate {rate:.4g})"
    mean, variance = _sampled_moments(mu, rate)
    if loss.scheme == "fixed-size" and relation == "add-remove":
        raise UserError(
            "a cohort of fixed size is counted under replace, replace-value or swap, not under add-remove:"
            " with one record more or less every cohort changes"
        )
    if loss.scheme == "fixed-size":
        profile: Curve = partial(profiles.fixed_size_replaced, mu=mu, rate=rate)
        reverse, divergence = profile, partial(renyi.fixed_size_gaussian, mu=mu, rate=rate)
        note = "cohorts are drawn without replacement; the bound is sound, perhaps not tight"
    elif relation == "add-remove":
        profile = partial(profiles.poisson_removed, mu=mu, rate=rate)
        reverse = partial(profiles.poisson_added, mu=mu, rate=rate)
        divergence = partial(renyi.poisson_gaussian, mu=mu, rate=rate)
        note = INDEPENDENT
    else:
        profile = reverse = partial(profiles.poisson_replaced, mu=mu, rate=rate)
        divergence, note = None, INDEPENDENT
        mean, variance = (2 * moment for moment in _sampled_moments(mu / 2, rate))
    return Pair(
        words, profile, reverse, math.inf, divergence, math.inf, mean, variance, note=note, unbounded=NEVER_PURE
    )


def _cohort(loss: CohortGaussian, relation: Relation) -> Pair | None:
    """One sampled Gaussian; two people's contributions are up to twice as far apart as one is long."""
    move = loss.mu * (1 if relation == "add-remove" else 2)
    return _subsampled(SubsampledGaussian(1 / move, loss.rate, loss.scheme), relation)


def _sampled_moments(mu: float, rate: float) -> tuple[float, float]:
    """Mean and variance of ln(1−q+q·L) under (1−q)N(0,1)+qN(μ,1), by a sum over a grid."""
    z = np.linspace(-9.0, 9.0 + mu, 400)
    loss = np.logaddexp(np.log1p(-rate), np.log(rate) + mu * z - mu**2 / 2)
    weight = np.exp(loss - z**2 / 2)
    weight /= weight.sum()
    mean = float(weight @ loss)
    return mean, float(weight @ (loss - mean) ** 2)


MAKERS: dict[type, Callable[[Any, Relation], Pair | None]] = {
    Pure: _pure,
    Channel: _channel,
    LaplaceShift: _laplace,
    GaussianShift: _gaussian,
    DiscreteGaussianShift: _discrete_gaussian,
    SubsampledGaussian: _subsampled,
    CohortGaussian: _cohort,
}
