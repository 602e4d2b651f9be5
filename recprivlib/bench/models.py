"""The yardsticks, trained from nothing: the sparse matrix of the interactions is made inside the measurement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from warnings import catch_warnings

import numpy as np

from recprivlib.bench import Setup, Timing
from recprivlib.bench._shared import holdout, interactions
from recprivlib.evaluation import evaluate
from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import gram, jaccard
from recprivlib.protocols import Interactions
from recprivlib.yardsticks.plain import SYSTEMS


def cells() -> list[Timing]:
    knn = {"implicit (cosine)": implicit_knn("ml-100k")}
    return [
        Timing("item-knn, ML-100K", 0.100, fitted("item-knn", "ml-100k"), knn),
        Timing("ease, ML-100K", 0.250, fitted("ease", "ml-100k"), {"its formula in float64": plain_ease}),
        Timing("mf-als, ML-100K", 0.500, fitted("mf-als", "ml-100k"), {"implicit": implicit_als}),
        Timing("popularity, ML-100K", None, fitted("popularity", "ml-100k")),
        Timing("another K: sliced, scored, evaluated, ML-100K", 0.015, resliced),
        Timing("item-knn, ML-1M", 1.5, fitted("item-knn", "ml-1m"), {"implicit (cosine)": implicit_knn("ml-1m")}),
        Timing("ease, ML-1M", None, fitted("ease", "ml-1m")),
        Timing("mf-als, ML-1M", None, fitted("mf-als", "ml-1m")),
    ]


def fitted(system: str, data: str) -> Setup:
    """Fit of a system at its defaults."""

    def setup() -> Callable[[], Any]:
        known, trainer = interactions(data), SYSTEMS[system].system
        return lambda: trainer.fit(_fresh(known), np.random.default_rng(0))

    return setup


def resliced() -> Callable[[], Any]:
    """What a neighbours slider costs: everybody × 100 candidates from lists that are ranked already."""
    known = holdout("ml-100k")
    shared = gram(known.train.matrix)
    ranked = rank_neighbours(jaccard(shared, shared.diagonal()), 200)
    return lambda: evaluate(ItemWeights(known.train.matrix, neighbourhood(ranked, 50)), known, full=False)


def implicit_knn(data: str) -> Setup:
    def setup() -> Callable[[], Any]:
        from implicit.nearest_neighbours import CosineRecommender
        from scipy.sparse import csr_matrix

        known = interactions(data)

        def train() -> None:
            with catch_warnings(action="ignore"):  # it complains about a matrix that it made itself
                CosineRecommender(K=50, num_threads=1).fit(csr_matrix(_fresh(known).matrix), show_progress=False)

        return train

    return setup


def implicit_als() -> Callable[[], Any]:
    from implicit.cpu.als import AlternatingLeastSquares
    from scipy.sparse import csr_matrix

    known, ours = interactions("ml-100k"), SYSTEMS["mf-als"].system
    settings = {
        "factors": ours.factors, "iterations": ours.iterations, "regularization": ours.regularization,
        "alpha": 1 + ours.alpha, "num_threads": 1, "random_state": 0,
    }  # fmt: skip
    return lambda: AlternatingLeastSquares(**settings).fit(csr_matrix(_fresh(known).matrix), show_progress=False)


def plain_ease() -> Callable[[], Any]:
    known, penalty = interactions("ml-100k"), SYSTEMS["ease"].system.regularization

    def train() -> Any:
        bits = _fresh(known).matrix.toarray().astype(np.float64)
        inverse = np.linalg.inv(bits.T @ bits + penalty * np.eye(known.n_items))
        return np.eye(known.n_items) - inverse / np.diag(inverse)

    return train


def _fresh(known: Interactions) -> Interactions:
    """The same interactions without the matrix that an earlier repeat has cached on them."""
    return replace(known)
