"""Releases whose inputs an adversary picks as answers come in, composed exactly: the value of a game.

    V₀(a) = (1 − a)₊        V_k(a) = max over pairs (p, q) of  Σ_y p(y)·V_{k−1}(a·q(y)/p(y))        δ(ε) = V_k(e^ε)

V is convex and falls; so it is kept on a grid of ln a, with chords in a between the points, which lie above it. All is
positive: there is no transform and no rounding that a small δ could drown in. What is linear in the input (Duchi's
two outputs, say) has its maximum at extreme pairs, since p·V(a·q/p) is convex in (p, q).
"""

from __future__ import annotations

import math

import numpy as np

from recprivlib.accounting.dominating import Pair
from recprivlib.accounting.grid import ROUNDING, grid_step
from recprivlib.protocols import Array

WORK = 3e8  # products that are not too many
BEYOND = 1e-5  # of δ: what the ends of the grid may add


def epsilon(one: Pair, count: int, delta: float, envelope: float) -> float:
    """ε of `count` releases of one finite mechanism, if that is not too much work; else `envelope`, a bound on it."""
    assert one.rows is not None
    assert one.others is not None
    if math.isinf(envelope) or envelope == 0 or _work(one, count, envelope, grid_step([(one, count)]), delta) > WORK:
        return envelope
    step = one.lattice or grid_step([(one, count)])
    found = envelope
    while True:
        found = min(found, _value(one, count, delta, step, found))
        slope = -math.log(delta) / max(found, one.largest)
        if one.lattice or count * step**2 * (1 + slope) / 12 <= 2 * ROUNDING * found:
            return found
        step /= 2
        if _work(one, count, found, step, delta) > WORK:
            return found


def _work(one: Pair, count: int, epsilon: float, step: float, delta: float) -> float:
    assert one.rows is not None
    return count * one.rows.size * (epsilon + one.largest - math.log(BEYOND * delta)) / step


def _value(one: Pair, count: int, delta: float, step: float, most: float) -> float:
    """ε at `delta`, where it is known to be at most `most`."""
    below = math.ceil(-math.log(BEYOND * delta) / step)
    u = step * np.arange(-below, math.ceil((most + one.largest) / step) + 2)
    value = -np.expm1(np.minimum(u, 0.0))
    moves = [_moves(p, q, step) for p, q in zip(one.rows, one.others, strict=True)]  # type: ignore[arg-type]
    for _ in range(count):
        value = np.max([_expected(value, proof, outputs) for proof, outputs in moves], axis=0)
    at = value[below:]
    if at[0] <= delta:
        return 0.0
    if at[-1] > delta:
        return most
    k = int(np.argmax(at <= delta))
    share = (at[k - 1] - delta) / (at[k - 1] - at[k])  # of a chord in a
    return step * (k - 1) + math.log1p(share * math.expm1(step))


def _moves(p: Array, q: Array, step: float) -> tuple[float, list[tuple[float, int, float]]]:
    """(chance of proof, [(p(y), whole steps of ln q/p, share of the chord beyond)])."""
    proof, outputs = float(p[q == 0].sum()), []
    for here, there in zip(p, q, strict=True):
        if here > 0 and there > 0:
            place = math.log(there / here) / step
            whole = math.floor(place + 1e-9)
            share = math.expm1(max(place - whole, 0.0) * step) / math.expm1(step)
            outputs.append((float(here), whole, share))
    return proof, outputs


def _expected(value: Array, proof: float, outputs: list[tuple[float, int, float]]) -> Array:
    """Σ p·V(a·q/p): below the grid V is at most 1, above it at most what it is at the end."""
    total = np.full(len(value), proof)
    n = len(value)
    for p, whole, share in outputs:
        reach = abs(whole) + 2
        wide = np.concatenate([np.ones(reach), value, np.full(reach, value[-1])])
        total += p * (1 - share) * wide[reach + whole : reach + whole + n]
        total += p * share * wide[reach + whole + 1 : reach + whole + 1 + n]
    return total
