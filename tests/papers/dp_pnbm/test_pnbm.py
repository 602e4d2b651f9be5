"""Neighbourhoods: the gradient is the slope of the loss, pairs and rows agree, a slice is what a fit gives."""

from dataclasses import replace

import numpy as np
import pytest

from recprivlib.models.similarity import common_cosine, pearson
from recprivlib.papers.dp_pnbm.pnbm import Bounds, beginning, gradient, loss, of_person, symmetric
from recprivlib.papers.dp_pnbm.weighted import Neighbours, Rated, beyond, item_means


@pytest.fixture
def rated(small):
    return beyond(small, item_means(small))


@pytest.mark.parametrize("floor", [0.0, 4.0, 1e3])
@pytest.mark.parametrize("start", ["even", "random"])
def test_the_gradient_is_the_slope_of_the_loss(rated, floor, start):
    similarity = beginning(25, start, 10.0, np.random.default_rng(0))
    slope = gradient(similarity, rated, Bounds(floor=floor))
    rng, step = np.random.default_rng(1), 1e-3
    for i, j in rng.integers(0, 25, (40, 2)):
        up, down = similarity.astype(float), similarity.astype(float)
        up[i, j] += step
        down[i, j] -= step
        expected = 0 if i == j else (loss(up, rated, floor) - loss(down, rated, floor)) / (2 * step)
        assert slope[i, j] == pytest.approx(expected, abs=2e-4 * max(1.0, float(np.abs(slope).max())))


def test_without_the_sign_of_s_it_would_not_be(rated):
    """Eq. 5 as printed; the test above sees the difference."""
    similarity = -np.abs(beginning(25, "random", 10.0, np.random.default_rng(0)))
    assert np.abs(gradient(similarity, rated, Bounds()) - gradient(-similarity, rated, Bounds())).max() > 0.01


def test_errors_are_cut_and_people_are_clipped_and_counted_as_often_as_they_are_there(rated):
    similarity = beginning(25, "even", 1.0, np.random.default_rng(0))
    one = gradient(similarity, rated, Bounds(norm=0.02))
    assert np.linalg.norm(one) <= 0.02 * len(rated.people)
    alone = Rated(rated.rows[[3]], rated.means)
    assert np.linalg.norm(gradient(similarity, alone, Bounds(norm=0.02))) == pytest.approx(0.02, rel=1e-4)
    times = np.array([0, 2] + [1] * 38)
    again = Rated(rated.rows[[1, 1, *range(2, 40)]], rated.means)
    np.testing.assert_allclose(gradient(similarity, rated, Bounds(), weights=times),
                               gradient(similarity, again, Bounds()), atol=1e-5)  # fmt: skip
    small, large = (np.abs(gradient(similarity, rated, Bounds(clamp))).max() for clamp in (1e-3, 10))
    assert small < large / 50


def test_batches_add_up_to_the_whole(rated):
    similarity = beginning(25, "random", 10.0, np.random.default_rng(0))
    chosen = np.random.default_rng(0).random(rated.rows.nnz) < 0.4
    parts = [gradient(similarity, rated, Bounds(2, 1), part) for part in (chosen, ~chosen)]
    np.testing.assert_allclose(sum(parts), gradient(similarity, rated, Bounds(2, 1)), atol=1e-5)


def test_many_runs_at_once_are_each_what_one_is(rated):
    _, x = rated.of(0)
    rng, rows = np.random.default_rng(0), np.arange(len(rated.of(0)[1]))
    many = rng.normal(0, 1, (3, len(x), len(x))).astype(np.float32)
    alone = [of_person(one.copy(), x, rows, Bounds(2, 1)) for one in many]
    np.testing.assert_allclose(of_person(many.copy(), x, rows, Bounds(2, 1)), alone, atol=1e-6)


def test_symmetric_in_place():
    matrix = np.random.default_rng(0).random((700, 700), np.float32)
    expected = (matrix + matrix.T) / 2
    np.testing.assert_array_equal(symmetric(matrix), expected)


def plain(model, user, item):
    """Eq. 2, term by term."""
    rows = model.histories[[user]].toarray()[0]
    rated = (model.histories[[user]] != 0).toarray()[0]
    others = model.similarity[item].copy()
    others[item] = -np.inf
    keep = others >= np.sort(others)[::-1][min(model.k, len(others) - 1) - 1]
    weights = np.where(keep & (np.arange(len(others)) != item), others, 0)
    below = max((np.abs(weights) * rated).sum(), model.floor)
    return np.clip(model.means[item] + (weights * rows).sum() / below if below else model.means[item], 1, 5)


def test_pairs_and_rows_and_the_formula_agree(rated):
    similarity = beginning(25, "random", 10.0, np.random.default_rng(3))
    model = Neighbours(rated.rows, rated.means, similarity, 7, 1, 5, 0.5)
    whole = model.score(np.arange(40)[:, None], np.arange(25)[None, :])
    users, items = np.random.default_rng(0).integers(0, (40, 25), (30, 2)).T
    np.testing.assert_allclose(model.score(users, items), whole[users, items], atol=1e-5)
    expected = [plain(model, u, i) for u, i in zip(users, items, strict=True)]
    np.testing.assert_allclose(whole[users, items], expected, atol=1e-4)


def test_another_number_of_neighbours_is_a_slice(rated):
    similarity = beginning(25, "random", 10.0, np.random.default_rng(3))
    model = Neighbours(rated.rows, rated.means, similarity, 20, 1, 5)
    for k in (1, 7, 24, 100):
        np.testing.assert_array_equal(model.among(k).among(k).weights, replace(model, k=k).weights)


def test_correlations_are_numpys(small):
    stars, ours, cosine = small.rating_matrix.toarray(), pearson(small.rating_matrix, 3.0), common_cosine(
        small.rating_matrix
    )  # fmt: skip
    shrunk = pearson(small.rating_matrix, 3.0, 10.0)
    for i, j in [(0, 1), (2, 9), (4, 20), (7, 3)]:
        both = (stars[:, i] > 0) & (stars[:, j] > 0)
        a, b = stars[both, i], stars[both, j]
        expected = np.corrcoef(a, b)[0, 1] if a.std() and b.std() else 0
        assert ours[i, j] == pytest.approx(expected, abs=1e-5)
        assert shrunk[i, j] == pytest.approx(expected * both.sum() / (both.sum() + 10), abs=1e-5)
        assert cosine[i, j] == pytest.approx((a @ b) / np.sqrt((a @ a) * (b @ b)), abs=1e-5)
