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

For one of k symbols, where all lies are alike, r = k/(e^ε₀+k−1): with that chance a report is drawn uniformly,
whatever the input (the blanket of Balle, Bell, Gascón & Nissim 2019). Tell the server which reports are not: what is
left is your report among T − 1 uniform ones. P(counts) = Σ_y P(you send y)·(T−1)!/(∏ n!)·n_y/k^(T−1), so against T
uniform reports P weighs counts by T + (e^ε₀−1)n_x, up to a constant, if your input is x. m = n_x + n_x′ has one law for
both inputs: that of uniform reports, weighed by T + (e^ε₀−1)m/2. Given m, n_x is a fair binomial, weighed by 1 ± L:

    P ~ 1 + L, Q ~ 1 − L,    L = (2n_x − m)/(m + 2T/(e^ε₀−1))                  for two symbols m = T: a bit among clones

A profile is the mean of a convex function of L. So whoever takes a larger m in 2n_x − m, a sum of m fair signs, and a
smaller one below it counts too much and never too little; and so does who spreads L to the two points beside it.

Assumes: the shuffler and all n people are honest and in every round; nobody else sees the reports; n is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
import scipy

from recprivlib.accounting import profiles
from recprivlib.accounting.dominating import Pair
from recprivlib.parameters import UserError
from recprivlib.protocols import Array

SLICE = 0.01  # of m: numbers that are this near count as one
POINTS = 4096  # of one L, of two symbols; a quarter of that of more
BLOCKS = 48  # numbers of clones looked at; those in between count as the smaller one, which is worse
SPREAD = 8.0  # deviations kept of each binomial; the rest counts at the largest loss


KINDS = {0: "a report", 2: "a randomised bit"}


@lru_cache(maxsize=64)
def shuffled(local: Pair, crowd: int, symbols: int = 0) -> Pair:
    """The pair that a server behind the shuffler sees of one report, if `crowd` people report at once.

    `symbols`: a report is one of so many, and all lies are alike; one of two may come with a public cell number drawn
    uniformly. 0: any report.
    """
    if math.isinf(local.pure):
        raise UserError("a shuffler's amplification is proved for finite local ε only; count this release at home")
    if symbols == 2 and not local.binary:
        symbols = 0
    losses, masses = _atoms(local.pure, crowd, symbols)
    profile = profiles.atomic(losses, masses)
    mean = float(masses @ losses)
    return replace(
        local, words=f"{local.words} shuffled among {crowd:,} people", profile=profile, reverse=profile,
        divergence=None, mean=mean, variance=float(masses @ (losses - mean) ** 2), largest=float(losses[-1]),
        lattice=0.0, binary=False, rows=None, others=None, ordered=None, crowd=crowd, reached_once=False,
        bound="what a crowd hides is bounded, by an attacker who knows which reports are no clones",
        note=f"{KINDS.get(symbols, 'a symbol')} has this ε for any two inputs of anybody",
    )  # fmt: skip


def _clone(epsilon: float, symbols: int) -> float:
    """r, without e^ε₀; 2/(e^ε₀+1) is 1 − tanh(ε₀/2)."""
    shrunk = math.exp(-epsilon)
    return symbols * shrunk / (1 + (symbols - 1) * shrunk) if symbols else shrunk


def _atoms(epsilon: float, crowd: int, symbols: int) -> tuple[Array, Array]:
    """(losses in rising order, P-masses) of one shuffle."""
    clones, weights = _binomial(crowd - 1, _clone(epsilon, symbols))
    losses, masses = [np.array([epsilon])], [np.array([0.0])]
    for block in np.array_split(np.arange(len(clones)), min(BLOCKS, len(clones))):
        total = int(clones[block[0]]) + 1
        rest = _rest(total, epsilon)
        for weight, least, most in _hiding(total, epsilon, symbols):
            sums, fair = _signs(most, POINTS if symbols < 3 else POINTS // 4)
            up, down = (least + sums) + rest, (least - sums) + rest  # (1 ± L)(m + 2T/(e^ε₀−1)), to the last digit
            with np.errstate(divide="ignore"):
                loss = np.log(up) - np.log(down)
            if least == total:
                loss[0], loss[-1] = -epsilon, epsilon  # exactly: the rest of a large ε₀ is none in doubles
            losses.append(loss)
            masses.append(weights[block].sum() * weight * fair * (up / (least + rest)))
    every, mass = np.concatenate(losses), np.concatenate(masses)
    mass[0] = max(0.0, 1.0 - math.fsum(mass))
    order = np.argsort(every, kind="stable")
    return every[order], mass[order]


def _rest(total: int, epsilon: float) -> float:
    """2T/(e^ε₀−1)."""
    return max(2 * total * math.exp(-epsilon) / -math.expm1(-epsilon), 1e-300)


def _hiding(total: int, epsilon: float, symbols: int) -> Iterator[tuple[float, int, int]]:
    """(P-mass, the least, the most) of the numbers m that occur among `total` reports, in slices."""
    if symbols < 3:
        yield 1.0, total, total
        return
    m, uniform = _binomial(total, 2 / symbols)
    blanket = _clone(epsilon, symbols)
    masses = uniform * (blanket + (1 - blanket) * m * symbols / (2 * total))
    rest, first = _rest(total, epsilon), 0
    while first < len(m):
        wide = min(SLICE * int(m[first]), rest / 4)  # L stays well below 1
        block = slice(first, first + 1 + int(wide))
        yield float(masses[block].sum()), int(m[first]), int(m[block][-1])
        first = block.stop


def _signs(many: int, finest: int) -> tuple[Array, Array]:
    """(a sum of so many fair signs, its chances), on at most `finest` points."""
    ups, chances = _binomial(many, 0.5)
    sums = 2.0 * ups - many
    if len(sums) <= finest:
        return sums, chances
    points = np.linspace(sums[0], sums[-1], finest)
    place = (sums - sums[0]) / (sums[-1] - sums[0]) * (finest - 1)
    left = np.minimum(place.astype(int), finest - 2)
    share = place - left
    return points, np.bincount(left, chances * (1 - share), finest) + np.bincount(left + 1, chances * share, finest)


def _binomial(n: int, p: float) -> tuple[Array, Array]:
    """(k, P(k)) of Bin(n, p) within `SPREAD` deviations, and at least 40, of the mean."""
    if p in (0.0, 1.0):
        return np.array([int(n * p)]), np.ones(1)
    middle, width = n * p, max(SPREAD * math.sqrt(n * p * (1 - p)), 40.0)
    k = np.arange(max(0, math.floor(middle - width)), min(n, math.ceil(middle + width)) + 1)
    # P(k)/P(k − 1) = (n − k + 1)/k · p/(1−p): gamma functions of large n would lose what a small δ is about
    log = np.cumsum(np.concatenate([[0.0], np.log((n - k[1:] + 1) / k[1:]) + math.log(p / (1 - p))]))
    likely = np.exp(log - log.max())
    outside = (scipy.special.bdtr(k[0] - 1, n, p) if k[0] > 0 else 0.0) + (
        scipy.special.bdtrc(k[-1], n, p) if k[-1] < n else 0.0
    )
    return k, likely / likely.sum() * (1 - outside)
