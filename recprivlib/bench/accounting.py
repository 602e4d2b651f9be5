"""The accountant beside dp-accounting (and autodp where it is installed), import excluded, on the same cells.

Nothing is remembered between two measurements. Peers answer where they can: Poisson cohorts under add-remove.
dp-accounting runs at its default grid of 10⁻⁴ and at 10⁻³, where it still agrees within 1 %. autodp's Fourier
accountant needs a function that SciPy 1.14 removed, so its Rényi accountant runs, which is 10 to 60 % looser.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from recprivlib.accounting import binomial, curves, grid, pairs, renyi, shuffle
from recprivlib.accounting.compose import tightest
from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import python
from recprivlib.mechanisms.losses import Pure, SubsampledGaussian
from recprivlib.protocols import Array

RATE, DELTA, ROUNDS = 30 / 4800, 1e-4, 1000  # a cohort of PrivRec
COUNTS = [int(n) for n in np.geomspace(10, 5000, 40).round()]
NOISES = [float(z) for z in np.geomspace(0.6, 4.0, 40)]


def cells() -> list[Timing]:
    return [
        Timing("one ε, Poisson cohorts", 0.010, cold(lambda: rounds("poisson", [ROUNDS])), peers([ROUNDS], [1.0])),
        Timing("one ε, fixed cohorts", 0.010, cold(lambda: rounds("fixed-size", [ROUNDS]))),
        Timing("one ε, 2,000 randomised responses", 0.010, cold(lambda: binomial.epsilon(2.5, 2000, 1e-6))),
        Timing("one ε, 2,000 shuffles of 50,000 people", 0.010, cold(shuffles)),
        Timing("40 points over rounds, Poisson", 0.030, cold(lambda: rounds("poisson", COUNTS)), peers(COUNTS, [1.0])),
        Timing("40 points over rounds, fixed cohorts", 0.030, cold(lambda: rounds("fixed-size", COUNTS))),
        Timing("40 points over noise, Poisson", 0.030, cold(lambda: noises("poisson")), peers([ROUNDS], NOISES)),
        Timing("40 points over noise, fixed cohorts", 0.030, cold(lambda: noises("fixed-size"))),
        Timing("import recprivlib.accounting", 0.5, lambda: python("-c", "import recprivlib.accounting")),
        Timing("largest difference to dp-accounting, over rounds", 1.0, apart(COUNTS, [1.0]), unit="%"),
        Timing("largest difference to dp-accounting, over noise", 1.0, apart([ROUNDS], NOISES), unit="%"),
    ]


def cold(call: Callable[[], Any]) -> Setup:
    """`call` without anything that an earlier one left behind."""

    def fresh() -> Any:
        for remembered in (pairs.pair, grid._half, shuffle.shuffled, renyi._binomials):
            remembered.cache_clear()
        return call()

    return lambda: fresh


def rounds(scheme: str, counts: list[int]) -> Array:
    """ε over rounds at multiplier 1."""
    return curves.over_counts(SubsampledGaussian(1.0, RATE, scheme), counts, _relation(scheme), DELTA)  # type: ignore[arg-type]


def noises(scheme: str) -> Array:
    """ε over the multiplier, 1,000 rounds."""
    losses = [SubsampledGaussian(z, RATE, scheme) for z in NOISES]  # type: ignore[arg-type]
    return curves.over_losses(losses, ROUNDS, _relation(scheme), DELTA)


def _relation(scheme: str) -> Any:
    return "add-remove" if scheme == "poisson" else "replace"


def shuffles() -> float:
    local = pairs.pair(Pure(2.5), "replace")
    assert local is not None
    return tightest([(shuffle.shuffled(local, 50_000), 2000)], 1e-6)[0]


def peers(counts: list[int], multipliers: list[float]) -> dict[str, Setup]:
    return {
        "dp-accounting": dp_accounting(counts, multipliers, 1e-4),
        "dp-accounting, grid 10⁻³": dp_accounting(counts, multipliers, 1e-3),
        "autodp (Rényi, looser)": autodp(counts, multipliers),
    }


def dp_accounting(counts: list[int], multipliers: list[float], interval: float) -> Setup:
    """Its loss distributions: built once a multiplier, composed once a count."""

    def setup() -> Callable[[], list[float]]:
        from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

        def curve() -> list[float]:
            ones = [
                from_gaussian_mechanism(z, value_discretization_interval=interval, sampling_prob=RATE)
                for z in multipliers
            ]
            return [one.self_compose(count).get_epsilon_for_delta(DELTA) for one in ones for count in counts]

        return curve

    return setup


def autodp(counts: list[int], multipliers: list[float]) -> Setup:
    def setup() -> Callable[[], list[float]]:
        from autodp.mechanism_zoo import NoisySGD_Mechanism  # type: ignore[import-not-found]

        return lambda: [
            NoisySGD_Mechanism(prob=RATE, sigma=z, niter=count).get_approxDP(DELTA)
            for z in multipliers
            for count in counts
        ]

    return setup


def apart(counts: list[int], multipliers: list[float]) -> Setup:
    """By how many per cent our curve and theirs differ at most; where theirs is 0, ours must be."""

    def setup() -> Callable[[], float]:
        theirs = dp_accounting(counts, multipliers, 1e-4)()

        def largest() -> float:
            ours = rounds("poisson", counts) if len(counts) > 1 else noises("poisson")
            gaps = [
                abs(a - b) / b if b > 0 else (math.inf if a > 0 else 0.0) for a, b in zip(ours, theirs(), strict=True)
            ]
            return 100 * max(gaps)

        return largest

    return setup
