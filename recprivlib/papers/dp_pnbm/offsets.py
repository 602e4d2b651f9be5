"""What everybody thinks of an item, from sums that may be noisy, and what is left to a person at home.

    μ = Σ T / Σ n              T_i a noisy sum of ratings, n_i how many, v the variance of the noise on T_i
    r̄_i = μ + (T_i − n_i μ) / (n_i + λ + λ v / n_i)

An item's own deviation has variance 1/λ of a rating's (about 1): the noisier a sum, the nearer its mean to μ. At home a
person's own part is the ridge regression of what she thought beyond the means (`at_home`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from recprivlib.models.rows import pick
from recprivlib.papers.dp_pnbm.weighted import Rated, beyond
from recprivlib.protocols import Array, AtHome, Interactions

OFFSET = 0.2  # variance of a person's own offset, in stars²
REST = 0.85  # variance of a rating that nothing explains


def means(sums: Array, counts: Array, variance: float, pull: float, again: int = 1) -> Array:
    """r̄ by the formula above, float32. Counts may be noisy: nobody is counted less than once.

    Where everybody was drawn `again` and again, the first λ counts as often: they say nothing new."""
    counts = np.maximum(np.asarray(counts, float), 1)
    middle = float(sums.sum() / counts.sum())
    below = counts + pull * again + pull * variance / counts
    return (middle + (sums - counts * middle) / below).astype(np.float32)


@dataclass(frozen=True, eq=False)
class OwnPart:
    """r̄_i + b_u + z_u·q_i, cut to [low, high]: what everybody is told, and what each person makes of it at home."""

    means: Array  # r̄, float32 (n_items,)
    items: Array  # q, float32 (n_items, k); k may be 0
    low: float
    high: float
    own: AtHome[Array]  # b and z, float32 (n_users, 1 + k)
    pull: float = REST / OFFSET  # of b towards zero, in ratings

    def score(self, users: Array, items: Array) -> Array:
        return pick(self._rows, users, items, len(self.means))

    def fold_in(self, people: Interactions) -> OwnPart:
        return at_home(beyond(people, self.means), self.items, self.low, self.high, self.pull)

    def _rows(self, users: Array) -> Array:
        own = self.own[users]
        return np.clip(self.means + own[:, :1] + own[:, 1:] @ self.items.T, self.low, self.high)


def at_home(rated: Rated, items: Array, low: float, high: float, pull: float = REST / OFFSET) -> OwnPart:
    """Everybody fits her own part to her own ratings: x_uj ≈ b + z·q_j with b ~ N(0, .2), z ~ N(0, I)."""
    k = items.shape[1]
    own = np.zeros((len(rated.people), 1 + k), np.float32)
    towards = np.diag([pull] + [REST] * k)
    for user in rated.people:
        met, x = rated.of(user)
        if len(x):
            design = np.column_stack([np.ones(len(x)), items[met]])
            own[user] = np.linalg.solve(design.T @ design + towards, design.T @ x)
    return OwnPart(rated.means, items.astype(np.float32), low, high, own, pull)
