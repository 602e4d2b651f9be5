import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from recprivlib.models.items import ItemWeights
from recprivlib.models.neighbours import neighbourhood, rank_neighbours
from recprivlib.models.similarity import jaccard
from recprivlib.parameters import UserError
from recprivlib.yardsticks import plain as baselines
from recprivlib.yardsticks.plain import Ease, ItemKNN


def catalogue(model, n_users, n_items):
    return model.score(np.arange(n_users)[:, None], np.arange(n_items)[None, :])


@pytest.mark.parametrize("k", [1, 3, 10, 24])
def test_item_knn_is_equation_12(small, k):
    """s(u, i) = Σ_{j∈KNN(i)} sim(i, j) R_uj, by loops."""
    bits = small.matrix.toarray()
    similarity = jaccard(bits.T @ bits, bits.sum(axis=0))
    expected = np.zeros((40, 25))
    for i in range(25):
        nearest = sorted((j for j in range(25) if j != i), key=lambda j: (-similarity[i, j], j))[:k]
        expected[:, i] = bits[:, nearest] @ similarity[i, nearest]
    model = ItemKNN(neighbors=k).fit(small, np.random.default_rng(0))
    np.testing.assert_allclose(catalogue(model, 40, 25), expected, rtol=1e-5)


def test_sparse_and_dense_weights_score_alike():
    """Few neighbours are summed sparsely, many densely: one answer."""
    rng = np.random.default_rng(0)
    histories = sp.random_array((50, 60), density=0.1, format="csr", dtype=np.float32, rng=rng)
    for density in (0.01, 0.9):
        weights = sp.random_array((60, 60), density=density, format="csr", dtype=np.float32, rng=rng)
        expected = histories.toarray() @ weights.toarray().T
        for form in (weights, weights.toarray()):
            np.testing.assert_allclose(catalogue(ItemWeights(histories, form), 50, 60), expected, atol=1e-5)


def test_both_routes_are_taken(monkeypatch):
    """The test above would be blind if one of the two routes never ran: only the dense one unfolds the weights."""
    histories = sp.csr_array(np.eye(50, 60, dtype=np.float32))
    unfolded = []
    to_array = sp.csr_array.toarray

    def noted(self, order=None):
        unfolded.extend([self.nnz] * (self.shape == (60, 60)))
        return to_array(self, order)

    monkeypatch.setattr(sp.csr_array, "toarray", noted)
    for density in (0.01, 0.9):
        weights = sp.random_array((60, 60), density=density, format="csr", dtype=np.float32, rng=0)
        catalogue(ItemWeights(histories, weights), 50, 60)
    assert unfolded == [0.9 * 60 * 60]


@pytest.mark.parametrize("regularization", [1.0, 300.0])
def test_ease_is_its_closed_form(ml100k_split, regularization):
    """Steck 2019, eq. 8, in float64: B = I − P/diag(P).

    The float32 Cholesky loses about κ·2⁻²⁴, κ ≤ (λ_max + λ)/λ. On ML-100K λ_max ≈ 3·10⁴: 2·10⁻³ at λ = 1 and
    6·10⁻⁶ at 300, relative to the largest weight. A wrong triangle, axis or sign is of the order of the weights.
    """
    train = ml100k_split.train
    bits = train.matrix.toarray().astype(np.float64)
    shared = bits.T @ bits
    inverse = np.linalg.inv(shared + regularization * np.eye(len(shared)))
    expected = np.eye(len(shared)) - inverse / np.diag(inverse)
    model = Ease(regularization).fit(train, np.random.default_rng(0))
    found = model.weights.T  # from j to i, as Steck writes it
    condition = (eigsh(shared, 1, return_eigenvectors=False)[0] + regularization) / regularization
    assert np.abs(found - expected).max() < condition * 2**-24 * np.abs(expected).max()
    assert not found.diagonal().any()
    people = np.array([0, 400, 942])
    np.testing.assert_allclose(
        model.score(people[:, None], np.arange(train.n_items)[None, :]), bits[people] @ expected,
        atol=condition * 2**-24 * np.abs(expected).max() * bits[people].sum(axis=1).max(),
    )  # fmt: skip


def test_ease_says_so_when_float32_cannot_carry_the_regularization(small, monkeypatch):
    """With very many people rounding can outweigh a small λ; here the rounding is put in by hand."""
    monkeypatch.setattr(baselines, "gram", lambda matrix: np.full((25, 25), 1e9, np.float32))
    with pytest.raises(UserError, match="regularization is 1, too small"):
        Ease(1.0).fit(small, np.random.default_rng(0))


@pytest.mark.parametrize("system", [ItemKNN(), Ease()])
def test_folding_in_a_known_history_gives_its_owners_scores(small, system):
    model = system.fit(small, np.random.default_rng(0))
    guests = small.of(np.array([31, 4]))
    found = catalogue(model.fold_in(guests), 2, 25)
    np.testing.assert_allclose(found, catalogue(model, 40, 25)[[31, 4]], rtol=1e-5)


@pytest.mark.parametrize("k", [3, 40])
def test_a_browser_skips_what_is_not_there_and_scores_to_the_same_bit(monkeypatch, k):
    rng = np.random.default_rng(k)
    met = sp.csr_array((rng.random((30, 60)) < 0.2).astype(np.float32))
    alike = rng.random((60, 60)).astype(np.float32)
    model = ItemWeights(met, neighbourhood(rank_neighbours(alike, k), k))
    here = model.score(np.arange(30)[:, None], np.arange(60)[None, :])
    monkeypatch.setattr("recprivlib.models.items.sys.platform", "emscripten")
    assert np.array_equal(model.score(np.arange(30)[:, None], np.arange(60)[None, :]), here)
