"""What the mechanisms share: the range of ε, default terms, words for the mode, finite channels.

A finite mechanism is a matrix: `matrix[x, y]` = P(output y | input x). Its ε is computed from that matrix and
never typed in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from recprivlib.mechanisms.losses import Channel, Pure
from recprivlib.parameters import UserError, parameter
from recprivlib.protocols import Array, Change, Claim, HasChannel, HasLie, HasMode, Relation, Unit

SEEDED = "seeded, for teaching"
SECURE = "secure: operating system entropy, discrete samplers; how long a draw takes is not hidden"

# Whose data a mechanism protects when it stands alone, outside any system.
ONE_RATING = {("rating", "replace-value"): Change()}
ONE_BIT = {("interaction", "add-remove"): Change(), ("interaction", "swap"): Change(inputs=2, back=1)}
ONE_SWAP = {("interaction", "swap"): Change()}
ONE_USER = {("user", "replace"): Change()}

STARS = (1.0, 2.0, 3.0, 4.0, 5.0)
RAREST = 2.0**-53  # a uniform double is a multiple of this


def budget(gloss: str, default: float = 1.0) -> Any:
    """A dataclass field that holds a privacy budget."""
    return parameter(default, 0.001, 50.0, gloss)


def claim(epsilon: float, where: str, terms: tuple[Unit, Relation] = ("rating", "replace-value")) -> Claim:
    """What a textbook says about one report."""
    return Claim(epsilon, 0.0, *terms, where, counts="one report")


def logistic(epsilon: float) -> float:
    """e^ε/(e^ε+1), without overflow; `logistic(-epsilon)` is its complement, without cancellation."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def all_pairs(inputs: int) -> tuple[tuple[int, int], ...]:
    """Any two different inputs may be neighbours."""
    return tuple((i, j) for i in range(inputs) for j in range(i + 1, inputs))


def near_pairs(grid: Sequence[float], reach: float) -> tuple[tuple[int, int], ...]:
    """Pairs of grid points at most `reach` apart."""
    slack = 1e-9 * (1.0 + reach)
    return tuple((i, j) for i, j in all_pairs(len(grid)) if abs(grid[i] - grid[j]) <= reach + slack)


def channel_loss(matrix: Array, pairs: Sequence[tuple[int, int]]) -> Channel | Pure:
    """The loss of a finite mechanism; no pair at all means that neighbours are identical."""
    return Channel(matrix, tuple(pairs)) if len(pairs) else Pure(0.0)


TIE = 1e-9  # log-ratios closer than this are alike: which is larger may hang on the last bit of a machine


def worst(matrix: Array, pairs: Sequence[tuple[int, int]]) -> tuple[float, tuple[int, int], int]:
    """(ε, (x, x′), y) where P(y|x)/P(y|x′) is largest; an output that only one input can give makes ε infinite.

    Of several that are alike, the first in order: an attacker then plays the same pair on every machine.
    """
    orders = [(*p,) for p in pairs] + [(j, i) for i, j in pairs]
    first, second = (matrix[[order[side] for order in orders]] for side in (0, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(first > 0, np.log(first) - np.log(second), -np.inf)
    top = float(ratios.max())
    if top <= 0:
        return 0.0, orders[0], 0
    found, y = np.argwhere(ratios >= top - TIE)[0]
    return top, orders[found], int(y)


def epsilon_of(matrix: Array, pairs: Sequence[tuple[int, int]] | None = None) -> float:
    """The smallest ε of a finite mechanism: its largest log-ratio over neighbouring inputs.

    >>> round(epsilon_of(np.array([[.75, .25], [.25, .75]])), 4)  # ln 3
    1.0986
    """
    return worst(matrix, pairs or all_pairs(len(matrix)))[0]


def positions(x: Any, grid: Sequence[float], what: str = "value") -> Array:
    """Where each x lies on `grid`, as int32; what lies beside it is refused."""
    points, x = np.asarray(grid, float), np.asarray(x)
    middles = (points[1:] + points[:-1]) / 2
    found = np.searchsorted(middles, x).astype(np.int32)
    wrong = ~(np.abs(points[found] - x) <= 1e-6 * (1.0 + np.abs(points[found])))
    if wrong.any():
        bad = np.asarray(x)[wrong].ravel()[0]
        raise UserError(f"the {what} {bad!s} is not allowed; choose from {', '.join(f'{g:g}' for g in points)}")
    return found


def reals(x: Any) -> Array:
    """`x` as doubles; what is not a number would pass through any noise, and is refused."""
    x = np.asarray(x, float)
    if not np.isfinite(x).all():
        raise UserError(f"a value must be a finite number, not {x[~np.isfinite(x)].ravel()[0]!s}")
    return x


def symbols(x: Any, k: int) -> Array:
    """`x` as whole numbers from 0 to k − 1, or a UserError."""
    x = np.asarray(x)
    if x.size and (x.dtype.kind not in "iub" or x.min() < 0 or x.max() >= k):
        raise UserError(f"symbols must be whole numbers from 0 to {k - 1}, but these run from {x.min()} to {x.max()}")
    return x


def bits(x: Any) -> Array:
    """`x` as an array of truth values; anything but 0 and 1 is refused."""
    x = np.asarray(x)
    if x.dtype != bool:
        wrong = (x != 0) & (x != 1)
        if wrong.any():
            raise UserError(f"a bit must be 0 or 1, not {x[wrong].ravel()[0]!s}")
    return x.astype(bool, copy=False)


def draw(matrix: Array, rows: Array, rng: np.random.Generator) -> Array:
    """One output (a column number, int32) for each of `rows`, with the probabilities of `matrix`."""
    uniform = rng.random(np.shape(rows))
    edges = np.cumsum(matrix, axis=1)
    chosen = np.zeros(np.shape(rows), np.int32)
    for column in range(matrix.shape[1] - 1):
        chosen += uniform >= edges[:, column][rows]
    return chosen


def log_matrix(matrix: Array) -> Array:
    """Logarithms of probabilities, −∞ where an output cannot occur."""
    with np.errstate(divide="ignore"):
        return np.log(matrix)


def undrawn(mechanism: Any) -> float:
    """The smallest probability of a seeded finite mechanism, if doubles cannot draw it; else 0."""
    if not isinstance(mechanism, HasMode) or mechanism.mode != SEEDED:
        return 0.0
    if isinstance(mechanism, HasChannel):
        masses = mechanism.channel
    else:
        masses = np.asarray(mechanism.lie if isinstance(mechanism, HasLie) else 1.0)
    least = float(masses[masses > 0].min())
    return least if least < RAREST else 0.0
