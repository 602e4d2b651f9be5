"""People who do not exist, in populations that nest."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from recprivlib.data import load, pinned
from recprivlib.data import synthetic as module
from recprivlib.data.canonical import most_met
from recprivlib.data.synthetic import CHECKSUMS, resample, synthetic
from recprivlib.evaluation import evaluate, split
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions
from recprivlib.training import trained
from recprivlib.yardsticks.plain import SYSTEMS


def columns(data: Interactions) -> list[np.ndarray]:
    return [data.users, data.items, data.ratings, data.times]


@pytest.mark.parametrize("users", [50, 256, 300, 4096, 4100])
def test_the_first_users_are_the_same_however_many_follow(users: int) -> None:
    large, small = synthetic(users=4400, items=60).interactions, synthetic(users=users, items=60).interactions
    kept = large.users < users
    assert all((a[kept] == b).all() for a, b in zip(columns(large), columns(small), strict=True))
    assert small.n_users == users


def test_the_seed_decides_everything() -> None:
    one, same, other = (synthetic(seed=s, users=100, items=80) for s in (3, 3, 4))
    assert one.checksum == same.checksum != other.checksum
    assert (one.interactions.item_features["genres"] == same.interactions.item_features["genres"]).all()


def test_rows_are_canonical_and_nobody_has_seen_everything() -> None:
    for users, items in ((50, 50), (300, 20), (700, 900)):
        data = synthetic(users=users, items=items).interactions
        order = np.lexsort((data.items, data.times, data.users))
        assert (order == np.arange(len(data))).all()
        assert len(set(zip(data.users.tolist(), data.items.tolist(), strict=True))) == len(data)
        seen = np.bincount(data.users, minlength=users)
        assert seen.min() >= 2
        assert seen.max() < items
        assert set(np.unique(data.ratings)) <= set(data.grid or ())
        assert data.item_features["genres"].sum(axis=1).min() >= 1


def test_popularity_has_a_long_tail_and_activity_grows_with_the_catalogue() -> None:
    small, large = synthetic(users=1000, items=1000).interactions, synthetic(users=1000, items=4000).interactions
    counts = np.sort(np.bincount(small.items, minlength=1000))[::-1]
    assert counts[:200].sum() > 0.5 * len(small)  # a fifth of the films takes more than half of the interactions
    assert counts[100] > 5 * counts[800]
    medians = [np.median(np.bincount(d.users)) for d in (small, large)]
    assert 1.7 < medians[1] / medians[0] < 2.3  # √4; the median of 1,000 log-normals has a standard error of 4 %


def test_item_knn_beats_popularity_and_popularity_beats_chance_clearly() -> None:
    """A generator without latent tastes, or without a tail, fails here.

    The standard error of a hit rate over n users is at most √(1/4n), of a difference at most √(1/2n) = .018 at
    n = 1,500. Five of them are asked for.
    """
    data = synthetic(users=1500, items=1000).interactions
    (fold,) = split(data, "loo-latest", 0)
    rate = {}
    for name in ("random", "popularity", "item-knn"):
        model = trained(SYSTEMS[name].system, fold.train)
        rate[name] = evaluate(model, fold, full=False).metrics["hr@10"]
    margin = 5 * math.sqrt(1 / (2 * 1500))
    assert rate["random"] + margin < rate["popularity"]
    assert rate["popularity"] + margin < rate["item-knn"]


def test_memory_is_bounded_by_a_chunk_and_the_result() -> None:
    """A dense array of all users would be 8 · 8,000 · 2,000 bytes = 122 MiB."""
    tracemalloc.start()
    data = synthetic(users=8000, items=2000).interactions
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    result = sum(column.nbytes for column in columns(data))
    chunk = 8 * module.CHUNK * 2000
    assert peak < 2.5 * result + 8 * chunk < 85e6


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"users": 19}, "users is 19"),
        ({"users": 2.5}, "users is 2.5"),
        ({"users": 2_000_000}, "from 20 to 1,000,000"),
        ({"items": 0}, "items is 0"),
        ({"items": True}, "items is True"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 1.5}, "seed is 1.5"),
    ],
)
def test_nonsense_is_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        load("synthetic", **arguments)


def test_real_data_refuses_a_size_and_an_unknown_name_is_said() -> None:
    with pytest.raises(UserError, match="only synthetic takes a number"):
        load("ml-100k", users=100)
    with pytest.raises(UserError, match="'ml-5k'; choose from ml-100k"):
        load("ml-5k")


def test_a_pinned_population_is_the_one_that_is_drawn() -> None:
    users, items = min(CHECKSUMS, key=lambda size: size[0] * size[1])
    assert load("synthetic", users=users, items=items).checksum == pinned("synthetic", users, items)
    assert pinned("synthetic", 21, 21) is None


def test_the_most_met_items_of_real_data_are_a_data_set_of_their_own() -> None:
    whole = synthetic(users=60, items=50, seed=1)
    counts = np.bincount(whole.interactions.items, minlength=50)
    few = most_met(whole, 7)
    kept = np.array([whole.titles.index(title) for title in few.titles])
    assert set(kept) <= set(np.flatnonzero(counts >= np.sort(counts)[-7]))
    assert np.array_equal(few.interactions.matrix.toarray(), whole.interactions.matrix.toarray()[:, kept])
    assert few.interactions.item_features["genres"].shape[0] == few.interactions.n_items == 7
    assert few.checksum not in (whole.checksum, most_met(whole, 8).checksum)
    for wrong in (0, 51):
        with pytest.raises(UserError, match=f"items is {wrong}, but must be a whole number from 1 to 50"):
            most_met(whole, wrong)


def test_a_resampled_population_is_made_of_the_real_users() -> None:
    data = synthetic(users=50, items=60).interactions
    many = resample(data, 4, np.random.default_rng(0))
    assert many.n_users == 200
    assert (np.diff(many.users) >= 0).all()
    own = {tuple(row) for row in data.matrix.toarray()}
    drawn = many.matrix.toarray()
    assert {tuple(row) for row in drawn} <= own
    # each user is drawn 4 times on average: a draw without replacement, or of the first 50 only, fails here
    assert len({tuple(row) for row in drawn}) > 40
    assert len({tuple(row) for row in drawn[:50]}) < 50
    again = resample(data, 8, np.random.default_rng(0))
    assert (again.items[: len(many)] == many.items).all()
    with pytest.raises(UserError, match="times is 0"):
        resample(data, 0, np.random.default_rng(0))
