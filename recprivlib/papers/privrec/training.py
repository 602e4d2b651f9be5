"""What a run of networks on phones begins with, and its rounds: draw a cohort, move θ₀, tell everybody."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from recprivlib.papers.privrec.network import Shape
from recprivlib.papers.privrec.phones import FineTuned, Network, Phones, Practice, Vocabulary
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Interactions

SIZES = {  # length of a feature's vector, widths of the hidden layers
    "tiny": (1, (2,)),
    "small": (3, (4,)),
    "medium": (8, (16, 8)),
    "large": (16, (32, 16, 16, 8)),
    "paper": (64, (64, 64, 32, 16)),
}


class PhoneTraining:
    """What is asked of a system that trains a network on phones; one that does not set the last four has these."""

    cohort: int
    rounds: int
    size: str  # one of SIZES
    negatives: float
    fine_tune: int
    home_rate: float
    ids: bool = False
    labels: str = "met"
    activation: str = "relu"
    proximal: float = 0.0


@dataclass(frozen=True, eq=False)
class Start:
    """A network, what the phones hold, how they learn at home, and θ₀."""

    network: Network
    phones: Phones
    home: Practice
    theta: Array
    stars: bool

    @classmethod
    def of(cls, system: PhoneTraining, train: Interactions, rng: np.random.Generator) -> Start:
        if system.cohort > train.n_users:
            raise UserError(f"cohort is {system.cohort}, but there are only {train.n_users} people to draw it from")
        words, stars = Vocabulary.of(train, system.ids), system.labels == "stars"
        shape = Shape(words.fields, words.features, *SIZES[system.size], system.activation)
        home = Practice(system.fine_tune, system.home_rate, system.proximal)
        phones = Phones.of(train, words, system.negatives, stars)
        return cls(Network(shape, words), phones, home, shape.start(rng, system.negatives), stars)

    def model(self, theta: Array) -> FineTuned:
        return FineTuned(theta, self.network, self.phones, self.home, self.stars)


Move = Callable[[Start, Array, Array, int], Array]


def rounds(
    system: PhoneTraining, train: Interactions, rng: np.random.Generator, move: Move
) -> Iterator[tuple[float, FineTuned]]:
    """A model after each round, in which `move` (start, θ₀, cohort, round) says where θ₀ goes."""
    start = Start.of(system, train, rng)
    theta = start.theta
    for turn in range(1, system.rounds + 1):
        members = np.sort(rng.choice(len(start.phones), system.cohort, replace=False)).astype(np.int32)
        theta = sound(move(start, theta, members, turn), turn)
        yield turn / system.rounds, start.model(theta)


def sound(theta: Array, turn: int) -> Array:
    """`theta`, or a refusal: where no number is finite all items tie, and a careless ranking calls that perfect."""
    if not np.isfinite(theta).all():
        raise UserError(f"training stopped in round {turn}: its weights are no finite numbers any more; "
                        "try a smaller learning_rate")  # fmt: skip
    return theta


class Adam:
    """Steps along a mean gradient, each weight at a pace of its own (Kingma & Ba 2015)."""

    def __init__(self, rate: float):
        self.rate, self.taken = rate, 0
        self.first: Array | float = 0.0
        self.second: Array | float = 0.0

    def step(self, gradient: Array) -> Array:
        self.taken += 1
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient**2
        scale = self.rate * math.sqrt(1 - 0.999**self.taken) / (1 - 0.9**self.taken)
        return (scale * self.first / (np.sqrt(self.second) + 1e-8)).astype(np.float32)
