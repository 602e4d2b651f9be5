import numpy as np
import pytest
import scipy.sparse as sp

from recprivlib.models import similarity
from recprivlib.models.similarity import at_least, at_most, cosine, gram, jaccard, mirror


@pytest.fixture
def bits():
    return (np.random.default_rng(1).random((300, 70)) < 0.2).astype(np.float32)


@pytest.mark.parametrize("users, items", [(4096, 2048), (64, 16), (7, 3)])
def test_gram_counts_exactly_whatever_the_tiles(bits, users, items, monkeypatch):
    monkeypatch.setattr(similarity, "USERS", users)
    monkeypatch.setattr(similarity, "ITEMS", items)
    whole = bits.astype(np.int64)
    for form in (bits, sp.csr_array(bits), bits.astype(bool)):
        found = gram(form)
        assert found.dtype == np.float32
        assert np.array_equal(found, whole.T @ whole)


@pytest.mark.parametrize("stars", [False, True])
@pytest.mark.parametrize("price", [1e-9, 1, 1e9])
def test_gram_counts_exactly_however_the_items_are_parted(bits, stars, price, monkeypatch):
    monkeypatch.setattr(similarity, "FEW", 64)
    monkeypatch.setattr(similarity, "PRICE", dict.fromkeys(similarity.PRICE, price))
    whole = bits.astype(np.int64) * (1 + np.arange(70) % 5 if stars else 1)
    matrix = sp.csr_array(whole.astype(np.float32))
    parts = similarity._parted(matrix, "float32" if stars else "uint16")
    assert [len(part) for part in parts] == {1e-9: [0, 70], 1e9: [70, 0]}.get(price, [len(part) for part in parts])
    assert sorted(np.concatenate(parts)) == list(range(70))
    assert np.array_equal(gram(matrix), whole.T @ whole)
    other = similarity._with(matrix, matrix.data * 3 - 1 - matrix.indices % 2)  # some of its numbers are zeros
    assert np.array_equal(similarity._cross(matrix, other), whole.T @ other.toarray().astype(np.int64))


def test_what_sixteen_bits_do_not_hold_goes_through_blas(monkeypatch):
    monkeypatch.setattr(similarity, "PRICE", dict.fromkeys(similarity.PRICE, 1e-9))
    many = np.ones((70_000, 3), np.float32)
    many[5:, 2] = 0
    assert np.array_equal(gram(sp.csr_array(many)), [[70_000, 70_000, 5], [70_000, 70_000, 5], [5, 5, 5]])


def test_jaccard_is_that_of_sets(bits):
    found = jaccard(gram(bits), bits.sum(axis=0))
    people = [set(np.flatnonzero(column)) for column in bits.T]
    expected = [[len(a & b) / max(len(a | b), 1) for b in people] for a in people]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_cosine_is_that_of_columns(bits):
    bits[:, 3] = 0  # nobody met item 3
    unit = bits / np.maximum(np.linalg.norm(bits, axis=0), 1)
    np.testing.assert_allclose(cosine(gram(bits), bits.sum(axis=0)), unit.T @ unit, atol=1e-6)


@pytest.mark.parametrize("measure", [jaccard, cosine])
def test_estimates_are_clipped_to_similarities(measure):
    """Debiased counts can be negative or overlap more than their union: the result still is a similarity."""
    noisy = np.array([[5, 9, -2], [9, 4, 3], [-2, 3, -1]], np.float32)
    found = measure(noisy, np.array([5, 4, -1], np.float32))
    assert np.isfinite(found).all()
    assert found.min() >= 0
    assert found.max() <= 1
    assert found[0, 2] == 0  # nobody can have met both


@pytest.mark.parametrize("measure", [jaccard, cosine])
def test_similarity_in_place_is_the_same_and_inputs_stay_otherwise(measure, bits):
    shared, counts = gram(bits), bits.sum(axis=0)
    before = shared.copy()
    expected = measure(shared, counts)
    assert np.array_equal(shared, before)
    assert measure(shared, counts, out=shared) is shared
    assert np.array_equal(shared, expected)


@pytest.mark.parametrize("n", [1, 5, 256, 600])
def test_mirror_copies_the_upper_triangle(n):
    matrix = np.random.default_rng(0).random((n, n))
    upper = np.triu(matrix)
    assert np.array_equal(mirror(matrix), upper + np.triu(upper, 1).T)


@pytest.mark.parametrize("width", [1, 20, 32, 33, 70])
def test_few_columns_of_bits_are_counted_like_many(bits, width, monkeypatch):
    monkeypatch.setattr(similarity, "USERS", 128)
    some = bits[:, :width].astype(bool)
    found = gram(some, np.int32)
    assert found.dtype == np.int32
    assert np.array_equal(found, some.T.astype(int) @ some.astype(int))


def test_floats_are_bounded_as_floats_would_be():
    values = np.array([-3.5, -0.0, 0.0, 1e-40, 0.3, 1.0, 7.25, np.inf], np.float32)
    for low in (0, 1):
        assert np.array_equal(at_least(values.copy(), low), np.maximum(values, np.float32(low)))
    assert np.array_equal(at_most(values[2:].copy(), 1), np.minimum(values[2:], np.float32(1)))
