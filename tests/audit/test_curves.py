"""A Gaussian release is one curve: what is certified of μ is true, and says more of ε than any event at one δ."""

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.auditing import audit, certify
from recprivlib.auditing.bounds import Missed
from recprivlib.auditing.curves import epsilon_of, trade_off
from recprivlib.mechanisms import MECHANISMS
from recprivlib.registry import get


def worlds(mu, trials, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, trials), rng.normal(mu, 1, trials)


def test_what_is_certified_of_mu_is_true_as_often_as_it_says():
    """400 curves at α = 5 %: more than 36 wrong ones have a probability below 1e-3 (binomial). Catches limits at the
    wrong side or events that are counted on the trials that chose them: bare rates exceed in about half."""
    wrong = bare = 0
    for seed in range(400):
        curve = trade_off(worlds(1.0, 1000, seed))
        wrong += curve.mu > 1.0
        bare += float(curve.true_positive_rate) > float(curve.hits(np.array([curve.false_positive_rate]))[0])
    assert wrong <= 36
    assert bare == 400  # the certified curve lies below the point that was counted, always


def test_a_curve_says_far_more_than_one_event_at_a_tiny_delta():
    """At ε = 1, δ = 1e-5: a hundred thousand trials show .9 of it as a curve, half as an event."""
    seen = worlds(0.268, 100_000, 0)
    curve = trade_off(seen)
    assert 0.85 < curve.epsilon(1e-5) <= epsilon_of(0.268, 1e-5)
    assert certify(seen, 1e-5).epsilon() < 0.7 < curve.epsilon(1e-5) <= curve.ceiling(1e-5)


def test_without_a_delta_gaussian_noise_has_no_epsilon_to_show():
    assert trade_off(worlds(1.0, 1000, 0)).epsilon(0.0) == 0.0


def test_runs_that_show_less_than_the_trials_lower_the_curve():
    seen = worlds(1.0, 20_000, 1)
    sure, doubtful = (trade_off(seen, missed=missed).mu for missed in (Missed(), Missed(5, 100)))
    assert doubtful < sure - 0.1


def test_an_audit_of_gaussian_noise_is_one_of_its_curve_and_decides_by_counts_alone():
    for seed in range(5):
        found = audit(MECHANISMS["gaussian"], delta=1e-5, trials=20_000, seed=seed)
        assert found.attacked.attack.endswith("as a trade-off curve")
        assert 0.85 * found.counted.epsilon < found.attacked.epsilon_lower <= found.counted.epsilon
        assert 0.9 < found.attacked.mu <= 1.0
        assert found.attacked.decisive < 0.7 * found.attacked.epsilon_lower


@pytest.mark.parametrize("noise", [1.0, 0.5])
def test_half_the_noise_is_seen_in_the_curve(noise):
    """Power: with half of the noise that is stated μ is twice as large, and the bound lies above what is counted."""
    stated = audit(MECHANISMS["gaussian"], delta=1e-5, trials=20_000).counted.epsilon
    found = audit(replace(MECHANISMS["gaussian"], noise_multiplier=noise), delta=1e-5, trials=20_000)
    assert (found.attacked.epsilon_lower > stated) == (noise < 1)


@pytest.mark.parametrize("name", ["subsampled-gaussian", "discrete-gaussian", "laplace"])
def test_what_has_another_curve_is_not_taken_for_gaussian(name):
    found = audit(MECHANISMS[name], delta=None if name == "laplace" else 1e-5, trials=2000)
    assert found.attacked.mu == 0
    assert "curve" not in found.attacked.attack


def test_a_whole_person_in_one_noisy_sum_is_attacked_along_her_whole_history():
    """.04 of 1.0 was certified where four of her fifty coordinates were listened to."""
    found = audit(get("dp-popularity").system, unit="user", relation="add-remove", trials=100_000)
    assert 0.8 < found.attacked.epsilon_lower <= found.counted.epsilon == pytest.approx(1, abs=1e-6)
    assert found.attacked.decisive > 0.3  # by counts alone
