"""The tightest sound way to add up a run, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from recprivlib.accounting import binomial, exact, pld, pure, rdp
from recprivlib.accounting.pairs import Pair

Parts = Sequence[tuple[Pair, int]]


def tightest(parts: Parts, delta: float) -> tuple[float, str]:
    """(ε, how it was counted) of the composition of `parts` at `delta`. Every method here is an upper bound."""
    if not parts:
        return 0.0, "neighbours are not told apart"
    basic = pure.epsilon(parts)
    told = described(parts)
    if delta == 0:
        return basic, f"{told}: pure ε added up"
    counted, how = _composed(parts, delta)
    return (basic, f"{told}: pure ε added up") if basic <= counted else (counted, f"{told}: {how}")


def _composed(parts: Parts, delta: float) -> tuple[float, str]:
    merged = exact.merged(parts)
    first, count = merged[0]
    if len(merged) == 1 and count == 1:
        return exact.epsilon(first, delta), "read off the privacy profile"
    if all(pair.binary and pair.pure == first.pure for pair, _ in merged):
        return binomial.epsilon(first.pure, sum(n for _, n in merged), delta), "composed exactly (binomial)"
    counted = pld.epsilon(merged, delta)
    if math.isfinite(counted):
        return counted, "privacy loss distribution, composed by FFT and rounded up"
    # δ below what floating point resolves: another proof, or none.
    return rdp.epsilon(merged, delta), "Rényi divergences, since δ is too small for a grid"


def described(parts: Parts) -> str:
    """The releases in words: "2,000 × randomised response (ε = 2.5)"."""
    counts: dict[str, int] = {}
    for pair, count in parts:
        counts[pair.words] = counts.get(pair.words, 0) + count
    return " + ".join(f"{count:,} × {words}" for words, count in counts.items())
