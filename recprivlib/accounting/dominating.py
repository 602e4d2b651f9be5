"""The shape of a worst pair: what every method of composition asks of one release."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from recprivlib.accounting import profiles, renyi
from recprivlib.protocols import Array

Curve = Callable[[Array], Array]

NEVER_PURE = "Gaussian noise has no pure ε"
SEVERAL = "of several pairs of inputs the worst counts at every ε, though a release is of one"


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
    rows: Array | None = None  # where it is the worst of several pairs of rows: P of each,
    others: Array | None = None  # and Q; the profile is then that of none of them
    ordered: Pair | None = None  # of a single pair of rows: this pair in the order that was stated
    ways: tuple[float, float] | None = None  # of an ordered one: ε at δ = 0 of P against Q, and of Q against P
    certain: bool = False  # some output proves an input: no δ that means anything gives a finite ε
    crowd: int = 1  # that a shuffler hides it in
    note: str = ""  # what a reader must know about the bound
    bound: str = ""  # why the release may tell less than this pair; nothing: some neighbours look like it
    reached_once: bool = False  # one release of it alone tells as much at every ε, though several together may not

    @property
    def symmetric(self) -> bool:
        return self.profile is self.reverse

    @property
    def flipped(self) -> Pair:
        """Q against P."""
        return replace(self, profile=self.reverse, reverse=self.profile, ways=self.ways and self.ways[::-1])


def gaussian_pair(mu: float) -> Pair | None:
    """Gaussian noise that moves by `mu` deviations."""
    if mu == 0:
        return None
    profile = partial(profiles.gaussian, mu=mu)
    return Pair(
        f"Gaussian noise (μ = {mu:.4g})", profile, profile, math.inf, partial(renyi.gaussian, mu=mu), mu**2 / 2,
        mu**2 / 2, mu**2, mu=mu, unbounded=NEVER_PURE,
    )  # fmt: skip
