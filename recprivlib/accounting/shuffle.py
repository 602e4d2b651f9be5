"""What an honest shuffler adds to local reports: "hiding among the clones" (Feldman, McMillan & Talwar 2021).

    n  people, one report each of an ε₀-DP mechanism, in an order the server cannot tell
    r  the chance that another person's report is a clone: one that a fair coin could have written for you
    C ~ Bin(n − 1, r) clones, N of all C + 1 bits are ones; c = tanh(ε₀/2)
    P: N ~ ½(1 + c·y) of the uniform law, y = (2N − C − 1)/(C + 1); Q the same with −c; loss ln((1+cy)/(1−cy))

r = e^−ε₀ for every ε₀-DP mechanism (Theorem 3.1). For a randomised bit r = 2/(e^ε₀+1), all that does not depend
on the input, also when it comes with a uniformly drawn public cell number (one-bit gradients): given the cells,
your bit is one of C + 1 at random; if two inputs agree in some cells, the likelihood ratio weighs their bits by
1 − a instead of 1 + a in the convex profile E((1−a) + c/(C+1)·Σ ±(1±a)Xᵢ)₊ of independent fair signs X, which
lowers it (Jensen). So opposite inputs in every cell are the worst. (The general claim of Feldman, McMillan & Talwar
2023 with this r was withdrawn in their erratum.)

Assumes: the shuffler and all n people are honest and in every round; nobody else sees the reports; n is fixed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrc

from recprivlib.accounting import profiles
from recprivlib.accounting.dominating import Pair
from recprivlib.parameters import UserError
from recprivlib.protocols import Array

BLOCKS = 48  # numbers of clones looked at; those in between count as the smaller one, which is worse
SPREAD = 8.0  # deviations kept of each binomial; the rest counts at the largest loss


@lru_cache(maxsize=64)
def shuffled(local: Pair, crowd: int, bit: bool = False) -> Pair:
    """The pair that a server behind the shuffler sees of one report, if `crowd` people report at once.

    `bit`: a report is one bit, with a public cell number drawn uniformly or with none.
    """
    if math.isinf(local.pure):
        raise UserError("a shuffler's amplification is proved for finite local ε only; count this release at home")
    c = math.tanh(local.pure / 2)
    chance = 1 - c if bit and local.binary else math.exp(-local.pure)  # 1 − tanh(ε/2) = 2/(e^ε+1)
    losses, masses = _atoms(c, crowd, chance, local.pure)
    profile = profiles.atomic(losses, masses)
    mean = float(masses @ losses)
    return replace(
        local, words=f"{local.words} shuffled among {crowd:,} people", profile=profile, reverse=profile,
        divergence=None, mean=mean, variance=float(masses @ (losses - mean) ** 2),
               lattice=0.0, binary=False, crowd=crowd,
        note=f"{'a randomised bit' if bit and local.binary else 'a report'} has this ε for any two inputs of anybody",
    )  # fmt: skip


def _atoms(c: float, crowd: int, chance: float, largest: float) -> tuple[Array, Array]:
    """(losses in rising order, P-masses) of one shuffle."""
    clones, weights = _binomial(crowd - 1, chance)
    blocks = np.array_split(np.arange(len(clones)), min(BLOCKS, len(clones)))
    losses, masses = [np.array([largest])], [np.array([0.0])]
    for block in blocks:
        total = int(clones[block[0]]) + 1
        ones, uniform = _binomial(total, 0.5)
        lean = c * (2 * ones - total) / total
        with np.errstate(divide="ignore"):
            loss = np.log1p(lean) - np.log1p(-lean)
        loss[ones == total], loss[ones == 0] = largest, -largest  # exactly: a large ε₀ has a tanh of 1 in doubles
        losses.append(loss)
        masses.append(weights[block].sum() * uniform * (1 + lean))
    every, mass = np.concatenate(losses), np.concatenate(masses)
    mass[0] = max(0.0, 1.0 - math.fsum(mass))
    order = np.argsort(every, kind="stable")
    return every[order], mass[order]


def _binomial(n: int, p: float) -> tuple[Array, Array]:
    """(k, P(k)) of Bin(n, p) within `SPREAD` deviations, and at least 40, of the mean."""
    if p in (0.0, 1.0):
        return np.array([int(n * p)]), np.ones(1)
    middle, width = n * p, max(SPREAD * math.sqrt(n * p * (1 - p)), 40.0)
    k = np.arange(max(0, math.floor(middle - width)), min(n, math.ceil(middle + width)) + 1)
    # P(k)/P(k − 1) = (n − k + 1)/k · p/(1−p): gamma functions of large n would lose what a small δ is about
    log = np.cumsum(np.concatenate([[0.0], np.log((n - k[1:] + 1) / k[1:]) + math.log(p / (1 - p))]))
    likely = np.exp(log - log.max())
    outside = (bdtr(k[0] - 1, n, p) if k[0] > 0 else 0.0) + (bdtrc(k[-1], n, p) if k[-1] < n else 0.0)
    return k, likely / likely.sum() * (1 - outside)
