"""What a room is said to have counted and proven, beside scipy's word for it and in rooms that are simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from recprivlib.mechanisms import RandomizedResponse
from widgets.classroom import coin, statistics
from widgets.classroom.attack import LEAKY

ROOM, TURNS = 30, 5
N = ROOM * TURNS


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_coin_is_the_librarys_and_keeps_its_rates(epsilon):
    """Rates, losses and draws: five standard errors would see a rate that is off by .012."""
    mechanism = RandomizedResponse(epsilon)
    assert coin.rates(epsilon) == {"p": mechanism.p, "q": mechanism.q}
    assert math.log(mechanism.p / mechanism.q) == pytest.approx(epsilon)
    for bit, rate in ((1, mechanism.p), (0, mechanism.q)):
        n = 40_000
        drawn = coin.tossed(np.full(n, bit), epsilon).mean()
        assert abs(drawn - rate) < 5 * math.sqrt(rate * (1 - rate) / n)


def test_the_bill_adds_up_rounds_over_a_film_and_films_over_a_list():
    assert coin.bill((1.0,), 8) == pytest.approx((1.0, 8.0))
    assert coin.bill((1.0, 0.3, 2.0), 8) == pytest.approx((3.3, 26.4))


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
def test_a_proof_is_one_limit_of_clopper_and_pearson(alpha):
    for right in range(0, N + 1, 3):
        low = stats.binomtest(right, N, alternative="greater").proportion_ci(1 - alpha, method="exact").low
        wanted = max(0.0, math.log(low / (1 - low))) if low > 0 else 0.0
        assert statistics.proven(right, N, alpha) == pytest.approx(wanted, abs=1e-9)
    assert statistics.proven(110, N) == pytest.approx(0.697, abs=0.001)
    assert statistics.ceiling(N) == pytest.approx(3.903, abs=0.001)
    assert statistics.proven(0, 0) == 0


def test_what_is_proven_is_never_rounded_up():
    """.9656 as .97 would have proven what was not."""
    for epsilon in np.random.default_rng(0).random(1000) * 4:
        assert epsilon - 0.0101 < statistics.least(epsilon) <= epsilon
    assert statistics.least(0.29) == 0.29  # 100 × .29 is less than 29


def test_a_claim_is_broken_at_one_in_a_million_and_not_before():
    least = next(right for right in range(N) if statistics.broken(right, N, 1.0))
    tail = stats.binom.sf(least - 1, N, RandomizedResponse(1.0).p)
    assert tail <= 1e-6 < stats.binom.sf(least - 2, N, RandomizedResponse(1.0).p)
    caught = stats.binom.sf(least - 1, N, RandomizedResponse(LEAKY).p)
    assert caught > 0.998  # the README's 99.9 %


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("true", [0, 3, 15, 30])
def test_the_bars_of_the_crowd_hold_the_truth_as_often_as_they_say(epsilon, true):
    """Exactly, not simulated: yeses are two binomials. Thirty phones: a lattice, so 95 % only nearly."""
    p, q = coin.rates(epsilon).values()
    chance = np.convolve(stats.binom.pmf(range(true + 1), true, p), stats.binom.pmf(range(31 - true), 30 - true, q))
    found = np.array([statistics.estimate(yeses, 30, epsilon) for yeses in range(31)])
    assert chance @ found == pytest.approx(true)  # unbiased
    spread = math.sqrt(chance @ (found - true) ** 2)
    assert statistics.error(30, epsilon) == pytest.approx(statistics.Z * spread)
    assert 0.93 < chance[np.abs(found - true) <= statistics.error(30, epsilon)].sum() < 0.975


# ----------------------------------------------------------------------------------------- simulated rooms


def believe(rng, answer, secret):
    return answer


def yes(rng, answer, secret):
    return np.ones_like(answer)


def copy(rng, answer, secret):
    """All say what the first one's answer says."""
    return np.broadcast_to(answer[:, :, :1], answer.shape)


def streak(rng, answer, secret):
    """Believes after a right turn, says the opposite after a wrong one."""
    said = answer.copy()
    for turn in range(1, TURNS):
        wrong = said[:, turn - 1] != secret[:, turn - 1]
        said[:, turn] = np.where(wrong, 1 - answer[:, turn], answer[:, turn])
    return said


def sulk(rng, answer, secret):
    """Sleeps for good after two wrong turns; a coin stands in."""
    wrong = np.cumsum(answer != secret, axis=1)
    out = np.concatenate([np.zeros_like(wrong[:, :1]), wrong[:, :-1]], axis=1) >= 2
    return np.where(out, rng.integers(0, 2, answer.shape), answer)


def rooms(rng, epsilon, many):
    secret = rng.integers(0, 2, (many, TURNS, ROOM))
    return secret, RandomizedResponse(epsilon).release(secret, rng)


def too_much(right, epsilon):
    """The share of rooms that prove more than is true."""
    limits = np.array([statistics.proven(each, N) for each in range(N + 1)])
    return float(np.mean(limits[right] > epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("rule", [believe, yes, copy, streak, sulk])
def test_a_room_proves_too_much_in_five_of_a_hundred_at_most_whatever_it_does(rule, epsilon):
    """10,000 rooms: four standard errors of .05 are .009."""
    rng = np.random.default_rng(2017)
    secret, answer = rooms(rng, epsilon, 10_000)
    right = (rule(rng, answer, secret) == secret).sum((1, 2))
    assert too_much(right, epsilon) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 10_000)


@pytest.mark.slow
def test_one_answer_that_all_have_seen_is_no_thirty_trials():
    """What the design is for: else this simulation could not fail."""
    rng = np.random.default_rng(2017)
    secret, answer = rooms(rng, 1.0, 10_000)
    right = ROOM * (answer[:, :, 0] == secret[:, :, 0]).sum(1)
    assert too_much(right, 1.0) > 0.5
