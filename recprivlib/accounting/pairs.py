"""From the loss of one release to everything a method of composition asks about it.

A `Pair` stands for a dominating pair of output distributions (P, Q): what an attacker sees with a record and
without it, in the worst case. `profile` is δ(ε) of P against Q, `reverse` of Q against P.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from recprivlib.accounting import profiles, renyi, sampled
from recprivlib.accounting.dominating import NEVER_PURE, Pair, gaussian_pair
from recprivlib.mechanisms.losses import (
    Channel,
    DiscreteGaussianShift,
    DiscreteLaplaceShift,
    GaussianShift,
    LaplaceShift,
    Pure,
    Sampled,
    SubsampledGaussian,
)
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Relation

SMOOTH = 2e4  # a deviation in whole steps


@lru_cache(maxsize=256)
def pair(loss: Any, relation: Relation) -> Pair | None:
    """The worst pair of `loss` under `relation`; None where neighbours are not told apart at all."""
    loss = _smooth(loss)
    make = MAKERS.get(type(loss))
    if make is None:
        raise UserError(f"no accountant reads a loss of type {type(loss).__name__}")
    return make(loss, relation)


def _smooth(loss: Any) -> Any:
    """Whole-number noise as Gaussian noise, where its steps are finer than 10⁻⁸ of what they add to δ."""
    if isinstance(loss, Sampled):
        return dataclasses.replace(loss, there=_smooth(loss.there), moved=_smooth(loss.moved))
    if isinstance(loss, DiscreteGaussianShift) and loss.sigma > SMOOTH:
        return GaussianShift(abs(loss.shift) / loss.sigma * (1 + 1e-7))
    return loss


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
    one = _randomized_response(loss.epsilon, f"pure ε = {loss.epsilon:.4g}")
    return one and dataclasses.replace(one, bound="of a release its pure ε alone is known")


def _channel(loss: Channel, _: Relation) -> Pair | None:
    """Both orders of every pair count: in one world a bit rises, in another it falls, and a swap does both."""
    matrix = np.asarray(loss.matrix, float)
    first, second = (matrix[[pair[side] for pair in loss.pairs]] for side in (0, 1))
    rows, others = _distinct(np.concatenate([first, second]), np.concatenate([second, first]))
    both = _finite(rows, others)
    if both is None or len(rows) == 1 or len(loss.pairs) > 1:
        return both
    there, back = (partial(profiles.channel, rows=p, others=q) for p, q in ((first, second), (second, first)))
    ways = _steepest(first, second), _steepest(second, first)
    ordered = dataclasses.replace(both, profile=there, reverse=back, rows=None, others=None, ways=ways)
    return dataclasses.replace(both, ordered=ordered)


def _ratios(rows: Array, others: Array) -> Array:
    """ln P/Q of every output, −∞ where it cannot occur."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows > 0, np.log(rows) - np.log(others), -math.inf)


def _steepest(rows: Array, others: Array) -> float:
    return float(_ratios(rows, others).max(initial=0.0))


def _finite(rows: Array, others: Array) -> Pair | None:
    """The worst of these pairs of distributions, in this order."""
    ratios, pure = _ratios(rows, others), _steepest(rows, others)
    if pure < 1e-12:
        return None
    alone = len(rows) == 1
    if alone and rows.shape[1] == 2 and np.allclose(np.abs(ratios), pure, rtol=1e-12, atol=0) and math.isfinite(pure):
        return _randomized_response(pure, f"randomised response (ε = {pure:.4g})")
    profile = partial(profiles.channel, rows=rows, others=others)
    finite = np.where((rows > 0) & (others > 0), ratios, 0.0)
    means, largest = (rows * finite).sum(axis=1), float(np.abs(finite).max())
    words, unbounded = f"finite channel (ε = {pure:.4g})", ""
    if math.isinf(pure):
        words, unbounded = "finite channel with certain outputs", "an output that one of two neighbours never gives"
    return Pair(
        words, profile, profile, pure,
        partial(renyi.channel, rows=rows, others=others), pure**2 / 2,
        float(means.max()), float(((rows * finite**2).sum(axis=1) - means**2).max()),
        largest=largest, lattice=largest if _on_lattice(finite, largest) else 0.0, unbounded=unbounded,
        certain=math.isinf(pure), rows=None if alone else rows, others=None if alone else others,
    )  # fmt: skip


def _distinct(rows: Array, others: Array) -> tuple[Array, Array]:
    """Pairs without repetitions (another order of the outputs changes nothing) and without those of one row twice."""
    told = (rows != others).any(axis=1)
    columns = np.stack([rows[told], others[told]], axis=2)
    order = np.lexsort((columns[..., 1], columns[..., 0]), axis=1)
    columns = np.take_along_axis(columns, order[..., None], axis=1)
    _, kept = np.unique(columns.round(15), axis=0, return_index=True)
    return columns[kept, :, 0], columns[kept, :, 1]


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


def _discrete_gaussian(loss: DiscreteGaussianShift, _: Relation) -> Pair | None:
    if loss.shift == 0:
        return None
    sigma, shift, mu = loss.sigma, abs(loss.shift), abs(loss.shift) / loss.sigma
    n, log = profiles.whole_numbers(sigma, shift)
    n = n[::-1]  # so that losses rise
    profile = profiles.atomic(shift * (shift - 2.0 * n) / (2 * sigma**2), np.exp(log(n)))
    return Pair(
        f"discrete Gaussian noise (μ = {mu:.4g})", profile, profile, math.inf, partial(renyi.gaussian, mu=mu),
        mu**2 / 2, mu**2 / 2, mu**2, unbounded=NEVER_PURE,
    )  # fmt: skip


def _sampled(loss: Sampled, relation: Relation) -> Pair | None:
    return sampled.pair_of(loss, relation, pair)


def _subsampled(loss: SubsampledGaussian, relation: Relation) -> Pair | None:
    """`noise` is relative to the move under the stated relation: S for add-remove, 2S for any replacement."""
    return sampled.gaussian(1.0 / loss.noise, loss.rate, loss.scheme, relation)


MAKERS: dict[type, Callable[[Any, Relation], Pair | None]] = {
    Pure: _pure,
    Channel: _channel,
    DiscreteLaplaceShift: _channel,
    LaplaceShift: _laplace,
    GaussianShift: _gaussian,
    DiscreteGaussianShift: _discrete_gaussian,
    SubsampledGaussian: _subsampled,
    Sampled: _sampled,
}
