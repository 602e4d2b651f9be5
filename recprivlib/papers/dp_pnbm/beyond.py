"""dp_pnbm repaired, and beyond it: what a trusted server can publish within a budget that holds.

    dpsgd-pnbm-repaired   Algorithm 1 with each person's gradient clipped, at most τ ratings of hers, Gaussian noise
    dp-item-means         item means with noise (after McSherry & Mironov 2009), and what is left to a person at home
    dp-covariance         those means, and which tastes go together, read where it stands above the noise

Budgets. Gaussian releases at noise multipliers z₁, z₂, … are one Gaussian at 1/z² = Σ 1/z_i², so a total (ε, δ) is one
z that is shared out (Dong, Roth & Su 2022, Cor. 3.3).

A larger population is drawn from the real one: everybody counts as often as she was drawn. Those who are drawn again
say nothing new, so what holds estimates back (`regularization`) counts as many times over too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.accounting.calibration import gaussian_noise
from recprivlib.accounting.rounding import once, summed
from recprivlib.mechanisms import Gaussian, Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.stars import stars_of
from recprivlib.papers.dp_pnbm import covariance as pairing
from recprivlib.papers.dp_pnbm import offsets
from recprivlib.papers.dp_pnbm.offsets import OwnPart
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning, gradient, symmetric
from recprivlib.papers.dp_pnbm.shared import (
    CAP,
    CAPPED,
    GRID,
    HOME,
    NO_CAP,
    PERSON,
    PUBLIC,
    RATING,
    REPLACED,
    TRUST,
    WORLD,
    Near,
    Terms,
    laplace,
    neighbors,
)
from recprivlib.papers.dp_pnbm.weighted import Neighbours, Rated, beyond
from recprivlib.parameters import BUDGET, CONTROL, PEOPLE, SCALE, UNIT, among, check, dial, parameter
from recprivlib.population import capped
from recprivlib.protocols import Array, Change, Claim, Interactions, Ledger, Release, Sizes, Volume, last

DELTA = 1e-5


def _epsilon() -> Any:
    return parameter(1.0, 0.01, 1000, "ε of the whole run, for the unit that is protected", tune=BUDGET)


def _protects() -> Any:
    return parameter("rating", None, None, "whose change is hidden", choices=("rating", "user"), tune=UNIT)


def _cap(default: int) -> Any:
    return parameter(
        default,
        1,
        100_000,
        "τ, the most ratings of one person that are used where people are protected",
        tune=dial(20, 400),
    )


def _population() -> Any:
    return parameter(1, 1, 10_000, "times as many people, their ratings drawn from the real ones", tune=PEOPLE)


def _at_home() -> Any:
    return parameter(None, 0, 1000, "λ at home, of how far a person differs from all; none: .85/.2", kind=float,
                     optional=True, tune=dial(0.1, 50))  # fmt: skip


def terms_of(unit: str) -> Terms:
    """What a bill is for where `protects` says so."""
    return PERSON if unit == "user" else RATING


def _share(default: float) -> Any:
    return parameter(
        default, 0.01, 0.99, "share of the budget 1/z² that buys item means", tune=dial(0.1, 0.95, "linear")
    )


@lru_cache(maxsize=256)
def multiplier(epsilon: float, delta: float) -> float:
    """z of one Gaussian release that spends (ε, δ)."""
    return gaussian_noise(epsilon, delta)


def people(train: Interactions, population: int, rng: np.random.Generator) -> Array | None:
    """How often everybody is there in a population so many times as large; None: once."""
    if population == 1:
        return None
    return rng.multinomial(population * train.n_users, np.full(train.n_users, 1 / train.n_users)).astype(np.float64)


def drawn_from(population: int) -> tuple[str, ...]:
    many = f"each of the {population:,} times as many people is a person of her own, though they drew the same ratings"
    return () if population == 1 else (many,)


# -------------------------------------------------------------------------------------------- item means, bought


def pull_of(given: float | None) -> float:
    """What is asked for at home, or what the variances say."""
    return offsets.REST / offsets.OFFSET if given is None else given


@dataclass(frozen=True)
class Means:
    """Noisy sums of every item's ratings, counted from the middle of the scale in halves of its range.

    Whole people (`cap`): the counts are noised too, and one person moves both by at most √(2τ) in L2. One rating moves
    one sum by at most 2, and who rated what is public.
    """

    mechanism: Laplace | Gaussian
    moved: float  # by the most that the unit moves them, in the mechanism's own sensitivity
    cap: int | None
    pull: float
    again: int = 1  # how often everybody was drawn

    def released(self, train: Interactions, times: Array | None) -> tuple[Array, Array]:
        """r̄ of every item, and how many rated it as far as that is known."""
        low, high = stars_of(train.grid)
        middle, half = (low + high) / 2, (high - low) / 2
        weights = np.ones(len(train)) if times is None else times[train.users]
        counts = np.bincount(train.items, weights, minlength=train.n_items)
        sums = np.bincount(train.items, weights * (train.ratings - middle), minlength=train.n_items) / half
        if self.cap is None:
            sums = released(self.mechanism, sums)
        else:
            sums, counts = released(self.mechanism, np.stack([sums, counts]))
        found = offsets.means(half * sums, counts, half**2 * self.mechanism.variance, self.pull, self.again)
        return np.clip(found + np.float32(middle), low, high), counts

    def release(self, sizes: Sizes) -> Release:
        hair = once(sizes.users * self.again)  # stars lie on halves, whose sums are exact
        if self.cap is None:
            return Release(
                "noisy sums of every item's ratings", self.mechanism,
                {RATING: Change(distance=self.moved, rounding=hair), PERSON: NO_CAP, REPLACED: NO_CAP}, seen_by=WORLD,
            )  # fmt: skip
        near: Near = {PERSON: Change(rounding=hair), REPLACED: Change(distance=2.0, rounding=hair),
                      RATING: Change(distance=2 / math.sqrt(2 * self.cap), rounding=hair)}  # fmt: skip
        return Release("noisy sums and counts of every item's ratings", self.mechanism, near, seen_by=WORLD)


def laplace_means(epsilon: float, pull: float, again: int) -> Means:
    """Means with Laplace noise, for one rating."""
    return Means(*laplace(epsilon, 2.0), None, pull, again)


def gaussian_means(noise_multiplier: float, cap: int, pull: float, again: int) -> Means:
    """Means and counts with Gaussian noise, for a whole person."""
    return Means(Gaussian(noise_multiplier, math.sqrt(2 * cap)), 1.0, cap, pull, again)


def stated(releases: tuple[Release, ...], unit: str, epsilon: float, delta: float, population: int) -> Ledger:
    """The ledger of these releases, whose claim is our own."""
    terms = terms_of(unit)
    rated = unit != "user"  # who rated what tells who takes part
    public = PUBLIC if rated else (*GRID, CAP)
    said = (HOME, *((CAPPED,) if unit == "user" else ()), *drawn_from(population))
    claim = Claim(epsilon, delta, *terms, "our own: by the noise that is added")
    return Ledger(releases, public, said, TRUST, claim, counts_public=rated, rated_public=rated)


@dataclass(frozen=True)
class DPItemMeans:
    """r̄_i with noise, and b_u at home. One rating: Laplace noise on sums. A person: a cap and Gaussian noise."""

    epsilon: float = _epsilon()
    protects: str = _protects()
    cap: int = _cap(100)
    regularization: float = parameter(
        5.0, 0.1, 1000, "λ, ratings of the overall mean added to every item", tune=dial(0.3, 100)
    )
    population: int = _population()
    pull_people: float | None = _at_home()
    __post_init__ = check

    @property
    def delta(self) -> float:
        return DELTA if self.protects == "user" else 0.0

    @property
    def terms(self) -> Terms:
        return terms_of(self.protects)

    def fit(self, train: Interactions, rng: np.random.Generator) -> OwnPart:
        crowd, left_out = rng.spawn(2)
        times = people(train, self.population, crowd)
        used = capped(train, self._bought.cap, left_out)
        means, _ = self._bought.released(used, times)
        nothing, pull = np.zeros((train.n_items, 0), np.float32), pull_of(self.pull_people)
        return offsets.at_home(beyond(train, means), nothing, *stars_of(train.grid), pull)

    def holds(self, size: Volume) -> float:
        return held.own_parts(size)

    def ledger(self, sizes: Sizes) -> Ledger:
        stars_of(sizes.grid)
        return stated((self._bought.release(sizes),), self.protects, self.epsilon, self.delta, self.population)

    @property
    def _bought(self) -> Means:
        pull, again = self.regularization, self.population
        if self.protects == "user":
            return gaussian_means(multiplier(self.epsilon, DELTA), self.cap, pull, again)
        return laplace_means(self.epsilon, pull, again)


# ------------------------------------------------------------------------------------ Algorithm 1, repaired


@dataclass(frozen=True)
class Repaired:
    """Algorithm 1 for whole people: at most τ ratings each, gradients clipped in L2, Gaussian noise, means bought.

    The noise hides all of a person, so a step can be as long as what was published: η β G̃ / rms(G̃).
    """

    epsilon: float = _epsilon()
    cap: int = _cap(100)
    share: float = _share(0.5)
    clip: float = parameter(0.05, 1e-4, 100, "the most one person's gradient may be long, in L2", tune=dial(0.005, 1))
    iterations: int = parameter(1, 1, 50, "K, gradient steps", tune=among(1, 2, 3, 5))
    learning_rate: float = parameter(
        0.2, 1e-4, 10, "η, size of a step as a share of β", tune=dial(0.005, 1, first=True)
    )
    rescale: float = parameter(10.0, 0.1, 1000, "β, every s_ij before the first step", tune=SCALE)
    floor: float = parameter(
        10.0, 0.1, 1000, "C, the least that the weights of a prediction are taken to add up to", tune=dial(1, 300)
    )
    neighbors: int = neighbors(100_000)
    regularization: float = parameter(
        5.0, 0.1, 1000, "λ, ratings of the overall mean added to every item", tune=dial(0.3, 100)
    )
    noise_only: bool = parameter(
        False, None, None, "the gradient is left out: noise with no ratings in it", tune=CONTROL
    )
    population: int = _population()
    __post_init__ = check
    delta = DELTA

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Neighbours]]:
        crowd, left_out, first = rng.spawn(3)
        times = people(train, self.population, crowd)
        used = capped(train, self.cap, left_out)
        means, _ = self._bought.released(used, times)
        rated, all_of_it = beyond(used, means), beyond(train, means)
        low, high = stars_of(train.grid)
        similarity = beginning(train.n_items, "even", self.rescale, first)
        bounds = Bounds(high - low, self.floor, self.clip)
        for turn in range(1, self.iterations + 1):
            part = np.zeros_like(similarity) if self.noise_only else gradient(similarity, rated, bounds, weights=times)
            noisy = released(self._noise, part).astype(np.float32)
            step = self.learning_rate * self.rescale / max(float(np.sqrt((noisy**2).mean())), 1e-12)
            similarity = symmetric(similarity - np.float32(step) * noisy)
            yield (
                turn / self.iterations,
                Neighbours(all_of_it.rows, means, similarity, self.neighbors, low, high, self.floor),
            )

    def holds(self, size: Volume) -> float:
        walk = held.squares(size, 30) + held.of_people(size, self.cap)
        return max(walk, held.by_neighbours(size) + 24.0 * size.interactions)

    def ledger(self, sizes: Sizes) -> Ledger:
        stars_of(sizes.grid)
        hair = summed(sizes.users, weight=self.population)
        near: Near = {PERSON: Change(rounding=hair)}
        near |= dict.fromkeys((REPLACED, RATING), Change(distance=2.0, rounding=hair))
        steps = Release("a noisy sum of clipped gradients", self._noise, near, self.iterations, WORLD)
        return stated((self._bought.release(sizes), steps), "user", self.epsilon, DELTA, self.population)

    @property
    def _bought(self) -> Means:
        z = multiplier(self.epsilon, DELTA) / math.sqrt(self.share)
        return gaussian_means(z, self.cap, self.regularization, self.population)

    @property
    def _noise(self) -> Gaussian:
        z = multiplier(self.epsilon, DELTA) * math.sqrt(self.iterations / (1 - self.share))
        return Gaussian(z, self.clip)


# --------------------------------------------------------------------------------------- which tastes go together


@dataclass(frozen=True)
class DPCovariance:
    """Noisy item means and one noisy matrix of how deviations go together (covariance.py)."""

    epsilon: float = _epsilon()
    protects: str = _protects()
    cap: int = _cap(100)
    share: float = _share(0.4)
    factors: int = parameter(8, 1, 64, "the most directions that are kept", tune=dial(1, 32))
    reach: float = parameter(0.6, 0.05, 5, "a, how far a deviation counts, in stars", tune=dial(0.2, 2))
    regularization: float = parameter(
        5.0, 0.1, 1000, "λ, of means and of what directions say about rare items", tune=dial(0.3, 100)
    )
    population: int = _population()
    pull_people: float | None = _at_home()
    __post_init__ = check
    delta = DELTA

    @property
    def terms(self) -> Terms:
        return terms_of(self.protects)

    def fit(self, train: Interactions, rng: np.random.Generator) -> OwnPart:
        crowd, left_out, first = rng.spawn(3)
        times = people(train, self.population, crowd)
        used = capped(train, self._bought.cap, left_out)
        means, counts = self._bought.released(used, times)
        rated = beyond(used, means)
        exact = pairing.covariance(pairing.centred(rated, self.reach), times)
        entries = released(self._noise, pairing.pairs(exact))
        sigma = self._noise.sigma
        found = pairing.standing(pairing.square(entries, train.n_items), sigma, self.factors, first)
        seen, share = self._known(rated, counts, times)
        items = pairing.tastes(found, seen, share, sigma, self.regularization, self.population)
        return offsets.at_home(beyond(train, means), items, *stars_of(train.grid), pull_of(self.pull_people))

    def _known(self, rated: Rated, counts: Array, times: Array | None) -> tuple[Array, float]:
        """How often items were rated, by the people's weights, and how often together as a share of the product."""
        if self.protects == "user":
            weight = (self.cap + pairing.SLACK) ** -0.5
            return counts * weight, self.cap / (weight * max(float(counts.sum()), 1.0))
        lengths = np.diff(rated.rows.indptr)
        weights = (lengths + pairing.SLACK) ** -0.5 * (1 if times is None else times)
        spread = sp.csr_array((np.repeat(weights, lengths), rated.rows.indices, rated.rows.indptr), rated.rows.shape)
        return np.asarray(spread.sum(axis=0)).ravel(), float(weights @ lengths**2 / max(weights @ lengths, 1.0) ** 2)

    def holds(self, size: Volume) -> float:
        return held.squares(size, 15) + held.answered(size, 6) + held.own_parts(size, self.factors)

    def ledger(self, sizes: Sizes) -> Ledger:
        stars_of(sizes.grid)
        hair = summed(sizes.users, weight=self.population)
        longer = math.ceil(pairing.of_one_person(1.0, sizes.items) / pairing.of_one_rating(1.0))
        one = summed(sizes.users, weight=self.population * longer)
        near: Near = {RATING: Change(rounding=one), PERSON: NO_CAP, REPLACED: NO_CAP}
        if self.protects == "user":
            near = {PERSON: Change(rounding=hair)}
            near |= dict.fromkeys((REPLACED, RATING), Change(distance=2.0, rounding=hair))
        pairs = Release("a noisy matrix of how deviations go together", self._noise, near, seen_by=WORLD)
        return stated((self._bought.release(sizes), pairs), self.protects, self.epsilon, DELTA, self.population)

    @property
    def _bought(self) -> Means:
        """For a person both releases are Gaussian and share 1/z²; for a rating they share ε."""
        pull, again = self.regularization, self.population
        if self.protects == "rating":
            return laplace_means(self.share * self.epsilon, pull, again)
        return gaussian_means(multiplier(self.epsilon, DELTA) / math.sqrt(self.share), self.cap, pull, again)

    @property
    def _noise(self) -> Gaussian:
        if self.protects == "rating":
            z = multiplier((1 - self.share) * self.epsilon, DELTA)
            return Gaussian(z, pairing.of_one_rating(self.reach))
        z = multiplier(self.epsilon, DELTA) / math.sqrt(1 - self.share)
        return Gaussian(z, pairing.of_one_person(self.reach, self.cap))
