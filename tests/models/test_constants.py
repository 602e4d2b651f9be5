import numpy as np
import pytest

from recprivlib.models.constants import Chance
from recprivlib.yardsticks.plain import GlobalMean, ItemMean, Popularity, Random

RNG = np.random.default_rng


def test_popularity_counts_people(small):
    model = Popularity().fit(small, RNG(0))
    assert model.score(np.arange(25) % 40, np.arange(25)).tolist() == [(small.items == i).sum() for i in range(25)]


@pytest.mark.parametrize("pull", [0, 2.0, 1000])
def test_item_mean_is_drawn_towards_the_global_mean(small, pull):
    bare = small.take(small.items != 7)  # nobody rated item 7: it gets the global mean
    mean = float(bare.ratings.mean())
    expected = [mean if i == 7 else (bare.ratings[bare.items == i].sum() + pull * mean)
                / ((bare.items == i).sum() + pull) for i in range(25)]  # fmt: skip
    model = ItemMean(pull).fit(bare, RNG(0))
    np.testing.assert_allclose(model.score(np.array([[3], [4]]), np.arange(25)[None, :]), [expected] * 2, rtol=1e-6)
    assert GlobalMean().fit(bare, RNG(0)).score(np.array(0), np.array(7)) == pytest.approx(mean)


def test_scores_of_a_constant_model_may_be_written_to(small):
    scores = Popularity().fit(small, RNG(0)).score(np.arange(40)[:, None], np.arange(25)[None, :])
    scores[0, 0] = -1
    assert (scores[1:, 0] >= 0).all()


def test_chance_is_frozen_and_depends_on_seed_user_and_item():
    users, items = np.arange(50)[:, None], np.arange(60)[None, :]
    table = Chance(5).score(users, items)
    assert np.array_equal(table[[9, 3]][:, [50, 1]], Chance(5).score(np.array([[9], [3]]), np.array([50, 1])))
    assert len(np.unique(table)) > 2990  # 3,000 draws of 24 bits: 0.3 collisions expected
    assert not np.isclose(table, Chance(6).score(users, items), atol=1e-6).any(axis=1).all()
    assert Random().fit(None, RNG(1)) == Random().fit(None, RNG(1)) != Random().fit(None, RNG(2))


def test_chance_is_uniform_and_neighbouring_pairs_are_independent():
    """10⁶ draws: mean .5 ± 5·√(1/12)/10³, correlation of neighbours 0 ± 5/10³ (5 sigma).

    Catches a hash that leaks the low bits of user or item, such as one mixing round on user + item.
    """
    table = Chance(0).score(np.arange(1000)[:, None], np.arange(1000)[None, :])
    assert abs(table.mean() - 0.5) < 5 * np.sqrt(1 / 12) / 1000
    # each decile holds 10⁵ ± 5·√(10⁶·.1·.9)
    assert np.abs(np.histogram(table, 10, (0, 1))[0] - 100_000).max() < 5 * np.sqrt(90_000)
    for a, b in ((table[1:], table[:-1]), (table[:, 1:], table[:, :-1]), (table, table.T)):
        off = ~np.eye(1000, dtype=bool)[: a.shape[0], : a.shape[1]]
        assert abs(np.corrcoef(a[off], b[off])[0, 1]) < 5e-3 * np.sqrt(2)  # (table, table.T) holds each pair twice
