"""Bills as curves: what a slider over rounds or over noise draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from recprivlib.accounting import advanced, pure, rdp, zcdp
from recprivlib.accounting.compose import tightest
from recprivlib.accounting.pairs import pair
from recprivlib.accounting.renyi import ORDERS
from recprivlib.protocols import Array, Relation


def over_counts(loss: Any, counts: Sequence[int], relation: Relation, delta: float) -> Array:
    """The tightest ε of `count` releases, for each count."""
    return np.array([_tightest(loss, count, relation, delta) for count in counts])


def over_losses(losses: Iterable[Any], count: int, relation: Relation, delta: float) -> Array:
    """The tightest ε of `count` releases, for each loss: a curve over noise or over ε."""
    return np.array([_tightest(loss, count, relation, delta) for loss in losses])


def _tightest(loss: Any, count: int, relation: Relation, delta: float) -> float:
    one = pair(loss, relation)
    return tightest([(one, count)], delta)[0] if one else 0.0


def accountants(loss: Any, counts: Sequence[int], relation: Relation, delta: float) -> dict[str, Array]:
    """ε over counts by every method, from the plainest to the tightest. All are sound: they differ in waste."""
    one = pair(loss, relation)
    if one is None:
        return {name: np.zeros(len(counts)) for name in ("basic", "advanced", "zCDP", "RDP", "tightest")}
    runs = [[(one, count)] for count in counts]
    each = rdp.divergence([(one, 1)])
    return {
        "basic": np.array([pure.epsilon(run) for run in runs]),
        "advanced": np.array([advanced.epsilon(run, delta) for run in runs]),
        "zCDP": np.array([zcdp.epsilon(run, delta) for run in runs]),
        "RDP": np.array([min(rdp.converted(ORDERS, n * each, delta), n * one.pure) for n in counts]),
        "tightest": over_counts(loss, counts, relation, delta),
    }
