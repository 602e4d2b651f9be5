"""What a phone of a cohort sends after looking at its own history: the update Δ_τ, one row of d numbers a phone.

reptile   θ_τ − θ₀ after E₂ local epochs (Nichol, Achiam & Schulman 2018; eq. 6)
maml      −∇ of the loss on half of the history after local epochs on the other half (Finn, Abbeel & Levine 2017; eq. 5)
gradients −∇ of the loss at θ₀: no local epochs at all

With server rate 1 and phones that weigh the same, eq. 6 is federated averaging (McMahan et al. 2017): reptile differs
from it by what happens afterwards, the fine-tuning at home.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from recprivlib.papers.privrec.network import Inputs, gradient
from recprivlib.papers.privrec.phones import Network, Phones, Practice
from recprivlib.protocols import Array

ASIDE = 2.0**-20  # how far θ leaves the real line for a second derivative


def reptile(network: Network, theta: Array, phones: Phones, users: Array, practice: Practice) -> Array:
    """Δ_τ = θ_τ − θ₀ (Algorithm 1, line 18)."""
    return network.practised(theta, phones, users, practice) - theta


def gradients(network: Network, theta: Array, phones: Phones, users: Array) -> Array:
    """−∇ of each phone's loss at θ₀."""
    return -_slope(network, np.repeat(theta[None], len(users), axis=0), phones, users)


def maml(
    network: Network, theta: Array, phones: Phones, users: Array, practice: Practice, order: int,
    rng: np.random.Generator,
) -> Array:  # fmt: skip
    """Learn on a random half of the history, judge on the other. Order 1 leaves out that the first half moved θ_τ."""
    support, query = halves(phones, users, rng)
    everybody, path = np.arange(len(users)), [np.repeat(theta[None], len(users), axis=0)]
    for _ in range(practice.epochs):
        path.append(path[-1] - practice.rate * _slope(network, path[-1], support, everybody))
    back = _slope(network, path[-1], query, everybody)
    for before in path[-2::-1] if order == 2 else ():
        back -= practice.rate * _curved(network, before, support, everybody, back)
    return -back


def halves(phones: Phones, users: Array, rng: np.random.Generator) -> tuple[Phones, Phones]:
    """Each item of a history goes to one of two sides by a fair coin; somebody with one item has an empty side."""
    likes, rest = phones.likes[users], phones.seen[users] - phones.likes[users]
    ones, zeros = (_coins(counts, rng) for counts in (likes, rest))
    first = replace(phones, people=phones.people[users], likes=ones, seen=(ones + zeros).tocsr())
    second = replace(first, likes=(likes - ones).tocsr(), seen=(phones.seen[users] - first.seen).tocsr())
    return first, second


def _coins(counts: sp.csr_array, rng: np.random.Generator) -> sp.csr_array:
    out = counts.tocsr().copy()
    out.data = rng.binomial(out.data.astype(np.int64), 0.5).astype(np.float32)
    return out


def _slope(network: Network, theta: Array, phones: Phones, users: Array) -> Array:
    likes, total = phones.targets(users, network.words.sizes)
    return gradient(network.shape, theta, Inputs(phones.people[users], network.words.kinds), likes, total)


def _curved(network: Network, theta: Array, phones: Phones, users: Array, direction: Array) -> Array:
    """∇²L · direction: the gradient a step aside of the real line has it as its imaginary part (Squire & Trapp 1998).

    A difference of two gradients would cross the kinks of relu, and its error sends training astray.
    """
    turned = theta + 1j * (ASIDE * direction)
    return _slope(network, turned, phones, users).imag / ASIDE
