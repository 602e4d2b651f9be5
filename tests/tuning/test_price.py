"""What a search on private data costs, against the numbers of the paper's theorem computed by themselves."""

import math

import pytest

from recprivlib.accounting import rdp
from recprivlib.accounting.calibration import least
from recprivlib.accounting.dominating import gaussian_pair
from recprivlib.mechanisms import Gaussian
from recprivlib.parameters import UserError
from recprivlib.protocols import Change, Ledger, Release, Sizes
from recprivlib.registry import get
from recprivlib.tuning.price import gamma, searched, stopped

# ε of a run; of 32 kept; of the best of a random number of 32 expected, η = 0 and 1; ε each run may have for the total
GAUSSIAN = [(0.5, 3.34, 1.01, 1.27, 0.239), (1, 6.98, 1.95, 2.43, 0.494),
            (3, 24.1, 5.41, 6.57, 1.58), (8, 80.1, 12.9, 14.9, 4.63)]  # fmt: skip
DELTA = 1e-5


def parts(z, count=1):
    return [(gaussian_pair(1 / z), count)]


def noise(cost, epsilon):
    return least(cost, epsilon, 1e-2, 1e4)


@pytest.mark.parametrize("run, kept, logarithmic, geometric, each", GAUSSIAN)
def test_the_table_of_gaussian_runs(run, kept, logarithmic, geometric, each):
    """Within 2 %: orders of Rényi divergences lie closer together there than in the library."""
    z = noise(lambda one: rdp.epsilon(parts(one), DELTA), run)
    assert rdp.epsilon(parts(z, 32), DELTA) == pytest.approx(kept, rel=0.02)
    assert stopped(parts(z), DELTA, 32) == pytest.approx(logarithmic, rel=0.02)
    assert stopped(parts(z), DELTA, 32, eta=1) == pytest.approx(geometric, rel=0.02)
    inside = noise(lambda one: stopped(parts(one), DELTA, 32), run)
    assert rdp.epsilon(parts(inside), DELTA) == pytest.approx(each, rel=0.02)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 8.0])
def test_pure_runs_cost_two_or_three_times_one_and_all_kept_their_number(epsilon):
    system = get("dplcf-sp").system
    ledger = type(system)(epsilon=epsilon).ledger(Sizes(943, 1682))
    for eta, times in ((0, 2), (1, 3)):
        found = searched(ledger, "interaction", "add-remove", 0.0, "server", 32, eta)
        assert (found.run, found.kept, found.best) == pytest.approx((epsilon, 32 * epsilon, times * epsilon))


def test_a_whole_ledger_is_priced_at_its_own_terms_and_the_library_counts_what_is_kept_more_tightly():
    z = noise(lambda one: rdp.epsilon(parts(one), DELTA), 1.0)
    release = Release("a sum", Gaussian(z), {("user", "add-remove"): Change()})
    found = searched(Ledger((release,)), "user", "add-remove", DELTA, "server", 32)
    assert found.best == pytest.approx(1.95, rel=0.01)
    assert 0.8 < found.run <= 1.0
    assert 5 < found.kept <= 6.98


def test_a_search_never_costs_more_than_keeping_everything():
    ledger = get("dplcf-sp").system.ledger(Sizes(943, 1682))
    assert searched(ledger, "interaction", "add-remove", 0.0, "server", 2, eta=1).best == 2.0


def test_what_no_bound_is_known_of_has_no_price():
    ledger = get("dpps-pnbm").system.ledger(Sizes(50, 40, grid=(1.0, 2.0, 3.0, 4.0, 5.0)))
    assert searched(ledger, "user", "replace", DELTA, "model", 32).best == math.inf


def test_a_distribution_that_does_not_exist_is_refused():
    with pytest.raises(UserError, match="more than 1 expected trial"):
        gamma(1.0, 0)
    with pytest.raises(UserError, match="η of 0 or 1"):
        gamma(32, 2)
