"""When two tables of the same setting, from two Pythons, are the same."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

CLOSE = 1e-6  # another C library, another BLAS; what matters on a screen is a thousand times as coarse
# What is not the same to 1e-6, and by how much it may differ. NumPy in a browser has another libm and no BLAS: EASE
# inverts a matrix in float32, which moves a rank of one person in 1 000; privrec's clip bound is a walk whose binomial
# draws jump where a share of phones has another last digit.
LOOSE = {"recommenders": {"hit rate": 2e-3, "your list": 1e-4}, "privrec": {"one round": 0.1, "clipping": 0.2}}


def differences(stem: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[tuple]:
    """(row, ours, theirs) wherever two tables ({"columns", "data"}) are neither the same text nor the same number."""
    assert ours["columns"] == theirs["columns"]
    assert len(ours["data"]) == len(theirs["data"]) > 0
    for mine, other in zip(ours["data"], theirs["data"], strict=True):
        figure = mine[ours["columns"].index("figure")]
        by = max((by for name, by in LOOSE.get(stem, {}).items() if figure.startswith(name)), default=CLOSE)
        for one, two in zip(mine, other, strict=True):
            if not same(one, two, by):
                yield mine[:3], one, two


def same(one: Any, two: Any, by: float = CLOSE) -> bool:
    """The same text, or the same number up to `by`; what is no number is like nothing but itself."""
    if one == two:
        return True
    try:
        a, b = float(one), float(two)
    except (TypeError, ValueError):
        return False
    return math.isclose(a, b, rel_tol=by, abs_tol=by)
