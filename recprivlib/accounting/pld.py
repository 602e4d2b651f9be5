"""Composition of privacy loss distributions by FFT. Every step rounds up, so every ε is an upper bound.

Losses of independent releases add up, so their distributions are convolved. Cut tails, wrap-around and
floating-point noise are bounded and taken off δ before ε is solved for; for a tiny δ the masses are tilted first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.fft import irfft, rfft

from recprivlib.accounting.grid import LARGEST, Losses, discretised, grid_step
from recprivlib.accounting.pairs import Curve, Pair
from recprivlib.protocols import Array

TAIL = 1e-4  # of δ: what a cut tail may add
WRAPPED = 1e-7  # of the tilted losses: more may not wrap around
NOISE = 1e-3  # of δ: more than that of floating-point noise calls for a tilt
SLOPES = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64])  # of Chernoff's bound, in 1/32 of the normal's best
NEGLIGIBLE = 1e-40  # of a spectrum


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """ε of the composition of `parts` (pair, count) at `delta`: the worse of the two directions."""
    forward = composed(_losses(parts, delta), delta).epsilon(delta)
    if all(pair.symmetric for pair, _ in parts):
        return forward
    backward = _losses(parts, delta, reverse=True)
    return forward if _within(backward, forward, delta) else max(forward, composed(backward, delta).epsilon(delta))


def _losses(parts: Sequence[tuple[Pair, int]], delta: float, reverse: bool = False) -> list[tuple[Losses, int]]:
    step, tail = grid_step(parts), _tail(delta, sum(count for _, count in parts))
    return [(discretised(*_curves(pair, reverse), step, tail, pair.largest), count) for pair, count in parts]


def _within(parts: Sequence[tuple[Losses, int]], epsilon: float, delta: float) -> bool:
    """Whether a moment proves δ(ε) ≤ `delta`: (1 − e^−x)₊ ≤ e^(λx)·λ^λ/(1+λ)^(1+λ). Nearly all reverses pass."""
    unit = _unit(parts, -math.log(delta))
    slopes = unit * SLOPES
    total = np.sum([times * _cumulants(losses, unit) for losses, times in parts], axis=0)
    bound = total - slopes * epsilon + slopes * np.log(slopes) - (1 + slopes) * np.log1p(slopes)
    infinite = sum(times * losses.infinite for losses, times in parts)
    return infinite + math.exp(min(float(np.min(bound)), 0.0)) <= delta


def _curves(pair: Pair, reverse: bool) -> tuple[Curve, Curve]:
    return (pair.reverse, pair.profile) if reverse else (pair.profile, pair.reverse)


def _tail(delta: float, count: int) -> float:
    """What one release may leave beyond the grid; rounded, so that neighbouring questions share a distribution."""
    return 10.0 ** math.floor(math.log10(TAIL * delta / count))


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
    size = _fast_length(high - low + 1)
    spectrum: Array | float = 1.0
    noise, count = 0.0, 0
    for (losses, times), cumulant in zip(parts, cumulants, strict=True):
        ring = np.zeros(size)
        tilted = losses.masses * np.exp(slope * losses.grid - cumulant) if slope else losses.masses
        np.add.at(ring, (losses.low + np.arange(len(tilted))) % size, tilted)
        noise = max(noise, math.sqrt(float(ring @ ring)))
        spectrum = spectrum * _powers(rfft(ring), times)
        count += times
    masses = np.maximum(np.roll(irfft(spectrum, size), -low % size), 0.0)
    total = sum(times * cumulant for (_, times), cumulant in zip(parts, cumulants, strict=True))
    # A transform errs by u·log₂N·‖p‖ an entry, a product by 3u of itself; powers multiply both by `count`.
    energy = 2 * float(np.abs(spectrum).sum())
    rounding = 2.2e-16 * count * (math.log2(size) * noise + 3) * energy + len(parts) * size * NEGLIGIBLE
    if slope:
        masses *= np.exp(np.minimum(total - slope * step * np.arange(low, low + size), 700.0))
        epsilon = Losses(step, low, masses, infinite + cut).epsilon(delta)
        rounding *= math.exp(min(total - slope * epsilon, 700.0))
    return Losses(step, low, masses, infinite + cut + rounding)


def _fast_length(n: int) -> int:
    """The smallest 2^a·3^b·5^c that is at least n: transforms of such a length are fast."""
    odd = [3**b * 5**c for b in range(7) for c in range(5)]
    return min(m << max(0, (-(-n // m) - 1).bit_length()) for m in odd)


def _powers(x: Array, n: int) -> Array:
    """xⁿ where it is above `NEGLIGIBLE`, which is at few frequencies if n is large, and 0 elsewhere."""
    if n == 1:
        return x
    powers, used = np.zeros_like(x), np.abs(x) > NEGLIGIBLE ** (1 / n)
    powers[used] = _power(x[used], n)
    return powers


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
    room = -math.log(TAIL * delta)
    unit = _unit(parts, room)
    slopes = unit * SLOPES
    each = [_cumulants(losses, unit) for losses, _ in parts]
    up = np.sum([times * cumulant for (_, times), cumulant in zip(parts, each, strict=True)], axis=0)
    down = np.sum([times * _cumulants(losses, -unit) for losses, times in parts], axis=0)
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


def _unit(parts: Sequence[tuple[Losses, int]], room: float) -> float:
    """1/32 of the slope that would be best for `room` if the composed loss were normal."""
    variance = sum(times * _variance(losses) for losses, times in parts)
    return math.sqrt(2 * room) / max(math.sqrt(variance), parts[0][0].step) / 32


def _variance(losses: Losses) -> float:
    mean = float(losses.masses @ losses.grid)
    return float(losses.masses @ (losses.grid - mean) ** 2)


def _cumulants(losses: Losses, unit: float) -> Array:
    """ln E e^(λL) of the finite losses at λ = unit·`SLOPES`, from one exponential and its products."""
    grid = losses.grid
    edge = grid[-1] if unit > 0 else grid[0]
    powers = {1: np.exp(unit * (grid - edge))}
    for n in SLOPES[1:].tolist():
        half = n // 2 if n // 2 in powers else n // 3
        powers[n] = powers[half] * powers[n - half]
    return unit * SLOPES * edge + np.log([float(powers[n] @ losses.masses) for n in SLOPES.tolist()])
