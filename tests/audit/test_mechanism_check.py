"""Mechanisms that do not draw what they say, each as some mechanism could be written: none is called a promise kept.

Where so many trials cannot see a lie, the audit says how rare a lie it could have missed.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from recprivlib.auditing import audit
from recprivlib.mechanisms import (
    Gaussian,
    KRandomizedResponse,
    Laplace,
    LaplaceClamped,
    OptimalChannel,
    Piecewise,
    RandomizedResponse,
    SubsetSelection,
    UnarySymmetric,
)

NUMBERS = [Laplace(1.0), Gaussian(1.0), LaplaceClamped(1.0), Piecewise(1.0)]
SYMBOLS = [RandomizedResponse(1.0), UnarySymmetric(1.0), KRandomizedResponse(1.0, 5)]


def lying(mechanism, lie):
    """The same mechanism, whose `release(x, rng)` is `lie(honest release, x, rng)`."""
    honest = mechanism.release
    kind = type(type(mechanism).__name__, (type(mechanism),), {"release": lambda self, x, rng: lie(honest, x, rng)})
    other = object.__new__(kind)
    for name, value in vars(mechanism).items():
        object.__setattr__(other, name, value)
    return other


def wider(honest, x, rng):
    return x + 0.9 * (honest(x, rng) - x)


def one_noise(honest, x, rng):
    return x + (honest(np.zeros(1), rng))[0] * np.ones(np.shape(x))


def same_seed(honest, x, rng):
    return honest(x, np.random.default_rng(1))


def rounded(honest, x, rng):
    return np.rint(honest(x, rng))


def truncated(honest, x, rng):
    return x + np.clip(honest(x, rng) - x, -5, 5)


def resampled(honest, x, rng):
    y = honest(x, rng)
    while (far := np.abs(y - x) > 5).any():
        y = np.where(far, honest(x, rng), y)
    return y


def one_in_a_thousand(honest, x, rng):
    y = honest(x, rng)
    return np.where(rng.random(np.shape(x)) < 0.001, np.asarray(x, y.dtype), y)


def single_precision(honest, x, rng):
    return honest(x, rng).astype(np.float32).astype(float)


def first_exact(honest, x, rng):
    y = np.array(honest(x, rng))
    y.flat[0] = np.asarray(x).flat[0]
    return y


def unclamped(honest, x, rng):
    return x + Laplace(0.25).release(np.zeros(np.shape(x)), rng)


def never_lies_for_one(honest, x, rng):
    return np.where(np.asarray(x) == 1, x, honest(x, rng))


def all_alike(honest, x, rng):
    """Whoever says the same is given the same answer: one random number for each symbol."""
    x = np.asarray(x)
    said = {symbol: honest(np.array([symbol], x.dtype), rng)[0] for symbol in np.unique(x)}
    return np.array([said[symbol] for symbol in x.ravel()], x.dtype).reshape(x.shape)


ON_NUMBERS = [(Laplace(1.0), lie) for lie in (
    wider, one_noise, same_seed, rounded, truncated, resampled, one_in_a_thousand, single_precision, first_exact,
)] + [(Gaussian(1.0), lie) for lie in (wider, one_noise, same_seed, rounded, one_in_a_thousand, first_exact)] + [
    (LaplaceClamped(1.0), unclamped), (LaplaceClamped(1.0), one_in_a_thousand), (Piecewise(1.0), first_exact),
    (Piecewise(1.0), one_in_a_thousand),
]  # fmt: skip
ON_SYMBOLS = list(itertools.product(SYMBOLS, (same_seed, first_exact, never_lies_for_one, all_alike)))


@pytest.mark.parametrize(("mechanism", "lie"), ON_NUMBERS + ON_SYMBOLS,
                         ids=lambda one: getattr(one, "__name__", type(one).__name__))  # fmt: skip
def test_a_lie_is_found(mechanism, lie):
    found = audit(lying(mechanism, lie), trials=100_000, delta=None if mechanism.claimed else 1e-5)
    assert found.verdict != "holds", found.reason
    assert found.attacked.found or found.verdict == "broken"


@pytest.mark.parametrize("mechanism", SYMBOLS, ids=lambda one: type(one).__name__)
def test_a_probability_that_is_off_by_a_hundredth_is_found(mechanism):
    """p = .74 where .73 is stated: 100,000 answers have a standard error of .0014 for each symbol, seven times less."""
    better = replace(mechanism, epsilon=math.log(math.exp(1) * 1.053))
    found = audit(lying(mechanism, lambda _, x, rng: better.release(x, rng)), trials=100_000)
    assert found.attacked.found
    assert found.verdict != "holds"


@pytest.mark.parametrize("mechanism", [*SYMBOLS, OptimalChannel(1.0)], ids=lambda one: type(one).__name__)
def test_what_so_few_answers_cannot_show_is_said(mechanism):
    """One truth in a thousand among symbols moves p by .0003, less than the error of 100,000 answers."""
    found = audit(mechanism, trials=10_000)
    assert found.verdict == "holds"
    assert "may go unseen" in found.reason


def test_a_set_that_always_holds_one_symbol_is_found():
    def spared(honest, x, rng):
        y = np.array(honest(x, rng))
        y[..., 0] = np.where(np.asarray(x) == 0, 0, y[..., 0])
        return np.sort(y, axis=-1)

    assert audit(lying(SubsetSelection(1.0, 5), spared), trials=40_000).verdict != "holds"


def test_what_doubles_cannot_draw_is_no_promise_kept():
    """At ε = 40 a lie has probability 4e-18, and no double below 1 is so near to 1: a reported 0 is proof."""
    found = audit(RandomizedResponse(40.0), trials=1000)
    assert found.verdict == "open"
    assert "doubles" in found.reason
    assert any("doubles never draw" in said for said in found.counted.assumptions)
    assert audit(RandomizedResponse(30.0), trials=1000).verdict == "holds"
