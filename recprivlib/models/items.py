"""Item-to-item models: what you met says what you may like, s(u, i) = Σ_j w_ij R_uj."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import scipy.sparse as sp

from recprivlib.models.rows import pick
from recprivlib.protocols import Array, AtHome, Interactions


@dataclass(frozen=True, eq=False)
class ItemWeights:
    """Histories and the weights between items. New people need only their history."""

    histories: AtHome[sp.csr_array]  # R, float32 (n_users, n_items)
    weights: Array | sp.csr_array  # w_ij: what having met j adds to i; float32 (n_items, n_items)

    def score(self, users: Array, items: Array) -> Array:
        return pick(self._rows, users, items, self.weights.shape[0])

    def fold_in(self, people: Interactions) -> ItemWeights:
        return replace(self, histories=people.matrix)

    def _rows(self, users: Array) -> Array:
        history, weights = self.histories[users], self.weights
        n_items = weights.shape[0]
        if isinstance(weights, sp.csr_array):
            few = weights.nnz * len(users) < (history.nnz + n_items) * n_items
            if sys.platform == "emscripten":  # no SIMD: what is not there is skipped, in the same order
                return (weights @ history.T.tocsr()).toarray().T if few else (history @ weights.T.tocsr()).toarray()
            if few:
                return (weights @ history.T.tocsr().toarray()).T
            weights = weights.toarray(order="F")
        return history @ weights.T  # fastest when the weights lie in Fortran order
