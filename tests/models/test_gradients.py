"""What a phone computes, against the loss written out densely; looking up, adding up and scaling lose nothing."""

import numpy as np
import pytest
import scipy.sparse as sp

from recprivlib.data import load
from recprivlib.models.descent import OPTIMISERS, Kept
from recprivlib.models.factors import FEW, half_step, outer_sums
from recprivlib.models.gradients import at_cells, has, histories, level, one_of_each, orthonormal, summed
from recprivlib.parameters import UserError
from recprivlib.population import fixed, loose
from recprivlib.protocols import Interactions
from recprivlib.yardsticks.plain import FCF

ALPHA, LAMBDA, FACTORS = 1.5, 0.3, 4


@pytest.fixture(scope="module")
def people():
    return load("synthetic", users=300, items=70, seed=3).interactions


@pytest.fixture(scope="module")
def vectors(people):
    rng = np.random.default_rng(0)
    items = rng.normal(0, 0.3, (people.n_items, FACTORS)).astype(np.float32)
    return half_step(people.matrix, items, ALPHA, LAMBDA), items


def loss(met, users, items):
    """Σ_ui c(p − x·v)² + λ Σ|x|², densely and in double precision."""
    errors = (1 + ALPHA * met) * (met - users.astype(float) @ items.astype(float).T) ** 2
    return errors.sum() + LAMBDA * (users.astype(float) ** 2).sum()


def slopes(of, x, step=1e-4):
    """The slope of `of` in every entry of `x`, from two points each."""
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        ends = [x.astype(float) for _ in range(2)]
        ends[0][place] -= step
        ends[1][place] += step
        found[place] = (of(ends[1]) - of(ends[0])) / (2 * step)
    return found


def test_the_taste_vector_is_where_the_loss_is_flat(people, vectors):
    users, items = vectors
    met = people.matrix.toarray()
    assert np.abs(slopes(lambda x: loss(met[:5], x, items), users[:5])).max() < 1e-3


def test_the_summed_gradient_is_minus_half_the_slope_of_the_loss(people, vectors):
    users, items = vectors
    met = people.matrix.toarray()
    slope = slopes(lambda v: loss(met[:, :3], users, v), items[:3])
    np.testing.assert_allclose(summed(people.matrix, users, items, ALPHA)[:3], -slope / 2, rtol=1e-3, atol=1e-3)


def test_a_cell_is_what_the_phone_alone_adds_to_the_sum(people, vectors):
    users, items = vectors
    cells = np.tile(np.arange(items.size, dtype=np.int32), (people.n_users, 1))
    each = at_cells(people.matrix, users, items, ALPHA, cells).reshape(people.n_users, *items.shape)
    one = summed(people.matrix[[7]], users[[7]], items, ALPHA)
    np.testing.assert_allclose(each[7], one, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(each.sum(axis=0), summed(people.matrix, users, items, ALPHA), rtol=1e-3, atol=1e-3)
    longer = at_cells(people.matrix, users, items, ALPHA, cells, 2 * users)
    np.testing.assert_allclose(longer.reshape(each.shape), 2 * each, rtol=1e-6)


def test_a_round_needs_no_sorted_histories(people):
    assert (histories(people) != people.matrix).nnz == 0
    shuffled = people.take(np.lexsort((np.random.default_rng(0).random(len(people)), people.users)))
    assert (histories(shuffled) != people.matrix).nnz == 0


@pytest.mark.parametrize("users", [1, 127, 128, 129, 300])
def test_every_item_is_looked_up_in_the_history_of_its_own_phone(people, users):
    met, items = people.matrix[:users], np.random.default_rng(1).integers(0, people.n_items, (users, 9))
    assert np.array_equal(has(met, items), met.toarray()[np.arange(users)[:, None], items] > 0)


@pytest.mark.parametrize("factors", [1, FEW, FEW + 1])
def test_products_are_added_alike_for_few_factors_and_for_many(people, factors):
    items = np.random.default_rng(2).normal(size=(people.n_items, factors))
    dense = np.einsum("ui,if,ig->ufg", people.matrix.toarray(), items, items)
    np.testing.assert_allclose(outer_sums(people.matrix, items), dense, rtol=1e-9, atol=1e-9)


def test_who_met_nothing_answers_about_any_item():
    met = sp.csr_array(np.array([[0, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]], np.float32))
    drawn = one_of_each(met, 500, np.random.default_rng(0))
    assert set(drawn[0]) == {1, 3}
    assert set(drawn[2]) == {0}
    assert set(drawn[1]) == set(drawn[3]) == set(range(5))


def test_orthonormal_columns_are_the_nearest_ones_and_exist_for_any_shape():
    rng = np.random.default_rng(0)
    tall, wide = rng.normal(size=(40, 5)), rng.normal(size=(2, 5))
    np.testing.assert_allclose(orthonormal(tall).T @ orthonormal(tall), np.eye(5), atol=1e-12)
    symmetric = tall.T @ orthonormal(tall)  # V(VᵀV)^−½ leaves (VᵀV)^½, symmetric and positive
    np.testing.assert_allclose(symmetric, symmetric.T, atol=1e-12)
    assert np.linalg.eigvalsh(symmetric).min() > 0
    np.testing.assert_allclose(orthonormal(wide) @ orthonormal(wide).T, np.eye(2), atol=1e-12)


def test_a_levelled_row_ends_at_one_and_nothing_stays_nothing():
    scaled = level(np.array([[0.5, -2.0], [0.0, 0.0]], np.float32))
    np.testing.assert_array_equal(scaled, [[0.25, -1.0], [0.0, 0.0]])


@pytest.mark.parametrize("name", OPTIMISERS)
def test_every_optimiser_goes_down_and_leaves_its_start_alone(name):
    """|x|² from (3, −4): a hundred steps of 0.05 must come close to 0."""
    x = start = np.array([3.0, -4.0])
    kept = Kept()
    for _ in range(200):
        x, kept = OPTIMISERS[name](x, 2 * x, 0.05, kept)
    assert np.abs(x).max() < 0.3
    assert np.array_equal(start, [3, -4])


def test_fixed_point_loses_less_than_a_billionth_and_refuses_what_has_no_bound():
    values = np.random.default_rng(0).normal(0, 1000, 10_000)
    assert np.abs(loose(fixed(values)) - values).max() < 1e-9
    for wild in (np.nan, np.inf, 2.0**30):
        with pytest.raises(UserError, match="diverged"):
            fixed(np.array([1.0, wild]))


def test_nobody_and_nothing(people):
    nothing = people.take(np.zeros(0, np.int64))
    for data in (nothing, Interactions(*(people.users[:0],) * 4, 1, people.n_items)):
        model = FCF(epochs=2, factors=3).fit(data, np.random.default_rng(0))
        assert not model.score(np.zeros(1, int), np.zeros(1, int)).any()
