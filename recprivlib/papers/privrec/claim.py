"""What Tables 3 and 4 of PrivRec print, by the paper's own accountant (autodp): the `claimed` of that chapter.

    ε = min over whole α of  T·D_α + ln(1/δ)/(α − 1)          the classic conversion (Mironov 2017)

D_α bounds sampling without replacement under replace-one (Wang, Balle & Kasiviswanathan 2019, Theorem 9). The
tables are reproduced if T is rounds·cohort, which counts each phone of a cohort as a round of its own; T = rounds
is what Algorithm 2 does. The slip makes the printed ε too large, so it is safe. The tables cut after four
decimals, they do not round.
"""

from __future__ import annotations

import numpy as np

from recprivlib.accounting.rdp import classic
from recprivlib.accounting.renyi import fixed_size_gaussian
from recprivlib.parameters import UserError

ORDERS = np.arange(2, 257)


def claimed_epsilon(cohort: int, population: int, rounds: int, noise_multiplier: float, delta: float) -> float:
    """ε as the paper computes it.

    >>> round(claimed_epsilon(30, 4800, 1000, 1.0, 1e-4), 4)  # Table 3, last row
    14.3056
    """
    if not 1 <= cohort <= population:
        raise UserError(f"the cohort is {cohort}, but must be from 1 to the {population} people there are")
    if not 0 < delta < 1:
        raise UserError(f"delta is {delta}, but must lie between 0 and 1")
    divergence = fixed_size_gaussian(ORDERS, 1.0 / noise_multiplier, cohort / population)
    return classic(ORDERS, rounds * cohort * divergence, delta)
