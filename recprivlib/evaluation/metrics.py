"""Hit rate, nDCG and RMSE, with ties in expectation.

An item with `above` others scored strictly higher and `tied` others scored the same stands, under random
tie-breaking, at each of the ranks above+1 … above+tied+1 with the same chance. Its gain is the mean over them,
so a constant scorer gets exactly chance.
"""

from __future__ import annotations

import numpy as np

from recprivlib.protocols import Array


def hit(above: Array, tied: Array, k: int) -> Array:
    """HR@k: the expected chance of a place among the first k.

    >>> hit(np.array([0, 5, 0]), np.array([0, 0, 99]), 5).tolist()
    [1.0, 0.0, 0.05]
    """
    return _mean_gain(above, tied, (k,), np.arange(k + 1.0))[0]


def ndcg(above: Array, tied: Array, k: int) -> Array:
    """nDCG@k of one relevant item: the expected 1/log₂(rank + 1) among the first k places.

    >>> ndcg(np.array([0, 2, 10]), np.array([0, 0, 0]), 10).round(3).tolist()
    [1.0, 0.5, 0.0]
    """
    return _mean_gain(above, tied, (k,), _discounts(k))[0]


def gains(above: Array, tied: Array, ks: tuple[int, ...], suffix: str = "") -> dict[str, Array]:
    """HR and nDCG at each k, by name: `hr@10`, `ndcg@10`, with "/full" behind for the whole catalogue."""
    kinds = {"hr": np.arange(max(ks) + 1.0), "ndcg": _discounts(max(ks))}
    return {
        f"{kind}@{k}{suffix}": values
        for kind, cumulated in kinds.items()
        for k, values in zip(ks, _mean_gain(above, tied, ks, cumulated), strict=True)
    }


def _discounts(k: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))])


def _mean_gain(above: Array, tied: Array, ks: tuple[int, ...], cumulated: Array) -> Array:
    """The mean gain over the places that ties allow, one row a k.

    `cumulated[r]` is the gain of the first r places together.
    """
    most = np.array(ks)[:, None]
    first, last = np.minimum(above, most), np.minimum(above + tied + 1, most)
    return (cumulated[last] - cumulated[first]) / (tied + 1)


def squared_errors(users: Array, errors: Array, n_users: int) -> Array:
    """(users, 1, 2): each user's sum of squared errors and number of ratings, in one fold."""
    total = np.bincount(users, errors.astype(np.float64) ** 2, minlength=n_users)
    return np.stack([total, np.bincount(users, minlength=n_users)], axis=1)[:, None, :]
