"""The authors' code, switch by switch: with none of them on it is the paper, and each does what its line says."""

from dataclasses import fields, replace

import numpy as np
import pytest

from recprivlib.data import load
from recprivlib.mechanisms.gate import taped
from recprivlib.papers.dp_pnbm import crafted, pnbm
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning
from recprivlib.papers.dp_pnbm.released import CODE, Differs, Released, Walk, gradient, of_person
from recprivlib.papers.dp_pnbm.system import DPPS, DPSGD
from recprivlib.papers.dp_pnbm.weighted import beyond, item_means
from recprivlib.training import trained

BOUNDS = Bounds(clamp=2.0, floor=1.0)


@pytest.fixture(scope="module")
def train():
    return load("synthetic", users=80, items=60).interactions


@pytest.fixture(scope="module")
def rated(train):
    return beyond(train, item_means(train))


@pytest.fixture(scope="module")
def start():
    return beginning(60, "random", 10.0, np.random.default_rng(3))


def test_with_no_switch_on_it_is_the_printed_algorithm(train, rated, start):
    assert gradient(start, rated, Differs(), BOUNDS) == pytest.approx(pnbm.gradient(start, rated, BOUNDS), abs=1e-5)
    system = DPSGD(iterations=3, epsilon=5.0)
    one, other = trained(Released(system, Differs()), train, 1), trained(system, train, 1)
    assert one.similarity == pytest.approx(other.similarity, abs=1e-2)
    assert one.k == other.k
    far = Released(system, Differs()).multiples(train, rated, start)
    assert far == pytest.approx(crafted.measured(system, train, rated, start), rel=1e-3)


@pytest.mark.parametrize("name", [one.name for one in fields(Differs)])
def test_every_switch_changes_what_is_published(train, name):
    system = DPSGD(epsilon=5.0)
    one, other = (trained(Released(system, how), train, 1) for how in (Differs(), Differs(**{name: True})))
    assert np.abs(one.similarity - other.similarity).max() > 0.01
    assert getattr(CODE, name)


def test_one_person_by_hand():
    """Two films, s = 2 between them: D = 2, ρ = x of the other film."""
    s, x, means = np.array([[0, 2.0], [2.0, 0]]), np.array([1.0, -2.0]), np.array([3.0, 4.0])

    def entry(**switches):
        return of_person(s.copy(), x, means, Differs(**switches), replace(BOUNDS, clamp=2.5))[0, 1]

    # ρ = −2 for film 0, and its error −2 − 1 = −3, cut to −2.5; its slope is (x_1 − ρ)/D = 0, by one term x_1/D = −1
    assert entry() == 0
    assert entry(one_term=True) == pytest.approx(-2.5 / 2 * -2)
    assert entry(one_term=True, unclamped=True) == pytest.approx(-3 / 2 * -2)
    assert entry(one_term=True, unclamped=True, raw=True) == pytest.approx((-2 - 4) / 2 * -2)


def test_a_standard_deviation_is_not_a_scale(train):
    scales = []
    for how in (Differs(), Differs(deviation=True)):
        with taped() as tape:
            trained(Released(DPSGD(epsilon=2.0), how), train)
        scales.append(tape.calls[-1].mechanism.scale)
    assert scales[0] / scales[1] == pytest.approx(2**0.5)


def test_less_noise_and_larger_errors_are_less_privacy(train, rated, start):
    medians = [
        np.median(Released(DPSGD(), how).multiples(train, rated, start))
        for how in (Differs(), Differs(deviation=True), CODE)
    ]
    assert medians[1] == pytest.approx(medians[0] * 2**0.5)
    assert medians[2] > 1.5 * medians[1]


def test_the_walk_is_the_sampler_whose_drift_is_longer(train):
    system = DPPS(epsilon=200.0, iterations=1, cap=1000, learning_rate=1e-5)
    longer = replace(system, rule="code")
    assert trained(Walk(system, Differs()), train, 1).similarity == pytest.approx(
        trained(longer, train, 1).similarity, abs=1e-6
    )
    two = replace(system, iterations=2)  # the second step of the printed sampler is shorter already
    assert np.abs(trained(Walk(two, Differs()), train, 1).similarity
                  - trained(replace(longer, iterations=2), train, 1).similarity).max() > 1e-4  # fmt: skip
