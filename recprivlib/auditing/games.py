"""Games an attacker plays: two neighbouring inputs, the real release run many times, one number a trial.

World 0 holds one neighbour, world 1 the other; a large number speaks for world 1. A mechanism that states its
likelihood (`log_density`) is attacked with the likelihood ratio, which no statistic beats (Neyman and Pearson);
one that does not is attacked with ratios learned from runs of their own. Systems are attacked in run.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.mechanisms import Secure
from recprivlib.mechanisms.gate import answer
from recprivlib.protocols import (
    Array,
    Change,
    HasLogDensity,
    HasNeighbours,
    HasSensitivity,
    HasWorstPair,
    Ledger,
    Relation,
    Release,
    ShowsItsPrecision,
    Unbounded,
    Unit,
    View,
)

CHUNK = 1 << 20  # releases held at once
BINS = 64  # of real numbers, where a law has to be learned
MOST = 1 << 25  # releases a world may cost; a longer composition is attacked through a part of it


@dataclass(frozen=True)
class Game:
    """A way of telling two neighbours apart.

    >>> coin = Game("a fair coin", lambda world, trials, rng: rng.random(trials))
    >>> coin.play(0, 3, np.random.default_rng(0)).shape
    (3,)
    """

    attack: str  #: what is done, in a few words
    play: Callable[[int, int, np.random.Generator], Array]  #: (world 0 or 1, trials, rng): one statistic a trial


def mechanism_game(
    mechanism: Any,
    times: int,
    trials: int,
    rng: np.random.Generator,
    *,
    opposite: bool = False,
    distance: float = 1.0,
    single: bool = False,
) -> Game:
    """Tell the mechanism's worst pair of inputs apart from `times` independent releases.

    `opposite`: every second input moves the other way, as the two bits of a swap do. `distance` other than 1 is for
    numbers with noise added. `single`: every trial is a call of its own, where answers of one call are not independent.
    """
    pair = apart(mechanism, distance)
    attack, ratio = statistic(mechanism, pair, rng)
    used = int(min(times, max(1, MOST // trials)))
    part = (
        f", {used:,} of {times:,} releases" if used < times else f", {times:,} releases together" if times > 1 else ""
    )

    def play(world: int, trials: int, rng: np.random.Generator) -> Array:
        step = 1 if single else max(1, CHUNK // used)
        return np.concatenate([_total(min(step, trials - done), world, rng) for done in range(0, trials, step)])

    def _total(runs: int, world: int, rng: np.random.Generator) -> Array:
        here, there = (pair[world], pair[1 - world] if opposite else pair[world])
        inputs = np.stack((here, there))[np.arange(used) % 2]
        x = np.broadcast_to(inputs, (runs, *inputs.shape)).reshape(runs * used, *pair[world].shape)
        ratios = ratio(answer(mechanism, x, rng)).reshape(runs, used)
        if opposite:
            ratios[:, 1::2] *= -1
        return ratios.sum(axis=1)

    return Game(attack + part, play)


def released(mechanism: Any, x: Array, rng: np.random.Generator) -> Array:
    """The real release; one that is secure takes no generator."""
    return mechanism.release(x) if isinstance(mechanism, Secure) else mechanism.release(x, rng)


def apart(mechanism: Any, distance: float = 1.0) -> tuple[Array, Array]:
    """Two inputs of the mechanism that far apart: its worst pair, or part of the way between numbers."""
    low, high = (np.asarray(x) for x in mechanism.worst_pair())
    if distance == 1:
        return low, high
    step = distance * (high - low)
    return low, low + (np.floor(step + 1e-9) if high.dtype.kind in "iu" else step).astype(high.dtype)


def statistic(
    mechanism: Any, pair: tuple[Array, ...], rng: np.random.Generator
) -> tuple[str, Callable[[Array], Array]]:
    """The best statistic there is for one release of this mechanism, with its name; above 0 it speaks for world 1."""
    if isinstance(mechanism, ShowsItsPrecision):
        return (
            "floating-point reachability",
            lambda y: _reached(mechanism, y, pair[1]) - _reached(mechanism, y, pair[0]),
        )
    if isinstance(mechanism.mechanism if isinstance(mechanism, Secure) else mechanism, HasLogDensity):
        return "likelihood ratio", _stated_ratio(mechanism, pair)
    return "learned likelihood ratio", _learned_ratio(mechanism, pair, rng)


def _reached(mechanism: Any, y: Array, x: Array) -> Array:
    return mechanism.reachable(y, x).astype(float)


def _stated_ratio(mechanism: Any, pair: tuple[Array, ...]) -> Callable[[Array], Array]:
    """The likelihood ratio of the mechanism in the reals.

    Rounded to 9 decimals: |y| − |y − 1| keeps low-order bits of a floating-point sampler, and a threshold between
    those bits tells the worlds apart far beyond ε. That leak is real; it has an attack of its own (`reachable`).
    """

    def ratio(y: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            zero, one = (np.asarray(mechanism.log_density(y, x), float) for x in pair)
            both = np.round(one - zero, 9)
        return np.where(np.isneginf(one) & np.isneginf(zero), 0.0, both)  # seen in neither world: says nothing

    return ratio


def _learned_ratio(mechanism: Any, pair: tuple[Array, ...], rng: np.random.Generator, runs: int = 20_000) -> Callable:
    """Ratios of add-one frequencies over the outputs that runs of their own showed."""
    heard = [_keys(answer(mechanism, np.broadcast_to(x, (runs, *x.shape)), rng)) for x in pair]
    values, often = np.unique(np.concatenate(heard), return_counts=True)
    edges = np.zeros(0)
    if values.dtype.kind == "f" and (often == 1).sum() > 20 * BINS:  # a real number hardly comes twice: in bins
        values, rest = values[often > 1], values[often == 1]
        edges = np.quantile(rest, np.linspace(0, 1, BINS + 1)[1:-1])

    def cell(y: Array) -> Array:
        """Of a known output its own; else its bin, or the last where there are none."""
        place = np.minimum(np.searchsorted(values, y), max(len(values) - 1, 0))
        known = values[place] == y if len(values) else np.zeros(len(y), bool)
        beside = np.searchsorted(edges, y) if len(edges) else 0
        return np.where(known, place, len(values) + beside)

    zero, one = (np.bincount(cell(h), minlength=len(values) + len(edges) + 1) + 1.0 for h in heard)
    table = np.log(one / zero)
    return lambda y: table[cell(_keys(y))]


def _keys(y: Array) -> Array:
    """One comparable key an output; an output may be a row."""
    y = np.ascontiguousarray(y)
    return y if y.ndim == 1 else y.view([("", y.dtype)] * y.shape[-1]).ravel()


def projection_game(
    step: Callable[[int, int, np.random.Generator], Array], direction: Array, attack: str = "crafted user"
) -> Game:
    """For trainings that release noisy vectors (gradients, Gram matrices): how far along `direction` the release went.

    `step(world, runs, rng)` gives (runs, d) releases of the real code on either neighbour; `direction` is what the
    crafted user adds to a noiseless step. Under Gaussian noise this is the likelihood ratio.
    """
    unit = np.asarray(direction, float) / np.linalg.norm(direction)

    def play(world: int, trials: int, rng: np.random.Generator) -> Array:
        rows = max(1, CHUNK // len(unit))
        return np.concatenate([step(world, min(rows, trials - d), rng) @ unit for d in range(0, trials, rows)])

    return Game(attack, play)


def ledger_games(
    ledger: Ledger, unit: Unit, relation: Relation, view: View, trials: int, rng: np.random.Generator,
    alone: bool = False, single: bool = False,
) -> tuple[Game, ...]:  # fmt: skip
    """A game for each release that this view sees and that two neighbours, as the mechanism knows them, change.

    `alone`: the ledger of a mechanism outside any system, whose release everybody sees as it is.
    """
    games = []
    for release in ledger.releases:
        change = release.neighbours.get((unit, relation))
        if (
            change is None
            or not (alone or _sees(release, view))
            or not _plays(release.mechanism, change, unit, relation)
        ):
            continue
        inputs, distance = (1, 1.0) if isinstance(change, Unbounded) else (change.inputs, change.distance)
        both = relation == "swap" and inputs % 2 == 0
        distance = distance if isinstance(release.mechanism, HasSensitivity) else 1.0
        times = release.count * inputs
        games.append(
            mechanism_game(release.mechanism, times, trials, rng, opposite=both, distance=distance, single=single)
        )
    return tuple(games)


def _sees(release: Release, view: View) -> bool:
    """Whether this view sees the release itself: not mixed by a shuffler, and not what a server computed from it."""
    computed = view == "model" and "server" in release.seen_by
    return view in release.seen_by and not computed and not (view == "shuffled" and release.crowd > 1)


def _plays(mechanism: Any, change: Change | Unbounded, unit: Unit, relation: Relation) -> bool:
    """Whether the mechanism's worst pair is one of neighbours here; a bill may be a bound that no pair reaches."""
    if not isinstance(mechanism, HasWorstPair):
        return False
    if isinstance(change, Change):
        if change.inputs == 0 or change.distance == 0:
            return False
        if isinstance(mechanism, HasSensitivity):
            return True
        if change.distance < 1:
            return False
    known = mechanism.neighbours if isinstance(mechanism, HasNeighbours) else {}
    return (unit, relation) in known or (unit == "user" and relation != "add-remove")
