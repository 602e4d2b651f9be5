"""Privacy loss distributions on a grid, composed by FFT. Every step rounds up, so every ε is an upper bound.

    L = ln P(y)/Q(y), y ~ P            losses of independent releases add up
    δ(ε) = E (1 − e^(ε−L))₊            + the mass of infinite losses

A pair enters by its profile ("connect the dots", Doroshenko et al. 2022): between the points aᵢ = e^(i·step) the
profile is replaced by its chord. A chord lies above a convex function, so the discrete pair dominates. It adds
about step²/12 to the mean and step²/6 to the variance of a loss, and nothing where losses lie on the grid;
`grid_step` keeps what this adds to ε below `ROUNDING`, relatively. Cut tails, wrap-around and floating-point
noise are bounded and taken off δ before ε is solved for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from recprivlib.accounting.pairs import Curve, Pair
from recprivlib.protocols import Array

ROUNDING = 5e-4  # of ε: what the grid may add
TAIL = 1e-4  # of δ: what a cut tail may add
WRAPPED = 1e-7  # of the tilted losses: more may not wrap around
NOISE = 1e-3  # of δ: more than that of floating-point noise calls for a tilt
SLOPES = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0, 1.3, 1.8])  # of Chernoff's bound, over the normal's
FINEST = 1 << 13  # grid points that cost next to nothing
LARGEST = 1 << 19  # grid points; a run that would need more is counted on a coarser grid, still from above


@dataclass(frozen=True, eq=False)
class Losses:
    """P-masses of the losses (low + i)·step, and the mass of an infinite one."""

    step: float
    low: int
    masses: Array
    infinite: float

    @property
    def grid(self) -> Array:
        return self.step * (self.low + np.arange(len(self.masses)))

    def delta(self, epsilon: float) -> float:
        """δ at `epsilon`."""
        gap = epsilon - self.grid
        return self.infinite + float(self.masses @ -np.expm1(np.minimum(gap, 0.0)))

    def epsilon(self, delta: float) -> float:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`, by Newton's method on a convex, piecewise linear function of e^ε."""
        if self.infinite >= delta:
            return math.inf
        target = delta - self.infinite
        above = np.cumsum(self.masses[::-1])[::-1]
        if above[0] <= target or self.delta(0.0) <= delta:
            return 0.0
        grid = self.grid
        # P(L > ε + ln 2) ≥ 2·target implies δ(ε) ≥ target: start below the answer, so that Newton climbs.
        reach = np.flatnonzero(above >= 2 * target)
        epsilon = max(0.0, float(grid[reach[-1]]) - math.log(2) if len(reach) else 0.0)
        for _ in range(200):
            first = int(np.searchsorted(grid, epsilon, side="right"))
            if first == len(grid) or above[first] <= target:
                break
            inside = float(self.masses[first:] @ np.exp(epsilon - grid[first:]))
            step = math.log((above[first] - target) / inside)
            epsilon += max(step, 0.0)
            if step <= 1e-12 * max(epsilon, 1.0):
                break
        return epsilon


def discretised(profile: Curve, reverse: Curve, step: float, tail: float, largest: float = math.inf) -> Losses:
    """The loss distribution of P against Q on the grid, its tail of at most `tail` counted as infinite."""
    top = _top(profile, step, tail, largest)
    above, infinite = _side(profile(step * np.arange(top + 1)), step)
    if reverse is profile:
        below = above
    else:
        top = _top(reverse, step, tail, largest)
        below, _ = _side(reverse(step * np.arange(top + 1)), step)
    # P(L = −e) = e^−e · Q(L′ = e), L′ the loss of Q against P.
    below = (below * np.exp(-step * np.arange(1, len(below) + 1)))[::-1]
    rest = max(1.0 - infinite - math.fsum(above) - math.fsum(below), 0.0)
    masses = np.concatenate([below, [rest], above])
    used = np.flatnonzero(masses)
    return Losses(step, int(used[0]) - len(below), masses[used[0] : used[-1] + 1], infinite)


def _top(profile: Curve, step: float, tail: float, largest: float) -> int:
    """The number of grid steps after which at most `tail` of the profile is left, or which reach the largest loss."""
    if math.isfinite(largest):
        return max(1, math.ceil(largest / step - 1e-9))
    low, high = 0.0, 1.0
    while profile(np.array([high]))[0] > tail and high < 600:
        low, high = high, 2 * high
    if profile(np.array([high]))[0] > tail:
        return math.ceil(high / step)
    while high - low > 0.05 * high and high > step:
        ladder = np.linspace(low, high, 33)[1:]
        rung = int(np.argmax(profile(ladder) <= tail))
        low, high = ladder[rung] - (ladder[1] - ladder[0]), ladder[rung]
    return max(1, math.ceil(high / step))


def _side(h: Array, step: float) -> tuple[Array, float]:
    """P-masses at i·step, i = 1 … n, of the pair whose profile joins the points h₀ … hₙ; and what is left beyond.

    Slopes in a = e^ε change at the points; Qᵢ is the change, Pᵢ = aᵢQᵢ.
    """
    drops = h[:-1] - h[1:]
    masses = drops / -math.expm1(-step)
    masses[:-1] -= drops[1:] / math.expm1(step)
    return np.maximum(masses, 0.0), float(h[-1])


def grid_step(parts: Sequence[tuple[Pair, int]]) -> float:
    """A step that adds at most `ROUNDING` to ε, from the mean m and deviation s of the composed loss.

    ε ≈ m + 5s; a step h adds T·h²/12 to m and T·h²/(12s) to s. A run with few releases gets a finer grid, since
    ε may then lie near the largest loss there is, where a step adds more. Where all losses are whole multiples of
    one ε, that ε is the step and nothing is added.
    """
    lattices = {pair.lattice for pair, _ in parts}
    if len(lattices) == 1 and 0.0 not in lattices:
        return lattices.pop()
    mean = sum(count * pair.mean for pair, count in parts)
    deviation = math.sqrt(sum(count * pair.variance for pair, count in parts))
    count = sum(count for _, count in parts)
    step = math.sqrt(12 * ROUNDING * (mean + 5 * deviation) / (count * (1 + 5 / deviation)))
    step = max(min(step, (mean + 16 * deviation) / FINEST), 20 * deviation / LARGEST)
    largest = max((pair.largest for pair, _ in parts if math.isfinite(pair.largest)), default=0.0)
    return largest / math.ceil(largest / step) if largest > step else step  # the largest loss on the grid


def composed(parts: Sequence[tuple[Losses, int]], delta: float) -> Losses:
    """The sum of independent losses on one grid, each `count` times, to be read near δ(ε) = `delta`.

    For a small δ masses are tilted by e^(θL) before they are transformed, so that floating-point noise is relative
    to what is left at `delta` and not to 1. Far below that ε the noise is then large: read nothing there.
    """
    infinite = -math.expm1(math.fsum(times * math.log1p(-losses.infinite) for losses, times in parts))
    step = parts[0][0].step
    if infinite >= delta:
        return Losses(step, 0, np.zeros(1), infinite)
    low, high, cut, slope, cumulants = _window(parts, delta)
    size = next_fast_len(high - low + 1, real=True)
    spectrum: Array | float = 1.0
    noise, count = 0.0, 0
    for (losses, times), cumulant in zip(parts, cumulants, strict=True):
        ring = np.zeros(size)
        tilted = losses.masses * np.exp(slope * losses.grid - cumulant)
        np.add.at(ring, (losses.low + np.arange(len(tilted))) % size, tilted)
        noise = max(noise, math.sqrt(float(ring @ ring)))
        spectrum = spectrum * _power(rfft(ring), times)
        count += times
    masses = np.maximum(np.roll(irfft(spectrum, size), -low % size), 0.0)
    total = sum(times * cumulant for (_, times), cumulant in zip(parts, cumulants, strict=True))
    masses *= np.exp(np.minimum(total - slope * step * np.arange(low, low + size), 700.0))
    found = Losses(step, low, masses, infinite + cut)
    # A transform errs by u·log₂N·‖p‖ an entry, a product by 3u of itself; powers multiply both by `count`.
    rounding = 2.2e-16 * count * (math.log2(size) * noise + 3) * 2 * float(np.abs(spectrum).sum())
    rounding *= math.exp(min(total - slope * found.epsilon(delta), 700.0))
    return replace(found, infinite=found.infinite + rounding)


def _power(x: Array, n: int) -> Array:
    """xⁿ, n ≥ 1, by squaring: faster than NumPy's complex power."""
    if n == 1:
        return x
    half = _power(x * x, n // 2)
    return half * x if n & 1 else half


def _window(parts: Sequence[tuple[Losses, int]], delta: float) -> tuple[int, int, float, float, list[float]]:
    """Chernoff's bound on the composed loss: (first and last grid index, mass beyond, tilt θ, ln E e^(θL) by part).

    At most `TAIL`·δ lies beyond either index, and at most `WRAPPED` of the tilted mass.
    """
    step, count = parts[0][0].step, sum(times for _, times in parts)
    least = sum(times * losses.low for losses, times in parts)
    most = sum(times * (losses.low + len(losses.masses) - 1) for losses, times in parts)
    deviation = math.sqrt(sum(times * _variance(losses) for losses, times in parts))
    room = -math.log(TAIL * delta)
    slopes = math.sqrt(2 * room) / max(deviation, step) * SLOPES
    each = [_cumulant(losses, slopes) for losses, _ in parts]
    up = np.sum([times * cumulant for (_, times), cumulant in zip(parts, each, strict=True)], axis=0)
    down = np.sum([times * _cumulant(losses, -slopes) for losses, times in parts], axis=0)
    high, low = float(np.min((up + room) / slopes)), float(np.max((down + room) / -slopes))
    tilt = _tilt(slopes, up, count, delta)
    if tilt is not None:
        # What wraps around is read too low down, where a tilted mass has a large weight.
        beyond = slice(tilt + 1, None)
        needed = float(np.min((up[beyond] - up[tilt] - math.log(WRAPPED)) / (slopes[beyond] - slopes[tilt])))
        high, tilt = (max(high, needed), tilt) if needed - low < LARGEST * step else (high, None)
    last, first = math.ceil(high / step) + 1, math.floor(low / step) - 1
    cut = 0.0 if last >= most else TAIL * delta
    cumulants = [0.0 if tilt is None else float(cumulant[tilt]) for cumulant in each]
    return max(least, first), min(most, last), cut, 0.0 if tilt is None else float(slopes[tilt]), cumulants


def _tilt(slopes: Array, cumulant: Array, count: int, delta: float) -> int | None:
    """The first slope at which rounding is expected to stay small beside δ; None: it is without any tilt."""
    expected = 2e-14 * count / delta
    if expected < NOISE:
        return None
    bound = (cumulant - math.log(delta)) / slopes
    best = int(np.argmin(bound[:-2]))
    epsilon = max(0.0, bound[best] - 4.0 / slopes[best])
    small = np.flatnonzero(cumulant - slopes * epsilon + math.log(expected) < math.log(NOISE))
    return min(best, int(small[0])) if len(small) else best


def _variance(losses: Losses) -> float:
    mean = float(losses.masses @ losses.grid)
    return float(losses.masses @ (losses.grid - mean) ** 2)


def _cumulant(losses: Losses, slopes: Array) -> Array:
    """ln E e^(λL) of the finite losses, at slopes λ of one sign."""
    grid = losses.grid
    edge = grid[-1] if slopes[0] > 0 else grid[0]
    return slopes * edge + np.log(np.exp(slopes[:, None] * (grid - edge)) @ losses.masses)


# ------------------------------------------------------------------------- from pairs to ε in one call


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """ε of the composition of `parts` (pair, count) at `delta`: the worse of the two directions."""
    forward = _direction(parts, delta, reverse=False)
    if all(pair.symmetric for pair, _ in parts):
        return forward
    return max(forward, _direction(parts, delta, reverse=True))


def _direction(parts: Sequence[tuple[Pair, int]], delta: float, reverse: bool) -> float:
    step, total = grid_step(parts), sum(count for _, count in parts)
    losses = [(_cached(pair, step, _tail(delta, total), reverse), count) for pair, count in parts]
    return composed(losses, delta).epsilon(delta)


def _tail(delta: float, count: int) -> float:
    """What one release may leave beyond the grid; rounded, so that neighbouring questions share a distribution."""
    return 10.0 ** math.floor(math.log10(TAIL * delta / count))


@lru_cache(maxsize=64)
def _cached(pair: Pair, step: float, tail: float, reverse: bool) -> Losses:
    curves = (pair.reverse, pair.profile) if reverse else (pair.profile, pair.reverse)
    return discretised(*curves, step, tail, pair.largest)
