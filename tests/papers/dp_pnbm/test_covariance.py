"""One noisy matrix of how deviations go together: its bounds hold, nothing is read where there is only noise."""

import numpy as np
import pytest
import scipy.sparse as sp

from recprivlib.papers.dp_pnbm import covariance as pairing
from recprivlib.papers.dp_pnbm.weighted import Rated


def part(x, reach):
    """One person's pairs i < j."""
    rows = sp.csr_array(np.asarray(x, np.float32)[None, :])
    rows.data[:] = x  # a deviation of 0 is still a rating
    return pairing.pairs(pairing.covariance(pairing.centred(Rated(rows, np.zeros(len(x))), reach))).astype(float)


def rows_that_hurt(n, rng):
    """Deviations at the ends, and others."""
    ends = np.where(rng.random(n) < rng.choice([0.1, 0.5, 0.9]), 9.0, -9.0)
    return ends if rng.random() < 0.7 else rng.uniform(-1, 1, n)


@pytest.mark.parametrize("n", [2, 3, 5, 21, 60])
def test_no_changed_rating_and_no_person_moves_it_further_than_stated(n):
    rng, reach = np.random.default_rng(n), 0.6
    far, whole = 0.0, 0.0
    for _ in range(300):
        x = rows_that_hurt(n, rng) + 1e-3
        other = x.copy()
        other[0] = -x[0]
        far = max(far, np.linalg.norm(part(other, reach) - part(x, reach)))
        whole = max(whole, np.linalg.norm(part(x, reach)))
    assert far <= pairing.of_one_rating(reach) * (1 + 1e-6)
    assert whole <= pairing.of_one_person(reach, n) * (1 + 1e-6)
    if n == 60:  # and the bounds are not idle
        assert far > 0.7 * pairing.of_one_rating(reach)
        assert whole > 0.7 * pairing.of_one_person(reach, n)


def test_what_is_released_is_the_matrix_above_its_diagonal():
    matrix = np.arange(16.0).reshape(4, 4)
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    np.testing.assert_array_equal(pairing.square(pairing.pairs(matrix), 4), matrix.astype(np.float32))


def noise(n, sigma, rng):
    return pairing.square(rng.normal(0, sigma, n * (n - 1) // 2), n)


def test_noise_alone_says_nothing_and_a_direction_above_it_is_read_at_its_true_length():
    rng, n, sigma = np.random.default_rng(0), 400, 1.0
    for _ in range(5):
        assert not len(pairing.standing(noise(n, sigma, rng), sigma, 5, rng).lengths)
    true = rng.standard_normal(n)
    true *= 1 / np.linalg.norm(true)
    length = 2.5 * sigma * np.sqrt(n)
    found = pairing.standing(noise(n, sigma, rng) + length * np.outer(true, true).astype(np.float32), sigma, 5, rng)
    assert len(found.lengths) == 1
    assert found.lengths[0] == pytest.approx(length, rel=0.1)
    assert (found.vectors[:, 0] @ true) ** 2 == pytest.approx(found.trust[0], abs=0.05)


def test_tastes_undo_how_often_items_were_rated():
    rng, people, items = np.random.default_rng(0), 3000, 60
    q = np.where(np.arange(items) % 2, 0.6, -0.6)
    met = rng.random((people, items)) < np.linspace(0.9, 0.2, items)
    y = np.where(met, np.outer(rng.standard_normal(people), q) + rng.normal(0, 0.5, met.shape), 0)
    matrix = (y.T @ y).astype(np.float32)
    np.fill_diagonal(matrix, 0)
    found = pairing.standing(matrix, 0.0, 1, rng)
    seen, total = met.sum(axis=0), met.sum(axis=1)
    read = pairing.tastes(found, seen, float((total**2).sum() / total.sum() ** 2), 0.0, 1.0)[:, 0]
    np.testing.assert_allclose(np.abs(read), np.abs(q), rtol=0.2)
