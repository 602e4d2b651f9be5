"""What a run costs, by references that share no code with the accountant.

The exact loss of every cell is rounded down to a grid, and the sum of all releases is taken by one transform; a single
release is summed without any grid. Gaussian noise alone is read off its closed form in 30 digits, many Poisson cohorts
off the optimistic distribution of dp-accounting.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.accounting.runs import Setting

mp = pytest.importorskip("mpmath")
other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

LONGEST = 1 << 19


def truth(setting: Setting, guess: float) -> tuple[float, float]:
    """(a lower bound on ε, what ε hardly exceeds: the same where it is close, ∞ where nothing can be said)."""
    first = setting.releases[0]
    if len(setting.releases) == 1 and first.closed:
        true = closed_gaussian(math.sqrt(first.count) * first.closed, setting.delta)
        return true, true
    if len(setting.releases) == 1 and first.cohort:
        return by_google(*first.cohort, first.count, setting.delta, guess)
    pairs = [[(r.p, r.q, r.count) for r in setting.releases]]
    if any(r.other for r in setting.releases):
        pairs.append([(*(r.other or (r.p, r.q)), r.count) for r in setting.releases])
    ways = [way for one in pairs for way in (one, [(q, p, n) for p, q, n in one])]
    bounds = [summed(way, setting.delta, guess) for way in ways]
    low = max(e for e, _ in bounds)
    return low, low if all(close for _, close in bounds) else math.inf


def closed_gaussian(mu: float, delta: float) -> float:
    mp.mp.dps = 30
    root, low, high = mp.mpf(mu), mp.mpf(0), mp.mpf(mu) ** 2 + 40 * mp.mpf(mu) + 1

    def gap(e: Any) -> Any:
        return mp.ncdf(root / 2 - e / root) - mp.e**e * mp.ncdf(-root / 2 - e / root) - delta

    if gap(low) <= 0:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return float(low)


def by_google(sigma: float, rate: float, count: int, delta: float, guess: float) -> tuple[float, float]:
    """dp-accounting's optimistic and pessimistic ε."""
    step = float(np.clip(guess / 3000, 1e-5, 0.05))
    low, high = (
        other.from_gaussian_mechanism(
            sigma, value_discretization_interval=step, sampling_prob=rate, log_mass_truncation_bound=-50,
            pessimistic_estimate=side, use_connect_dots=side,
        ).self_compose(count).get_epsilon_for_delta(delta)
        for side in (False, True)
    )  # fmt: skip
    return float(low), float(high)


def summed(parts: list, delta: float, guess: float) -> tuple[float, bool]:
    count = sum(n for *_, n in parts)
    if count == 1:
        ((p, q, _),) = parts
        return single(p, q, delta), True
    losses = [(np.exp(p[used]), (p - q)[used], n) for p, q, n in parts for used in [_but(p, 1e-4 * delta / count)]]
    span = sum(n * np.ptp(l[np.isfinite(l)]) for _, l, n in losses if np.isfinite(l).any())
    step = max(guess * 5e-4 / count, span / LONGEST, 1e-9)
    size = 1 << math.ceil(math.log2(span / step + 2 * count + 2))
    spectrum, start, certain = np.ones(size // 2 + 1, complex), 0, 0.0
    for p, l, n in losses:
        sure = np.isinf(l)
        certain = 1 - (1 - certain) * (1 - p[sure].sum()) ** n
        if not (~sure).any():
            return (math.inf if certain > delta else 0.0), True
        place = np.floor(l[~sure] / step).astype(np.int64)
        start += n * int(place.min())
        spectrum *= np.fft.rfft(np.bincount(place - place.min(), p[~sure], size)) ** n
    masses = np.maximum(np.fft.irfft(spectrum, size), 0.0)
    grid = step * (start + np.arange(size))
    used = masses > 1e-16
    low = from_losses(grid[used], masses[used], certain, delta)
    return low, count * step < 2e-3 * guess


def _but(p: np.ndarray, share: float) -> np.ndarray:
    """All cells but the rarest, which have `share` of the mass together."""
    order = np.argsort(p)
    return np.sort(order[np.cumsum(np.exp(p[order])) > share])


def single(p: np.ndarray, q: np.ndarray, delta: float) -> float:
    can = np.isfinite(p)
    losses, masses = (p - q)[can], np.exp(p[can])
    sure = np.isposinf(losses)
    return from_losses(losses[~sure], masses[~sure], float(masses[sure].sum()), delta)


def from_losses(losses: np.ndarray, masses: np.ndarray, certain: float, delta: float) -> float:
    def at(e: float) -> float:
        return certain + float((masses * -np.expm1(np.minimum(e - losses, 0.0))).sum())

    if certain > delta:
        return math.inf
    if at(0.0) <= delta:
        return 0.0
    low, high = 0.0, float(losses.max())
    while high - low > 1e-11 * (1 + high):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle) > delta else (low, middle)
    return low
