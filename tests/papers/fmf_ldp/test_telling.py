"""What a run tells of two real people is the likelihood ratio of the very bits that were sent."""

from dataclasses import replace

import numpy as np
import pytest

import recprivlib as rp
from recprivlib.papers.fmf_ldp.telling import log_odds

SHORT = {"k": 20, "epochs": 4}


@pytest.fixture(scope="module")
def train():
    return rp.load("synthetic", users=400, items=60).interactions


@pytest.mark.parametrize("name", ["fmf-ldp", "fmf-ldp-stable"])
def test_the_odds_against_the_truth_are_one_on_average(train, name):
    """E[P(bits | other)/P(bits | one)] = 1 where the bits are of the one: of bits of anybody else it is not."""
    system = replace(rp.get(name).system, epsilon=0.3, **SHORT)
    odds = np.exp(-np.concatenate([log_odds(system, train, 200, seed) for seed in range(4)]))
    assert abs(odds.mean() - 1) < 4 * odds.std() / np.sqrt(len(odds))
    assert odds.std() > 1e-3


def test_more_budget_tells_more_and_a_whole_bill_is_never_exceeded(train):
    little, much = (
        log_odds(replace(rp.get("fmf-ldp-stable").system, epsilon=epsilon, **SHORT), train, 200, 0)
        for epsilon in (0.3, 3.0)
    )
    assert much.mean() > 4 * little.mean() > 0
    assert np.abs(much).max() <= 3.0 * 80


def test_a_spy_with_films_of_its_own_hears_more_and_never_more_than_the_bill(train):
    system = replace(rp.get("fmf-ldp").system, epsilon=1.0, **SHORT)
    honest, spied = (log_odds(system, train, 200, 0, small) for small in (None, 1e-4))
    assert np.median(spied) > 5 * max(np.median(honest), 0.1)
    assert np.abs(spied).max() <= 1.0 * 80


def test_what_a_spy_hears_is_still_odds_of_the_bits_that_were_sent(train):
    system = replace(rp.get("fmf-ldp").system, epsilon=0.05, **SHORT)
    odds = np.exp(-np.concatenate([log_odds(system, train, 200, seed, 1e-4) for seed in range(4)]))
    assert abs(odds.mean() - 1) < 4 * odds.std() / np.sqrt(len(odds))
