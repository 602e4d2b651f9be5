"""Answers whose questions hang on earlier ones take part in an attack, and only as far as nearly every run allows."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import ndtr

from recprivlib.auditing import USUAL, audit
from recprivlib.auditing.adaptive import PILOTS, later, shift
from recprivlib.auditing.bounds import Missed
from recprivlib.auditing.distinguish import LATER
from recprivlib.auditing.events import certificates
from recprivlib.auditing.loudest import loudest
from recprivlib.auditing.neighbours import Stage
from recprivlib.auditing.redraw import Passage
from recprivlib.mechanisms import Gaussian, Laplace
from recprivlib.mechanisms.gate import released
from recprivlib.models.constants import PerItem
from recprivlib.protocols import Change, Ledger, Release

ONE = {("rating", "replace-value"): Change()}
TERMS = ("rating", "replace-value")


@dataclass(frozen=True)
class Following:
    """Asks for a noisy sum, then for another beside it that is moved by what was heard; `quiet`: in this share of runs
    the second question has nothing of anybody in it."""

    quiet: float = 0.0
    noise: Laplace | Gaussian = Laplace(1.0, sensitivity=4.0)

    def fit(self, train, rng):
        total = train.ratings.sum(keepdims=True, dtype=float)
        first = released(self.noise, total)
        fraction = float(first[0] * 1000 % 1)  # uniform, and told by the first answer
        second = released(self.noise, total * (fraction >= self.quiet) + first)
        return PerItem(np.full(train.n_items, first[0] + second[0], np.float32))

    def ledger(self, sizes):
        return Ledger((Release("a noisy sum", self.noise, ONE, count=2),), trust="the server")


def floors(system, trials=100_000):
    worlds = (Stage(*TERMS).world(), Stage(*TERMS).world(True))
    return later(system, worlds, [Passage(system.noise, np.zeros(1), np.full(1, 4.0), turn=1)], trials, 0)


def test_the_later_answer_counts_for_as_much_as_the_first():
    """Two answers at ε = 1 each: .97 was certified of 2 without the second."""
    found = audit(Following(), sizes=USUAL, trials=100_000)
    assert found.attacked.attack.startswith(LATER)
    assert 1.4 < found.attacked.epsilon_lower <= found.counted.epsilon == 2.0
    assert found.attacked.decisive > 1.0


def test_a_later_gaussian_answer_takes_part_in_the_curve():
    found = audit(Following(noise=Gaussian(4.0, 4.0)), sizes=USUAL, delta=1e-5, trials=100_000)
    assert found.attacked.attack.startswith(LATER)
    assert 0.25 < found.attacked.mu <= 2**0.5 / 4
    assert found.attacked.epsilon_lower <= found.counted.epsilon


def test_no_floor_where_one_run_in_three_asks_nothing():
    """A bound from the questions of one run would certify what two runs in three show alone."""
    assert floors(Following(quiet=0.33)).passages == ()
    found = audit(Following(quiet=0.33), sizes=USUAL, trials=100_000)
    assert found.attacked.epsilon_lower <= 1.0


def test_a_floor_that_holds_in_nearly_all_runs_is_taken_less_the_share_where_it_does_not():
    """One run in fifty asks nothing: of 1,000 pilots about 20 fail, and β is at least what that is."""
    told = floors(Following(quiet=0.02))
    (passage,) = told.passages
    assert shift(passage)[0] == pytest.approx(1.0)
    assert 5 < told.missed.failed < 50
    assert told.missed.pilots > 0.6 * PILOTS
    assert told.missed.share(0.05) > 0.02
    assert floors(Following()).missed.failed == 0


def test_a_few_trials_pay_for_no_pilots():
    assert floors(Following(), trials=2000).passages == ()


def test_of_many_audits_with_later_answers_no_more_are_wrong_than_alpha_allows():
    """20 audits of a system whose second question is empty in one run of fifty; 2 is true. At α = 5 % more than 4 wrong
    ones have a probability of .3 %, and none is wrong at the deciding level."""
    found = [audit(Following(quiet=0.02), sizes=USUAL, trials=20_000, seed=seed).attacked for seed in range(20)]
    assert sum(one.epsilon_lower > 2.0 for one in found) <= 4
    assert all(one.decisive <= 2.0 for one in found)


def test_in_a_tight_case_the_share_that_is_missed_is_paid_for():
    """Gaussian trials at μ = 1, of a run that shows nothing in three of ten cases: the truth of an event "high" is .7
    of its hits. At α = 5 % more than 14 of 100 wrong certificates have a probability below 1e-3; without β most are."""

    def above(certificate):
        """Whether it says more than is true of its event, or of one that nobody has looked at."""
        at = certificate.event.threshold
        return certificate.event.side != "high" or certificate.epsilon(0.05) > np.log(0.7 * ndtr(1 - at) / ndtr(-at))

    wrong = careless = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        worlds = rng.normal(0, 1, 20_000), rng.normal(1, 1, 20_000)
        wrong += above(certificates(worlds, 0.0, (0.05,), Missed(int(rng.binomial(1000, 0.3)), 1000))[0])
        careless += above(certificates(worlds, 0.0, (0.05,))[0])
    assert wrong <= 14
    assert careless > 50


def test_the_loudest_neighbours_are_found_by_what_they_ask():
    """A gradient that is clipped from below too little: alternating stars move it, equal ones do not."""

    @dataclass(frozen=True)
    class Spread:
        noise: Gaussian = Gaussian(1.0, 1.0)

    def asked(pair):
        hers = pair[1].of(slice(1, 2)).ratings
        spread = float(np.ptp(hers)) / 4 if len(hers) else 0.0
        return [Passage(Spread().noise, np.zeros(1), np.full(1, spread + 0.01))]

    pair = loudest(Stage("user", "add-remove"), 0, 100, asked)
    assert len(pair[1].of(slice(1, 2))) == 100
    assert set(pair[1].of(slice(1, 2)).ratings) == {1.0, 5.0}
    assert len(pair[0].of(slice(1, 2))) == 0
    assert np.array_equal(pair[0].of(slice(2, 12)).items, pair[1].of(slice(2, 12)).items)


def test_the_same_seed_gives_the_same_audit_with_pilots_too():
    once, again = (audit(replace(Following(), quiet=0.02), sizes=USUAL, trials=20_000, seed=9).attacked for _ in "ab")
    assert once == again
