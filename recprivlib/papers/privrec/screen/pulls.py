"""What a round of privrec weighs: how far phones pull, where the clipping bound goes, what all rounds cost.

recorded   lengths of updates, round by round, from a short run without noise
path       the clipping bound among such lengths, with the count's own noise
pull       mean of the clipped updates of M phones, in units of the bound
bills      ε against rounds by four accountants
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recprivlib.accounting import guarantee, rdp
from recprivlib.accounting.curves import over_counts
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.renyi import fixed_size_gaussian
from recprivlib.dashboard.folds import fold
from recprivlib.dashboard.memory import MEMORY, Growing
from recprivlib.data import Dataset
from recprivlib.evaluation import stream
from recprivlib.papers.privrec.claim import ORDERS
from recprivlib.papers.privrec.meta import reptile
from recprivlib.papers.privrec.phones import Practice
from recprivlib.papers.privrec.system import LEAST, MOST, DPPrivRec
from recprivlib.papers.privrec.training import Start
from recprivlib.protocols import Array, Sizes

LISTENED, HEARD = 40, 30  # rounds and phones of a recording
ROUNDS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
DELTAS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Updates of a short run without noise."""

    weights: int  # d
    people: int  # who could be drawn
    norms: Array  # (rounds so far, HEARD), each round's in rising order
    agreement: float  # squared cosine between the updates of two phones, on average


def recorded(source: Dataset, size: str, seed: int) -> Iterator[tuple[float, Recorded]]:
    """One recording for all who ask; while it is made, what has been heard so far."""
    key = ("privrec recorded", source.checksum, size, seed)
    heard = MEMORY.known(key)
    if heard is None:
        growing = MEMORY.get(("growing", *key), lambda: Growing(_listened(source, size, seed)))
        for heard in growing.follow():
            if len(heard.norms) < LISTENED:
                yield len(heard.norms) / LISTENED, heard
        MEMORY.get(key, lambda: heard, growing.seconds)
    yield 1.0, heard


def _listened(source: Dataset, size: str, seed: int) -> Iterator[Recorded]:
    """The recording after each round."""
    train = fold(source, "user-split", seed).train
    system = DPPrivRec(size=size, local_epochs=5, cohort=min(HEARD, train.n_users))
    start, rng = Start.of(system, train, stream(seed, "fit")), stream(seed, "fit", 1)
    practice, theta = Practice(5, system.learning_rate, system.proximal), start.theta
    norms, agreement = np.empty((LISTENED, system.cohort)), []
    for turn in range(LISTENED):
        members = np.sort(rng.choice(train.n_users, system.cohort, replace=False))
        updates = reptile(start.network, theta, start.phones, members, practice)
        theta = theta + updates.mean(axis=0)
        length = np.linalg.norm(updates, axis=1)
        norms[turn] = np.sort(length)
        unit = updates / np.maximum(length[:, None], 1e-12)
        m = len(unit)
        agreement.append((float(np.linalg.norm(unit.sum(axis=0)) ** 2) - m) / (m * (m - 1)))
        yield Recorded(len(theta), train.n_users, norms[: turn + 1], max(float(np.mean(agreement)), 0.0))


def path(system: DPPrivRec, heard: Recorded, seed: int) -> tuple[Array, Array]:
    """(S, the true γ-quantile) before every round, if updates stay as long as in the recording's later rounds."""
    rng, rounds = np.random.default_rng(seed), system.rounds
    shaken = rng.standard_normal(rounds)
    shaken *= 2 * system.noise_multiplier / (system.cohort * math.sqrt(system.balance)) if system.balance else 0.0
    bounds = np.empty(rounds)
    wanted = np.quantile(heard.norms, system.unclipped_quantile, axis=1)
    bound, last, phones = system.clip_init, len(heard.norms) - 1, heard.norms.shape[1]
    for turn in range(rounds):
        bounds[turn] = bound
        if not system.balance:
            continue
        share = np.searchsorted(heard.norms[min(turn, last)], bound, side="right") / phones
        told = 1.0 if system.order == "printed" else rng.binomial(system.cohort, share) / system.cohort
        step = system.clip_rate * (told + shaken[turn] - system.unclipped_quantile)
        bound = bound * math.exp(-step) if system.rule == "geometric" else bound - step
        bound = min(max(bound, LEAST), MOST)
    return bounds, wanted[np.minimum(np.arange(rounds), last)]


def pull(heard: Recorded, bound: float, cohorts: Array) -> Array:
    """How long the mean of so many clipped updates is, over the bound."""
    mean = float(np.minimum(heard.norms[-1], bound).mean()) / bound
    return mean * np.sqrt(heard.agreement + (1 - heard.agreement) / cohorts)


def ratio(system: DPPrivRec, weights: int, cohorts: Any) -> Any:
    """(2z/M)·√(d/(1−h)): the length of the noise on a round's mean, over the bound. The bound is not in it."""
    return 2 * system.noise_multiplier / cohorts * math.sqrt(weights / (1 - system.balance))


def bills(system: DPPrivRec, people: int, delta: float, counts: Sequence[int]) -> dict[str, tuple[float, ...]]:
    """ε after so many rounds, replace: as printed, by Rényi divergences, tight, and on Poisson cohorts."""

    def make() -> dict[str, tuple[float, ...]]:
        rate = system.cohort / people
        each = fixed_size_gaussian(ORDERS, 1 / system.noise_multiplier, rate)
        fixed, poisson = (system.event(people, sampling=kind).loss() for kind in ("fixed-size", "poisson"))
        one = pair(fixed, "replace")
        smooth = rdp.divergence([(one, 1)]) if one else 0 * ORDERS
        return {
            "printed": tuple(rdp.classic(ORDERS, n * system.cohort * each, delta) for n in counts),
            "Rényi": tuple(rdp.converted(rdp.ORDERS, n * smooth, delta) for n in counts),
            "tight": tuple(over_counts(fixed, counts, "replace", delta).tolist()),
            "Poisson": tuple(over_counts(poisson, counts, "replace", delta).tolist()),
        }

    return MEMORY.get(("privrec bills", _noise(system), people, delta, tuple(counts)), make)


TIGHT, BEST = "tight", "best proved"


def proved(system: DPPrivRec, people: int, delta: float) -> dict[str, str]:
    """Of the two best bills whether the accountant knows that less would not hold; else each is the best proved."""

    def word(kind: Any) -> str:
        ledger = replace(system, sampling=kind).ledger(Sizes(people, 1))
        return BEST if guarantee(ledger, "user", "replace", delta, "model").bound else TIGHT

    def make() -> dict[str, str]:
        return {"tight": word("fixed-size"), "Poisson": word("poisson")}

    return MEMORY.get(("privrec proved", _noise(system), system.rounds, people, delta), make)


def _noise(system: DPPrivRec) -> DPPrivRec:
    """What of a system its bill depends on, for one round."""
    return replace(system, rounds=1, unclipped_quantile=0.5, clip_init=1.0, rule="geometric", order="before")
