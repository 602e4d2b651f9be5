"""The tightest sound way to add up a run, in numbers and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from recprivlib.accounting import binomial, exact, game, pld, pure, rdp
from recprivlib.accounting.dominating import SEVERAL, Pair

Parts = Sequence[tuple[Pair, int]]
GAME = "the dearest choice of inputs, step by step"
RENYI = "Rényi divergences added up"


def tightest(parts: Parts, delta: float) -> tuple[float, str]:
    """(ε, how it was counted) of the composition of `parts` at `delta`. Every method here is an upper bound."""
    if not parts:
        return 0.0, "neighbours are not told apart"
    told, basic = described(parts), (pure.epsilon(parts), "pure ε added up")
    found = [basic] if delta == 0 else [basic, *_composed(exact.merged(parts), delta)]
    if any(math.isnan(epsilon) for epsilon, _ in found):  # it is no less than anything, and would win in silence
        raise ArithmeticError(f"a bill of {told} at δ = {delta:g} is not a number")
    epsilon, how = min(found, key=lambda candidate: candidate[0])
    return epsilon, f"{told}: {how}"


def _composed(parts: Parts, delta: float) -> Iterator[tuple[float, str]]:
    """The candidates at δ > 0; the first is nearly always the tightest."""
    first, count = parts[0]
    if len(parts) == 1 and count == 1:
        yield exact.epsilon(first, delta), "read off the privacy profile"
        return
    if all(pair.binary and pair.pure == first.pure for pair, _ in parts):
        yield binomial.epsilon(first.pure, sum(n for _, n in parts), delta), "composed exactly (binomial)"
        return
    counted = pld.epsilon(parts, delta)
    if len(parts) == 1 and first.rows is not None and (played := game.epsilon(first, count, delta, counted)) < counted:
        yield played, GAME
    yield counted, "privacy loss distribution, composed by FFT and rounded up"
    # A δ below what floating point resolves, or a pair that is several: Rényi divergences may know more.
    if math.isinf(counted) or any(pair.rows is not None for pair, _ in parts):
        yield rdp.epsilon(parts, delta), RENYI


def why_bound(parts: Parts, delta: float, how: str) -> str:
    """Why neighbours may be told apart less than `tightest` says, beyond rounding; nothing where some reach it."""
    count = sum(n for _, n in parts)
    said = [one.bound for one, _ in parts if one.bound and not _reached(one, count, delta)]
    if delta and count > 1 and any(one.rows is not None for one, _ in parts) and GAME not in how:
        said.append(SEVERAL)
    if RENYI in how:
        said.append("Rényi divergences say less than the losses they are taken of")
    return "; ".join(dict.fromkeys(said))


def _reached(one: Pair, count: int, delta: float) -> bool:
    """Whether what only bounds a release in general is reached here: once, or by the single most telling answer."""
    return (one.reached_once and (count == 1 or delta == 0)) or (one.binary and delta == 0)


def described(parts: Parts) -> str:
    """The releases in words: "2,000 × randomised response (ε = 2.5)"."""
    counts: dict[str, int] = {}
    for pair, count in parts:
        counts[pair.words] = counts.get(pair.words, 0) + count
    return " + ".join(f"{count:,} × {words}" for words, count in counts.items())
