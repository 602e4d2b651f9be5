from dataclasses import replace

import numpy as np
import pytest

from recprivlib.models import factors
from recprivlib.models.factors import half_step
from recprivlib.yardsticks.plain import ImplicitALS


def objective(bits, p, q, alpha, regularization):
    """Eq. 3 of Hu, Koren & Volinsky 2008 with c = 1 + α r, in float64."""
    p, q = p.astype(np.float64), q.astype(np.float64)
    fit = ((1 + alpha * bits) * (bits - p @ q.T) ** 2).sum()
    return fit + regularization * ((p**2).sum() + (q**2).sum())


def test_a_half_step_is_the_minimum(small):
    """At the minimum the gradient in p, written from the objective and not from the solution, is zero."""
    bits = small.matrix.toarray().astype(np.float64)
    q = np.random.default_rng(0).normal(size=(25, 6)).astype(np.float32)
    p = half_step(small.matrix, q, alpha=4.0, regularization=0.5)
    gradient = -((1 + 4.0 * bits) * (bits - p @ q.T)) @ q + 0.5 * p
    scale = np.abs(((1 + 4.0 * bits) * bits) @ q).max()
    assert np.abs(gradient).max() < 1e-4 * scale  # float32 solves of 6 × 6 systems


def test_batches_change_nothing(small, monkeypatch):
    q = np.random.default_rng(0).normal(size=(25, 6)).astype(np.float32)
    whole = half_step(small.matrix, q, 4.0, 0.5)
    monkeypatch.setattr(factors, "ROWS", 7)
    np.testing.assert_allclose(half_step(small.matrix, q, 4.0, 0.5), whole, rtol=1e-4, atol=1e-6)


def test_every_iteration_lowers_the_objective_and_the_last_is_fit(small):
    system = ImplicitALS(factors=4, iterations=6, regularization=0.3, alpha=5.0)
    bits = small.matrix.toarray()
    steps = list(system.steps(small, np.random.default_rng(0)))
    values = [objective(bits, m.users, m.items, 5.0, 0.3) for _, m in steps]
    assert (np.diff(values) < 0).all()
    assert [progress for progress, _ in steps] == pytest.approx(np.arange(1, 7) / 6)
    model = system.fit(small, np.random.default_rng(0))
    assert np.array_equal(model.users, steps[-1][1].users)
    assert np.array_equal(model.items, steps[-1][1].items)


def test_folding_in_solves_for_new_people(small):
    model = ImplicitALS(factors=4).fit(small, np.random.default_rng(0))
    guests = model.fold_in(small.of(np.array([5, 9])))
    expected = half_step(small.matrix, model.items, model.alpha, model.regularization)[[5, 9]]
    np.testing.assert_allclose(guests.users, expected, rtol=1e-4, atol=1e-6)
    assert guests.score(np.array([0]), np.array([3])).shape == (1,)


def test_more_factors_than_items_and_a_person_without_history_are_fine(small):
    bare = small.take(small.users != 3)
    model = replace(ImplicitALS(), factors=64, iterations=2).fit(bare, np.random.default_rng(0))
    scores = model.score(np.arange(40)[:, None], np.arange(25)[None, :])
    assert np.isfinite(scores).all()
    assert not scores[3].any()
