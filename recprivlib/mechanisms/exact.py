"""Exact samplers on whole numbers and fractions, fed by the operating system (`secure`).

No seed, no floating-point noise. Noise has precisely the distribution that is accounted; the probabilities of a
finite answer are rounded up to whole multiples of 2⁻⁶², which the likeliest pays for.
Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential Privacy" (2020), Algorithms 1 to 3.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np

from recprivlib.protocols import Array

WORD = 63  # random bits a Bernoulli draw uses


def words(shape: tuple[int, ...] | int) -> Array:
    """Uniform whole numbers from 0 to 2⁶³ − 1 (int64)."""
    count = math.prod(shape) if isinstance(shape, tuple) else shape
    return (np.frombuffer(os.urandom(8 * count), np.uint64) >> np.uint64(1)).astype(np.int64).reshape(shape)


def bernoulli(p: Array) -> Array:
    """True with probability p, rounded up to a whole multiple of 2⁻⁶³ that is not 1 unless p is."""
    p = np.asarray(p, float)
    return (words(p.shape) < threshold(p)) | (p >= 1)


def threshold(p: Array) -> Array:
    """How many of the 2⁶³ words mean true; rounded up, for a lie that is too rare would cost privacy."""
    return np.ceil(np.ldexp(np.minimum(p, 1 - 2.0**-53), WORD)).astype(np.int64)


def draw(matrix: Array, rows: Array) -> Array:
    """One output (a column number, int32) a row of a channel, with the probabilities `weights(matrix)` / 2⁶²."""
    edges = np.cumsum(weights(matrix), axis=1)
    word = words(np.shape(rows)) >> 1
    chosen = np.zeros(np.shape(rows), np.int32)
    for column in range(matrix.shape[1] - 1):
        chosen += word >= edges[:, column][rows]
    return chosen


def weights(matrix: Array) -> Array:
    """The channel in whole numbers out of 2⁶² a row: what can happen keeps a weight, the likeliest takes the rest."""
    whole = np.ceil(np.ldexp(matrix, 62)).astype(np.int64)
    rows = np.arange(len(whole))
    likeliest = whole.argmax(axis=1)
    whole[rows, likeliest] = 0
    whole[rows, likeliest] = 2**62 - whole.sum(axis=1)
    return whole


def below(bound: int, shape: tuple[int, ...] | int) -> Array:
    """Uniform whole numbers from 0 to bound − 1, by rejection (no modulo bias)."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    mask = (1 << max(bound - 1, 0).bit_length()) - 1
    drawn = words(shape) & mask
    while (again := drawn >= bound).any():
        drawn[again] = words(int(again.sum())) & mask
    return drawn


def subset(k: int, size: int, rows: int) -> Array:
    """`rows` uniform subsets of `size` out of k symbols, as an int32 array (rows, size)."""
    keys = words((rows, k))
    while len(tied := np.flatnonzero((np.diff(np.sort(keys, axis=1), axis=1) == 0).any(axis=1))):
        keys[tied] = words((len(tied), k))  # without ties every order is equally likely
    return np.argsort(keys, axis=1)[:, :size].astype(np.int32)


# --------------------------------------------------------------- one draw at a time, in whole numbers


def _below(bound: int) -> int:
    """A uniform whole number below `bound`, of any size."""
    length = bound.bit_length()
    while True:
        drawn = int.from_bytes(os.urandom((length + 7) // 8), "little") & ((1 << length) - 1)
        if drawn < bound:
            return drawn


def _bernoulli_exp(rate: Fraction) -> bool:
    """True with probability exp(−rate), for any rate ≥ 0 (Algorithm 1)."""
    while rate > 1:
        if not _bernoulli_exp(Fraction(1)):
            return False
        rate -= 1
    trials = 1
    while _below(rate.denominator * trials) < rate.numerator:
        trials += 1
    return trials % 2 == 1


def _discrete_laplace(scale: Fraction) -> int:
    """n with probability ∝ exp(−|n|/scale) (Algorithm 2)."""
    t, s = scale.numerator, scale.denominator
    while True:
        start = _below(t)
        if not _bernoulli_exp(Fraction(start, t)):
            continue
        whole = 0
        while _bernoulli_exp(Fraction(1)):
            whole += 1
        size, negative = (start + t * whole) // s, _below(2)
        if not (negative and size == 0):
            return -size if negative else size


def _discrete_gaussian(variance: Fraction) -> int:
    """n with probability ∝ exp(−n²/2σ²) (Algorithm 3)."""
    t = math.isqrt(math.floor(variance)) + 1
    while True:
        drawn = _discrete_laplace(Fraction(t))
        if _bernoulli_exp((abs(drawn) - variance / t) ** 2 / (2 * variance)):
            return drawn


def discrete_laplace(scale: Fraction, shape: tuple[int, ...]) -> Array:
    """int64 draws of discrete Laplace noise."""
    return np.array([_discrete_laplace(scale) for _ in range(math.prod(shape))], np.int64).reshape(shape)


def discrete_gaussian(variance: Fraction, shape: tuple[int, ...]) -> Array:
    """int64 draws of discrete Gaussian noise."""
    return np.array([_discrete_gaussian(variance) for _ in range(math.prod(shape))], np.int64).reshape(shape)
