import numpy as np
import pytest

from recprivlib.models.neighbours import neighbourhood, rank_neighbours


def by_sorting(similarity, most):
    """The definition: every other item, nearest first, equally near ones by index."""
    n = len(similarity)
    others = [sorted((-similarity[i, j], j) for j in range(n) if j != i)[:most] for i in range(n)]
    return np.array([[j for _, j in row] for row in others])


@pytest.mark.parametrize("n, most", [(30, 5), (300, 40), (30, 29), (30, 500), (2, 3)])
def test_neighbours_are_the_nearest_and_ties_go_by_index(n, most):
    # a coarse grid of values, negative ones too, makes ties at the edge of every list certain
    similarity = np.random.default_rng(0).integers(-3, 4, (n, n)).astype(np.float32) / 4
    ranked = rank_neighbours(similarity, most)
    expected = by_sorting(similarity, most)
    assert np.array_equal(ranked.items, expected)
    assert np.array_equal(ranked.similarities, np.take_along_axis(similarity, expected, axis=1))


def test_a_smaller_neighbourhood_is_a_slice_of_the_ranking():
    similarity = np.random.default_rng(1).random((80, 80), np.float32)
    ranked = rank_neighbours(similarity, 60)
    for k in (1, 20, 60):
        expected = np.zeros_like(similarity)
        np.put_along_axis(expected, by_sorting(similarity, k), 1, axis=1)
        assert np.array_equal(neighbourhood(ranked, k).toarray(), expected * similarity)
    assert neighbourhood(ranked, 1000).nnz == 80 * 60


def test_a_lonely_item_has_no_neighbours():
    ranked = rank_neighbours(np.ones((1, 1), np.float32), 5)
    assert ranked.items.shape == (1, 0)
    assert neighbourhood(ranked, 5).nnz == 0
