"""Asymmetric channels: which way inputs change, known or not, against exact sums over all outcomes."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy.stats import binom

from recprivlib.accounting import guarantee, pld
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.mechanisms import MECHANISMS, Duchi, UnaryOneSided
from recprivlib.mechanisms.losses import Channel
from recprivlib.protocols import Change, Ledger, Release, Sizes
from recprivlib.registry import systems

BIT = np.array([[0.7, 0.3], [0.45, 0.55]])
TRINARY = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.1, 0.6, 0.3]])


def ordered(p, q, forward, back, delta):
    """ε of two outputs, P(first) = p and q: `forward` times P against Q and `back` times Q against P, by sums."""
    a, b = np.arange(forward + 1), np.arange(back + 1)
    ps = np.outer(binom.pmf(a, forward, p), binom.pmf(b, back, q))
    losses = np.outer(np.ones(forward + 1), b * math.log(q / p) + (back - b) * math.log((1 - q) / (1 - p)))
    losses += (a * math.log(p / q) + (forward - a) * math.log((1 - p) / (1 - q)))[:, None]
    low, high = 0.0, float(losses.max())
    while high - low > 1e-12:
        middle = (low + high) / 2
        above = losses > middle
        got = (ps[above] * -np.expm1(middle - losses[above])).sum()
        low, high = (low, middle) if got <= delta else (middle, high)
    return high


def dearest(matrix, pairs, count, epsilon):
    """The value of the game at e^ε by recursion over all outcomes, without any grid."""
    choices = [matrix[[i, j]] for i, j in pairs] + [matrix[[j, i]] for i, j in pairs]

    @functools.cache
    def value(log, left):
        if left == 0:
            return max(0.0, -math.expm1(log))
        return max(
            sum(p * value(round(log + math.log(q / p), 12), left - 1) for p, q in zip(*choice, strict=True))
            for choice in choices
        )

    return value(epsilon, count)


@pytest.mark.parametrize(("matrix", "pairs", "count"), [
    (BIT, ((0, 1),), 12), (TRINARY, ((0, 1), (1, 2)), 5), (TRINARY, ((0, 2),), 7),
    (np.array([[0.9, 0.1], [0.999, 0.001]]), ((0, 1),), 15),
])  # fmt: skip
def test_the_bill_is_the_value_of_the_game(matrix, pairs, count):
    """δ at our ε is the δ asked for, from below and within what the grid may add (2 %)."""
    one = pair(Channel(matrix, pairs), "replace")
    for delta in (0.05, 1e-3):
        epsilon = tightest([(one, count)], delta)[0]
        assert 0.98 * delta <= dearest(matrix, pairs, count, epsilon) <= delta * (1 + 1e-9)
        assert epsilon <= pld.epsilon([(one, count)], delta) * (1 + 1e-9)


def test_duchi_at_half_the_distance():
    """171.9 was counted for 200 reports where 152.5 is true (every change the same way, summed exactly)."""
    p = 1 / (1 + math.exp(2.0))
    true = max(ordered(p, 0.5, 200 - back, back, 1e-6) for back in (0, 1, 10, 100, 199, 200))
    found = tightest([(pair(Duchi(2.0).loss(0.5), "replace"), 200)], 1e-6)[0]
    assert true == pytest.approx(152.53, abs=0.01)
    assert true <= found <= 1.005 * true


def test_no_other_values_at_half_the_distance_are_dearer():
    """Duchi's outputs are linear in the value: all x, x + 1 on a grid, both orders, in the game of three rounds."""
    mechanism, delta = Duchi(2.0), 1e-3
    xs = np.linspace(-1, 0, 6)
    rows = np.exp([[float(mechanism.log_density(y, x)) for y in mechanism.outputs] for x in (*xs, *(xs + 1))])
    epsilon = tightest([(pair(mechanism.loss(0.5), "replace"), 3)], delta)[0]
    assert dearest(rows, [(i, i + 6) for i in range(6)], 3, epsilon) <= delta * (1 + 1e-9)


@pytest.mark.parametrize(("change", "parts"), [(Change(inputs=2, back=1), (1, 1)), (Change(inputs=5, back=0), (5, 0))])
def test_inputs_that_change_a_known_way_are_summed_that_way(change, parts):
    line = Release("bits", Fixed(Channel(BIT, ((0, 1),))), {("user", "replace"): change})
    for delta in (0.2, 1e-2, 1e-4):
        found = guarantee(Ledger((line,)), "user", "replace", delta, "server").epsilon
        true = max(ordered(0.7, 0.45, *parts, delta), ordered(0.7, 0.45, *reversed(parts), delta))
        assert true * (1 - 1e-9) <= found <= true * 1.005 + 1e-9


class Fixed:
    def __init__(self, value):
        self.value = value

    def loss(self, distance=1.0):
        return self.value


@pytest.mark.parametrize("ledger", [
    Ledger((Release("bits", UnaryOneSided(1.0), UnaryOneSided(1.0).neighbours),)),
    systems()["lcf-ap"].system.ledger(Sizes(943, 1682)),
], ids=["bits", "lcf-ap"])  # fmt: skip
def test_a_swap_of_one_sided_bits(ledger):
    """∞ was counted at δ = .7. One bit falls, one rises: proof has the chance 1 − e⁻¹ = .632 either way."""
    found = [guarantee(ledger, "interaction", "swap", delta, "server").epsilon for delta in (0.62, 0.64, 0.7)]
    assert found == [math.inf, 0.0, 0.0]


@pytest.mark.parametrize("name", ["k-randomized-response", "subset-selection", "unary-optimized", "optimal-channel"])
def test_channels_that_are_their_own_mirror_need_no_game(name):
    assert pair(MECHANISMS[name].loss(), "replace").rows is None
