"""One answer of a run, drawn anew as often as one likes, at the inputs that the run handed over for both neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from recprivlib.auditing.distribution import on_doubles
from recprivlib.auditing.lookup import few, picked
from recprivlib.auditing.neighbours import WHO
from recprivlib.mechanisms.common import log_matrix
from recprivlib.mechanisms.losses import GaussianShift
from recprivlib.mechanisms.secure import Secure
from recprivlib.parameters import UserError
from recprivlib.protocols import (
    AnswersSets,
    Array,
    Clips,
    HasBitChannel,
    HasLogDensity,
    HasLogNoise,
    HasSensitivity,
    HasSigma,
    HasWorstPair,
)

CHUNK = 1 << 21  # numbers held at once
PLACES = 600  # answers of one call that are looked at one by one
LIMIT = 1e9  # of a log-ratio: what only one neighbour can give away

Laws = list[tuple[Callable[[Array], Array], Any]]


@dataclass(frozen=True, eq=False)
class Passage:
    """The inputs of either neighbour; `away` what goes in if she is not drawn from n people by a secret draw."""

    mechanism: Any
    low: Any
    high: Any
    away: Any = None
    n: int = 0
    steady: bool = True  # no earlier answer of the run has a say in what is asked here
    turn: int = 0  # which passage of the run it is

    @property
    def real(self) -> Any:
        """The mechanism that draws."""
        return self.mechanism.mechanism if isinstance(self.mechanism, Secure) else self.mechanism

    @property
    def joint(self) -> bool:
        return isinstance(self.low, tuple)

    @property
    def added(self) -> bool:
        """Whether the answer is what goes in and noise of one known scale, on doubles."""
        return isinstance(self.real, HasSensitivity) and self.entrywise and on_doubles(self.mechanism)

    @property
    def normal(self) -> bool:
        """Whether neighbours' answers are two Gaussians of one deviation, whose trade-off curve is a Gaussian one."""
        return isinstance(self.real.loss(1.0), GaussianShift) and not self.n and on_doubles(self.mechanism)

    def asks_as(self, other: Passage) -> bool:
        """Whether this hands the same over for both neighbours as another does."""
        both = ((self.low, other.low), (self.high, other.high), (self.away, other.away))
        return self.mechanism == other.mechanism and all(_alike(a, b) for a, b in both)

    @property
    def entrywise(self) -> bool:
        """Whether every number or symbol that goes in is answered on its own."""
        return not self.joint and not (isinstance(self.real, HasWorstPair) and np.ndim(self.real.worst_pair()[0]) > 0)

    def answers(self, world: int, runs: int, rng: np.random.Generator, single: bool) -> Array:
        """`runs` answers, drawn call by call or in bulk; a joint event is one row."""
        x = self.high if world else self.low
        if single:
            return np.stack([self._answer(x, rng) for _ in range(runs)])
        if self.joint:
            return self._sums(x, runs, rng)
        return self._release(np.broadcast_to(x, (runs, *np.shape(x))), rng)

    def _sums(self, x: Any, runs: int, rng: np.random.Generator) -> Array:
        """A cohort's noisy sums, from sums that are the same each time: only draws and noise are new."""
        drawn = np.array([self.drawn(rng) for _ in range(runs)])
        sums = zip(
            self.real.parts, *(self._plain(each) for each in (x, x if self.away is None else self.away)), strict=True
        )
        return np.concatenate(
            [part.noised(np.where(drawn[:, None], np.ravel(a), np.ravel(b)), rng) for part, a, b in sums], axis=1
        )

    def drawn(self, rng: np.random.Generator) -> bool:
        """Whether she is in a cohort that is drawn now."""
        return not self.n or bool(np.isin(WHO, self.mechanism.draw(self.n, rng)))

    @property
    def size(self) -> int:
        """Numbers that one answer takes, drawn as in the run."""
        return sum(np.size(part) for part in (self.low if self.joint else (self.low,)))

    def _answer(self, x: Any, rng: np.random.Generator) -> Array:
        if not self.drawn(rng):
            x = self.away
        y = self._release(x, rng)
        return np.concatenate([np.ravel(part) for part in y]) if isinstance(y, tuple) else np.asarray(y)

    def _release(self, x: Any, rng: np.random.Generator) -> Any:
        return self.mechanism.release(x) if isinstance(self.mechanism, Secure) else self.mechanism.release(x, rng)

    # --------------------------------------------------------------------------------------- its places

    @property
    def own(self) -> Array:
        """The places in the flat answer at which the neighbours differ, those that differ most first."""
        low, high = (np.concatenate([np.ravel(part) for part in self._plain(x)]) for x in (self.low, self.high))
        if (low.dtype.kind in "fiu" and isinstance(self.real, HasSigma)) or self.joint:
            gap = np.abs(high - low)
            order = np.argsort(-gap, kind="stable")
            return order[gap[order] > 0]
        return np.flatnonzero(low != high)

    def plain_of(self, world: int) -> Sequence[Array]:
        """What the answers in this world would be without noise."""
        return self._plain(self.high if world else self.low)

    def _plain(self, x: Any) -> Sequence[Array]:
        """What the answers would be without noise, as far as that is known."""
        if self.joint:
            return self.real.sums(x)
        return (self.real.clipped(x) if isinstance(self.real, Clips) else np.asarray(x),)

    def places(self, rng: np.random.Generator) -> Array:
        """Her own first, then others at random."""
        size = sum(np.size(part) for part in self._plain(self.low))
        own = self.own[: PLACES // 2]
        others = np.setdiff1d(np.arange(size), self.own)
        return np.concatenate([own, rng.permutation(others)[: PLACES - len(own)]]).astype(int)

    def trimmed(self, places: Array) -> Passage:
        """Only what goes in at these places: the rest would be drawn for nothing."""
        if not self.entrywise:
            return self
        return replace(self, low=np.ravel(self.low)[places], high=np.ravel(self.high)[places])

    def codes(self, y: Array, places: Array) -> Array:
        """One number for each answer at `places`; of a set, which of the two neighbours' symbols it holds."""
        if self.entrywise and y.ndim > 1 + np.ndim(self.low):
            low, high = (np.ravel(x)[places][:, None] for x in (self.low, self.high))
            sets = y.reshape(len(y), -1, y.shape[-1])[:, places]
            return 2 * (sets == high).any(axis=-1) + (sets == low).any(axis=-1)
        return y.reshape(len(y), -1)[:, places]

    # ---------------------------------------------------------------------------------- what is stated

    def laws(self, world: int, places: Array) -> Laws | None:
        """The stated law of the answers at `places`, where each is the law of one number; a key for equal ones."""
        x = self.high if world else self.low
        if self.n:
            return None
        if self.joint or isinstance(self.real, HasLogNoise):
            return self._gaussian(x, places)
        if isinstance(self.real, HasBitChannel):  # rows of bits, each noised on its own
            table = log_matrix(self.real.bit_channel)
            return [(partial(_entries, table[bit]), bit) for bit in np.ravel(x)[places].astype(int).tolist()]
        if not self.entrywise or not isinstance(self.real, HasLogDensity):
            return None
        if isinstance(self.real, AnswersSets):  # sets: does it hold the truth?
            return [(partial(_entries, np.log([1 - self.real.p, self.real.p])), "held")] * len(places)
        inputs = np.ravel(x)[places].tolist()
        known = {value: self._law(value) for value in set(inputs)}
        return [(known[value], value) for value in inputs]

    def plain(self, y: Array) -> bool:
        """Whether an answer has the form of its input, or is a set: of anything else the law is not tested."""
        return self.joint or np.ndim(y) == 1 + np.ndim(self.low) or isinstance(self.real, AnswersSets)

    def _law(self, value: Any) -> Callable[[Array], Array]:
        def law(y: Array) -> Array:
            if not on_doubles(self.mechanism) and np.array_equal(y, np.rint(y)):
                y = np.rint(y).astype(np.int64)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(self.real.log_density(y, np.asarray(value)), float)

        return law

    def _gaussian(self, x: Any, places: Array) -> Laws:
        parts = self.real.parts if self.joint else (self.real,)
        totals = [np.ravel(total) for total in self._plain(x)]
        kind = np.repeat(np.arange(len(parts)), [len(total) for total in totals])
        middle = np.concatenate(totals)

        def law(at: int) -> Callable[[Array], Array]:
            return lambda y: parts[kind[at]].log_noise(y - middle[at])

        return [(law(at), (int(kind[at]), float(middle[at]))) for at in places]

    def ratio(self, y: Array) -> Array | None:
        """The log-likelihood ratio of each answer, where a law is stated. Rounded: see games.py."""
        if self.joint:
            return self._joint_ratio(y)
        if not isinstance(self.real, HasLogDensity):
            return None
        values = few(y) if self.entrywise and y.shape[1:] == np.shape(self.low) else None
        try:
            if values is None:
                return self._ratios(y).reshape(len(y), -1).sum(axis=1)
            each = np.broadcast_to(values.reshape(-1, *[1] * (y.ndim - 1)), (len(values), *y.shape[1:]))
            flat = y.reshape(len(y), -1)
            flat = np.asfortranarray(flat) if flat.shape[1] < 8 else flat  # so few are added in order either way
            return picked(self._ratios(each).reshape(len(values), -1), values, flat).sum(axis=1)
        except UserError:  # a law that is not stated for inputs like these
            return None

    def told(self, y: Array) -> Array:
        """The log-ratio of every part of one answer; 0 where no law is stated for such inputs."""
        try:
            return self._ratios(y)
        except UserError:
            return np.zeros(np.shape(self.low))

    def _ratios(self, y: Array) -> Array:
        """Of each answer by itself, or of a row where its law is one of rows."""
        with np.errstate(divide="ignore", invalid="ignore"):
            zero, one = (np.asarray(self.real.log_density(y, x), float) for x in (self.low, self.high))
            both = np.where(np.isneginf(one) & np.isneginf(zero), 0.0, np.round(one - zero, 9))
        return np.clip(both, -LIMIT, LIMIT)

    def _joint_ratio(self, y: Array) -> Array:
        """Of a cohort's sums: she was drawn, with the cohort's rate, or was not."""
        rate = self.real.rate if self.n else 1.0
        worlds = []
        for x in (self.low, self.high):
            worlds.append(np.log(rate) + self._noise(y, self.real.sums(x)))
            if rate < 1:
                worlds[-1] = np.logaddexp(worlds[-1], np.log1p(-rate) + self._noise(y, self.real.sums(self.away)))
        return np.round(worlds[1] - worlds[0], 9)

    def _noise(self, y: Array, totals: Sequence[Array]) -> Array:
        out, start = np.zeros(len(y)), 0
        for part, total in zip(self.real.parts, totals, strict=True):
            out += part.log_noise(y[:, start : start + np.size(total)] - np.ravel(total)).sum(axis=1)
            start += np.size(total)
        return out


def _entries(row: Array, y: Array) -> Array:
    return row[(np.asarray(y) > 0).astype(int)]


def _alike(a: Any, b: Any) -> bool:
    """Equal to the last bit, part by part."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_alike(one, other) for one, other in zip(a, b, strict=True))
    return np.array_equal(a, b) if a is not None and b is not None else a is b
