"""Algorithms 1 and 2 as the authors' MATLAB runs them: each place where that differs from the paper is a switch.

    paper                                     their code                                          switch
    e = r̂_ui − r_ui, both less the mean       r̂_ui less the mean, r_ui in stars                   raw
    slope (x_uj − sgn(s_ij) ρ)/D              x_uj/D: the second term is not there                one_term
    e is cut to ±e_max                        it is cut, and the result thrown away               unclamped
    Laplace noise of scale ΔF/ε               laprnd takes a standard deviation: ΔF/(√2 ε)        deviation
    drift ε/4B · η/2                          2|R| times as much, nobody's ratings capped         Walk
    η_t falls from the first step             η stays for 40 steps of 300                         Walk

Not switched: there a film votes for itself in training, and λ S is multiplied by β as the slope is. Nothing here is a
system of the registry, for nobody promises anything of it: the chapter compares it with what was printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from recprivlib.mechanisms import Exact
from recprivlib.mechanisms.gate import released
from recprivlib.models.stars import stars_of
from recprivlib.papers.dp_pnbm.crafted import visible
from recprivlib.papers.dp_pnbm.plain import neighbours
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning, symmetric
from recprivlib.papers.dp_pnbm.shared import LEAK, laplace, shaken, width
from recprivlib.papers.dp_pnbm.system import DECAY, DPPS, DPSGD, bounds_of, moved
from recprivlib.papers.dp_pnbm.weighted import Neighbours, Rated, beyond, item_means
from recprivlib.protocols import Array, Interactions

STEADY = 40  # steps of a walk that are as long as the first


@dataclass(frozen=True)
class Differs:
    """Where a run is as the code and not as the paper has it."""

    raw: bool = False
    one_term: bool = False
    unclamped: bool = False
    deviation: bool = False


CODE = Differs(raw=True, one_term=True, unclamped=True, deviation=True)


def of_person(similarity: Array, x: Array, means: Array, differs: Differs, bounds: Bounds) -> Array:
    """G(u) of `pnbm.of_person`, for all films that she rated, as far as nothing `differs`."""
    np.fill_diagonal(similarity, 0)
    total = np.abs(similarity).sum(axis=1)
    below = np.maximum(total, bounds.floor)
    below[below == 0] = np.inf
    guess = (similarity @ x) / below
    error = guess - (x + means if differs.raw else x)
    step = (error if differs.unclamped else np.clip(error, -bounds.clamp, bounds.clamp)) / below
    out = np.outer(step, x)
    if not differs.one_term:
        out -= np.where(total >= bounds.floor, step * guess, 0)[:, None] * np.sign(similarity)
    np.fill_diagonal(out, 0)
    return out


def gradient(similarity: Array, rated: Rated, differs: Differs, bounds: Bounds) -> Array:
    """The sum of everybody's part, float32."""
    out = np.zeros_like(similarity)
    for user in rated.people:
        items, x = rated.of(user)
        place = np.ix_(items, items)
        out[place] += of_person(similarity[place], x, rated.means[items], differs, bounds)
    return out


@dataclass(frozen=True)
class Released:
    """Algorithm 1 with the settings of `system`."""

    system: DPSGD
    differs: Differs = CODE

    @property
    def epsilon(self) -> float:
        """The declared ε, or what the noise is worth as drawn: √2 times as much."""
        return self.system.epsilon * (math.sqrt(2) if self.differs.deviation else 1)

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        start, _ = rng.spawn(2)
        means, system = released(Exact(LEAK), item_means(train)), self.system
        rated = beyond(train, means)
        similarity = beginning(train.n_items, system.start, system.rescale, start)
        for turn in range(1, system.iterations + 1):
            exact = gradient(similarity, rated, self.differs, bounds_of(system, turn, train.grid))
            noise, _ = laplace(self.epsilon / system.iterations, system.largest(turn, train.grid))
            similarity = moved(system, similarity, released(noise, exact).astype(np.float32))
        return neighbours(train, means, similarity, system.neighbors, system.floor)

    def multiples(self, train: Interactions, rated: Rated, similarity: Array) -> Array:
        """The largest loss of privacy, as a multiple of the declared ε, if the first rating of a person goes to the far
        end of the scale: for everybody with two ratings or more. The means stay, as in `crafted.measured`."""
        low, high = stars_of(train.grid)
        bounds, largest = bounds_of(self.system, 1, train.grid), self.system.largest(1, train.grid)
        found = []
        for user in rated.people:
            items, x = rated.of(user)
            if len(x) > 1:
                stars, other = x[0] + rated.means[items[0]], x.copy()
                other[0] += (high if stars <= (low + high) / 2 else low) - stars
                part = similarity[np.ix_(items, items)]
                one, two = (of_person(part.copy(), z, rated.means[items], self.differs, bounds) for z in (x, other))
                found.append(float(np.abs(visible(self.system, two - one)).sum()) / largest)
        return np.array(found) * self.epsilon / self.system.epsilon


@dataclass(frozen=True)
class Walk:
    """Algorithm 2 with the settings of `system`, its first steps of one length and its drift 2|R| times the printed."""

    system: DPPS
    differs: Differs = CODE

    def fit(self, train: Interactions, rng: np.random.Generator) -> Neighbours:
        means, how = released(Exact(LEAK), item_means(train)), self.system
        rated, similarity = beyond(train, means), beginning(train.n_items, "random", 1.0, rng.spawn(2)[1])
        drift = len(train) * how.epsilon / (4 * width(train.grid) ** 2 * how.cap)
        for turn in range(1, how.iterations + 1):
            step = how.learning_rate * (1 if turn <= STEADY else (turn - 1) ** -DECAY)
            slope = gradient(similarity, rated, self.differs, Bounds())
            slope += np.float32(how.regularization) * similarity
            similarity = shaken(similarity - np.float32(drift * step) * slope, math.sqrt(how.temperature * step))
            symmetric(similarity)
        return neighbours(train, means, similarity, how.neighbors)
