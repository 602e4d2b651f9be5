"""What a search costs where the data that it looks at are private.

    public     chosen on data that are declared public: nothing of the data it is confirmed on was looked at
    reports    chosen by the server among readings of reports that it has anyway: nothing is added
    private    every trial is a run on private data

A fixed number of runs, of which the best is released, costs as if all were released. If the number of runs is drawn at
random, the best of them costs about twice a run (Papernot & Steinke 2022, Theorem 2): K from the truncated negative
binomial distribution with η = 0 (logarithmic) or 1 (geometric), of any expected number. The score that picks the best
must be private too; that is not in here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from recprivlib.accounting import guarantee, pure, rdp
from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.guarantee import resolved
from recprivlib.accounting.renyi import ORDERS
from recprivlib.parameters import UserError
from recprivlib.protocols import Array, Ledger, Relation, Unit, View

PRICES = {
    "public": "chosen on data that are declared public, so nothing is added",
    "reports": "chosen by the server among readings of reports that it has anyway, so nothing is added",
    "private": "chosen on private data: read the curve at half the ε, for the best of many runs costs about two",
    "none": "nothing was chosen",
}
PUBLIC = ("ml-100k", "synthetic")  # declared public for tuning, or invented


@dataclass(frozen=True)
class Search:
    """What a whole search costs, at the terms of one run.

    >>> Search(run=1.0, kept=64.0, best=2.0).best
    2.0
    """

    run: float  #: ε of one run
    kept: float  #: if every trial is released, or the best of a fixed number
    best: float  #: if the number of trials is drawn at random and the best alone is released


def searched(
    ledger: Ledger, unit: Unit, relation: Relation, delta: float, view: View, trials: float, eta: float = 0.0
) -> Search:
    """The price of a search with so many trials (of `best`: expected), each a run with this ledger.

    Parameters
    ----------
    ledger
        What one run releases.
    unit, relation, delta, view
        The terms, as in `guarantee`.
    trials
        How many runs.
    eta
        0 draws their number from the logarithmic distribution, 1 from the geometric, which is less often 1.

    Returns
    -------
    Search
        ε of one run and of the search, kept whole and stopped at random.

    Examples
    --------
    >>> from recprivlib import get
    >>> from recprivlib.protocols import Sizes
    >>> ledger = get("dplcf-sp").system.ledger(Sizes(943, 1682))
    >>> searched(ledger, "interaction", "add-remove", 0.0, "server", 64)
    Search(run=1.0, kept=64.0, best=2.0)
    """
    many = replace(ledger, releases=tuple(replace(one, count=round(trials) * one.count) for one in ledger.releases))
    run, kept = (guarantee(one, unit, relation, delta, view).epsilon for one in (ledger, many))
    found = resolved(ledger, unit, relation, view)
    if found.why_infinite:
        return Search(run, kept, math.inf)
    best = max(stopped(parts, delta, trials, eta) for parts in found.choices)
    best = float(f"{best:.12g}")  # as `guarantee` rounds: further digits are floating-point noise
    return Search(run, kept, min(best, kept))


def stopped(parts: Sequence[tuple[Pair, int]], delta: float, expected: float, eta: float = 0.0) -> float:
    """ε of the best of a random number of runs, each of which composes these parts."""
    simple = (2 + eta) * pure.epsilon(parts)  # the limit of the theorem at order ∞
    if delta == 0:
        return simple
    return min(simple, rdp.converted(ORDERS, curve(ORDERS, rdp.divergence(parts), expected, eta), delta))


def curve(orders: Array, run: Array, expected: float, eta: float = 0.0) -> Array:
    """Rényi divergences of the best of a random number of runs whose own are `run` (Theorem 2)."""
    within = np.min((1 - 1 / orders) * run + math.log(1 / gamma(expected, eta)) / orders)
    return run + (1 + eta) * within + math.log(expected) / (orders - 1)


def gamma(expected: float, eta: float) -> float:
    """γ for which so many runs are expected: (1/γ − 1)/ln(1/γ) of them at η = 0, 1/γ at η = 1.

    >>> round(gamma(32, 1), 5), round((1 / gamma(32, 0) - 1) / math.log(1 / gamma(32, 0)), 6)
    (0.03125, 32.0)
    """
    if not expected > 1 or eta not in (0, 1):
        raise UserError(f"a search needs more than 1 expected trial and η of 0 or 1, not {expected:g} and {eta:g}")
    if eta == 1:
        return 1 / expected
    low, high = 1e-12, 1 - 1e-12
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if (1 / middle - 1) / math.log(1 / middle) > expected else (low, middle)
    return low
