"""The systems of the paper: neighbourhoods and factors by DP-SGD and posterior sampling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from recprivlib.accounting.rounding import once
from recprivlib.mechanisms import Exact, Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.stars import stars_of
from recprivlib.papers.dp_pnbm import noisy_factors
from recprivlib.papers.dp_pnbm.beyond import DPCovariance, DPItemMeans, Repaired
from recprivlib.papers.dp_pnbm.plain import Cos, Pcc, Uniform, neighbours
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning, gradient, symmetric
from recprivlib.papers.dp_pnbm.shared import (
    CAP,
    CAPPED,
    GRID,
    HOME,
    LEAK,
    NO_CAP,
    PERSON,
    PUBLIC,
    RATING,
    REPLACED,
    TRUST,
    WORLD,
    Near,
    laplace,
    means_release,
    sample_release,
    sampling_claim,
    shaken,
    width,
)
from recprivlib.papers.dp_pnbm.shared import neighbors as neighbors_
from recprivlib.papers.dp_pnbm.weighted import Neighbours, Rated, beyond, item_means
from recprivlib.parameters import BUDGET, CLAIM, CONTROL, READING, SCALE, among, check, dial, parameter
from recprivlib.population import capped
from recprivlib.protocols import Array, Change, Claim, Entry, Interactions, Ledger, Model, Release, Sizes, Volume, last

DECAY = 0.3  # ξ
FEW = 20  # ratings below which `preprocess` leaves a person out


# ------------------------------------------------------------------------------------- Algorithm 1, with SGD


@dataclass(frozen=True)
class PNBM:
    """Similarities learned by gradient steps on what everybody rated, without any noise."""

    iterations: int = parameter(5, 1, 100, "K, gradient steps", tune=dial(1, 10))
    learning_rate: float = parameter(0.4, 1e-4, 10, "η, size of a step", tune=dial(0.02, 5))
    regularization: float = parameter(0.005, 0, 1, "λ, pull of the similarities towards zero", tune=dial(5e-4, 0.1))
    rescale: float = parameter(10.0, 0.1, 1000, "β, by which S and its steps are scaled up", tune=SCALE)
    floor: float = parameter(
        10.0,
        0.1,
        1000,
        "C, the least that the weights of a prediction are taken to add up to",
        tune=dial(1, 300, first=True),
    )
    neighbors: int = neighbors_(500)
    clamp: bool = parameter(True, None, None, "errors are cut to 0.5 + (φ − 1)/(t + 1)", tune=CLAIM)
    start: str = parameter(
        "random", None, None, "S before the first step", choices=("random", "even"), tune=among("random", "even")
    )
    mirrored: bool = parameter(True, None, None, "S is made symmetric after every step", tune=READING)
    preprocess: bool = parameter(
        False, None, None, "without people of few ratings and ratings far from the mean", tune=CLAIM
    )
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Neighbours]]:
        yield from descent(self, train, item_means(train), rng)

    def holds(self, size: Volume) -> float:
        return max(held.squares(size, 16) + held.of_people(size), held.by_neighbours(size))

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


UNREACHED = "every entry is billed at its own largest, and no person's ratings move them all so far at once"


@dataclass(frozen=True)
class DPSGD(PNBM):
    """Algorithm 1 as printed: Laplace noise, sized for one entry, on every entry of every gradient."""

    epsilon: float = parameter(1.0, 0.01, 1000, "ε, declared for one rating and the whole run", tune=BUDGET)
    iterations: int = parameter(1, 1, 100, "K, gradient steps", tune=dial(1, 10))
    rate: float = parameter(1.0, 0.001, 1, "γ, share of the ratings in each step", tune=CLAIM)
    noise_only: bool = parameter(
        False, None, None, "the gradient is left out: noise with no ratings in it", tune=CONTROL
    )
    __post_init__ = check

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Neighbours]]:
        means = released(Exact(LEAK), item_means(train))
        yield from descent(self, train, means, rng)

    def largest(self, turn: int, grid: tuple[float, ...] | None) -> float:
        """ΔF in step `turn` (eq. 6)."""
        return 2 * clamp_of(turn, grid) * width(grid) / self.floor

    def noise(self, turn: int, grid: tuple[float, ...] | None) -> tuple[Laplace, float]:
        """Line 6 of Algorithm 1 in step `turn`, and what a change of ΔF is to it."""
        return laplace(self.epsilon / (self.iterations * self.rate), self.largest(turn, grid))

    def holds(self, size: Volume) -> float:
        return max(held.squares(size, 28) + held.of_people(size), held.by_neighbours(size))

    def ledger(self, sizes: Sizes) -> Ledger:
        entries = 2.0 * sizes.items * (sizes.items - 1)  # each entry of a person's part is at most 2 e_max φ/C = ΔF
        turns = []
        for turn in range(1, self.iterations + 1):
            mechanism, unit = self.noise(turn, sizes.grid)
            moved = dict.fromkeys((RATING, PERSON, REPLACED), Change(distance=entries * unit))
            what = f"the noisy gradient of step {turn}"
            turns.append(Release(what, mechanism, moved, seen_by=WORLD, unreached=UNREACHED))
        claim = Claim(self.epsilon, 0.0, *RATING, "Theorem 1, with ΔF of eq. 6")
        return Ledger((means_release(), *turns), GRID, (HOME,), TRUST, claim)


def clamp_of(turn: int, grid: tuple[float, ...] | None) -> float:
    """e_max in step t (line 4)."""
    return 0.5 + (width(grid) - 1) / (turn + 1)


def descent(
    system: PNBM, train: Interactions, means: Array, rng: np.random.Generator
) -> Iterator[tuple[float, Neighbours]]:
    """Algorithm 1: K steps from S(1)."""
    start, batch = rng.spawn(2)
    rated = beyond(train, means)
    learning = washed(rated, width(train.grid)) if system.preprocess else rated
    similarity = beginning(train.n_items, system.start, system.rescale, start)
    for turn in range(1, system.iterations + 1):
        step = _step(system, similarity, learning, turn, train.grid, batch)
        similarity = moved(system, similarity, step)
        yield turn / system.iterations, neighbours(train, means, similarity, system.neighbors, system.floor)


def bounds_of(system: PNBM, turn: int, grid: tuple[float, ...] | None) -> Bounds:
    """What keeps the gradient of step t small."""
    return Bounds(clamp_of(turn, grid) if system.clamp else math.inf, system.floor)


def moved(system: PNBM, similarity: Array, step: Array) -> Array:
    """Line 7: S − η(β G + λ S), float32. Leading axes are other runs."""
    step = step * np.float32(system.rescale)
    step += np.float32(system.regularization) * similarity
    step *= np.float32(-system.learning_rate)
    step += similarity
    if not system.mirrored:
        return step
    return symmetric(step) if step.ndim == 2 else (step + step.swapaxes(-1, -2)) / 2


def _step(
    system: PNBM, similarity: Array, rated: Rated, turn: int, grid: tuple[float, ...] | None,
    batch: np.random.Generator,
) -> Array:  # fmt: skip
    """G of line 6, with its noise where the system has any."""
    bounds = bounds_of(system, turn, grid)
    if not isinstance(system, DPSGD):
        return gradient(similarity, rated, bounds)
    if system.noise_only:
        exact = np.zeros_like(similarity)
    else:
        chosen = None if system.rate == 1 else batch.permutation(rated.rows.nnz) < round(system.rate * rated.rows.nnz)
        exact = gradient(similarity, rated, bounds, chosen)
    return released(system.noise(turn, grid)[0], exact).astype(np.float32)


def washed(rated: Rated, width: float) -> Rated:
    """Section 3, pre-processing: nobody with fewer than 20 ratings, no rating more than φ/2 from the item's mean."""
    rows = rated.rows
    who = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    kept = (np.diff(rows.indptr)[who] >= FEW) & (np.abs(rows.data) <= width / 2)
    starts = np.concatenate([[0], np.cumsum(np.bincount(who[kept], minlength=rows.shape[0]))])
    return Rated(sp.csr_array((rows.data[kept], rows.indices[kept], starts), shape=rows.shape), rated.means)


# ------------------------------------------------------------------------- Algorithm 2, posterior sampling


def _posterior(default: float) -> Any:
    return parameter(default, 0.01, 1e6, "ε of one person's whole data, x · τ in the paper", tune=BUDGET)


@dataclass(frozen=True)
class DPPS:
    """Algorithm 2 as printed: one sample of the posterior, scaled by ε/4B, by Langevin steps."""

    epsilon: float = _posterior(20.0)
    cap: int = parameter(200, 1, 100_000, "τ, the most ratings of one person that are used", tune=dial(20, 400))
    iterations: int = parameter(40, 1, 1000, "K, Langevin steps", tune=dial(3, 100))
    learning_rate: float = parameter(4e-7, 1e-9, 1e6, "η₁, size of the first step", tune=dial(1e-8, 1e-4, first=True))
    regularization: float = parameter(0.02, 0, 10, "λ, precision of the prior", tune=dial(1e-3, 1))
    temperature: float = parameter(0.004, 1e-6, 1, "ϱ, share of the noise that Langevin steps ask for", tune=CLAIM)
    neighbors: int = neighbors_(500)
    rule: str = parameter(
        "printed", None, None, "the drift as printed, or 2|R| times it", choices=("printed", "code"), tune=READING
    )
    noise_only: bool = parameter(
        False, None, None, "the gradient is left out: noise with no ratings in it", tune=CONTROL
    )
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Neighbours]]:
        means = released(Exact(LEAK), item_means(train))
        left_out, start = rng.spawn(2)
        used = capped(train, self.cap, left_out)
        rated, drift = beyond(used, means), self.drift(len(used), train.grid)
        similarity = beginning(train.n_items, "random", 1.0, start)
        for turn in range(1, self.iterations + 1):
            step = self.learning_rate * turn**-DECAY
            slope = np.zeros_like(similarity) if self.noise_only else gradient(similarity, rated, Bounds())
            slope += np.float32(self.regularization) * similarity
            similarity = similarity - np.float32(drift * step) * slope
            similarity = shaken(similarity, math.sqrt(self.temperature * step))
            symmetric(similarity)
            yield turn / self.iterations, neighbours(train, means, similarity, self.neighbors)

    def drift(self, ratings: int, grid: tuple[float, ...] | None) -> float:
        """ε/4B · ½ of line 5, B = φ²τ; the released code takes 2|R| times as much."""
        printed = self.epsilon / (4 * width(grid) ** 2 * self.cap) / 2
        return printed * (2 * ratings if self.rule == "code" else 1)

    def holds(self, size: Volume) -> float:
        walk = held.squares(size, 21) + held.of_people(size, self.cap)
        return max(walk, held.by_neighbours(size) + 24.0 * size.interactions)

    def ledger(self, sizes: Sizes) -> Ledger:
        steps = sample_release("the similarities after each step of the walk", self.iterations)
        releases = (means_release(), steps)
        return Ledger(releases, (*GRID, CAP), (HOME, CAPPED), TRUST, sampling_claim(self.epsilon))


# ---------------------------------------------------------------------------------- the factor models it is held to


@dataclass(frozen=True)
class DPSGDMF:
    """[4] of the paper: the error of every rating is noised before it moves biases and tastes."""

    epsilon: float = parameter(1.0, 0.01, 1000, "ε of one rating and the whole run", tune=BUDGET)
    iterations: int = parameter(10, 1, 200, "K, passes over the ratings", tune=dial(1, 20))
    factors: int = parameter(10, 0, 100, "d, length of a taste vector", tune=among(0, 1, 3, 10))
    learning_rate: float = parameter(
        8e-4, 1e-6, 1, "η, size of a step", tune=dial(3e-4, 0.05, first=True, shrinks=True)
    )
    regularization: float = parameter(0.2, 0, 10, "λ, pull towards zero", tune=dial(0.01, 3))
    reach: float = parameter(10.0, 0.1, 100, "to what noisy errors are cut, in stars", tune=dial(1, 30))
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        mechanism, _ = self.noise(train.grid)
        how = noisy_factors.Descent(self.factors, self.iterations, self.learning_rate, self.regularization)

        def heard(errors: Array) -> Array:
            return np.clip(released(mechanism, errors), -self.reach, self.reach)

        yield from noisy_factors.descend(train, stars_of(train.grid), how, heard, rng)

    def noise(self, grid: tuple[float, ...] | None) -> tuple[Laplace, float]:
        """Of one pass, and what a change by the whole range is to it."""
        return laplace(self.epsilon / self.iterations, width(grid))

    def holds(self, size: Volume) -> float:
        return 8.0 * (self.factors + 3) * size.interactions

    def ledger(self, sizes: Sizes) -> Ledger:
        mechanism, unit = self.noise(sizes.grid)
        near: Near = {RATING: Change(distance=unit, rounding=once(2)), PERSON: NO_CAP, REPLACED: NO_CAP}
        release = Release("each rating's error with noise, in every pass", mechanism, near, self.iterations, WORLD)
        claim = Claim(self.epsilon, 0.0, *RATING, "Section 5.1, after [4]")
        return Ledger((release,), PUBLIC, (HOME,), TRUST, claim, counts_public=True, rated_public=True)


@dataclass(frozen=True)
class DPPSMF:
    """[16] of the paper: biases and tastes sampled by Langevin steps from the posterior scaled by ε/4B."""

    epsilon: float = _posterior(20.0)
    cap: int = parameter(200, 1, 100_000, "τ, the most ratings of one person that are used", tune=dial(20, 400))
    iterations: int = parameter(100, 1, 1000, "K, Langevin steps", tune=dial(3, 200))
    factors: int = parameter(10, 0, 100, "d, length of a taste vector", tune=among(0, 1, 3, 10))
    learning_rate: float = parameter(8e-7, 1e-10, 1e4, "η₁, size of the first step", tune=dial(1e-8, 1e-4, first=True))
    regularization: float = parameter(0.02, 0, 10, "λ, precision of the prior", tune=dial(1e-3, 1))
    temperature: float = parameter(0.004, 1e-6, 1, "ϱ, share of the noise that Langevin steps ask for", tune=CLAIM)
    rule: str = parameter(
        "printed", None, None, "the drift as printed, or 2|R| times it", choices=("printed", "code"), tune=READING
    )
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        left_out, start = rng.spawn(2)
        used = capped(train, self.cap, left_out)
        scale = self.epsilon / (4 * width(train.grid) ** 2 * self.cap) / 2
        how = noisy_factors.Langevin(
            self.factors, self.iterations, self.learning_rate, self.regularization, self.temperature, DECAY,
            scale * (2 * len(used) if self.rule == "code" else 1),
        )  # fmt: skip
        yield from noisy_factors.sampled(used, stars_of(train.grid), how, shaken, start)

    def holds(self, size: Volume) -> float:
        return 8.0 * (self.factors + 3) * size.interactions

    def ledger(self, sizes: Sizes) -> Ledger:
        releases = (sample_release("the biases and tastes after each step of the walk", self.iterations),)
        public = (*GRID, CAP, "how many people there are")  # each has a taste that is a part of the sample
        return Ledger(releases, public, (HOME, CAPPED), TRUST, sampling_claim(self.epsilon), counts_public=True)


SYSTEMS: dict[str, Entry] = {
    "cos": Entry(Cos(), "rating", "baseline", "what you thought of items whose stars point the same way"),
    "pcc": Entry(Pcc(), "rating", "baseline", "what you thought of items whose stars correlate"),
    "uniform-similarity": Entry(
        Uniform(), "rating", "baseline", "the item's mean and how you differ: nothing learnt", personalised=False
    ),
    "pnbm": Entry(PNBM(), "rating", "baseline", "neighbours whose similarity is learned, without noise"),
    "dpsgd-pnbm": Entry(DPSGD(), "rating", "paper", "learned with Laplace noise on every gradient", terms=RATING),
    "dpps-pnbm": Entry(DPPS(), "rating", "paper", "one Langevin sample of the scaled posterior", terms=REPLACED),
    "dpsgd-mf": Entry(DPSGDMF(), "rating", "paper", "factors from errors with Laplace noise", terms=RATING),
    "dpps-mf": Entry(DPPSMF(), "rating", "paper", "factors sampled from the scaled posterior", terms=REPLACED),
    "dpsgd-pnbm-repaired": Entry(
        Repaired(), "rating", "repaired", "people's gradients clipped and capped, Gaussian noise, means bought",
        terms=PERSON,
    ),
    "dp-item-means": Entry(
        DPItemMeans(), "rating", "beyond", "noisy item means, and how you differ, at home", personalised=False,
        terms=RATING,
    ),
    "dp-covariance": Entry(
        DPCovariance(), "rating", "beyond", "how tastes go together, where it stands above the noise", terms=RATING
    ),
}  # fmt: skip
