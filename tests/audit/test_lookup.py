"""What is looked up once a value is what it would be answer by answer."""

from __future__ import annotations

import numpy as np
import pytest

from recprivlib.auditing import bounds, events
from recprivlib.auditing import distribution as law
from recprivlib.auditing.lookup import MOST, few, looked_up, tally
from recprivlib.auditing.redraw import Passage
from recprivlib.mechanisms import KRandomizedResponse, UnaryOneSided, UnarySymmetric

RNG = np.random.default_rng


@pytest.mark.parametrize(
    "y", [RNG(0).random((50, 3)) < 0.3, RNG(1).integers(-1, 2, 80).astype(np.int8), RNG(2).integers(5, 9, (40, 2))]
)
def test_bits_and_small_whole_numbers_are_looked_up(y):
    assert few(y) is not None
    assert np.array_equal(looked_up(lambda v: 7 * np.asarray(v, int) ** 2, y), 7 * y.astype(int) ** 2)
    values, counts = np.unique(y.astype(float), return_counts=True)
    assert [list(part) for part in tally(y)] == [list(values), list(counts)]


def test_real_numbers_and_wide_ranges_are_not():
    assert few(np.array([0.0, 1.0])) is None
    assert few(np.array([0, MOST])) is None
    assert few(np.zeros(0, int)) is None


@pytest.mark.parametrize("mechanism", [UnarySymmetric(0.7), UnaryOneSided(0.7)])
def test_the_ledgers_ratio_of_bits_is_that_of_each_answer(mechanism):
    low, high = np.array([0, 1, 1, 0], bool), np.array([1, 1, 0, 0], bool)
    passage, y = Passage(mechanism, low, high), RNG(3).random((200, 4)) < 0.5
    assert np.array_equal(passage.ratio(y), passage._ratios(y).sum(axis=1))


def test_the_ledgers_ratio_of_symbols_is_that_of_each_answer():
    low, high = np.array([0, 2], np.int32), np.array([1, 2], np.int32)
    passage, y = Passage(KRandomizedResponse(1.0, 5), low, high), RNG(4).integers(0, 5, (300, 2)).astype(np.int32)
    assert np.array_equal(passage.ratio(y), passage._ratios(y).sum(axis=1))


def slow(worlds, delta, alpha):
    """The best event, each counted by itself."""
    trials = len(worlds[0])
    each = [events.Event(float(t), side) for t in np.unique(np.concatenate(worlds)) for side in ("high", "low")]

    def worth(event):
        hits, misses = event.counts(worlds)
        return bounds.epsilon_lower(hits, misses, trials, delta, alpha), hits

    return max(each, key=worth)


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize("seed", range(5))
def test_the_chosen_event_is_the_best_of_all(seed, delta):
    rng = RNG(seed)
    worlds = (rng.integers(0, 12, 400).astype(float), rng.integers(1, 13, 400).astype(float))
    worlds[1][:3] = np.inf, -np.inf, 40.0
    for pair in (worlds, (-worlds[1], -worlds[0])):  # the best is now above a threshold, now below one
        assert events.choose(pair, delta, 0.05) == slow(pair, delta, 0.05)
    one, two = events.certificates(worlds, delta, (0.05, 1e-6))
    assert (one, two) == (events.certify(worlds, delta, 0.05), events.certify(worlds, delta, 1e-6))


def test_cells_count_bits_as_they_would_count_numbers():
    bits = RNG(5).random((500, 6)) < 0.4
    cells = law.cells(lambda y: np.log(np.where(y > 0, 0.4, 0.6)), bits[:100], True)
    assert np.array_equal(cells.counts(bits), cells.counts(bits.astype(float)))
    assert np.array_equal(cells.level(bits), cells.level(bits.astype(float)))


def test_noise_that_two_bits_share_is_seen():
    bits = RNG(6).random((2000, 4)) < 0.5
    laws = [(lambda y: np.full(np.shape(y), np.log(0.5)), "fair")] * 4
    assert law.departures(law.JointDraw("bits", bits, laws, True)) == []
    bits[:, 3] = bits[:, 1]
    assert law.departures(law.JointDraw("bits", bits, laws, True)) == ["bits: two of its answers share their noise"]
