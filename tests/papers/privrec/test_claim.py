"""Tables 3 and 4 of PrivRec (Wang et al. 2021), all 36 cells: z = 1, E1 = 1000 rounds, δ = 10⁻⁸, 10⁻⁶, 10⁻⁴."""

from __future__ import annotations

import math

import pytest

from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.rdp import classic
from recprivlib.accounting.renyi import fixed_size_gaussian
from recprivlib.mechanisms.losses import SubsampledGaussian
from recprivlib.papers.privrec.claim import claimed_epsilon
from recprivlib.parameters import UserError

DELTAS = (1e-8, 1e-6, 1e-4)
TABLE_3 = {  # of 4,800 people
    5: (1.7439, 1.3602, 0.9764), 10: (3.2117, 2.7511, 2.2535), 15: (5.9705, 5.2030, 4.3074),
    20: (9.4736, 8.3223, 6.9235), 25: (13.7047, 12.1696, 10.2052), 30: (18.9107, 16.6081, 14.3056),
}  # fmt: skip
TABLE_4 = {  # of 760 people
    2: (2.2994, 1.8388, 1.3783), 5: (7.4618, 6.5408, 5.3932), 8: (16.2853, 14.3169, 12.0143),
    10: (23.7651, 21.4626, 18.6182), 12: (34.5025, 30.0690, 25.4638), 15: (50.1537, 45.5485, 40.9433),
}  # fmt: skip
CELLS = [
    (population, cohort, delta, printed)
    for population, table in ((4800, TABLE_3), (760, TABLE_4))
    for cohort, row in table.items()
    for delta, printed in zip(DELTAS, row, strict=True)
]


@pytest.mark.parametrize("population, cohort, delta, printed", CELLS)
def test_every_printed_cell_is_reproduced(population, cohort, delta, printed):
    """To four decimals; the tables cut what follows, and so do we."""
    found = claimed_epsilon(cohort, population, 1000, 1.0, delta)
    assert math.floor(found * 1e4) / 1e4 == printed


@pytest.mark.parametrize("population, cohort, delta, printed", CELLS[::5])
def test_the_printed_bill_is_too_high_never_too_low(population, cohort, delta, printed):
    counted = tightest([(pair(SubsampledGaussian(1.0, cohort / population, "fixed-size"), "replace"), 1000)], delta)[0]
    assert counted < printed


def test_the_slip_is_the_cohort():
    """The same bound without counting each phone as a round of its own: 2.26 where the paper prints 14.3056."""
    import numpy as np

    orders = np.arange(2, 257)
    found = classic(orders, 1000 * fixed_size_gaussian(orders, 1.0, 30 / 4800), 1e-4)
    assert found == pytest.approx(2.26, abs=0.005)


def test_impossible_cohorts_are_refused():
    with pytest.raises(UserError, match="cohort is 10"):
        claimed_epsilon(10, 5, 1000, 1.0, 1e-4)
    with pytest.raises(UserError, match="delta"):
        claimed_epsilon(5, 10, 1000, 1.0, 0.0)
