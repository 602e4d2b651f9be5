"""One draw of people, and everything that is released on them: a single event with a single line in the ledger.

    cohort = Cohort((VectorGaussian(z1, clip=S), VectorGaussian(z2, clip=0.5)), rate=M / n, sampling="fixed-size")
    members = cohort.draw(n, rng)                        # secret: whoever learns it gets the bill without sampling
    total, inside = cohort.release((updates, below - 0.5), rng)   # one row a member; clipped, summed, noised here

Whoever sees two answers on one cohort may combine them, and the chance of not having been drawn protects once only.
In units of each part's own σ a person's whole contribution is one vector of length at most μ, μ² = Σ 1/z², and all the
noise one isotropic Gaussian: the event is ONE sampled Gaussian at μ, at 2μ where a person is replaced.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from recprivlib.mechanisms.common import SEEDED
from recprivlib.mechanisms.losses import GaussianShift, Pure, Sampled
from recprivlib.mechanisms.sampling import fixed_size, subsets
from recprivlib.mechanisms.vector_gaussian import VectorGaussian
from recprivlib.parameters import UserError, check, parameter
from recprivlib.protocols import Array, Change, Relation, Unit


@dataclass(frozen=True)
class Cohort:
    """The parts that are released on each cohort; `name` tells the draws of one run apart, if it makes several."""

    parts: tuple[VectorGaussian, ...]
    rate: float = parameter(0.01, 1e-9, 1.0, "share of the people in one cohort")
    sampling: str = parameter("poisson", None, None, "how the cohort is drawn", choices=("poisson", "fixed-size"))
    name: str = "the cohort"
    mode = SEEDED
    claimed = None  # no ε without a δ

    def __post_init__(self) -> None:
        check(self)
        if not self.parts:
            raise UserError("a cohort is drawn for something: name at least one part that is released on it")

    @property
    def neighbours(self) -> Mapping[tuple[Unit, Relation], Change]:
        """With one person more or less every cohort of fixed size changes: that is counted under replace alone."""
        relations = ("replace",) if self.sampling == "fixed-size" else ("add-remove", "replace")
        return {("user", cast(Relation, relation)): Change() for relation in relations}

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Who of n people is in, in rising order (int32)."""
        if self.sampling == "poisson":
            return np.flatnonzero(rng.random(n) < self.rate).astype(np.int32)
        return np.sort(subsets(n, fixed_size(self.rate, n), 1, rng)[0])

    def release(self, x: Sequence[Array], rng: np.random.Generator) -> tuple[Array, ...]:
        """One noisy sum a part, from one contribution a member: (members,), (members, d) or of any further shape."""
        return tuple(part.noised(total, rng) for part, total in zip(self.parts, self.sums(x), strict=True))

    def sums(self, x: Sequence[Array]) -> tuple[Array, ...]:
        """The exact sums: every contribution is clipped, as one vector, before it counts."""
        rows = [np.asarray(each) for each in x]
        if len(rows) != len(self.parts) or len({len(each) for each in rows}) != 1:
            shapes = ", ".join(str(each.shape) for each in rows)
            raise UserError(f"a cohort takes {len(self.parts)} arrays with one row a member, not {shapes or 'none'}")
        return tuple(
            part.clipped(each.reshape(len(each), -1)).sum(axis=0).reshape(each.shape[1:])
            if each.size else np.zeros(each.shape[1:])
            for part, each in zip(self.parts, rows, strict=True)
        )  # fmt: skip

    @property
    def mu(self) -> float:
        """The length of one person's whole contribution, each part in units of its own noise."""
        return math.sqrt(math.fsum(part.noise_multiplier**-2 for part in self.parts))

    def loss(self, distance: float = 1.0) -> Sampled | Pure:
        """Of the joint event. However little somebody's data change, she is in or not: any change costs all.

        Beyond 1 it costs more: what rounding adds to a sum.
        """
        if not distance > 0:
            return Pure(0.0)
        scheme, mu = cast(Literal["poisson", "fixed-size"], self.sampling), self.mu * max(distance, 1.0)
        return Sampled(GaussianShift(mu), GaussianShift(2 * mu), self.rate, scheme)

    def log_density(self, y: Sequence[Array], x: Sequence[Array], away: Sequence[Array]) -> Array:
        """Of all answers together: `x` the exact sums if a certain person was drawn, `away` those if not."""
        present, absent = (
            sum(
                part.log_noise(np.asarray(seen) - total).sum()
                for part, seen, total in zip(self.parts, y, totals, strict=True)
            )
            for totals in (x, away)
        )
        left = math.log1p(-self.rate) if self.rate < 1 else -math.inf
        return np.logaddexp(math.log(self.rate) + present, left + absent)
