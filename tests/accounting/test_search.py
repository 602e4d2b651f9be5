"""A random search for bills that are too low, or too high, over all losses, by references that share no code.

`truth` is a lower bound that is nearly reached: outputs are cut into cells (post-processing: a proof), the exact loss
of every cell is rounded down to a grid, and the sum of all releases is taken by one transform; a single release is
summed without any grid. Gaussian noise alone is read off its closed form in 30 digits, many Poisson cohorts off the
optimistic distribution of dp-accounting. What the accountant, or the reference, only bounds is marked so.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr

from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms.losses import (
    Channel,
    DiscreteGaussianShift,
    GaussianShift,
    LaplaceShift,
    Pure,
    Sampled,
    SubsampledGaussian,
)

mp = pytest.importorskip("mpmath")
other = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

LOSSES = (Channel, DiscreteGaussianShift, GaussianShift, LaplaceShift, Pure, Sampled, SubsampledGaussian)
CELLS = 3000
LONGEST = 1 << 19


@dataclass(frozen=True)
class Release:
    """A loss, how often it occurs, and what either world looks like: ln P and ln Q of every cell."""

    loss: Any
    count: int
    p: np.ndarray
    q: np.ndarray
    bound: bool = False  # the accountant has only a bound for it
    closed: float = 0.0  # μ, where it is Gaussian noise alone
    cohort: tuple[float, float] | None = None  # (σ, q) of a Poisson cohort under add-remove
    other: tuple[np.ndarray, np.ndarray] | None = None  # another pair of neighbours, where none is the worst of all


@dataclass(frozen=True)
class Setting:
    releases: tuple[Release, ...]
    relation: str
    delta: float

    def __str__(self) -> str:
        said = " + ".join(f"{r.count} × {r.loss}" for r in self.releases)
        return f"{said}, {self.relation}, δ = {self.delta:.3g}".replace("\n", "")


def found(setting: Setting) -> float:
    parts = [(pair(r.loss, setting.relation), r.count) for r in setting.releases]  # type: ignore[arg-type]
    return tightest([(one, n) for one, n in parts if one is not None], setting.delta)[0]


# ------------------------------------------------------------------------------------------ settings


def any_setting(rng: np.random.Generator) -> Setting:
    """One random setting; two in five of several releases, one in ten of different kinds."""
    relation = str(rng.choice(["add-remove", "replace"]))
    kinds = int(rng.choice([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]))
    count = 1 if rng.random() < 0.4 else int(np.exp(rng.uniform(0, 3.6)))
    if kinds == 1 and rng.random() < 0.12:
        return many(rng)
    releases = tuple(replace(any_release(rng, relation), count=count) for _ in range(kinds))
    lowest = -12 if count * kinds == 1 else -7
    return Setting(releases, relation, float(10 ** rng.uniform(lowest, -0.7)))


def many(rng: np.random.Generator) -> Setting:
    """Gaussian noise or Poisson cohorts, up to thousands of them."""
    count, delta = int(np.exp(rng.uniform(2, 8))), float(10 ** rng.uniform(-11, -2))
    none = np.zeros(0)
    if rng.random() < 0.5:
        mu = float(np.exp(rng.uniform(-7, 1.5)))
        return Setting((Release(GaussianShift(mu), count, none, none, closed=mu),), "replace", delta)
    sigma, rate = float(np.exp(rng.uniform(-0.5, 1.5))), float(np.exp(rng.uniform(-9, -0.5)))
    loss = SubsampledGaussian(sigma, rate, "poisson")
    return Setting((Release(loss, count, none, none, cohort=(sigma, rate)),), "add-remove", delta)


def any_release(rng: np.random.Generator, relation: str) -> Release:
    makers = (gauss, laplace, whole, response, channel, channel, sampled_gauss, sampled_laplace, sampled_whole,
              sampled_response, sampled_channel, records)  # fmt: skip
    return makers[int(rng.integers(len(makers)))](rng, relation)


def gauss(rng: np.random.Generator, _: str) -> Release:
    mu = float(np.exp(rng.uniform(-6, 3.5)))
    return Release(GaussianShift(mu), 1, *normal_cells([(1.0, mu)], [(1.0, 0.0)]))


def laplace(rng: np.random.Generator, _: str) -> Release:
    each = float(np.exp(rng.uniform(-6, 2.5)))
    return Release(LaplaceShift(each), 1, *laplace_cells([(1.0, each)], [(1.0, 0.0)]))


def whole(rng: np.random.Generator, _: str) -> Release:
    sigma, shift = float(np.exp(rng.uniform(-1.5, 3.5))), int(np.exp(rng.uniform(0, 3.5)))
    return Release(DiscreteGaussianShift(sigma, shift), 1, *whole_cells(sigma, [(1.0, shift)], [(1.0, 0)]))


def response(rng: np.random.Generator, _: str) -> Release:
    each = float(np.exp(rng.uniform(-6, 3.5)))
    p = np.array([0.0, -each]) - math.log1p(math.exp(-each))
    return Release(Pure(each), 1, p, p[::-1])


def channel(rng: np.random.Generator, _: str) -> Release:
    """Two rows with equal or very different chances, sometimes with an output that only one of them gives."""
    spread, outputs = float(np.exp(rng.uniform(-4, 1.5))), int(rng.integers(2, 6))
    rows = rng.dirichlet(np.ones(outputs), 1) * np.exp(spread * rng.standard_normal((2, outputs)))
    if rng.random() < 0.1:
        rows[int(rng.integers(2)), 0] = 0.0
    p, q = rows / rows.sum(axis=1, keepdims=True)
    loss = Channel(np.array([p, q]), ((0, 1),))
    return Release(loss, 1, *_log(loss.matrix), bound=True)  # the reference plays one order only


def scheme_of(rng: np.random.Generator, relation: str) -> str:
    return "poisson" if relation == "add-remove" or rng.random() < 0.6 else "fixed-size"


def worlds(rate: float, relation: str, scheme: str, move: Any) -> tuple[list, list]:
    """(weight, place) of both mixtures. A fixed cohort where all the others are like the one who comes."""
    if relation == "add-remove" or scheme == "fixed-size":
        far = move if relation == "add-remove" else 2 * move
        return [(1 - rate, 0 * move), (rate, far)], [(1.0, 0 * move)]
    return [(1 - rate, 0 * move), (rate, move)], [(1 - rate, 0 * move), (rate, -move)]


def a_rate(rng: np.random.Generator) -> float:
    return float(np.exp(rng.uniform(-8, 0))) if rng.random() < 0.9 else 1 - float(np.exp(rng.uniform(-8, -1)))


def sampled_gauss(rng: np.random.Generator, relation: str) -> Release:
    mu, rate, scheme = float(np.exp(rng.uniform(-4, 3))), a_rate(rng), scheme_of(rng, relation)
    move = mu if relation == "add-remove" else 2 * mu
    loss = SubsampledGaussian(1 / move, rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, *normal_cells(*worlds(rate, relation, scheme, mu)), bound=scheme == "fixed-size")


def sampled_laplace(rng: np.random.Generator, relation: str) -> Release:
    each, rate, scheme = float(np.exp(rng.uniform(-4, 2))), a_rate(rng), scheme_of(rng, relation)
    loss = Sampled(LaplaceShift(each), LaplaceShift(2 * each), rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, *laplace_cells(*worlds(rate, relation, scheme, each)), bound=scheme == "fixed-size")


def sampled_whole(rng: np.random.Generator, relation: str) -> Release:
    sigma, shift, rate = float(np.exp(rng.uniform(-1, 3))), int(np.exp(rng.uniform(0, 3))), a_rate(rng)
    scheme = scheme_of(rng, relation)
    one, two = DiscreteGaussianShift(sigma, shift), DiscreteGaussianShift(sigma, 2 * shift)
    cells = whole_cells(sigma, *worlds(rate, relation, scheme, shift))
    return Release(Sampled(one, two, rate, scheme), 1, *cells, bound=scheme == "fixed-size")  # type: ignore[arg-type]


def sampled_response(rng: np.random.Generator, relation: str) -> Release:
    each, rate, scheme = float(np.exp(rng.uniform(-5, 2.5))), a_rate(rng), scheme_of(rng, relation)
    away = np.array([-each, 0.0]) - math.log1p(math.exp(-each))
    base = Pure(each)
    loss = Sampled(base, base, rate, scheme)  # type: ignore[arg-type]
    return Release(loss, 1, mixed(rate, away[::-1], away), away, bound=relation == "replace")


def sampled_channel(rng: np.random.Generator, relation: str) -> Release:
    """Who takes her place, where she is replaced, answers as if she were away."""
    base, rate, scheme = channel(rng, relation), a_rate(rng), scheme_of(rng, relation)
    loss = Sampled(base.loss, base.loss, rate, scheme)  # type: ignore[arg-type]
    here, there = base.p, base.q
    return Release(loss, 1, mixed(rate, here, there), there, bound=True, other=(mixed(rate, there, here), here))


def mixed(rate: float, here: np.ndarray, away: np.ndarray) -> np.ndarray:
    return np.logaddexp(math.log1p(-rate) + away, math.log(rate) + here)


def _log(x: Any) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(x)


def records(rng: np.random.Generator, relation: str) -> Release:
    mu, rate, n = float(np.exp(rng.uniform(-3, 0.7))), float(np.exp(rng.uniform(-6, -0.3))), int(rng.integers(2, 12))
    shares = [math.comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(n + 1)]
    here = [(w, j * mu) for j, w in enumerate(shares)]
    there = [(1.0, 0.0)] if relation == "add-remove" else [(w, -j * mu) for j, w in enumerate(shares)]
    loss = Sampled(GaussianShift(mu), GaussianShift(2 * mu), rate, "poisson", n)
    return Release(loss, 1, *normal_cells(here, there))


# --------------------------------------------------------------------------------------------- cells


def cut(edges: np.ndarray, below: Any, parts: list) -> np.ndarray:
    """ln of the chance of every cell under a mixture, from `below`, ln of a distribution; in the upper half by the
    tail above, so that no digits are lost, and nothing that can happen is a 0."""
    each, none, all_ = [], np.array([-np.inf]), np.zeros(1)
    for weight, place in parts:
        low = np.concatenate([none, below(edges - place), all_])
        high = np.concatenate([all_, below(place - edges), none])
        left = low[1:] < math.log(0.5)
        more, less = np.where(left, low[1:], high[:-1]), np.where(left, low[:-1], high[1:])
        each.append(_log(weight) + more + _log(-np.expm1(np.minimum(less - more, 0.0))))
    return np.logaddexp.reduce(each)


def normal_cells(here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    places = [place for _, place in here + there]
    edges = np.linspace(min(places) - 9, max(places) + 9, CELLS)
    return cut(edges, log_ndtr, here), cut(edges, log_ndtr, there)


def laplace_cells(here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    """Beyond the outermost place nothing changes any more: two cells hold all of it."""
    places = sorted({float(place) for _, place in here + there})
    edges = np.linspace(places[0], places[-1], CELLS)

    def below(z: np.ndarray) -> np.ndarray:
        return np.where(z < 0, np.minimum(z, 0) - math.log(2), np.log1p(-np.exp(-np.maximum(z, 0)) / 2))

    return cut(edges, below, here), cut(edges, below, there)


def whole_cells(sigma: float, here: list, there: list) -> tuple[np.ndarray, np.ndarray]:
    reach = math.ceil(14 * sigma) + max(abs(int(place)) for _, place in here + there)
    n = np.arange(-reach, reach + 1)
    around = np.arange(-math.ceil(40 * sigma), math.ceil(40 * sigma) + 1)
    total = math.log(np.exp(-0.5 * (around / sigma) ** 2).sum())
    return tuple(  # type: ignore[return-value]
        np.logaddexp.reduce([_log(w) - 0.5 * ((n - place) / sigma) ** 2 - total for w, place in parts])
        for parts in (here, there)
    )


# --------------------------------------------------------------------------------------------- truth


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


# --------------------------------------------------------------------------------------------- search

SLACK = 1e-6  # below the truth by more than that is a bug
LOOSE = 0.01


SHARDS, EACH = 20, 500  # ten thousand, in parts that several workers can share


@dataclass
class Tally:
    """`tried` settings; `closed`: how many references say from both sides how much it is."""

    tried: int = 0
    closed: int = 0
    below: list[str] = field(default_factory=list)
    above: list[tuple[float, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def loose(self) -> list[str]:
        """What is above the truth though it is not only a bound."""
        return [said for _, said in self.above if not said.startswith("bound")]

    def add(self, setting: Setting) -> None:
        ours = found(setting)
        assert not math.isnan(ours)
        low, high = truth(setting, ours if 0 < ours < math.inf else 1.0)
        self.tried += 1
        self.closed += high < math.inf or low == math.inf
        self.kinds.update({type(release.loss).__name__ for release in setting.releases})
        if ours < low - SLACK * max(1.0, low):
            self.below.append(f"{ours:.9g} < {low:.9g}: {setting}")
        elif ours > high * (1 + LOOSE) + 1e-4:
            bound = any(r.bound for r in setting.releases) and sum(r.count for r in setting.releases) > 1
            said = f"{'bound: ' if bound else ''}{ours:.6g} for {high:.6g}: {setting}"
            self.above.append((ours / max(high, 1e-12), said))


def searched(seed: Any, settings: int, seconds: float = math.inf) -> Tally:
    """What is below the truth, and what is above it by more than 1 %."""
    rng, started, tally = np.random.default_rng(seed), time.monotonic(), Tally()
    while tally.tried < settings and time.monotonic() - started < seconds:
        tally.add(any_setting(rng))
    return tally


def test_no_bill_of_a_few_hundred_is_too_low():
    """What the slow test does at length. A bill of ε − 10⁻⁵ would be found."""
    tally = searched(0, 150, 6.0)
    assert not tally.below, "\n".join(tally.below)
    assert tally.tried >= 5
    assert not tally.loose, "\n".join(tally.loose)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_bill_of_ten_thousand_is_too_low(shard, capsys):
    """Lists what is above the truth by more than 1 %, the loosest first: bounds, and nothing else. Every kind of loss
    is in every shard."""
    assert SHARDS * EACH == 10_000
    tally = searched((10, shard), EACH)
    with capsys.disabled():
        print(f"\n{tally.tried:,} settings, {tally.closed} closed, {len(tally.below)} below the truth, "
              f"{len(tally.above)} above by more than 1 %; {dict(tally.kinds)}")  # fmt: skip
        for ratio, said in sorted(tally.above, reverse=True):
            print(f"  {ratio:8.3f} × {said}")
    assert not tally.below, "\n".join(tally.below)
    assert not tally.loose, "\n".join(tally.loose)
    assert tally.tried == EACH
    assert tally.closed > 0.9 * EACH
    assert {kind.__name__ for kind in LOSSES} == set(tally.kinds)
