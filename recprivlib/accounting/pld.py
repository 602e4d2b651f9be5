"""Composition of privacy loss distributions by FFT. Every step rounds up, so every ε is an upper bound.

Losses of independent releases add up, so their distributions are convolved. Cut tails, wrap-around and
floating-point noise are bounded and taken off δ before ε is solved for; for a tiny δ the masses are tilted first.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.fft import irfft, rfft

from recprivlib.accounting.dominating import Curve, Pair
from recprivlib.accounting.grid import LARGEST, ROUNDING, Losses, discretised, dot, grid_step, lattice
from recprivlib.protocols import Array

TAIL = 1e-4  # of δ: what a cut tail may add
WRAPPED = 1e-7  # of the tilted losses: more may not wrap around
NOISE = 1e-3  # of δ: more than that of floating-point noise calls for a tilt
SLOPES = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64])  # of Chernoff's bound, in 1/32 of the normal's best
NEGLIGIBLE = 1e-40  # of a spectrum
RUNGS = 48  # of the wide ladder of slopes
RETILTED = 4  # tilts that are tried
HUGE = 600.0  # ln of a weight that still can be added up
FINER = 6  # grids that are tried
FAST = sorted(2**a * 3**b * 5**c for a in range(41) for b in range(7) for c in range(5))  # lengths of a transform
SMALL = 1e-3  # an ε below which relative accuracy means nothing


def epsilon(parts: Sequence[tuple[Pair, int]], delta: float) -> float:
    """ε of the composition of `parts` (pair, count) at `delta`: the worse of the two directions."""
    forward, step = _one_way(parts, delta, grid_step(parts))
    if all(pair.symmetric for pair, _ in parts):
        return forward
    backward = _losses(parts, delta, step, reverse=True)
    known = math.isfinite(forward) and _infinite(backward) < delta
    if known and (_within(backward, forward, delta) or composed(backward, delta).delta(forward) <= delta):
        return forward
    return max(forward, _one_way(parts, delta, step, reverse=True)[0])


def _one_way(
    parts: Sequence[tuple[Pair, int]], delta: float, step: float, reverse: bool = False
) -> tuple[float, float]:
    """(ε, the step it was counted at) in one direction. Where losses are nothing like normal, a finer grid is needed.

    A step h adds T·h²(θ + θ²)/12 to ln E e^(θL), hence T·h²(1 + θ)/12 to ε at the slope θ that decides it.
    """
    spread = 0 if lattice(parts) else sum(count for _, count in parts)
    least = math.inf
    for _ in range(FINER):
        losses = _losses(parts, delta, step, reverse)
        if _infinite(losses) >= delta:
            if max(len(each.masses) for each, _ in losses) < LARGEST / 2:
                break
            step *= 8.0  # the grid ended before the losses did
            continue
        plan = _plan(losses, delta)
        least = min(least, composed(losses, delta, plan).epsilon(delta))
        added = spread * step**2 * (1 + float(plan.slopes[plan.best])) / 12
        allowed = ROUNDING * max(least if math.isfinite(least) else plan.bound, SMALL)
        if added <= 4 * allowed or plan.size * math.sqrt(added / allowed) > LARGEST:
            break
        step *= math.sqrt(allowed / added)
    return least, step


def _losses(
    parts: Sequence[tuple[Pair, int]], delta: float, step: float, reverse: bool = False
) -> list[tuple[Losses, int]]:
    tail = _tail(delta, sum(count for _, count in parts))
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


@dataclass(frozen=True, eq=False)
class Plan:
    """Chernoff's bound on a composed loss, and the ring that it is composed on."""

    low: int  # first and last index on the grid; at most `cut` lies beyond, and `WRAPPED` of the tilted mass
    high: int
    cut: float
    slope: float  # θ of the tilt; 0: none
    cumulants: tuple[float, ...]  # ln E e^(θL), by part
    unit: float  # of the slopes to the left
    slopes: Array  # those looked at
    each: tuple[Array, ...]  # ln E e^(λL) at them, by part
    best: int  # the one that proves the smallest ε,
    bound: float  # this one

    @property
    def size(self) -> int:
        return self.high - self.low + 1


def composed(parts: Sequence[tuple[Losses, int]], delta: float, plan: Plan | None = None) -> Losses:
    """The sum of independent losses on one grid, each `count` times, to be read near δ(ε) = `delta`.

    For a small δ masses are tilted by e^(θL) before they are transformed, so that floating-point noise is relative
    to what is left at `delta` and not to 1. Far below that ε the noise is then large: read nothing there.
    """
    infinite = _infinite(parts)
    step = parts[0][0].step
    if infinite >= delta:
        return Losses(step, 0, np.zeros(1), infinite)
    plan = plan or _plan(parts, delta)
    found, noise = _on_ring(parts, plan, infinite)
    if not plan.slope:
        return found
    for _ in range(RETILTED):
        epsilon = found.epsilon(delta)
        if not math.isfinite(epsilon) or noise(epsilon) <= NOISE * delta:
            break
        better = _planned(parts, delta, plan.unit, plan.slopes, plan.each, epsilon)[0]
        other, less = _on_ring(parts, better, infinite)
        if not other.epsilon(delta) < epsilon:
            break
        plan, found, noise = better, other, less
    return found


def _on_ring(
    parts: Sequence[tuple[Losses, int]], plan: Plan, infinite: float
) -> tuple[Losses, Callable[[float], float]]:
    """The composed losses by FFT, with all the floating-point noise that there may be; and what of it lies beyond ε."""
    slope, step, size = plan.slope, parts[0][0].step, _fast_length(plan.size)
    spectrum: Array | float = 1.0
    norm, count = 0.0, 0
    for (losses, times), cumulant in zip(parts, plan.cumulants, strict=True):
        tilted = losses.masses * np.exp(slope * losses.grid - cumulant) if slope else losses.masses
        ring = _wrapped(tilted, losses.low, size)
        norm = max(norm, math.sqrt(dot(ring, ring)))
        spectrum = spectrum * _powers(rfft(ring), times)
        count += times
    masses = np.maximum(np.roll(irfft(spectrum, size), -plan.low % size), 0.0)
    # A transform errs by u·log₂N·‖p‖ an entry, a product by 3u of itself; powers multiply both by `count`.
    each = 2.2e-16 * count * (math.log2(size) * norm + 3) * 2 * float(np.abs(spectrum).sum()) / size
    each += len(parts) * NEGLIGIBLE
    if not slope:
        return Losses(step, plan.low, masses + each, infinite + plan.cut), lambda _: each * size
    total = sum(times * cumulant for (_, times), cumulant in zip(parts, plan.cumulants, strict=True))
    weights = np.exp(np.minimum(total - slope * step * np.arange(plan.low, plan.low + size), HUGE))
    beyond = each / -math.expm1(-slope * step)
    return (
        Losses(step, plan.low, (masses + each) * weights, infinite + plan.cut),
        lambda epsilon: beyond * math.exp(min(total - slope * epsilon, HUGE)),
    )


def _wrapped(masses: Array, low: int, size: int) -> Array:
    """Masses from index `low` on, laid around a ring."""
    start = low % size
    turns = np.zeros((-(-(start + len(masses)) // size), size))
    turns.ravel()[start : start + len(masses)] = masses
    return np.asarray(turns.sum(axis=0))


def _infinite(parts: Sequence[tuple[Losses, int]]) -> float:
    """The chance that any loss of the run is infinite."""
    if any(losses.infinite >= 1 for losses, _ in parts):
        return 1.0
    return -math.expm1(math.fsum(times * math.log1p(-losses.infinite) for losses, times in parts))


def _fast_length(n: int) -> int:
    """The smallest 2^a·3^b·5^c that is at least n: transforms of such a length are fast."""
    return FAST[bisect_left(FAST, n)]


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


def _plan(parts: Sequence[tuple[Losses, int]], delta: float) -> Plan:
    """Slopes around the normal's best; where the best of all is not among them, from a wide ladder."""
    unit = _unit(parts, -math.log(TAIL * delta))
    slopes = unit * SLOPES
    plan, inside = _planned(parts, delta, unit, slopes, tuple(_cumulants(losses, unit) for losses, _ in parts))
    if inside:
        return plan
    slopes = _ladder(parts, delta)
    return _planned(parts, delta, unit, slopes, tuple(_cumulants_at(losses, slopes) for losses, _ in parts))[0]


def _planned(
    parts: Sequence[tuple[Losses, int]],
    delta: float,
    unit: float,
    slopes: Array,
    each: tuple[Array, ...],
    epsilon: float | None = None,
) -> tuple[Plan, bool]:
    """The plan that these slopes give, and whether the best one has others on both sides.

    The tilt makes the least of floating-point noise at `epsilon`, where that is known.
    """
    step, count = parts[0][0].step, sum(times for _, times in parts)
    least = sum(times * losses.low for losses, times in parts)
    most = sum(times * (losses.low + len(losses.masses) - 1) for losses, times in parts)
    room = -math.log(TAIL * delta)
    up = np.sum([times * cumulant for (_, times), cumulant in zip(parts, each, strict=True)], axis=0)
    down = np.sum([times * _cumulants(losses, -unit) for losses, times in parts], axis=0)
    high, low = float(np.min((up + room) / slopes)), float(np.max((down + room) / (-unit * SLOPES)))
    bound = (up - math.log(delta)) / slopes
    best = int(np.argmin(bound))
    tilt = _tilt(slopes, up, count, delta) if epsilon is None else int(np.argmin((up - slopes * epsilon)[:-2]))
    if tilt is not None:
        # What wraps around is read too low down, where a tilted mass has a large weight.
        beyond = slice(tilt + 1, None)
        needed = float(np.min((up[beyond] - up[tilt] - math.log(WRAPPED)) / (slopes[beyond] - slopes[tilt])))
        high, tilt = (max(high, needed), tilt) if needed - low < LARGEST * step else (high, None)
    last, first = math.ceil(min(high / step, most)) + 1, math.floor(max(low / step, least)) - 1
    cut = 0.0 if last >= most else TAIL * delta
    cumulants = tuple(0.0 if tilt is None else float(cumulant[tilt]) for cumulant in each)
    plan = Plan(
        max(least, first), min(most, last), cut, 0.0 if tilt is None else float(slopes[tilt]), cumulants,
        unit, slopes, each, best, max(float(bound[best]), 0.0),
    )  # fmt: skip
    return plan, 0 < best < len(slopes) - 2 and (tilt is not None or 2e-14 * count < NOISE * delta)


def _ladder(parts: Sequence[tuple[Losses, int]], delta: float) -> Array:
    """Slopes from where only the largest sums matter to where the grid itself does."""
    step = parts[0][0].step
    most = step * sum(times * max(losses.low + len(losses.masses) - 1, 1) for losses, times in parts)
    return np.geomspace(0.1 * -math.log(delta) / most, 3 / step, RUNGS)


def _cumulants_at(losses: Losses, slopes: Array) -> Array:
    """ln E e^(λL) of the finite losses at any slopes."""
    grid, edge = losses.grid, losses.grid[-1]
    sums = [dot(np.exp(slope * (grid - edge)), losses.masses) for slope in slopes]
    return slopes * edge + np.log(sums)


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
    mean = dot(losses.masses, losses.grid)
    return dot(losses.masses, (losses.grid - mean) ** 2)


def _cumulants(losses: Losses, unit: float) -> Array:
    """ln E e^(λL) of the finite losses at λ = unit·`SLOPES`, from one exponential and its products."""
    grid = losses.grid
    edge = grid[-1] if unit > 0 else grid[0]
    places = {n: place for place, n in enumerate(SLOPES.tolist())}
    powers = np.empty((len(SLOPES), len(grid)))
    np.exp(unit * (grid - edge), out=powers[0])
    for n, place in list(places.items())[1:]:
        half = n // 2 if n // 2 in places else n // 3
        np.multiply(powers[places[half]], powers[places[n - half]], out=powers[place])
    return unit * SLOPES * edge + np.log(np.einsum("ij,j->i", powers, losses.masses))
