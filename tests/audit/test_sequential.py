"""A bound that may be looked at any time: true at all looks together, and a liar is stopped early."""

import math

import numpy as np
import pytest

from recprivlib.auditing import climb
from recprivlib.auditing.sequential import Gamblers, looks, most, until

P = 1 / (1 + math.exp(-1))  # an honest bit at ε = 1


def bits(rng, low=1 - P, high=P):
    return lambda world, trials: (rng.random(trials) < (high if world else low)).astype(float)


def refuted(audits, trials):
    """How many honest audits ever refute their true claim."""
    return sum(until(bits(np.random.default_rng(seed)), 1.0, trials=trials).proved for seed in range(audits))


def test_an_honest_claim_is_refuted_no_more_often_than_alpha():
    """150 audits with some twenty looks each: more than 17 have a probability below 1e-3 at α = 5 %."""
    assert refuted(150, 4000) <= 17


@pytest.mark.slow
def test_a_thousand_honest_audits_hold_their_alpha_at_all_looks():
    """More than 75 of 1,000 have a probability below 1e-3 at α = 5 %."""
    assert refuted(1000, 20_000) <= 75


def test_with_a_delta_too():
    """A release that tells all with probability δ and a bit at ε = 1 else: (1, δ) is true."""

    def play(rng, delta=0.1):
        def one(world, trials):
            told = rng.random(trials) < delta
            return np.where(told, 2.0 * world - 1, (rng.random(trials) < (P if world else 1 - P)).astype(float))

        return one  # fmt: skip

    with_delta = sum(until(play(np.random.default_rng(seed)), 1.0, 0.1, trials=3000).proved for seed in range(100))
    without = sum(until(play(np.random.default_rng(seed)), 1.0, 0.0, trials=3000).proved for seed in range(20))
    assert with_delta <= 13  # a probability below 1e-3
    assert without == 20  # at δ = 0 the same claim is false, and seen to be


def test_a_liar_is_stopped_early_and_a_worse_one_earlier():
    """Half of the noise that is claimed, and a tenth less. Catches a gambler who never bets."""
    rng = np.random.default_rng(0)
    bold, sly = (until(lambda world, trials, b=b: rng.laplace(world, b, trials), 1.0) for b in (0.5, 0.9))
    assert bold.proved
    assert sly.proved
    assert bold.trials <= 1000 < sly.trials <= 100_000
    assert bold.epsilon > 1 < sly.epsilon


def test_who_proves_nothing_stops_when_no_trials_are_left():
    stopped = until(bits(np.random.default_rng(1)), 1.0, trials=5000)
    assert (stopped.trials, stopped.proved) == (5000, False)
    assert 0.7 < stopped.epsilon <= 1.0


def test_looks_never_fall_stay_below_their_ceiling_and_come_close():
    rng = np.random.default_rng(0)
    rungs = list(looks((bits(rng)(0, 65_536), bits(rng)(1, 65_536))))
    values = [rung.epsilon for rung in rungs]
    assert values == sorted(values)
    assert all(rung.epsilon <= rung.ceiling for rung in rungs)
    assert 0.9 < values[-1] <= 1.0
    assert climb((bits(rng)(0, 4096), bits(rng)(1, 4096)))[-1].trials == 4096


def test_the_ceiling_is_what_a_perfect_event_comes_to():
    """Every trial of world 1 is in the event and none of world 0: no bound lies higher, and this one comes near."""
    seen = list(looks((np.zeros(4096), np.ones(4096))))[-1]
    assert seen.ceiling - 0.25 < seen.epsilon <= seen.ceiling == most(4096 - 64, 0.0, 0.05)


def test_a_claim_counts_as_refuted_with_all_smaller_ones_only():
    """Else of two thousand claims each had an α of its own."""
    gamblers = Gamblers(0.0)
    gamblers.reached[5] = True
    assert gamblers.epsilon == 0.0
    gamblers.reached[:5] = True
    assert gamblers.epsilon == pytest.approx(0.05)
