"""How far one rating moves Algorithm 1 in fact: on real people, and on a person made up to be caught.

ΔF of eq. 6 bounds one entry of a gradient. A changed rating of a person with n ratings moves n(n − 1) entries, and
Laplace noise has to be sized by the sum of all their changes.

The world sees S, before the first step and after each. Where S is made symmetric, only the sum of the two entries of a
pair is in it: that sum is what is measured and attacked here, with the noise of both in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.auditing import Game
from recprivlib.mechanisms import Laplace
from recprivlib.models.stars import stars_of
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning, of_person
from recprivlib.papers.dp_pnbm.system import DPSGD, bounds_of, moved
from recprivlib.papers.dp_pnbm.weighted import Rated
from recprivlib.protocols import Array, Interactions, Sizes

RATINGS = 21  # of the made-up person: few, as people go
DRAWS = 400  # choices of films and stars that the attacker compares
ROOM = 1 << 22  # numbers held at once


def visible(system: DPSGD, gradients: Array) -> Array:
    """What S tells of gradients (…, n, n): the sum of every pair's two entries, or each entry, in one row."""
    n = gradients.shape[-1]
    if not system.mirrored:
        return gradients[..., ~np.eye(n, dtype=bool)]
    i, j = np.triu_indices(n, 1)
    return gradients[..., i, j] + gradients[..., j, i]


def log_density(system: DPSGD, noise: Laplace, x: Array) -> Array:
    """Of the noise in what is visible, but for a constant. The sum of two numbers with Laplace noise of scale b has
    density (1 + |x|/b) e^(−|x|/b) / 4b."""
    far = np.abs(x) / noise.scale
    return np.log1p(far) - far if system.mirrored else -far


def change(system: DPSGD, similarity: Array, both: Array, bounds: Bounds) -> Array:
    """By how much what is visible of one person's gradient moves from x to another x: the rows of `both`."""
    rows = np.arange(both.shape[1])
    one, two = (of_person(similarity.copy(), x, rows, bounds) for x in both)
    return np.abs(visible(system, two - one))


def measured(system: DPSGD, train: Interactions, rated: Rated, similarity: Array, turn: int = 1) -> Array:
    """Σ of what visibly changes, over ΔF, for everybody with two ratings or more: her first rating goes to the far
    end of the scale. As a multiple of ε it is the largest loss of privacy. The means stay, which flatters the bound:
    in a run the film's mean moves too, and with it what everybody else thought of it."""
    low, high = stars_of(train.grid)
    bounds, largest = bounds_of(system, turn, train.grid), system.largest(turn, train.grid)
    out = []
    for user in rated.people:
        items, x = rated.of(user)
        if len(x) > 1:
            stars = x[0] + rated.means[items[0]]
            other = x.copy()
            other[0] += (high if stars <= (low + high) / 2 else low) - stars
            far = change(system, similarity[np.ix_(items, items)], np.stack([x, other]), bounds)
            out.append(float(far.sum()) / largest)
    return np.array(out)


@dataclass(frozen=True, eq=False)
class Crafted:
    """A person and her neighbour on a few films; everybody else rated one of these films and nothing more."""

    films: Array
    stars: Array  # (2, n): hers in either world
    others: Array  # (n,): what the others gave each film
    crowd: int  # how many others each film has
    similarity: Array  # S(1) between these films

    @property
    def x(self) -> Array:
        """(2, n): beyond the means, which the changed rating moves as well."""
        means = (self.crowd * self.others + self.stars) / (self.crowd + 1)
        return (self.stars - means).astype(np.float32)

    def data(self, world: int, sizes: Sizes) -> Interactions:
        """The whole data set of either world: she is person 0."""
        n = len(self.films)
        users = np.concatenate([np.zeros(n, np.int32), 1 + np.arange(n * self.crowd, dtype=np.int32)])
        order = np.argsort(self.films)
        items = np.concatenate([self.films[order], np.repeat(self.films, self.crowd)]).astype(np.int32)
        stars = np.concatenate([self.stars[world][order], np.repeat(self.others, self.crowd)]).astype(np.float32)
        return Interactions(users, items, stars, np.zeros(len(users), np.int64), sizes.users, sizes.items, sizes.grid)


def crafted(system: DPSGD, sizes: Sizes, start: Array, rng: np.random.Generator) -> Crafted:
    """Stars and films at which the first gradient moves farthest, of as many as the attacker looks at.

    `start` is S(1): a seed is no secret that the paper's proof counts on.
    """
    low, high = stars_of(sizes.grid)
    crowd = max(1, (sizes.users - 1) // RATINGS)
    best, found = -1.0, None
    for _ in range(DRAWS):
        films = rng.choice(sizes.items, RATINGS, replace=False)
        loved = rng.random(RATINGS) < 0.5
        stars = np.tile(np.where(loved, high, low), (2, 1))
        stars[1, 0] = low + high - stars[1, 0]
        one = Crafted(films, stars, np.where(loved, low, high), crowd, start[np.ix_(films, films)])
        far = float((change(system, one.similarity, one.x, bounds_of(system, 1, sizes.grid)) ** 2).sum())
        if far > best:
            best, found = far, one
    assert found is not None
    return found


def game(system: DPSGD, sizes: Sizes, seed: int = 0) -> Game:
    """All tables S of a run, told apart by their likelihood ratio; the exact means are left unused."""
    choose, begin = np.random.default_rng(np.random.SeedSequence(seed)).spawn(2)
    person = crafted(system, sizes, beginning(sizes.items, system.start, system.rescale, begin), choose)

    def play(world: int, trials: int, rng: np.random.Generator) -> Array:
        step = max(1, ROOM // RATINGS**2)
        parts = [_ratio(system, person, sizes, world, min(step, trials - t), rng) for t in range(0, trials, step)]
        return np.concatenate(parts)

    return Game("crafted person, likelihood ratio of the tables of similarities", play)


def _ratio(system: DPSGD, person: Crafted, sizes: Sizes, world: int, trials: int, rng: np.random.Generator) -> Array:
    """log P(tables | world 1) − log P(tables | world 0), for runs of `world`."""
    n = len(person.films)
    rows = np.arange(n)
    similarity = np.broadcast_to(person.similarity, (trials, n, n))
    total = np.zeros(trials)
    for turn in range(1, system.iterations + 1):
        bounds, noise = bounds_of(system, turn, sizes.grid), system.noise(turn, sizes.grid)[0]
        parts = [of_person(similarity.copy(), x, rows, bounds) for x in person.x]
        heard = noise.release(parts[world], rng)
        likely = [log_density(system, noise, visible(system, heard - part)).sum(axis=-1) for part in parts]
        total += likely[1] - likely[0]
        similarity = moved(system, similarity, heard.astype(np.float32))
    return np.round(total, 9)
