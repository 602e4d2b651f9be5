"""People planted in one single run: the bound is true however often it is tried, and a liar is heard."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binom

from recprivlib.auditing.canaries import Crowd, _codes, one_run
from recprivlib.auditing.guesses import approximate_epsilon, gaussian_mu, pure_epsilon
from recprivlib.data import load
from recprivlib.mechanisms import Gaussian, Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Claim, Ledger, Release
from recprivlib.registry import get

REAL = load("synthetic", users=60, items=200).interactions
TERMS = ("rating", "replace-value")


@dataclass(frozen=True)
class Sums:
    """Noisy sums of every item's ratings. `drawn`: with which part of the noise that is stated."""

    stated: Laplace | Gaussian = Laplace(1.0, 4.0)
    drawn: float = 1.0

    def fit(self, train, rng):
        sums = np.bincount(train.items, train.ratings, minlength=train.n_items)
        noisy = released(self.stated, sums)
        return PerItem((sums + self.drawn * (noisy - sums)).astype(np.float32))

    def ledger(self, sizes):
        delta = 1e-5 if isinstance(self.stated, Gaussian) else 0.0
        claim = Claim(1.0, delta, *TERMS, "here")
        return Ledger((Release("sums", self.stated, {TERMS: Change()}),), trust="the server", claimed=claim)


@dataclass(frozen=True)
class Quiet(Laplace):
    """Laplace noise with half of the scale that it states."""

    def release(self, x, rng):
        return x + 0.5 * (super().release(x, rng) - x)


def test_one_run_never_says_more_than_is_true_but_as_often_as_alpha_allows():
    """300 runs at ε = 1: more than 28 wrong ones have a probability below 1e-3 at α = 5 %, and none at 1e-6."""
    found = [one_run(Sums(), REAL, seed=seed) for seed in range(300)]
    assert sum(one.epsilon_lower > 1 for one in found) <= 28
    assert all(one.decisive <= 1 for one in found)
    assert np.mean([one.epsilon_lower for one in found]) > 0.5  # power: the cap that 200 people allow is .75


def test_one_run_of_gaussian_noise_is_true_too():
    """150 runs at μ = 1, ε = 4.38 at δ = 1e-5: more than 17 wrong have a probability below 1e-3 at α = 5 %."""
    found = [one_run(Sums(Gaussian(1.0, 4.0)), REAL, seed=seed) for seed in range(150)]
    assert sum(one.mu > 1 for one in found) <= 17
    assert all(one.decisive <= 4.38 for one in found)
    assert np.mean([one.mu for one in found]) > 0.25


def test_half_of_the_noise_that_is_stated_is_heard_in_one_run():
    found = one_run(Sums(Quiet(1.0, 4.0)), REAL)
    assert found.epsilon_lower > 1.2
    assert found.right > 0.75 * found.guesses


def test_a_printed_mechanism_without_a_guarantee_is_broken_by_one_run():
    found = one_run(get("laplace-rr-svd").system, REAL)
    assert found.decisive > 1  # its claim
    assert found.right == found.guesses


@pytest.mark.parametrize("name", ["ldp-popularity", "dplcf-sp", "laplace-svd", "optimal-mf", "dp-item-means"])
def test_every_kind_of_answer_that_is_given_entry_by_entry_is_understood(name):
    """One run with 400 people reaches about .8 of ε = 1, and does not exceed it at the deciding level."""
    entry = get(name)
    unit, relation = entry.terms
    found = one_run(entry.system, load("synthetic", users=60, items=400).interactions, unit=unit, relation=relation)
    assert 0.4 < found.epsilon_lower
    assert found.decisive <= 1 <= found.ceiling


def test_the_scores_know_nothing_of_the_coins_but_through_the_answers():
    """With noise that drowns everything guesses are right half of the time. Catches a score that reads the coins."""
    rights = [one_run(Sums(Laplace(0.001, 4.0)), REAL, seed=seed) for seed in range(10)]
    assert sum(one.right for one in rights) < 0.6 * sum(one.guesses for one in rights)
    assert all(one.epsilon_lower < 0.2 for one in rights)


def test_everybody_real_takes_part_and_planted_people_come_after_them():
    crowd = Crowd(REAL, "interaction", "add-remove", 30)
    coins = np.arange(30) % 3 == 0
    people = crowd.people(coins)
    assert people.n_users == REAL.n_users + 30
    assert np.array_equal(people.ratings[: len(REAL)], REAL.ratings)
    assert people.users[len(REAL) :].tolist() == [REAL.n_users + each for each in np.flatnonzero(coins)]


def test_the_codes_tell_everybody_from_everybody_else():
    codes = np.stack(list(_codes(100)))
    assert len({tuple(column) for column in codes.T.tolist()}) == 100
    assert codes.any(axis=0).all()


def test_people_who_are_drawn_in_secret_are_not_guessed_of():
    small = replace(get("dp-privrec").system, rounds=2, cohort=5, local_epochs=1)
    with pytest.raises(UserError, match="people are drawn in secret here"):
        one_run(small, REAL, unit="user", relation="replace")


@pytest.mark.parametrize(("change", "said"), [
    ({"unit": "user"}, "user is not stated here; choose from rating/replace-value"),
    ({"planted": 5}, "planted is 5, but it takes 20 people or more"),
])  # fmt: skip
def test_what_cannot_be_played_is_refused(change, said):
    with pytest.raises(UserError, match=said):
        one_run(Sums(), REAL, **change)


def test_a_system_without_a_promise_is_refused():
    with pytest.raises(UserError, match="promises no privacy"):
        one_run(get("popularity").system, REAL)


# ---------------------------------------------------------------------------------------------- the bounds


@pytest.mark.parametrize(("right", "guesses"), [(60, 100), (99, 100), (100, 100), (731, 1000)])
def test_the_pure_bound_is_where_a_binomial_tail_reaches_alpha(right, guesses):
    epsilon = pure_epsilon(right, guesses, 0.05)
    tail = binom.sf(right - 1, guesses, 1 / (1 + math.exp(-epsilon)))
    assert tail == pytest.approx(0.05, rel=0.01)


def test_the_bound_at_a_delta_is_true_for_the_worst_release_there_is():
    """Randomised response at ε = 1 that tells the coin with probability δ = .05: it is (1, δ)-DP and reaches it. 400
    runs of 200 guesses: more than 36 wrong ones have a probability below 1e-3 at α = 5 %."""
    rng, keep = np.random.default_rng(3), 1 / (1 + math.exp(-1))
    right = rng.binomial(200, 0.05 + 0.95 * keep, 400)
    bounds = {int(each): approximate_epsilon(int(each), 200, 200, 0.05, 0.05) for each in set(right.tolist())}
    assert sum(bounds[int(each)] > 1 for each in right) <= 36
    assert sum(pure_epsilon(int(each), 200, 0.05) > 1 for each in right) > 40  # what δ must pay for


def test_the_bound_on_mu_is_true_whoever_is_guessed_of():
    """400 runs of 200 people at μ = 1, of whom the surest 40 are guessed."""
    wrong, told = 0, []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        coins = rng.random(200) < 0.5
        score = rng.normal(coins, 1.0) - 0.5
        sure = np.argsort(-np.abs(score))[:40]
        told.append(gaussian_mu(int(((score > 0) == coins)[sure].sum()), 40, 200, 0.05))
        wrong += told[-1] > 1
    assert wrong <= 36
    assert np.mean(told) > 0.3


def test_more_right_guesses_never_show_less():
    for bound in (
        lambda v: pure_epsilon(v, 50, 0.05),
        lambda v: approximate_epsilon(v, 50, 100, 1e-5, 0.05),
        lambda v: gaussian_mu(v, 50, 100, 0.05),
    ):
        values = [bound(v) for v in range(25, 51)]
        assert values == sorted(values)
        assert values[0] == 0 < values[-1]
