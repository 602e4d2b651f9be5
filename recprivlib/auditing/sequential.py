"""An audit that may be looked at after every trial, and stops when it has proved its point.

For a claim (ε, δ) and an event, let X say whether a trial of world 1 was in it and Y whether one of world 0 was. If
the claim is true then E[X] ≤ e^ε E[Y] + δ, so that a gambler who puts a share λ of what she has on

    g = X − e^ε Y − δ,   0 ≤ λ ≤ SAFE / (e^ε + δ),

with λ and the event chosen from earlier trials alone, has a game that is not in her favour: her wealth Π (1 + λ g) is
never negative and does not grow on the average. By Ville's inequality it ever reaches 1/α with probability α at most,
however often anybody looks (Waudby-Smith & Ramdas 2024). When it does, the claim is refuted for good.

A bound on ε comes from many claims, ε₁ < ε₂ < …: εⱼ counts as refuted when its gambler has reached 1/α and those of
all smaller ones have. The first true claim is refuted with probability α at most, and before it none that is true can
be: so the largest that is refuted lies below the truth at all times together, with confidence 1 − α, and α is spent
only once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from recprivlib.auditing.bounds import SHOWN, Rung
from recprivlib.auditing.events import Event, chosen, ordered
from recprivlib.protocols import Array

START = 128  # trials of either world before the first look
SAFE = 0.5  # of the largest share that cannot ruin
STEP, LARGEST = 0.01, 20.0  # claims that are tried: every so much, up to what nobody has trials for

Play = Callable[[int, int], Array]  # (world, trials): statistics of fresh trials


@dataclass
class Gamblers:
    """One gambler for each claim that is tried."""

    delta: float
    alpha: float = SHOWN

    def __post_init__(self) -> None:
        self.claims = np.arange(0.0, LARGEST, STEP)
        self.wealth = np.zeros(len(self.claims))  # logarithms
        self.reached = np.zeros(len(self.claims), bool)

    def bet(self, event: Event, share: Array, zero: Array, one: Array) -> None:
        """Play these fresh trials, pair by pair, on an event and shares that earlier trials chose."""
        x, y = _in(event, one), _in(event, zero)
        if event.side == "low":
            x, y = y, x  # it speaks for world 0: the same claim with the worlds exchanged
        odds = np.exp(self.claims)
        for x_is in (False, True):
            for y_is in (False, True):
                times = np.count_nonzero((x == x_is) & (y == y_is))
                self.wealth += times * np.log1p(share * (x_is - odds * y_is - self.delta))
        self.reached |= self.wealth >= math.log(1 / self.alpha)

    @property
    def epsilon(self) -> float:
        """The largest claim that is refuted with all below it; 0 if none is."""
        refuted = int(np.argmin(np.append(self.reached, False)))
        return float(self.claims[refuted - 1]) if refuted else 0.0

    def shares(self, event: Event, zero: Array, one: Array) -> Array:
        """What to put on each claim, by what earlier trials say of the event: about what makes wealth grow fastest."""
        x, y = _in(event, one), _in(event, zero)
        if event.side == "low":
            x, y = y, x
        p, q = ((np.count_nonzero(each) + 0.5) / (len(each) + 1) for each in (x, y))
        odds = np.exp(self.claims)
        mean = p - odds * q - self.delta
        spread = p * (1 - p) + odds**2 * q * (1 - q)
        return np.clip(mean / (spread + mean**2), 0.0, SAFE / (odds + self.delta))


def _in(event: Event, statistics: Array) -> Array:
    return statistics >= event.threshold if event.side == "high" else statistics <= event.threshold


def looks(worlds: tuple[Array, Array], delta: float = 0.0, alpha: float = SHOWN, start: int = START) -> Iterator[Rung]:
    """The bound after start, 2·start, 4·start, … trials of these; all of them together hold with confidence 1 − α.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> zero, one = rng.random(4096) < 0.1, rng.random(4096) < 0.5  # the truth is ln 5
    >>> [round(look.epsilon, 1) for look in looks((zero.astype(float), one.astype(float)))]
    [0.7, 0.9, 1.2, 1.3, 1.3, 1.4]
    """
    gamblers, seen = Gamblers(delta, alpha), start
    while seen <= len(worlds[0]):
        before = seen // 2
        past = tuple(world[:before] for world in worlds)
        fresh = tuple(world[before:seen] for world in worlds)
        _play(gamblers, past, fresh)
        yield Rung(seen, gamblers.epsilon, most(seen - start // 2, delta, alpha))
        seen *= 2


def _play(gamblers: Gamblers, past: tuple, fresh: tuple) -> None:
    event = chosen(ordered(past), len(past[0]), gamblers.delta, gamblers.alpha)
    gamblers.bet(event, gamblers.shares(event, *past), *fresh)


def most(bets: int, delta: float, alpha: float) -> float:
    """The most that so many bets could ever show, on a perfect event: (1 + SAFE (1 − δ) / (e^ε + δ))^n = 1/α."""
    odds = SAFE * (1 - delta) / math.expm1(math.log(1 / alpha) / bets) - delta
    return math.log(odds) if odds > 1 else 0.0


@dataclass(frozen=True)
class Stopped:
    """Where an audit stopped."""

    epsilon: float  #: refuted up to here, with confidence 1 − α
    trials: int  #: of either world that it took
    proved: bool  #: whether that is above the claim


def until(
    play: Play, claim: float, delta: float = 0.0, alpha: float = SHOWN, trials: int = 1_000_000, start: int = START
) -> Stopped:
    """Play until the claim is refuted, or no trials are left.

    Parameters
    ----------
    play
        (world, trials): that many statistics of fresh trials; large ones speak for world 1.
    claim, delta
        ε and δ that are claimed.
    alpha
        The chance that a true claim is ever refuted.
    trials
        The most of either world.
    start
        Trials before the first look; then there are a fifth more from look to look.

    Returns
    -------
    Stopped
        As soon as the bound lies above the claim.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> liar = until(lambda world, trials: rng.normal(3 * world, 1, trials), claim=1.0)
    >>> liar.proved, liar.trials < 1000
    (True, True)
    """
    gamblers = Gamblers(delta, alpha)
    past = play(0, start), play(1, start)
    while (seen := len(past[0])) < trials and gamblers.epsilon <= claim:
        number = min(trials - seen, max(start, seen // 5))
        fresh = play(0, number), play(1, number)
        _play(gamblers, past, fresh)
        past = np.append(past[0], fresh[0]), np.append(past[1], fresh[1])
    return Stopped(gamblers.epsilon, len(past[0]), gamblers.epsilon > claim)
