"""Ratings from neighbours: an item's mean, and what you thought of others, weighted by how alike they are.

    r̂_ui = r̄_i + Σ_j s_ij x_uj / max(Σ_j |s_ij|, floor)      x_uj = r_uj − r̄_j, over the j ≠ i that u rated

Only the `k` most similar items keep their weight. All are float32; who rated nothing is given the item's mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, AtHome, Interactions

GATHERED = 1 << 21  # weights looked up at once
ROW = 8  # a weight that is looked up costs as much as so many that a whole row computes


@dataclass(frozen=True, eq=False)
class Rated:
    """What people thought of items beyond the items' means: row u holds the x_uj of person u, by item."""

    rows: sp.csr_array  # x, float32 (n_users, n_items)
    means: Array  # r̄, float32 (n_items,)

    @property
    def people(self) -> range:
        return range(self.rows.shape[0])

    def of(self, user: int) -> tuple[Array, Array]:
        """The items a person rated, and what she thought of them."""
        part = slice(self.rows.indptr[user], self.rows.indptr[user + 1])
        return self.rows.indices[part], self.rows.data[part]


def beyond(train: Interactions, means: Array) -> Rated:
    """The ratings of `train` less the items' `means`."""
    stars, means = train.rating_matrix, means.astype(np.float32, copy=False)
    rest = stars.data - means[stars.indices]
    return Rated(sp.csr_array((rest, stars.indices, stars.indptr), shape=stars.shape), means)


def item_means(train: Interactions) -> Array:
    """r̄: every item's mean rating; the mean of all for an item that nobody rated."""
    counts = np.bincount(train.items, minlength=train.n_items)
    total = np.bincount(train.items, train.ratings, minlength=train.n_items)
    means = np.where(counts > 0, total / np.maximum(counts, 1), train.ratings.mean(dtype=np.float64))
    return means.astype(np.float32)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Scores by similar items, at home: with what a person herself rated."""

    histories: AtHome[sp.csr_array]  # x, float32 (n_users, n_items): what people thought beyond the means
    means: Array  # r̄, float32 (n_items,)
    similarity: Array  # s, float32 (n_items, n_items), before it is cut to the nearest
    k: int
    low: float
    high: float
    floor: float = 0.0  # the least that weights are taken to add up to
    ranked: Array | None = None  # every row of s in ascending order, once somebody has asked for another k

    @cached_property
    def weights(self) -> Array:
        """s where it is among the k largest of its row (equal ones stay), else 0; nothing is its own neighbour."""
        n = len(self.similarity)
        out = self.similarity.copy()
        np.fill_diagonal(out, -np.inf)
        if self.k < n - 1:
            least = np.partition(out, n - self.k, axis=1) if self.ranked is None else self.ranked
            out[out < least[:, n - self.k, None]] = 0
        np.fill_diagonal(out, 0)
        return out

    def among(self, k: int) -> Neighbours:
        """The same similarities with another number of neighbours."""
        rows = self.ranked
        if rows is None:
            rows = self.similarity.copy()
            np.fill_diagonal(rows, -np.inf)
            rows.sort(axis=1)
        return replace(self, k=k, ranked=rows)

    def fold_in(self, people: Interactions) -> Neighbours:
        return replace(self, histories=beyond(people, self.means).rows)

    def score(self, users: Array, items: Array) -> Array:
        users, items = np.asarray(users), np.asarray(items)
        shape = np.broadcast_shapes(users.shape, items.shape)
        lengths = np.diff(self.histories.indptr)
        asked = int(lengths[users].sum()) * (int(np.prod(shape)) // max(users.size, 1))
        if asked * ROW > int(lengths[np.unique(users)].sum()) * len(self.similarity):
            return pick(self._rows, users, items, len(self.similarity))
        wide = (np.broadcast_to(x, shape).ravel() for x in (users, items))
        return self._pairs(*wide).reshape(shape)

    def _pairs(self, users: Array, items: Array) -> Array:
        """Σ_j over the history of each pair's user, some pairs at a time."""
        starts, lengths = self.histories.indptr[users].astype(np.intp), np.diff(self.histories.indptr)[users]
        ends = np.cumsum(lengths, dtype=np.intp)
        out = np.empty(len(users), np.float32)
        cuts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, GATHERED), side="right")
        for first, last in zip(cuts, [*cuts[1:], len(users)], strict=True):
            part = slice(first, last)
            out[part] = self._some(items[part], starts[part], lengths[part])
        return out

    def _some(self, items: Array, starts: Array, lengths: Array) -> Array:
        ends = np.cumsum(lengths, dtype=np.intp)
        place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
        row = np.repeat(items.astype(np.intp) * len(self.weights), lengths)
        weight = self.weights.ravel().take(row + self.histories.indices[place])
        some = lengths > 0
        top, below = np.zeros((2, len(items)), np.float32)
        if len(place):
            begin = (ends - lengths)[some]
            top[some] = np.add.reduceat(weight * self.histories.data[place], begin)
            below[some] = np.add.reduceat(np.abs(weight), begin)
        return self._stars(items, top, below)

    def _rows(self, users: Array) -> Array:
        """Every item for these people."""
        part, back = self.histories[users], self.weights.T
        met = sp.csr_array((np.ones_like(part.data), part.indices, part.indptr), shape=part.shape)
        return self._stars(np.arange(len(self.weights)), part @ back, met @ np.abs(back))

    def _stars(self, items: Array, top: Array, below: Array) -> Array:
        below = np.maximum(below, self.floor)
        shift = np.divide(top, below, out=np.zeros_like(top), where=below > 0)
        return np.clip(self.means[items] + shift, self.low, self.high)
