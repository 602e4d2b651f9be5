"""From counts to a certified lower bound on ε.

If a release is (ε, δ)-DP then for every event and every pair of neighbours TPR ≤ e^ε·FPR + δ. Counting how
often an event happens in both worlds therefore gives, with Clopper–Pearson limits at α/2 on each rate,

    ε ≥ ln((TPR_low − δ) / FPR_high)        with confidence 1 − α.

The event must be fixed before the counts are taken: see `events.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from recprivlib.protocols import Array

SHOWN = 0.05  # α of the bound that readers see
DECIDES = 1e-6  # α of the bound that verdicts and invariants use


def lower_limit(hits: int, trials: int, alpha: float) -> float:
    """One-sided Clopper–Pearson: the rate exceeds this with confidence 1 − alpha."""
    return float(lower_limits(np.array(hits), trials, alpha))


def upper_limit(hits: int, trials: int, alpha: float) -> float:
    """One-sided Clopper–Pearson: the rate is below this with confidence 1 − alpha."""
    return float(upper_limits(np.array(hits), trials, alpha))


def lower_limits(hits: Array, trials: int, alpha: float) -> Array:
    """The same of many counts."""
    return np.where(hits > 0, betaincinv(np.maximum(hits, 1), trials - hits + 1, alpha), 0.0)


def upper_limits(hits: Array, trials: int, alpha: float) -> Array:
    """The same of many counts."""
    return np.where(hits < trials, betaincinv(hits + 1, np.maximum(trials - hits, 1), 1 - alpha), 1.0)


def epsilon_lower(true: int, false: int, trials: int, delta: float = 0.0, alpha: float = SHOWN) -> float:
    """The ε that counts of one event certify, by Clopper–Pearson limits at α/2 on each rate.

    Parameters
    ----------
    true, false
        How often the event happened in world 1 and in world 0, from 0 to `trials`. The event must have been fixed
        before these runs were made.
    trials
        Runs of each world.
    delta
        δ of the guarantee that is tested, from 0 to 1.
    alpha
        The chance that the bound is wrong: 0.05 for what is shown, 1e-6 for what decides.

    Returns
    -------
    float
        A lower bound on ε, with confidence 1 − α; 0 where the counts show nothing.

    Examples
    --------
    >>> round(epsilon_lower(740, 260, 1000), 2), epsilon_lower(500, 500, 1000)  # the truth is ln 3, and 0
    (0.9, 0.0)
    """
    return epsilons_lower(np.array([true]), np.array([false]), trials, delta, alpha)[0]


def epsilons_lower(true: Array, false: Array, trials: int, delta: float, alpha: float) -> list[float]:
    """The same for many events."""
    gains, upper = lower_limits(true, trials, alpha / 2) - delta, upper_limits(false, trials, alpha / 2)
    pairs = zip(gains.tolist(), upper.tolist(), strict=True)
    return [max(0.0, math.log(gain / rate)) if gain > 0 else 0.0 for gain, rate in pairs]


def ceiling(trials: int, delta: float = 0.0, alpha: float = SHOWN) -> float:
    """The most that `trials` certifying runs of either world could ever show: a perfect event, ≈ ln(n/ln(2/α))."""
    return epsilon_lower(trials, 0, trials, delta, alpha)


@dataclass(frozen=True)
class Missed:
    """In how many of so many runs of world 1 the later answers said less than the trials take them to say."""

    failed: int = 0
    pilots: int = 0

    @property
    def high(self) -> bool:
        """Whether events that speak for world 1 alone are certified: nobody has looked at world 0."""
        return self.pilots > 0

    def share(self, alpha: float) -> float:
        """β, with confidence 1 − α; 0 where nothing was taken for granted."""
        return upper_limit(self.failed, self.pilots, alpha) if self.pilots else 0.0


ALL = Missed()


@dataclass(frozen=True)
class Rung:
    """A point of a bound that climbs with trials; `epsilon` holds for all rungs together."""

    trials: int
    epsilon: float
    ceiling: float
