"""Choose one event on the first half of the trials, certify it on the second.

An attacker's statistic is one number a trial; large values speak for world 1. Events are {statistic ≥ t} with
world 1 as the hit, or {statistic ≤ t} with world 0 as the hit. Choosing and certifying on different halves is
what makes the bound valid, whatever the statistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recprivlib.auditing.bounds import ALL, SHOWN, Missed, epsilon_lower, epsilons_lower

CANDIDATES = 200  # thresholds tried on the first half


@dataclass(frozen=True)
class Event:
    """{statistic ≥ threshold} if `side` is "high", {statistic ≤ threshold} if "low"."""

    threshold: float
    side: Literal["high", "low"]

    def counts(self, worlds: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
        """How often it happens in the world it speaks for, and in the other."""
        if self.side == "high":
            zero, one = (int(np.count_nonzero(world >= self.threshold)) for world in worlds)
            return one, zero
        zero, one = (int(np.count_nonzero(world <= self.threshold)) for world in worlds)
        return zero, one


def halves(worlds: tuple[np.ndarray, np.ndarray]) -> tuple[tuple, tuple]:
    """The trials that choose the event, and those that certify it."""
    middle = len(worlds[0]) // 2
    return tuple(w[:middle] for w in worlds), tuple(w[middle : 2 * middle] for w in worlds)


def choose(worlds: tuple[np.ndarray, np.ndarray], delta: float, alpha: float = SHOWN) -> Event:
    """The event whose certified ε is largest on these trials (ties: the more frequent one)."""
    return chosen(ordered(worlds), len(worlds[0]), delta, alpha)


def ordered(worlds: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Both worlds' statistics, sorted; what is not a number is in no event."""
    zero, one = (np.sort(world) for world in worlds)
    return zero[: np.searchsorted(zero, np.nan)], one[: np.searchsorted(one, np.nan)]


def distinct(sides: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The values that occur in either of two sorted arrays; only those that differ are sorted again."""
    return np.unique(np.concatenate([side[np.append(True, side[1:] != side[:-1])[: len(side)]] for side in sides]))


def chosen(sides: tuple[np.ndarray, np.ndarray], trials: int, delta: float, alpha: float, high: bool = False) -> Event:
    """The best event of statistics that are `ordered` already: another α needs no other order. `high`: of that side."""
    cuts = cuts_of(sides)
    if not len(cuts):
        return Event(np.inf, "high")
    hits, misses = sides_of(sides, cuts)
    worth = epsilons_lower(hits, misses, trials, delta, alpha)
    best = max(range(0, len(hits), 1 + high), key=lambda at: (worth[at], hits[at]))
    return Event(float(cuts[best // 2]), "low" if best % 2 else "high")


def cuts_of(sides: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """The thresholds that are tried."""
    cuts = distinct(sides)
    if len(cuts) > CANDIDATES:
        cuts = np.unique(np.concatenate([cuts[:20], np.quantile(cuts, _LEVELS, method="lower"), cuts[-20:]]))
    return cuts


def sides_of(sides: tuple[np.ndarray, np.ndarray], cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How often {statistic ≥ cut}, then {statistic ≤ cut}, of each cut in turn, happens in either world."""
    above = [len(side) - np.searchsorted(side, cuts, side="left") for side in sides]
    below = [np.searchsorted(side, cuts, side="right") for side in sides]
    hits, misses = (np.stack(pair, axis=1).ravel() for pair in ((above[1], below[0]), (above[0], below[1])))
    return hits, misses


# dense at both ends, where a rare event can be nearly certain
_LEVELS = np.unique(np.concatenate([np.geomspace(1e-5, 0.5, 80), 1 - np.geomspace(1e-5, 0.5, 80)]))


@dataclass(frozen=True)
class Certificate:
    """What the second half says about the chosen event."""

    event: Event
    hits: int
    misses: int
    trials: int
    delta: float
    missed: Missed = ALL

    def epsilon(self, alpha: float = SHOWN) -> float:
        """With confidence 1 − α; half of α goes to what later answers are taken to say, if anything is."""
        spent, delta = spending(self.missed, self.delta, alpha)
        return epsilon_lower(self.hits, self.misses, self.trials, delta, spent)

    @property
    def true_positive_rate(self) -> float:
        return self.hits / self.trials

    @property
    def false_positive_rate(self) -> float:
        return self.misses / self.trials


def certify(worlds: tuple[np.ndarray, np.ndarray], delta: float = 0.0, alpha: float = SHOWN) -> Certificate:
    """Choose on the first half at `alpha`, count on the second."""
    return certificates(worlds, delta, (alpha,))[0]


def certificates(
    worlds: tuple[np.ndarray, np.ndarray], delta: float, alphas: Sequence[float], missed: Missed = ALL
) -> tuple[Certificate, ...]:
    """The same at each of several α; `missed` of the runs show less than these trials (adaptive.py)."""
    first, second = halves(worlds)
    sides, trials = ordered(first), len(second[0])
    events = [chosen(sides, len(first[0]), spending(missed, delta, alpha)[1], alpha, missed.high) for alpha in alphas]
    return tuple(Certificate(event, *event.counts(second), trials, delta, missed) for event in events)


def spending(missed: Missed, delta: float, alpha: float) -> tuple[float, float]:
    """What of α is left for the counts, and what stands in the place of δ."""
    return (alpha / 2, delta + missed.share(alpha / 2)) if missed.pilots else (alpha, delta)


def roc(worlds: tuple[np.ndarray, np.ndarray], points: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """(false alarms, hits) of {statistic ≥ t} for falling t, at most `points` of them, from (0, 0) to (1, 1)."""
    zero, one = (np.sort(world) for world in worlds)
    cuts = distinct((zero, one))[::-1]
    if len(cuts) > points:
        cuts = cuts[np.linspace(0, len(cuts) - 1, points).astype(int)]
    false = 1 - np.searchsorted(zero, cuts, side="left") / len(zero)
    true = 1 - np.searchsorted(one, cuts, side="left") / len(one)
    return np.concatenate([[0.0], false, [1.0]]), np.concatenate([[0.0], true, [1.0]])


def auc(scores: np.ndarray, member: np.ndarray) -> float:
    """How often a member outranks a non-member, ties counting half: the attacker's AUC."""
    scores, member = np.ravel(scores), np.ravel(member).astype(bool)
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    members = int(member.sum())
    others = len(member) - members
    return float((ranks[member].sum() - members * (members + 1) / 2) / (members * others))
