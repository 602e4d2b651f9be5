"""Two people made up to be told apart by a round of DP-PrivRec.

Either has met every film of one kind and nothing else: of all kinds the two whose answers, clipped update and yes or
no, lie farthest apart. Everybody else is like the first of them. So a round with her in it differs from one without
only if she is the second, and the rest is known and can be taken away. What is heard of an update is where it lies in
the plane of the two: noise is the same in any plane.

The first round asks just this. Later ones ask at another θ₀: a game of more rounds repeats the first one's question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from recprivlib.auditing import Game
from recprivlib.mechanisms import Cohort, VectorGaussian
from recprivlib.papers.privrec.meta import reptile
from recprivlib.papers.privrec.phones import Phones, Practice
from recprivlib.papers.privrec.system import DPPrivRec
from recprivlib.papers.privrec.training import Start
from recprivlib.protocols import Array

ROOM = 1 << 21  # answers held at once


@dataclass(frozen=True, eq=False)
class TwoUpdates:
    """What the two send in the first round, before it is clipped."""

    kinds: Array  # (2,), what they have met
    updates: Array  # (2, d)

    def sent(self, event: Cohort) -> Array:
        """(2, 2): the clipped updates in their plane."""
        clipped = event.parts[0].clipped(self.updates)
        return clipped @ np.linalg.svd(clipped, full_matrices=False)[2].T

    def gap(self, event: Cohort) -> float:
        """How far the updates are apart, of the 2S that the noise is made for."""
        one, two = self.sent(event)
        return float(np.linalg.norm(two - one)) / (2 * event.parts[0].clip)


def pair(system: DPPrivRec, start: Start) -> TwoUpdates:
    """The two kinds that the first round's noise hides worst."""
    sizes = start.network.words.sizes
    met = sp.csr_array(np.diag(sizes))
    people = np.zeros((len(sizes), start.phones.people.shape[1]), np.int32)
    phones = Phones(people, met, met, start.phones.zeros)
    practice = Practice(system.local_epochs, system.learning_rate, system.proximal)
    updates = reptile(start.network, start.theta, phones, np.arange(len(sizes)), practice).astype(float)
    clipped, says = VectorGaussian(clip=system.clip_init).clipped(updates), below(system, updates)
    square, h = (clipped**2).sum(axis=1), system.balance
    far = (1 - h) * (square[:, None] + square - 2 * clipped @ clipped.T) / system.clip_init**2
    far += h * (says[:, None] - says) ** 2
    kinds = np.array(np.unravel_index(far.argmax(), far.shape))
    return TwoUpdates(kinds, updates[kinds])


def below(system: DPPrivRec, updates: Array) -> Array:
    """What each says of the bound."""
    return ((np.linalg.norm(updates, axis=1) <= system.clip_init) | (system.order == "printed")).astype(float)


def game(system: DPPrivRec, people: int, found: TwoUpdates, rounds: int = 1) -> Game:
    """So many rounds of the real event, told apart by their likelihood ratio."""
    event = system.event(people, system.clip_init)
    update, *count = event.parts
    sent, says = found.sent(event), below(system, found.updates)
    moved = np.append(sent[1] - sent[0], says[1] - says[0])[: 1 + len(event.parts)]

    def likely(noise: Array) -> Array:
        seen = update.log_noise(noise[..., :2]).sum(axis=-1)
        return seen + count[0].log_noise(noise[..., 2]) if count else seen

    def ratio(world: int, trials: int, rng: np.random.Generator) -> Array:
        drawn = rng.random((trials, rounds, 1)) < event.rate
        exact = np.where(drawn & (world == 1), moved, 0.0)
        heard = np.concatenate(
            [update.noised(exact[..., :2], rng), *(c.noised(exact[..., 2:], rng) for c in count)], -1
        )
        inside = likely(heard - moved) - likely(heard) + math.log(event.rate)
        outside = math.log1p(-event.rate) if event.rate < 1 else -math.inf
        return np.round(np.logaddexp(inside, outside).sum(axis=1), 9)

    def play(world: int, trials: int, rng: np.random.Generator) -> Array:
        step = max(1, ROOM // rounds)
        return np.concatenate([ratio(world, min(step, trials - done), rng) for done in range(0, trials, step)])

    of = f"{rounds:,} rounds" if rounds > 1 else "the first round"
    return Game(f"two made-up people, likelihood ratio of {of}", play)
