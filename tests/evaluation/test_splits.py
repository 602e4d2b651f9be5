from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recprivlib.evaluation import PROTOCOLS, split, splits
from recprivlib.parameters import UserError
from recprivlib.protocols import Interactions


def data(pairs, n_users, n_items, times=None, grid=(1.0, 2.0, 3.0, 4.0, 5.0)):
    users, items = np.array(pairs, np.int32).reshape(-1, 2).T
    when = np.zeros(len(users), np.int64) if times is None else np.array(times)
    return Interactions(users, items, np.ones(len(users), np.float32), when, n_users, n_items, grid)


def pairs_of(x):
    return set(zip(x.users.tolist(), x.items.tolist(), strict=True))


def crowd(n, history, n_items, times):
    """`n` users with one and the same history."""
    return data([(u, i) for u in range(n) for i in history], n, n_items, np.tile(times, n))


# ------------------------------------------------------------------------------------- leave one out


def test_the_latest_interaction_is_held_out(made):
    x = made(60, 40, 0.3, times=10**9)
    (found,) = split(x, "loo-latest", 3)
    for user, item in zip(found.users, found.held_out, strict=True):
        mine = x.users == user
        assert x.times[mine & (x.items == item)] == x.times[mine].max()
    assert len(found.train) + len(found.users) == len(x)
    assert pairs_of(found.train) | set(zip(found.users.tolist(), found.held_out.tolist(), strict=True)) == pairs_of(x)


@pytest.mark.parametrize("protocol, eligible", [("loo-latest", [3, 7, 11]), ("loo-random", [0, 5, 3, 7, 11])])
def test_every_eligible_interaction_is_held_out_equally_often(protocol, eligible):
    # 6,000 users with one history, three items of it at the last time. Each count is binomial(n, p): 4.5 standard
    # deviations would catch ties that go to the first or last row, and one eligible row that is never drawn.
    n = 6000
    (found,) = split(crowd(n, [0, 5, 3, 7, 11], 40, [1, 2, 9, 9, 9]), protocol, 0)
    counts = np.bincount(found.held_out, minlength=40)
    p = 1 / len(eligible)
    assert set(np.flatnonzero(counts)) == set(eligible)
    assert np.abs(counts[eligible] - n * p).max() < 4.5 * np.sqrt(n * p * (1 - p))


@pytest.mark.parametrize("n_items, met", [(700, 20), (160, 20), (700, 520)])  # by rejection; by sorted keys, twice
def test_negatives_are_uniform_without_replacement(n_items, met):
    # Each free item is drawn by a user with probability 99/free; the count over n users is binomial. 5 standard
    # deviations over 700 items: false alarm 4e-4, and the seed is fixed. It would catch a bias to low item numbers.
    n = 2000
    (found,) = split(crowd(n, range(met), n_items, range(met)), "loo-latest", 1)
    assert (np.diff(np.sort(found.negatives, axis=1)) > 0).all()
    counts = np.bincount(found.negatives.ravel(), minlength=n_items)
    p = 99 / (n_items - met)
    assert not counts[:met].any()
    assert np.abs(counts[met:] - n * p).max() < 5 * np.sqrt(n * p * (1 - p))


def test_pairs_of_negatives_are_independent_of_their_numbers():
    # Neighbouring item numbers fall together as often as chance says: 99·98/(free·(free−1)) a pair.
    n, free = 1000, 680
    (found,) = split(crowd(n, range(20), 700, range(20)), "loo-latest", 2)
    together = (np.diff(np.sort(found.negatives, axis=1)) == 1).sum()
    p = 99 * 98 / (free * (free - 1))
    expected = n * (free - 1) * p
    assert abs(together - expected) < 5 * np.sqrt(expected)  # the pairs of one user are nearly independent


def test_negatives_are_drawn_in_blocks_of_users(made, monkeypatch):
    x = made(50, 300, 0.1)
    monkeypatch.setattr(splits, "BLOCK", 4 * 300)
    (found,) = split(x, "loo-latest", 0)
    assert found.negatives.min() >= 0
    assert (np.diff(np.sort(found.negatives, axis=1)) > 0).all()


def test_with_fewer_than_99_possible_negatives_all_are_used_and_it_is_said():
    (found,) = split(crowd(3, range(10), 40, range(10)), "loo-latest", 0)
    assert [set(row[row >= 0]) for row in found.negatives] == [set(range(10, 40))] * 3
    assert found.notes == (
        "3 users are ranked against fewer than 99 items (as few as 30): no more are left that they never met",
    )


def test_users_that_cannot_be_tested_are_trained_on_and_it_is_said():
    everything = [(1, i) for i in range(6)]
    (found,) = split(data([(0, 2), *everything, (2, 0), (2, 1), (3, 4)], 5, 6), "loo-random", 0)
    assert found.users.tolist() == [2]
    assert {(0, 2), (3, 4), *everything} <= pairs_of(found.train)
    assert found.notes[:2] == (
        "3 users are not tested: fewer than two interactions",
        "1 user is not tested: every item was met, nothing is left to rank against",
    )


def test_without_times_the_held_out_interaction_is_random_and_it_is_said():
    (found,) = split(crowd(500, range(4), 200, [0] * 4), "loo-latest", 0)
    assert set(found.held_out) == {0, 1, 2, 3}
    assert found.notes == ("no times are known: a random interaction of each user is held out",)


# ------------------------------------------------------------------------------------ folds, new users


def test_five_folds_test_every_rating_once(made):
    x = made(30, 40, 0.3)
    folds = split(x, "kfold", 0)
    tested = [pair for f in folds for pair in zip(f.users.tolist(), f.items.tolist(), strict=True)]
    assert len(folds) == 5
    assert len(tested) == len(x)
    assert set(tested) == pairs_of(x)
    assert np.ptp([len(f.users) for f in folds]) <= 1
    for f in folds:
        assert pairs_of(f.train) == pairs_of(x) - set(zip(f.users.tolist(), f.items.tolist(), strict=True))
        assert (x.rating_matrix[f.users, f.items] == f.ratings).all()


def test_new_users_are_a_fifth_and_never_trained_on(made):
    x = made(50, 40, 0.3)
    (found,) = split(x, "user-split", 0)
    assert len(found.users) == 10
    assert found.train.n_users == 40
    rest = np.setdiff1d(np.arange(50), found.users)
    assert (found.train.matrix != x.matrix[rest]).nnz == 0
    assert (found.histories.matrix + found.held_out != x.matrix[found.users]).nnz == 0
    assert found.train.user_features["age"].tolist() == x.user_features["age"][rest].tolist()
    assert found.histories.user_features["age"].tolist() == x.user_features["age"][found.users].tolist()
    half = np.diff(found.histories.matrix.indptr) - np.diff(found.held_out.indptr)
    assert set(half) <= {0, 1}


def test_the_half_that_a_new_user_tells_is_random():
    # Every item is in the told half of a test user with probability 1/2; binomial over 400 users, 4.5 deviations.
    (found,) = split(crowd(2000, range(8), 30, range(8)), "user-split", 0)
    told = np.asarray(found.histories.matrix.sum(axis=0)).ravel()[:8]
    assert np.abs(told - 200).max() < 4.5 * np.sqrt(400 / 4)


# --------------------------------------------------------------------------------------- all protocols


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_seed_alone_decides_the_split(made, protocol):
    x = made(40, 150, 0.2, times=3)
    same, again, other = (split(x, protocol, seed)[0] for seed in (4, 4, 5))
    assert pairs_of(same.train) == pairs_of(again.train)
    assert pairs_of(same.train) != pairs_of(other.train)
    if protocol.startswith("loo"):
        assert (same.negatives == again.negatives).all()


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(3, 30),
    st.integers(2, 25),
    st.floats(0.02, 1.0),
    st.sampled_from(list(PROTOCOLS)),
)
def test_any_data_is_split_without_a_leak_or_refused_in_words(made, seed, n_users, n_items, density, protocol):
    x = made(n_users, n_items, density, seed, times=5)
    try:
        parts = split(x, protocol, seed)
    except UserError:
        return
    for part in parts:  # a leak raises AssertionError where the split is made
        assert len(part.train) < len(x)
        assert len(part.users) > 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_cannot_be_split_is_refused(protocol):
    for broken, words in [
        (data([], 3, 3), "empty"),
        (data([(0, 1), (0, 1), (1, 0)], 2, 3), "twice"),
        (data([(1, 1), (0, 1)], 2, 3), "not sorted"),
        (data([(0, 1), (0, 3), (1, 0)], 2, 3), "has item 3, but its items are numbered from 0 to 2"),
        (data([(-1, 1), (0, 1), (1, 0)], 2, 3), "has user -1, but its users are numbered from 0 to 1"),
        (data([(0, 0)], 1, 3), "users|user|ratings"),
        ([(0, 0)], r"split takes interactions .* but got a list"),
    ]:
        with pytest.raises(UserError, match=words):
            split(broken, protocol)


def test_an_unknown_protocol_is_refused_with_the_known_ones(made):
    with pytest.raises(UserError, match="'loo'; choose from loo-latest, loo-random, kfold, user-split"):
        split(made(5, 5, 0.5), "loo")


def test_folds_of_data_without_stars_are_refused(made):
    with pytest.raises(UserError, match="kfold needs ratings in stars"):
        split(replace(made(5, 5, 0.5), grid=None), "kfold")


def test_a_split_that_leaks_cannot_be_made(made):
    x = made(30, 200, 0.2)
    (loo,) = split(x, "loo-latest")
    met = loo.train.items[np.searchsorted(loo.train.users, loo.users)]
    leaked = loo.negatives.copy()
    for bad in (met, loo.held_out):
        leaked[:, 5] = bad
        with pytest.raises(AssertionError, match="negative"):
            replace(loo, negatives=leaked)
    with pytest.raises(AssertionError, match="held-out"):
        replace(loo, train=x)
    fold = split(x, "kfold")[0]
    with pytest.raises(AssertionError, match="test rating"):
        replace(fold, train=x)
    (new,) = split(x, "user-split")
    with pytest.raises(AssertionError, match="history"):
        replace(new, held_out=new.histories.matrix)
