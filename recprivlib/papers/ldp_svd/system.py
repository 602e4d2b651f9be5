"""The systems: ratings perturbed at home, and factor models that learn from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import Laplace, LaplaceOrTruth, OptimalChannel, RoundedOrTruth
from recprivlib.mechanisms.common import epsilon_of, positions
from recprivlib.mechanisms.gate import released
from recprivlib.models import held
from recprivlib.models.biased import Biased, Descent, descend, finite
from recprivlib.models.stars import grid_of
from recprivlib.papers.ldp_svd import ordinal
from recprivlib.papers.ldp_svd.answering import MECHANISMS, answers, inputs
from recprivlib.parameters import BUDGET, READING, UserError, among, check, dial, parameter
from recprivlib.population import capped
from recprivlib.protocols import (
    Array,
    AtHome,
    Change,
    Claim,
    Entry,
    Interactions,
    Ledger,
    Model,
    Relation,
    Release,
    Sizes,
    Unbounded,
    Unit,
    Volume,
    last,
)
from recprivlib.yardsticks.plain import public_cap

STARS = (1.0, 2.0, 3.0, 4.0, 5.0)
BILL: tuple[Unit, Relation] = ("rating", "replace-value")


def _budget(gloss: str) -> Any:
    return parameter(1.0, 0.05, 20.0, gloss, tune=BUDGET)


CLICKS = "a click that somebody sees is a further, unpriced release"
AT_SERVER = f"the server predicts from the reports alone, which adds nothing; {CLICKS}"
AT_HOME = f"phones predict from their raw ratings, and what they predict stays at home; {CLICKS}"
TUNED = (f"the spread of ratings round a taste, {ordinal.SPREAD:g} stars, on MovieLens 100K",)


def rating_ledger(
    mechanism: Any,
    what: str,
    cap: int | None,
    claimed: Claim | None = None,
    predicted: str = AT_SERVER,
    tuned: tuple[str, ...] = (),
) -> Ledger:
    """One report a rating; what was rated is public, so a person is priced through a public cap alone."""
    whole: Change | Unbounded = Unbounded("no public cap on how many films a person rates")
    if cap is not None:
        whole = Change(inputs=cap)
    release = Release(what, mechanism, {BILL: Change(), ("user", "replace-value"): whole})
    return Ledger(
        releases=(release,),
        public=("who takes part", "which films each person rated", "the rating grid", "when reports are sent")
        + (("the shares of the ratings, rounded from MovieLens 100K",) if isinstance(mechanism, OptimalChannel) else ())
        + (() if cap is None else ("a cap on the ratings of a person",)),
        assumed=("each rating is reported once", predicted),
        tuned=tuned,
        trust="nobody (local)",
        claimed=claimed,
        counts_public=True,
        rated_public=True,
    )


# ------------------------------------------------------------------------------------ as in the paper


@dataclass(frozen=True)
class Learning:
    """How the server factorises reports on some scale, and what it makes of its predictions."""

    descent: Descent
    clip_reports: bool
    clip_predictions: bool
    cure: str  # what to do if training diverges

    def steps(
        self, train: Interactions, reports: Array, low: float, unit: float, rng: np.random.Generator
    ) -> Iterator[tuple[float, Biased]]:
        """Models in stars, from `reports` that stand for (stars − low)/unit."""
        stars = train.grid or STARS
        if self.clip_reports:
            reports = np.clip(reports, (stars[0] - low) / unit, (stars[-1] - low) / unit)
        shape = (train.n_users, train.n_items)
        values = reports.astype(np.float32)
        for progress, model in descend(train.users, train.items, values, shape, self.descent, rng):
            if not finite(model):
                raise UserError(f"the training diverged: the noise is too large for its step; {self.cure}")
            yield progress, self._in_stars(model, low, unit, stars)

    def _in_stars(self, model: Biased, low: float, unit: float, stars: tuple[float, ...]) -> Biased:
        ends = (stars[0], stars[-1]) if self.clip_predictions else (-np.inf, np.inf)
        return Biased(
            low + unit * model.mean, np.float32(unit) * model.user_bias, np.float32(unit) * model.item_bias,
            np.float32(unit) * model.users, model.items, *ends,
        )  # fmt: skip


@dataclass(frozen=True)
class SVD:
    """Biases and tastes by stochastic gradients, from the true ratings."""

    factors: int = parameter(20, 0, 200, "length of a taste vector", tune=among(0, 1, 5, 20, 50))
    epochs: int = parameter(20, 1, 500, "passes over the ratings", tune=dial(2, 60))
    learning_rate: float = parameter(0.005, 1e-5, 1.0, "step of a gradient", tune=dial(5e-4, 0.05, first=True))
    regularization: float = parameter(0.02, 0, 10.0, "pull towards zero", tune=dial(0.005, 2))
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Biased:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Biased]]:
        learning = Learning(_descent(self), False, True, "try a smaller learning_rate")
        grid_of(train.grid)
        yield from learning.steps(train, train.ratings, 0.0, 1.0, rng)

    def holds(self, size: Volume) -> float:
        return _descending(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        return Ledger()


@dataclass(frozen=True)
class LaplaceSVD:
    """Every rating plus Laplace noise of scale range/ε1, then the same factorisation."""

    epsilon1: float = _budget("ε1 of the Laplace noise, for one rating")
    factors: int = parameter(20, 0, 200, "length of a taste vector", tune=among(0, 1, 5, 20, 50))
    epochs: int = parameter(20, 1, 500, "passes over the reports", tune=dial(2, 60))
    learning_rate: float = parameter(0.005, 1e-5, 1.0, "step of a gradient", tune=dial(5e-4, 0.05, first=True))
    regularization: float = parameter(0.02, 0, 10.0, "pull towards zero", tune=dial(0.005, 2))
    scale: str = parameter("unit", None, None, "what the server factorises", choices=("unit", "stars"), tune=READING)
    clip_reports: bool = parameter(False, None, None, "cut reports to the rating range", tune=among(False, True))
    clip_predictions: bool = parameter(True, None, None, "cut predictions to the rating range", tune=READING)
    cap: int | None = public_cap()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Biased:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Biased]]:
        yield from _noisy_steps(self, self._mechanism(train.grid), train, rng)

    def heard(self, ratings: Array, grid: tuple[float, ...] | None) -> Array:
        mechanism = self._mechanism(grid)
        return released(mechanism, inputs(mechanism, ratings, grid_of(grid)))

    def holds(self, size: Volume) -> float:
        return 30.0 * size.interactions + _descending(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        claim = Claim(self.epsilon1, 0.0, *BILL, "eq. 4")
        return rating_ledger(self._mechanism(sizes.grid), "each rating with Laplace noise", self.cap, claim)

    def _mechanism(self, grid: tuple[float, ...] | None) -> Laplace:
        stars = grid_of(grid)
        return Laplace(self.epsilon1, sensitivity=stars[-1] - stars[0])


@dataclass(frozen=True)
class LaplaceRRSVD:
    """The rating itself with probability p, else the rating plus Laplace noise; then the same factorisation."""

    epsilon1: float = _budget("ε1 of the Laplace noise")
    epsilon2: float = _budget("ε2: the rating itself is sent with probability e^ε2/(1+e^ε2)")
    factors: int = parameter(20, 0, 200, "length of a taste vector", tune=among(0, 1, 5, 20, 50))
    epochs: int = parameter(20, 1, 500, "passes over the reports", tune=dial(2, 60))
    learning_rate: float = parameter(0.005, 1e-5, 1.0, "step of a gradient", tune=dial(5e-4, 0.05, first=True))
    regularization: float = parameter(0.02, 0, 10.0, "pull towards zero", tune=dial(0.005, 2))
    scale: str = parameter("unit", None, None, "what the server factorises", choices=("unit", "stars"), tune=READING)
    clip_reports: bool = parameter(False, None, None, "cut reports to the rating range", tune=among(False, True))
    clip_predictions: bool = parameter(True, None, None, "cut predictions to the rating range", tune=READING)
    cap: int | None = public_cap()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Biased:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Biased]]:
        yield from _noisy_steps(self, self._mechanism(train.grid), train, rng)

    def heard(self, ratings: Array, grid: tuple[float, ...] | None) -> Array:
        mechanism = self._mechanism(grid)
        return released(mechanism, inputs(mechanism, ratings, grid_of(grid)))

    def holds(self, size: Volume) -> float:
        return 30.0 * size.interactions + _descending(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        claim = Claim(self.epsilon1 + self.epsilon2, 0.0, *BILL, "eqs. 4 and 5, by sequential composition")
        return rating_ledger(self._mechanism(sizes.grid), "each rating, or each with Laplace noise", self.cap, claim)

    def _mechanism(self, grid: tuple[float, ...] | None) -> LaplaceOrTruth:
        return LaplaceOrTruth(self.epsilon1, self.epsilon2, grid=grid_of(grid))


def _noisy_steps(
    system: LaplaceSVD | LaplaceRRSVD, mechanism: Any, train: Interactions, rng: np.random.Generator
) -> Iterator[tuple[float, Biased]]:
    """What both systems of the paper do once their phones have reported."""
    stars, train = grid_of(train.grid), capped(train, system.cap, rng)
    reports = released(mechanism, inputs(mechanism, train.ratings, stars))
    low, unit = (stars[0], stars[-1] - stars[0]) if system.scale == "unit" else (0.0, 1.0)
    cures = ["scale=unit"] if system.scale == "stars" else []
    cures += [] if system.clip_reports else ["clip_reports=true"]
    cure = f"try {' or '.join([*cures, 'a smaller learning_rate'])}"
    learning = Learning(_descent(system), system.clip_reports, system.clip_predictions, cure)
    yield from learning.steps(train, (reports - low) / unit, low, unit, rng)


def _descending(system: SVD | LaplaceSVD | LaplaceRRSVD, size: Volume) -> float:
    vectors = 20.0 * (size.users + size.items) * (system.factors + 2)
    return max(45.0 * size.interactions + vectors, held.factor_pairs(size, system.factors))


def _descent(system: SVD | LaplaceSVD | LaplaceRRSVD) -> Descent:
    return Descent(system.factors, system.epochs, system.learning_rate, system.regularization)


# ------------------------------------------------------------------------------- repaired, and beyond


@dataclass(frozen=True)
class DiscreteRRMF:
    """The paper's mixture made honest: the Laplace draw is rounded to the grid, so that its channel has a finite ε.

    Its ε is computed from the channel; it is not ε1 + ε2. The server uses the channel's likelihood.
    """

    epsilon1: float = _budget("ε1 of the Laplace noise, before rounding")
    epsilon2: float = _budget("ε2: the rating itself is sent with probability e^ε2/(1+e^ε2)")
    factors: int = parameter(3, 0, 100, "length of a taste vector", tune=among(0, 1, 3, 6))
    iterations: int = parameter(8, 1, 100, "rounds of Fisher scoring", tune=dial(3, 16))
    cap: int | None = public_cap()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        how = ordinal.Fit(self.factors, self.iterations)
        yield from _answered(self._mechanism(train.grid), how, capped(train, self.cap, rng), rng)

    def holds(self, size: Volume) -> float:
        return _scoring(self, size)

    def ledger(self, sizes: Sizes) -> Ledger:
        mechanism = self._mechanism(sizes.grid)
        claim = Claim(epsilon_of(mechanism.channel), 0.0, *BILL, "our own: the channel's largest log-ratio")
        return rating_ledger(mechanism, "each rating through a finite channel", self.cap, claim, tuned=TUNED)

    def _mechanism(self, grid: tuple[float, ...] | None) -> RoundedOrTruth:
        return RoundedOrTruth(self.epsilon1, self.epsilon2, grid=grid_of(grid))


@dataclass(frozen=True)
class OptimalMF:
    """The most telling ε-LDP channel (or another `mechanism` at the same ε) and a server that knows its likelihood.

    `fold_in`: item parameters from the reports, then each phone fits its own user's part to her raw ratings, which
    stay at home. Not comparable with servers that predict by themselves.
    """

    epsilon: float = _budget("ε of one report, for any change of one rating")
    mechanism: str = parameter(
        "optimal", None, None, "what a phone sends", choices=tuple(MECHANISMS), tune=among(*MECHANISMS, first=True)
    )
    factors: int = parameter(3, 0, 100, "length of a taste vector", tune=among(0, 1, 3, 6))
    iterations: int = parameter(8, 1, 100, "rounds of Fisher scoring", tune=dial(3, 16))
    fold_in: bool = parameter(False, None, None, "phones refit their own part to raw ratings at home", tune=READING)
    cap: int | None = public_cap()
    __post_init__ = check

    def fit(self, train: Interactions, rng: np.random.Generator) -> Model:
        return last(self.steps(train, rng))

    def steps(self, train: Interactions, rng: np.random.Generator) -> Iterator[tuple[float, Model]]:
        how = ordinal.Fit(self.factors, self.iterations)
        for progress, model in _answered(self._mechanism(train.grid), how, capped(train, self.cap, rng), rng):
            yield progress, Refitted(model, refitted(model, train, how)) if self.fold_in else model

    def holds(self, size: Volume) -> float:
        return _scoring(self, size) + 40.0 * size.interactions * self.fold_in

    def ledger(self, sizes: Sizes) -> Ledger:
        claim = Claim(self.epsilon, 0.0, *BILL, "our own: by construction of the channel")
        what, where = "each rating through an ε-LDP channel", AT_HOME if self.fold_in else AT_SERVER
        return rating_ledger(self._mechanism(sizes.grid), what, self.cap, claim, where, TUNED)

    def _mechanism(self, grid: tuple[float, ...] | None) -> Any:
        return MECHANISMS[self.mechanism](self.epsilon, grid_of(grid))


def _answered(
    mechanism: Any, how: ordinal.Fit, train: Interactions, rng: np.random.Generator
) -> Iterator[tuple[float, ordinal.Expected]]:
    """Phones answer through a channel; the server scores tastes by its likelihood."""
    grid = grid_of(train.grid)
    heard = answers(mechanism, grid)
    known = ordinal.tables(heard.matrix, grid)
    shape = (train.n_users, train.n_items)
    reported = heard.release(train.ratings.astype(float))
    yield from ordinal.learn(train.users, train.items, reported, shape, known, how, rng)


def _scoring(system: DiscreteRRMF | OptimalMF, size: Volume) -> float:
    """Fisher scoring: a dozen numbers for each answer, two vectors looked up, and all people's equations."""
    equations = 16.0 * (size.users + size.items) * system.factors**2
    return (80.0 + 8.0 * system.factors) * size.interactions + equations


@dataclass(frozen=True, eq=False)
class Refitted:
    """What the server learnt, and what phones make of it: they predict, each with a part of its own."""

    heard: ordinal.Expected
    own: AtHome[ordinal.Expected]

    def score(self, users: Array, items: Array) -> Array:
        return self.own.score(users, items)


def refitted(model: ordinal.Expected, train: Interactions, how: ordinal.Fit) -> ordinal.Expected:
    """The items' part from the server, the user's part from her raw ratings: the channel of the truth itself."""
    grid = grid_of(train.grid)
    truth = ordinal.tables(np.eye(len(grid)), grid)
    raw = positions(train.ratings, grid, "rating")
    return ordinal.refit(model, train.users, train.items, raw, train.n_users, truth, how)


SYSTEMS: dict[str, Entry] = {
    "svd": Entry(SVD(), "rating", "baseline", "biases and tastes from the true ratings"),
    "laplace-svd": Entry(LaplaceSVD(), "rating", "paper", "Laplace noise on every rating", terms=BILL),
    "laplace-rr-svd": Entry(
        LaplaceRRSVD(), "rating", "paper", "the rating itself or Laplace noise: no guarantee", terms=BILL
    ),
    "discrete-rr-mf": Entry(
        DiscreteRRMF(), "rating", "repaired", "the same mixture on the star grid, priced by its channel", terms=BILL
    ),
    "optimal-mf": Entry(OptimalMF(), "rating", "beyond", "the most telling channel and its likelihood", terms=BILL),
}
