"""Auditing one training run with many canaries (Steinke, Nasr & Jagielski 2023, Theorem 5.2).

Each of m canaries is put in or left out by its own fair coin; the auditor sees the one result and guesses for as
many canaries as it likes. If the training is (ε, δ)-DP for one canary, the number of right guesses is hardly
larger than a binomial with e^ε/(1+e^ε), so many right guesses certify a large ε.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtrc, gammaln


def _log_pmf(k: np.ndarray, n: int, p: float) -> np.ndarray:
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """How likely so many right guesses are if the training were (ε, δ)-DP."""
    truth = 1 / (1 + math.exp(-epsilon))
    tail = 1.0 if right == 0 else float(bdtrc(right - 1, guesses, truth))
    if delta == 0 or right == 0:
        return min(1.0, tail)
    steps = np.arange(1, right + 1)
    mass = np.cumsum(np.exp(_log_pmf(right - steps, guesses, truth)))
    return min(1.0, tail + 2 * canaries * delta * float(np.max(mass / steps)))


def epsilon_one_run(canaries: int, guesses: int, right: int, delta: float = 0.0, alpha: float = 0.05) -> float:
    """The largest ε that these guesses refute at level `alpha` (0 if none), by bisection to 1e-6."""
    low, high = 0.0, 30.0
    if p_value(canaries, guesses, right, low, delta) > alpha:
        return 0.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(canaries, guesses, right, middle, delta) <= alpha else (low, middle)
    return low


def best_guesses(scores: np.ndarray, inside: np.ndarray, share: float) -> tuple[int, int]:
    """(guesses, right) when "in" is guessed for the top and "out" for the bottom `share`/2 of the canaries.

    `share` must be fixed before the run: choosing it after seeing the scores would spend confidence.
    """
    each = max(1, int(len(scores) * share / 2))
    order = np.argsort(scores, kind="stable")
    right = int(inside[order[-each:]].sum() + (~inside[order[:each]]).sum())
    return 2 * each, right
