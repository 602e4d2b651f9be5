"""Basic composition: pure ε adds up (Dwork, McSherry, Nissim & Smith 2006). The only method at δ = 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

from recprivlib.accounting.dominating import Pair


def epsilon(parts: Sequence[tuple[Pair, int]]) -> float:
    """Σ count·ε, in the worse order; infinite where one release has no pure ε."""
    return max(
        math.fsum(count * (pair.ways[way] if pair.ways else pair.pure) for pair, count in parts) for way in (0, 1)
    )
