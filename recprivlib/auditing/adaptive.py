"""Answers whose questions hang on earlier answers: what an attacker has of them in nearly every run.

Noise that is added is the same whatever is asked: y = x(what was heard before) + noise. Whoever knows both neighbours'
data knows what either would have asked, x₀ and x₁, and so the noise if world 0 is true. Turn each coordinate so that
world 1 moves it up, and put them in order of how far; of Gaussian noise take the one coordinate along x₁ − x₀. Then

    world 0    these coordinates are fresh noise, whatever has been heard
    world 1    the same, moved up by how far the neighbours are apart now: by at least a `floor` in nearly all runs

A statistic that rises with every coordinate, the likelihood ratio of noise moved by the floor, so has exactly the law
of noise in world 0; in world 1, drawn with the same noise, it is at least what it is of noise moved by the floor,
except in the share β of runs where a floor does not hold: of these the attacker says nothing. An event "high" has
chances

    P₁ ≥ P(noise + floor is high) − β        P₀ ≤ P(noise is high)

So answers drawn anew at the floor certify such events as any other trials do, with δ + β in the place of δ. Whole runs
in world 1, the pilots, choose the floors with their first part; the others count how often they do not hold, and β is
the Clopper–Pearson limit of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recprivlib.auditing.bounds import ALL, Missed
from recprivlib.auditing.redraw import Passage
from recprivlib.mechanisms.gate import Call, Torn, taped
from recprivlib.mechanisms.losses import LaplaceShift
from recprivlib.mechanisms.noise import rooted
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, HasSigma, Interactions

PILOTS, BUDGET, RUN = 1500, 4e6, 1000  # whole runs, the numbers that may go into them, and what a run costs beside
RARE = 50  # trials for each of them
FEWEST = 120  # below which they say too little
WIDE = 20  # coordinates of one answer that have a floor, those that move most
SHARES = (0.0, 1e-3, 3e-3, 0.01, 0.03, 0.1)  # of the pilots that a floor may leave out: tried, and the best is taken
MARGIN = 0.25  # of the spread between pilots, by which a floor that leaves nobody out lies below the lowest
COST, SURE = 5.0, 1e-3  # of β, in the units of the noise; the confidence at which β is looked at


Far = list[Array] | None  # of one pilot: how far apart the neighbours are in each later question


@dataclass(frozen=True)
class Later:
    """Answers that say no more than the later ones of a run do, and in which share of runs that is wrong."""

    passages: tuple[Passage, ...] = ()
    missed: Missed = ALL


def later(
    system: Any, worlds: tuple[Interactions, Interactions], passages: Sequence[Passage], trials: int, seed: int
) -> Later:
    """Floors of the later `passages`; none where noise is not added, or enough whole runs would take too long."""
    kept = [passage for passage in passages if unit(passage) > 0]
    number = int(min(PILOTS, trials / RARE, BUDGET / (RUN + sum(passage.size for passage in passages))))
    if not kept or number < FEWEST:
        return Later()
    turns = [passage.turn for passage in kept]
    pilots = [_pilot(system, worlds, turns, seed, noise) for noise in range(1, number + 1)]
    cut = len(pilots) // 3
    if not any(pilots[:cut]):
        return Later()
    floors = max((_floors(pilots[:cut], share) for share in SHARES), key=lambda one: _worth(pilots[:cut], one))
    moved = [(passage, floor) for passage, floor in zip(kept, floors, strict=True) if floor.any()]
    return Later(tuple(_at(passage, floor) for passage, floor in moved), _missed(pilots[cut:], floors))


def unit(passage: Passage) -> float:
    """What the noise of an answer is measured in: σ, or the b of Laplace noise; 0 where noise is not added to x."""
    loss = passage.real.loss(1.0)
    if passage.normal:
        return float(passage.real.sigma) if isinstance(passage.real, HasSigma) and not passage.joint else 0.0
    return passage.real.scale if isinstance(loss, LaplaceShift) and passage.added else 0.0


def shift(passage: Passage) -> Array:
    """How far the neighbours are apart: along their difference, or coordinate by coordinate, the farthest first."""
    low, high = (np.ravel(part[0]) for part in (passage.plain_of(0), passage.plain_of(1)))
    gap = np.abs(np.subtract(high, low, dtype=float)) / unit(passage)
    if passage.normal:
        return np.array([np.linalg.norm(gap)])
    return np.append(-np.sort(-gap), np.zeros(WIDE))[:WIDE]


def _pilot(system: Any, worlds: tuple[Interactions, Interactions], turns: Sequence[int], seed: int, noise: int) -> Far:
    """How far apart the later questions of one whole run are; None where the neighbour cannot be told its answers."""
    enough = max(turns) + 1
    try:
        tape = _calls(system, worlds[1], seed, noise, enough)
        other = _calls(system, worlds[0], seed, noise, enough, tape)
        return [shift(Passage(tape[turn].mechanism, tape[turn].x, other[turn].x)) for turn in turns]
    except (Torn, UserError, IndexError):
        return None


def _calls(
    system: Any, data: Interactions, seed: int, noise: int, enough: int, tape: list[Call] | None = None
) -> list[Call]:
    """The first `enough` passages of a run: public random numbers of one seed, noise of another."""
    with rooted(noise), taped(tape, enough) as now:
        system.fit(data, np.random.default_rng(seed))
    return now.calls


def _floors(pilots: Sequence[Far], share: float) -> list[Array]:
    """Of each answer, what all but about `share` of these runs reach; for 0, what lies below all of them."""
    out = []
    for answer in zip(*[run for run in pilots if run], strict=True):
        low = np.quantile(answer, share, axis=0, method="lower") * (1 - 1e-9)
        out.append(np.maximum(0.0, low - (0.0 if share else MARGIN * np.ptp(answer, axis=0))))
    return out


def _missed(pilots: Sequence[Far], floors: Sequence[Array]) -> Missed:
    """In how many of these runs some floor does not hold."""
    return Missed(sum(not _holds(run, floors) for run in pilots), len(pilots))


def _worth(pilots: Sequence[Far], floors: Sequence[Array]) -> float:
    """How loud the floors are, less what it costs that they do not always hold: about what μ loses by β."""
    loud = float(np.sqrt(sum((floor**2).sum() for floor in floors)))
    return loud - COST * _missed(pilots, floors).share(SURE)


def _holds(run: Far, floors: Sequence[Array]) -> bool:
    return run is not None and all((far >= floor).all() for far, floor in zip(run, floors, strict=True))


def _at(passage: Passage, floor: Array) -> Passage:
    """The same mechanism, asked so that neighbours are as far apart as the floor."""
    half = floor[floor > 0] * unit(passage) / 2
    return Passage(passage.mechanism, -half, half)
