"""ldp_svd on one fold of the five: what a slider retrains, beside scikit-surprise at the same settings.

Of the peer its algorithm alone is measured, not turning our arrays into its form. "Off by" is the
difference on the same fold.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from recprivlib.bench import Timing
from recprivlib.bench._shared import fitted, fold, for_surprise
from recprivlib.dashboard import Appearance
from recprivlib.evaluation import evaluate
from recprivlib.papers.ldp_svd.screen import dashboard
from recprivlib.registry import get
from recprivlib.training import trained

NAME = "dashboard ldp_svd"


def cells() -> list[Timing]:
    peer = {"scikit-surprise": surprise}
    return [
        Timing("svd, k=20 × 20 epochs, ML-100K", 0.300, fitted("svd"), peer),
        Timing("svd, RMSE off scikit-surprise's by, ML-100K", 0.005, off, unit="stars"),
        Timing("laplace-svd, retrained, ML-100K", 0.300, fitted("laplace-svd")),
        Timing("laplace-rr-svd, retrained, ML-100K", 0.300, fitted("laplace-rr-svd")),
        Timing("discrete-rr-mf, retrained, ML-100K", 0.150, fitted("discrete-rr-mf")),
        Timing("optimal-mf, retrained, ML-100K", 0.150, fitted("optimal-mf")),
        Timing("optimal-mf, averages only, ML-100K", None, fitted("optimal-mf", factors=0)),
        Timing("optimal-mf, ML-1M", 3.0, fitted("optimal-mf", data="ml-1m")),
        Timing(f"{NAME}: ε1 moved, not seen before", 0.300, moved),
        Timing(f"{NAME}: true ε moved, not seen before", 0.300, moved_equal),
    ]


def surprise() -> Callable[[], Any]:
    from surprise import SVD

    known, ours = for_surprise(fold("ml-100k")), get("svd").system
    return lambda: SVD(
        n_factors=ours.factors, n_epochs=ours.epochs, lr_all=ours.learning_rate, reg_all=ours.regularization,
        random_state=0,
    ).fit(known)  # fmt: skip


def off() -> Callable[[], float]:
    """|our RMSE − theirs| on the fold."""
    known, ours = fold("ml-100k"), get("svd").system

    def apart() -> float:
        peer = surprise()()
        found = [peer.predict(u, i).est for u, i in zip(known.users.tolist(), known.items.tolist(), strict=True)]
        theirs = float(np.sqrt(np.mean((np.array(found) - known.ratings) ** 2)))
        return abs(evaluate(trained(ours, known.train), known).metrics["rmse"] - theirs)

    return apart


def moved() -> Callable[[], Any]:
    """Everything the screen needs at a new ε1: training, attack, intervals, figures."""
    dashboard.compute()
    steps = count()
    return lambda: _drawn(epsilon1=0.5 + 0.001 * (next(steps) + 1))


def moved_equal() -> Callable[[], Any]:
    dashboard.compute(mechanism="optimal", equal=True)
    steps = count()
    return lambda: _drawn(mechanism="optimal", equal=True, epsilon=1.0 + 0.001 * (next(steps) + 1))


def _drawn(**values: Any) -> list[Any]:
    result = dashboard.compute(**values)
    view = Appearance()
    return [figure.draw(result, view) for figure in dashboard.EXPLORER.figures]
